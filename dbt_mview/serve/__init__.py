"""The scheduler service, from the bottom up: each module imports only those before it.

times     durations, backoff, jitter, cron, windows without starts
ring      which node owns a unit, and which nodes are alive
heap      what is next, with lazy deletion
messages  what the core is told (events), and what it wants done (actions)
batches   which units go into one dbt run
core      the scheduler itself: `step(now, events) -> actions`, without I/O, threads or a clock
ports     what a service connects the core to
report    what a node shows, as data
metrics   gauges and counters for Prometheus
events    JSON lines, and OpenLineage
web       the page, the API, health, and who may ask
"""
