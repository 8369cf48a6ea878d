with source as (

    select * from {{ source('shop', 'raw_payments') }}

),

renamed as (

    select
        id as payment_id,
        order_id,
        method as payment_method,
        cast(amount / 100 as numeric(16, 2)) as amount,
        paid_at
    from source

)

select * from renamed
