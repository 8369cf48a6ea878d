with performance as (

    select * from {{ ref('product_performance') }}

),

totals as (

    select
        product_id,
        sum(items_sold) as items_sold
    from performance
    group by product_id

),

final as (

    select * from totals
    order by items_sold desc, product_id
    limit 10

)

select * from final
