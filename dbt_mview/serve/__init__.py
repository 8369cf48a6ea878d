"""The scheduler service, from the bottom up: each module imports only those before it.

times     durations, backoff, jitter, cron, windows without starts
ring      which node owns a unit, and which nodes are alive
words     the one line of an error that is told
heap      what is next, with lazy deletion
messages  what the core is told (events), and what it wants done (actions)
batches   which units go into one dbt run
core      the scheduler itself: `step(now, events) -> actions`, without I/O, threads or a clock
ports     what a service connects the core to
config    settings as people write them
report    what a node shows, as data
members   the SQL database that the nodes share
delta_log the log of a Delta table, commit by commit
log_state state as Delta's log tells it
operation_state  state as a run-operation tells it
sources   which sources of views have new data
worker    the process that runs dbt
workers   how many of these there are, what each does, and how it ends
project   where the project is, when its files have changed, and what it says of its models
state     state for the core: read in one of the two ways, written to by operations
runs      a run of this node, from its start until it is settled
metrics   figures for Prometheus
events    lines of the log, and OpenLineage
overview  the report, made of the core, of state and of the database
service   the loop around the core, and the threads that do what it asks for
web       the page, the API, health
node      a node as a process
cli       the commands of the service
"""
