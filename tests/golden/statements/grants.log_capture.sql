shop.orders_log: {} revoke=True
