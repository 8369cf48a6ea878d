/* dbt_mview step=columns */
describe query
select 1 as `mview:0`, t0.*
from `main`.`shop`.`orders` version as of 4 as t0
