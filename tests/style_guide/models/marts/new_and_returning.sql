with orders as (

    select * from {{ ref('orders') }}

),

labelled as (

    select
        *,
        case when customer_order_number = 1 then 'new' else 'returning' end as buyer_type
    from orders

),

final as (

    select
        ordered_at,
        buyer_type,
        count(*) as orders,
        sum(order_total) as revenue
    from labelled
    group by ordered_at, buyer_type

)

select * from final
