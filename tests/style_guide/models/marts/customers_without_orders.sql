with customers as (

    select * from {{ ref('stg_customers') }}

),

orders as (

    select * from {{ ref('stg_orders') }}

),

final as (

    select customers.*
    from customers
    where not exists (
        select 1 from orders where orders.customer_id = customers.customer_id
    )

)

select * from final
