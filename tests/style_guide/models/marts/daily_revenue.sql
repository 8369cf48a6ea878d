with orders as (

    select * from {{ ref('orders') }}

),

final as (

    select
        ordered_at,
        count(*) as orders,
        count(distinct customer_id) as buyers,
        sum(order_total) as revenue,
        sum(order_total) / count(*) as average_order_value,
        sum(case when order_status = 'returned' then order_total else 0 end) as returned
    from orders
    where order_status <> 'cancelled'
    group by ordered_at

)

select * from final
