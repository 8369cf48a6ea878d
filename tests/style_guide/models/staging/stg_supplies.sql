with source as (

    select * from {{ source('shop', 'raw_supplies') }}

),

renamed as (

    select
        concat_ws('-', id, sku) as supply_uuid,
        id as supply_id,
        sku as product_id,
        name as supply_name,
        cast(cost / 100 as numeric(16, 2)) as supply_cost,
        perishable as is_perishable_supply
    from source

)

select * from renamed
