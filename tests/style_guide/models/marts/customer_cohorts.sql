with orders as (

    select * from {{ ref('orders') }}

),

first_orders as (

    select
        customer_id,
        date_trunc('month', min(ordered_at)) as cohort_month
    from orders
    group by customer_id

),

activity as (

    select distinct
        customer_id,
        date_trunc('month', ordered_at) as activity_month
    from orders

),

final as (

    select
        first_orders.cohort_month,
        activity.activity_month,
        count(*) as customers
    from first_orders
    inner join activity on first_orders.customer_id = activity.customer_id
    group by first_orders.cohort_month, activity.activity_month

)

select * from final
