with orders as (

    select * from {{ ref('stg_orders') }}

),

customers as (

    select * from {{ ref('stg_customers') }}

),

frequent as (

    select customer_id
    from orders
    group by customer_id
    having count(*) >= 15

),

final as (

    select customers.*
    from customers
    where customers.customer_id in (select customer_id from frequent)

)

select * from final
