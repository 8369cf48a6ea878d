"""The shop's tables, and what is loaded into them on each day of a month.

Loads are what an extractor writes: new rows, rows that changed, a customer who asked to be
forgotten, a table that is written again as it was, and a day without any.
"""

from __future__ import annotations

from collections.abc import Iterator

FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
# Rows at first, and of each day.
CUSTOMERS, ORDERS, EVENTS, PRODUCTS = 2_000, 30_000, 60_000, 40
DAYS = 30
NEW = {"customers": 10, "orders": 150, "events": 400}
QUIET_DAYS = (14, 20)  # of which the second has no load at all
START = "timestamp'2026-01-01 06:00:00'"


def at(number: str, per_day: int) -> str:
    """When something happened, by its number: so many a day."""
    days, hours = f"cast({number} div {per_day} as int)", f"cast({number} % 14 as int)"
    return f"{START} + make_interval(0, 0, 0, {days}, {hours})"


def drawn(number: str, salt: int, size: int) -> str:
    """A number that looks random, below a size."""
    return f"cast(pmod(xxhash64({number}, {salt}), {size}) as int)"


def customers(first: int, end: int) -> str:
    """Rows of raw_customers."""
    countries = "array('de', 'fr', 'it', 'pl')"
    return (
        "select cast(id as int) as id, concat('Customer ', id) as name,"
        f" concat('C', id, '@Example.com') as email,"
        f" element_at({countries}, 1 + {drawn('id', 1, 4)}) as country,"
        f" {at('id', 20)} as created_at from range({first}, {end})"
    )


def orders(first: int, end: int) -> str:
    """Rows of raw_orders."""
    states = "array('placed', 'shipped', 'completed', 'completed', 'completed', 'cancelled')"
    return (
        f"select cast(id as int) as id, {drawn('id', 2, 8)} + 1 as store_id,"
        f" {drawn('id', 3, CUSTOMERS - 50)} as customer,"
        f" element_at({states}, 1 + {drawn('id', 4, 6)}) as status,"
        f" 300 + {drawn('id', 5, 9000)} as subtotal, 20 + {drawn('id', 6, 700)} as tax_paid,"
        f" {at('id', NEW['orders'])} as ordered_at from range({first}, {end})"
    )


def items(first: int, end: int) -> str:
    """Rows of raw_items, of these orders."""
    return (
        f"select cast(id * 4 + n as bigint) as id, cast(id as int) as order_id,"
        f" concat('SKU-', {drawn('id * 4 + n', 7, PRODUCTS)}) as sku"
        f" from range({first}, {end}) lateral view explode(sequence(0, {drawn('id', 8, 3)})) as n"
    )


def payments(first: int, end: int) -> str:
    """Rows of raw_payments, of these orders; one of fifty is not paid yet."""
    methods = "array('credit_card', 'bank_transfer', 'coupon', 'gift_card')"
    return (
        f"select cast(id as bigint) as id, id as order_id,"
        f" element_at({methods}, 1 + {drawn('id', 9, 4)}) as method,"
        f" subtotal + tax_paid - if(id % 50 = 1, 100, 0) as amount,"
        f" ordered_at + interval 1 hour as paid_at from ({orders(first, end)}) where id % 50 <> 0"
    )


def events(first: int, end: int) -> str:
    """Rows of raw_events."""
    pages = "array('home', 'menu', 'menu', 'cart', 'checkout')"
    return (
        "select cast(id as bigint) as id, id div 6 as session_id,"
        f" {drawn('id div 6', 10, CUSTOMERS)} as customer,"
        f" element_at({pages}, 1 + {drawn('id', 11, 5)}) as page,"
        f" {at('id', NEW['events'])} as happened_at from range({first}, {end})"
    )


def products(price: int = 0) -> str:
    """Rows of raw_products."""
    return (
        "select concat('SKU-', id) as sku, concat('Product ', id) as name,"
        " if(id % 3 = 0, 'beverage', 'jaffle') as type,"
        f" cast(400 + id * 10 + {price} as int) as price from range({PRODUCTS})"
    )


def tables() -> Iterator[str]:
    """The statements that make the tables; `@` is their schema."""
    rows = {
        "raw_customers": customers(0, CUSTOMERS),
        "raw_orders": orders(0, ORDERS),
        "raw_items": items(0, ORDERS),
        "raw_payments": payments(0, ORDERS),
        "raw_events": events(0, EVENTS),
        "raw_products": products(),
        "raw_supplies": "select concat('SUP-', id) as id, concat('SKU-', id % 40) as sku,"
        " concat('Supply ', id) as name, cast(20 + id as int) as cost, id % 4 = 0 as perishable"
        " from range(120)",
        "raw_stores": "select cast(id as int) as id, concat('Store ', id) as name,"
        f" cast(0.05 + id / 100 as decimal(4, 2)) as tax_rate, {at('id', 1)} as opened_at"
        " from range(1, 8)",
    }
    for name, text in rows.items():
        yield f"create table @.{name} {FEED} as {text}"


def load(day: int) -> Iterator[str]:
    """What is written on one day, the first of which is 1."""
    if day == QUIET_DAYS[1]:
        return
    begin = {"customers": CUSTOMERS, "orders": ORDERS, "events": EVENTS}
    first = {name: begin[name] + (day - 1) * count for name, count in NEW.items()}
    end = {name: first[name] + count for name, count in NEW.items()}
    if day != QUIET_DAYS[0]:
        yield f"insert into @.raw_orders {orders(first['orders'], end['orders'])}"
        yield f"insert into @.raw_items {items(first['orders'], end['orders'])}"
        yield f"insert into @.raw_payments {payments(first['orders'], end['orders'])}"
        # Orders of the last days go on; the oldest of them are paid now.
        recent = f"id between {first['orders'] - 600} and {first['orders'] - 1}"
        yield f"update @.raw_orders set status = 'completed' where {recent} and id % 7 = {day % 7}"
        yield f"update @.raw_orders set status = 'returned' where {recent} and id % 97 = {day}"
    yield f"insert into @.raw_events {events(first['events'], end['events'])}"
    yield (
        f"merge into @.raw_customers as t using ("
        f"{customers(first['customers'] - 5, end['customers'])}) as s on t.id = s.id"
        " when matched then update set country = 'at' when not matched then insert *"
    )
    if day % 7 == 0:
        yield f"update @.raw_products set price = price + 10 where sku = 'SKU-{day}'"
    if day % 6 == 0:
        forgotten = day * 11
        yield f"delete from @.raw_customers where id = {forgotten}"
        yield f"delete from @.raw_events where customer = {forgotten}"
    if day == 10:
        yield (f"insert into @.raw_stores values (8, 'Store 8', 0.07, {START} + interval 40 days)")
    if day == 17:  # `dbt seed`, or a job that writes the same rows each time
        yield "insert overwrite @.raw_supplies select * from @.raw_supplies"
    if day == 25:
        yield "optimize @.raw_orders"
