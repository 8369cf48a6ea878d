with events as (

    select * from {{ ref('stg_events') }}

),

sessions as (

    select
        session_id,
        customer_id,
        min(happened_at) as session_started_at,
        max(happened_at) as session_ended_at,
        count(*) as page_views,
        count(case when page = 'checkout' then 1 end) as checkouts
    from events
    group by session_id, customer_id

),

final as (

    select
        *,
        checkouts > 0 as is_converted,
        cast(session_started_at as date) as session_date
    from sessions

)

select * from final
