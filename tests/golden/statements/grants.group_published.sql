shop.sums: {} revoke=True
