
begin
    declare exit handler for sqlstate '2D521'
    begin
        declare tries int default 1;
        while tries < 10 do
            begin
                declare exit handler for sqlstate '2D521' set tries = tries + 1;
                delete from `shop_mview`.`mview_refresh_hist` where refresh_time < current_timestamp() - interval 30 days;
                set tries = 100;
            end;
        end while;
        if tries < 100 then
            delete from `shop_mview`.`mview_refresh_hist` where refresh_time < current_timestamp() - interval 30 days;
        end if;
    end;
    delete from `shop_mview`.`mview_refresh_hist` where refresh_time < current_timestamp() - interval 30 days;
end
;

begin
    declare exit handler for sqlstate '2D521'
    begin
        declare tries int default 1;
        while tries < 10 do
            begin
                declare exit handler for sqlstate '2D521' set tries = tries + 1;
                delete from `shop_mview`.`mlog_purge_hist` where purge_time < current_timestamp() - interval 30 days;
                set tries = 100;
            end;
        end while;
        if tries < 100 then
            delete from `shop_mview`.`mlog_purge_hist` where purge_time < current_timestamp() - interval 30 days;
        end if;
    end;
    delete from `shop_mview`.`mlog_purge_hist` where purge_time < current_timestamp() - interval 30 days;
end
;
optimize `shop_mview`.`mview_refresh_info`
;
vacuum `shop_mview`.`mview_refresh_info`
;
optimize `shop_mview`.`mview_refresh_hist`
;
vacuum `shop_mview`.`mview_refresh_hist`
;
optimize `shop_mview`.`mlog_purge_info`
;
vacuum `shop_mview`.`mlog_purge_info`
;
optimize `shop_mview`.`mlog_purge_hist`
;
vacuum `shop_mview`.`mlog_purge_hist`
;
optimize `c`.`s`.`log`
;
vacuum `c`.`s`.`log`
;
