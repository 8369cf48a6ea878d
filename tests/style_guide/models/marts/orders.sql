with orders as (

    select * from {{ ref('stg_orders') }}

),

order_items_summary as (

    select * from {{ ref('int_order_items_summed_to_orders') }}

),

payments as (

    select * from {{ ref('int_payments_pivoted_to_orders') }}

),

compute_booleans as (

    select
        orders.*,
        order_items_summary.order_cost,
        order_items_summary.order_items_subtotal,
        order_items_summary.count_food_items,
        order_items_summary.count_drink_items,
        order_items_summary.count_order_items,
        coalesce(order_items_summary.count_food_items > 0, false) as is_food_order,
        coalesce(order_items_summary.count_drink_items > 0, false) as is_drink_order,
        coalesce(payments.total_amount, 0) as amount_paid
    from orders
    left join order_items_summary on orders.order_id = order_items_summary.order_id
    left join payments on orders.order_id = payments.order_id

),

customer_order_count as (

    select
        *,
        row_number() over (
            partition by customer_id
            order by ordered_at asc, order_id asc
        ) as customer_order_number
    from compute_booleans

)

select * from customer_order_count
