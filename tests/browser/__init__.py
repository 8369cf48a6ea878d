"""The page of the scheduler service in a real browser."""
