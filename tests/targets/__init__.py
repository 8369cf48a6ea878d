"""One scene of a dbt project, on every kind of target that users have.

scene.py    the project, and what is done with it, step by step
targets.py  how each target is started, and how dbt reaches it

test_targets.py  each step on each target
"""
