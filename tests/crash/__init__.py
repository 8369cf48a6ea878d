"""What dies, fails or meets somebody else, at every statement, on a real Spark with Delta.

A cell of the matrix is a scene (what dbt was doing), a point (a statement of it, by the name of its
step) and a death. Points are written down in points.txt; a cell whose point is not reached fails. A
schedule is a point at which dbt stands still, and what somebody else does meanwhile. Everything is
injected into dbt's process from outside: users' SQL knows of no crash points.

    scenes.py      what dbt does, and what must be there before and after
    death.py       how dbt's process, its statement or its connection dies, or stands still
    process.py     dbt in a process of its own that is forked from this one
    invariants.py  what must hold after every cell
    cells.py       which cells there are
    play.py        one cell from its beginning to its end
    meetings.py    which schedules of two at once there are
    engines.py     two Sparks on one metastore
    lake.py        what tables hold, by another engine

    test_matrix.py        the cells
    test_engine_dies.py   Spark is killed, or has no memory left
    test_environment.py   full disks, rights, Ctrl-C, clocks
    test_guards.py        without a guard of the macros, the cell that needs it fails
    test_meetings.py      the schedules
    test_engines.py       two Sparks: all at once, one late or dead, a slow disk, no metastore
"""
