with daily as (

    select * from {{ ref('daily_revenue') }}

),

final as (

    select
        ordered_at,
        revenue,
        sum(revenue) over (order by ordered_at) as revenue_so_far
    from daily

)

select * from final
