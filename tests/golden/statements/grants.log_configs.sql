shop.orders_log: {"select": ["ann"]} revoke=True
