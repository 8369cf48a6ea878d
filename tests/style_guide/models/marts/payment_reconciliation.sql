with orders as (

    select * from {{ ref('stg_orders') }}

),

payments as (

    select * from {{ ref('int_payments_pivoted_to_orders') }}

),

final as (

    select
        coalesce(orders.order_id, payments.order_id) as order_id,
        orders.order_total,
        payments.total_amount,
        coalesce(orders.order_total, 0) - coalesce(payments.total_amount, 0) as difference
    from orders
    full outer join payments on orders.order_id = payments.order_id
    where coalesce(orders.order_total, 0) <> coalesce(payments.total_amount, 0)

)

select * from final
