"""A shape in the names of the query's own columns."""

from __future__ import annotations

from ...kit.harness import Dbt


def test_in_own_names() -> None:
    found = {
        "names": {"mview_c0": "a,b", "mview_c1": "m", "mview_c2": "s", "mview_c3": "n"},
        "reads": {"made": {"x#1": "mview_name0_"}},
    }
    shape = {
        "reason": None,
        "keys": ["mview_c0"],
        "values": {"mview_c1": "mean", "mview_c2": "sum", "mview_c3": "count"},
        "means": {"mview_c1": {"sum": "mview_c2", "count": "mview_c3", "rows": None}},
        "wanted": {"mview_c2": "sum(mview_name0_)"},
    }
    own = Dbt()("_in_own_names", shape, found)
    assert own == {
        "reason": None,
        "keys": ["a,b"],
        "values": {"m": "mean", "s": "sum", "n": "count"},
        "means": {"m": {"sum": "s", "count": "n", "rows": None}},
        "wanted": {"s": "sum(x#1)"},
    }
    lacks = {"reason": "OPERATOR_NOT_INCREMENTAL: the result lacks the group key mview_name0_"}
    assert Dbt()("_in_own_names", lacks, found)["reason"].endswith("group key x#1")
    assert Dbt()("_in_own_names", shape, {"names": {}}) == shape
