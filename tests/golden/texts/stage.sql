create or replace table `shop_mview`.`mview_stage_j1`
using delta
as
select `a`, cast(null as string) as `b`
from (
with c as (select 1 as a) select a, 'x
y' as b from c
)
