with source as (

    select * from {{ source('shop', 'raw_customers') }}

),

renamed as (

    select
        id as customer_id,
        name as customer_name,
        lower(email) as email,
        country,
        created_at as customer_since
    from source

)

select * from renamed
