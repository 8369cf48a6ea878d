"""The crash matrix: dbt and the engine die at every statement, on a real Spark with Delta.

A cell is a scene (what dbt was doing), a point (a statement of it, by the name of its step) and a
death. Points are written down in points.txt; a cell whose point is not reached fails. Everything
is injected into dbt's process from outside: users' SQL knows of no crash points.

    scenes.py      what dbt does, and what must be there before and after
    death.py       how dbt's process, its statement or its connection dies
    process.py     dbt in a process of its own that is forked from this one
    invariants.py  what must hold after every cell
    cells.py       which cells there are
    play.py        one cell from its beginning to its end
    lake.py        what tables hold, by another engine
"""
