/* dbt_mview step=describe_detail */
describe detail `shop`.`totals`
