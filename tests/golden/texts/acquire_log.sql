begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update `shop_mview`.`mlog_purge_info`
    set
        lock_owner = case
            when coalesce(lock_token, 0) = 2 and (lock_owner is null or coalesce(lease_until < current_timestamp(), true)) then 'me'
            else raise_error('busy')
        end,
        lock_token = 3,
        lock_time = current_timestamp(),
        lease_until = current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600)
    where mlog_id = 'c.s.o\'log';
    select 'acquired' as outcome;
end
