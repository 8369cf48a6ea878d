/* dbt_mview step=place */
describe schema `shop_mview`
