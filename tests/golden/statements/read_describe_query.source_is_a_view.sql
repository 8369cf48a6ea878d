/* dbt_mview step=describe_query */
describe query
select customer, total from (select cast(`customer` as string) as `customer`, cast(`total` as bigint) as `total` from (
select customer, amount as total from `spark_catalog`.`shop`.`orders` version as of 2
)) as `stg`
