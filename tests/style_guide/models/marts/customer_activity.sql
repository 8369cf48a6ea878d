with orders as (

    select * from {{ ref('stg_orders') }}

),

sessions as (

    select * from {{ ref('int_sessions') }}

),

unioned as (

    select customer_id, cast(ordered_at as date) as active_on, 'order' as activity from orders
    union
    select customer_id, session_date, 'visit' from sessions

)

select * from unioned
