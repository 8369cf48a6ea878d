"""A cluster of schedulers on one seeded heap of events: ``python -m tests.sim --help``.

world.py     clock, state, engine, database, nodes and workers, all pretended; what is watched
scripts.py   what happens to them: nodes die, clocks jump, engines go, views fail
sown.py      faults that are put into the core, each of which some invariant must see
__main__.py  the command
"""
