/* dbt_mview step=describe_detail */
describe detail `main`.`shop`.`orders`
