{{ config(materialized='ephemeral') }}

with supplies as (

    select * from {{ ref('stg_supplies') }}

),

summed as (

    select
        product_id,
        sum(supply_cost) as supply_cost
    from supplies
    group by product_id

)

select * from summed
