"""FAST beside COMPLETE: random views and changes, TPC-H, and faults that are sown (make soak)."""
