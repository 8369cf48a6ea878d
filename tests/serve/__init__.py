"""The scheduler service as users run it: processes, PostgreSQL, a thrift server, dbt.

service.py  what is started, what it is told, what it has done
project.py  the dbt project that it keeps fresh

test_serve_short.py    a node, PostgreSQL, the thrift server are gone
test_serve_faults.py   a node dies, stalls or ends, on more views
test_serve_outages.py  PostgreSQL, the engine, time, the project or a view fails, on the same
test_serve_session.py  one node whose workers run Spark themselves
"""
