with source as (

    select * from {{ source('shop', 'raw_events') }}

),

renamed as (

    select
        id as event_id,
        session_id,
        customer as customer_id,
        page,
        happened_at
    from source

)

select * from renamed
