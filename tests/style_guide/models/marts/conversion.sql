with sessions as (

    select * from {{ ref('int_sessions') }}

),

final as (

    select
        session_date,
        count(*) as sessions,
        sum(page_views) as page_views,
        count(case when is_converted then 1 end) as converted,
        count(case when is_converted then 1 end) / count(*) as conversion_rate
    from sessions
    group by session_date

)

select * from final
