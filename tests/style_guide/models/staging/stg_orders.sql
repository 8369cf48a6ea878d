with source as (

    select * from {{ source('shop', 'raw_orders') }}

),

renamed as (

    select
        id as order_id,
        store_id as location_id,
        customer as customer_id,
        status as order_status,
        cast(subtotal / 100 as numeric(16, 2)) as subtotal,
        cast(tax_paid / 100 as numeric(16, 2)) as tax_paid,
        cast((subtotal + tax_paid) / 100 as numeric(16, 2)) as order_total,
        date_trunc('day', ordered_at) as ordered_at
    from source

)

select * from renamed
