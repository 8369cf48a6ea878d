shop.totals: {"select": ["ann"]} revoke=True
