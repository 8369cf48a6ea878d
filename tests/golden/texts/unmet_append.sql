select
    count_if(not coalesce((
n > 0 -- some
    ), false)) as audit_1,
    count_if(not coalesce((
k <> 'a'
    ), false)) as audit_2
from (
select `k`, `s`
from (
select `k`, cast(`s` as string) as `s`, 1 as _mview_sign
from (
select k, s from came -- new
)
union all
select `k`, cast(`s` as string) as `s`, -1 as _mview_sign
from (
select k, s from went
)
)
)
