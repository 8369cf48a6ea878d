"""The scheduler service, from the bottom up: each module imports only those before it.

times     durations, backoff, jitter, cron, windows without starts
ring      which node owns a unit, and which nodes are alive
heap      what is next, with lazy deletion
messages  what the core is told (events), and what it wants done (actions)
batches   which units go into one dbt run
core      the scheduler itself: `step(now, events) -> actions`, without I/O, threads or a clock
ports     what a service connects the core to
report    what a node shows, as data
members   the SQL database that the nodes share
worker    the process that runs dbt
workers   how many of these there are, what each does, and how it ends
project   where the project is, when its files have changed, and what it says of its models
delta_log the log of a Delta table, commit by commit
log_state state as Delta's log tells it
operation_state  state as a run-operation tells it
sources   which sources of views have new data
"""
