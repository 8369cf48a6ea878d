"""The scheduler service, from the bottom up: each module imports only those before it.

times     durations, backoff, jitter, cron, windows without starts
ring      which node owns a unit, and which nodes are alive
words     the one line of an error that is told
heap      what is next, with lazy deletion
messages  what the core is told (events), and what it wants done (actions)
batches   which units go into one dbt run

The core, without I/O, threads or a clock:

unit      one unit: where it is, what is known of it
moment    what the parts of a core share in a step: the time, the settings, what is to be done
graph     what the project says of units: models, groups, who reads whom
share     which units are this node's
fetches   when state is read
breaker   after a run that failed as a whole nothing starts until a probe is good
plans     next times of cron schedules
listeners what is due only once a source has changed
known     what a node knows of units, and whether one has to wait for a parent
agenda    where units are: until due, at rest, waiting, queued
reading   what rows of state change
slots     how many runs there may be
judging   what became of a unit of a run
running   runs, from their start until state has said what became of them
core      the scheduler itself, made of these: `step(now, events) -> actions`

The service around it:

ports     what a service connects the core to
clock     the monotonic clock
config    settings as people write them
report    what a node shows, as data
tables    of the SQL database that the nodes share
connecting  to it: SQLite or PostgreSQL, in bounded time
members   what nodes and people do in it
delta_log the log of a Delta table, commit by commit
log_state state as Delta's log tells it
operation_state  state as a run-operation tells it
sources   which sources of views have new data
worker    the process that runs dbt
process   one of these, as the node has it
workers   how many of these there are, and which one does what
project   where the project is, when its files have changed, and what it says of its models
state     state for the core: read in one of the two ways, written to by operations
runs      a run of this node, from its start until it is settled
metrics   figures for Prometheus
events    lines of the log, and OpenLineage
overview  the report, made of the core, of state and of the database
options   what a node is started with
loop      the thread that owns the core, and those that do what it asks for
heartbeat this node among the members
loading   the project and the settings, as they are from the last good load on
executing runs of dbt, until what became of them is written down
obeying   what people ask a node for
memory    of the container or the machine: above a threshold nothing starts
flashback track points, made and cleaned at their periods
service   one node: its parts, what each action of the core is, and what it shows
web       the page, the API, health
node      a node as a process
cli       the commands of the service
"""
