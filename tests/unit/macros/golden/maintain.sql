delete from `shop_mview`.`mview_refresh_hist` where refresh_time < current_timestamp() - interval 30 days
;
delete from `shop_mview`.`mlog_purge_hist` where purge_time < current_timestamp() - interval 30 days
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
