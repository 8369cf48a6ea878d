delete from `shop_mview`.`mview_refresh_hist` where refresh_time < current_timestamp() - interval 30 days
;
optimize `shop_mview`.`mview_refresh_info`
;
vacuum `shop_mview`.`mview_refresh_info`
;
optimize `shop_mview`.`mview_refresh_hist`
;
vacuum `shop_mview`.`mview_refresh_hist`
;
