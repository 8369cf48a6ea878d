with order_items as (

    select * from {{ ref('order_items') }}

),

final as (

    select
        product_id,
        product_name,
        date_trunc('week', ordered_at) as week,
        count(*) as items_sold,
        sum(product_price) as revenue,
        sum(product_price - supply_cost) as margin
    from order_items
    group by product_id, product_name, date_trunc('week', ordered_at)

)

select * from final
