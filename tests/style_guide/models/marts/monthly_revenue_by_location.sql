with orders as (

    select * from {{ ref('orders') }}

),

locations as (

    select * from {{ ref('stg_locations') }}

),

monthly as (

    select
        locations.location_name,
        date_trunc('month', orders.ordered_at) as month,
        sum(orders.order_total) as revenue,
        sum(orders.order_cost) as cost
    from orders
    inner join locations on orders.location_id = locations.location_id
    group by 1, 2

),

final as (

    select
        location_name,
        month,
        revenue,
        revenue - cost as margin,
        rank() over (partition by month order by revenue desc, location_name) as revenue_rank,
        lag(revenue) over (partition by location_name order by month) as revenue_before
    from monthly

)

select * from final
