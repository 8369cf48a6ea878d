with order_items as (

    select * from {{ ref('stg_order_items') }}

),

orders as (

    select * from {{ ref('stg_orders') }}

),

products as (

    select * from {{ ref('stg_products') }}

),

supplies as (

    select * from {{ ref('int_supplies_summed_to_products') }}

),

joined as (

    select
        order_items.*,
        orders.customer_id,
        orders.location_id,
        orders.ordered_at,
        products.product_name,
        products.product_price,
        products.is_food_item,
        products.is_drink_item,
        supplies.supply_cost
    from order_items
    left join orders on order_items.order_id = orders.order_id
    left join products on order_items.product_id = products.product_id
    left join supplies on order_items.product_id = supplies.product_id

)

select * from joined
