with orders as (

    select * from {{ ref('orders') }}

),

by_customer as (

    select
        customer_id,
        count(*) as order_count
    from orders
    group by customer_id

),

final as (

    select
        order_count,
        count(*) as customers
    from by_customer
    group by order_count

)

select * from final
