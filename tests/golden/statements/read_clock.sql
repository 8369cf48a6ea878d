/* dbt_mview step=clock */
select unix_micros(current_timestamp()) as micros, current_timezone() as zone, typeof(coalesce(1, '1')) as common_type, current_timestamp() as now, timestamp_micros(1704110400000000) as winter, timestamp_micros(1719835200000000) as summer
