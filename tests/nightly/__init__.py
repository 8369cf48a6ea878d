"""All that takes too long for every commit, part by part: ``python -m tests.nightly --help``.

draw.py      the few cells, faults and the guard that a commit id draws for CI; a pytest plugin
parts.py     which parts there are
results.py   what each part ended with at last, in results.csv, and which code that was
choose.py    what is to be played, in which order, and how long it takes
play.py      plays one part
others.py    environments with other versions
__main__.py  the command
"""
