with orders as (

    select * from {{ ref('orders') }}

),

ranked as (

    select
        *,
        row_number() over (
            partition by customer_id
            order by ordered_at desc, order_id desc
        ) as recency
    from orders

),

final as (

    select
        customer_id,
        order_id,
        ordered_at,
        order_status,
        order_total
    from ranked
    where recency = 1

)

select * from final
