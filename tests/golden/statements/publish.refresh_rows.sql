/* dbt_mview step=publish job=9b1ad6f0a4bab59c3076cf23fdce84e5 */
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
insert into `shop`.`totals`
with (
    'userMetadata' = '{"dbt_mview": {"mview_id": "spark_catalog.shop.totals", "refresh_job_id": "9b1ad6f0a4bab59c3076cf23fdce84e5", "lock_token": 2, "method": "fast", "reason": "shop.orders v2 -> v3 (append, 10 changed rows)", "started": 1709294400000000, "read_time": 1709294400000000, "sources": [{"relation": "spark_catalog.shop.orders", "table_id": "t-1", "version": 3, "commit_time": 1709253600000000, "rows": 1000}], "definition_hash": "12ecf01b9dd2f5aa340816994ce60ed8", "invocation_id": "0a1b2c3d-0000-4000-8000-000000000002"}}',
    'txnAppId' = 'dbt_mview:spark_catalog.shop.totals',
    'txnVersion' = '2'
)
select `customer`, `total`
from (
select cast(`customer` as string) as `customer`, `total`, 1 as _mview_sign
from (
select customer, total from (
    select `customer`, `total`
    from table_changes('`spark_catalog`.`shop`.`orders`', 3, 3) as _mview_feed
    where _change_type in ('insert', 'update_postimage')
        and case when contains(concat_ws('', `customer`), decode(x'EFBFBD', 'utf-8')) then raise_error('dbt_mview: a text of spark_catalog.shop.orders holds U+FFFD, which its change feed also gives for bytes that are no UTF-8: use refresh auto or --full-refresh') else true end
) as `orders`
)
)
union all
select null, null
where case
    when (
        select count(*) = 1
        from `shop_mview`.`mview_refresh_info`
        where mview_id = 'spark_catalog.shop.totals'
            and lock_token = 2
            and lock_owner is not null
            and refresh_job_id = '9b1ad6f0a4bab59c3076cf23fdce84e5'
    ) then false
    else raise_error('dbt_mview: lock lost: another run took over the refresh of spark_catalog.shop.totals, nothing was published by this one')
end
;
        select 'done' as outcome;
    end;
end
