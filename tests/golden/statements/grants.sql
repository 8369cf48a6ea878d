shop.totals: {} revoke=True
