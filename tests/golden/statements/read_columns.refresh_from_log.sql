/* dbt_mview step=columns */
describe query
select 1 as `mview:0`, t0.*
from `spark_catalog`.`shop`.`orders` version as of 7 as t0
