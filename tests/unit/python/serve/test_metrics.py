"""What Prometheus scrapes, and the dashboard that reads it."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_openmetrics,
)
from prometheus_client.parser import text_string_to_metric_families

from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.report import Report
from tests.support.reports import HOUR, NOW, SECOND, node, report, view

ROOT = Path(__file__).resolve().parents[4]
DASHBOARD = json.loads((ROOT / "docs" / "grafana.json").read_text(encoding="utf-8"))


def scrape(metrics: Metrics, shown: Report, is_ready: bool = True) -> dict[str, Metric]:
    """What a scrape has, by the name of the family."""
    text, content_type = metrics.expose(shown, is_ready)
    assert content_type.startswith("text/plain")
    return {one.name: one for one in text_string_to_metric_families(text.decode())}


def value(families: dict[str, Metric], name: str, **labels: str) -> float:
    """The value of one sample."""
    found = [
        sample.value
        for family in families.values()
        for sample in family.samples
        if sample.name == name and sample.labels == labels
    ]
    assert len(found) == 1, f"{name}{labels} comes {len(found)} times"
    return float(found[0])


def test_counts_are_of_what_this_node_owns() -> None:
    """So a sum over all nodes has none twice."""
    lines = [
        view("c.s.a", "queued", due=NOW - 30 * SECOND, late=30.0),
        view("c.s.b", "waiting", due=NOW - 60 * SECOND, late=60.0),
        view("c.s.c", "running", due=NOW - 90 * SECOND),
        view("c.s.d", "broken", due=NOW - HOUR, late=3600.0),
        view("c.s.e", "paused", due=NOW - HOUR, late=3600.0),
        view("c.s.f", due=NOW + 1),
        view("c.s.g", due=None),
        view("c.s.h", due=NOW),
        view("c.s.i", "queued", kind="log", due=NOW, late=0.5),
        view("c.s.j", "queued", due=NOW - HOUR, late=3600.0, node="north-2"),
        view("c.s.k", "broken", node=None),
    ]
    families = scrape(Metrics(), report(views=tuple(lines)))
    wanted = {
        "due": (3, 1),
        "queued": (1, 1),
        "running": (1, 0),
        "broken": (1, 0),
        "paused": (1, 0),
    }
    for name, (views, logs) in wanted.items():
        assert value(families, f"dbt_mview_{name}", kind="view") == views, name
        assert value(families, f"dbt_mview_{name}", kind="log") == logs, name
    assert value(families, "dbt_mview_lateness_max_seconds") == 60


def test_nodes_health_and_clock() -> None:
    nodes = (node("a"), node("b", False), node("c"))
    shown = report(nodes=nodes, health="engine", skew=-1.5, views=())
    families = scrape(Metrics(), shown, is_ready=False)
    assert value(families, "dbt_mview_nodes", alive="true") == 2
    assert value(families, "dbt_mview_nodes", alive="false") == 1
    assert value(families, "dbt_mview_clock_skew_seconds") == -1.5
    assert value(families, "dbt_mview_ready") == 0
    assert value(families, "dbt_mview_health", health="engine") == 1
    assert sum(one.value for one in families["dbt_mview_health"].samples) == 1
    info = {"version": "0.1.0", "node": "north-1", "project": "shop", "target": "prod"}
    assert value(families, "dbt_mview_build_info", **info) == 1
    assert value(scrape(Metrics(), shown), "dbt_mview_ready") == 1


def test_what_is_counted() -> None:
    metrics = Metrics()
    metrics.started("view", 0.3)
    metrics.started("view", -5)
    metrics.ended("log", "skip", 2)
    metrics.run("cancelled")
    for seconds, ok in ((0.02, True), (0.03, True), (30, False)):
        metrics.fetched(seconds, ok)
    families = scrape(metrics, report())
    assert value(families, "dbt_mview_lateness_seconds_count", kind="view") == 2
    assert value(families, "dbt_mview_lateness_seconds_sum", kind="view") == 0.3
    assert value(families, "dbt_mview_lateness_seconds_bucket", kind="view", le="0.25") == 1
    assert value(families, "dbt_mview_refresh_seconds_sum", kind="log", outcome="skip") == 2
    assert value(families, "dbt_mview_runs_total", how="cancelled") == 1
    assert value(families, "dbt_mview_fetch_seconds_count") == 3
    assert value(families, "dbt_mview_fetch_failures_total") == 1


def test_rates_begin_at_zero() -> None:
    """A counter that appears with its first event has no rate for it."""
    families = scrape(Metrics(), report())
    for outcome in ("success", "skip", "failed", "not reached"):
        labels = {"kind": "view", "outcome": outcome}
        assert value(families, "dbt_mview_refresh_seconds_count", **labels) == 0
    assert value(families, "dbt_mview_runs_total", how="died") == 0
    assert value(families, "dbt_mview_lateness_seconds_count", kind="log") == 0
    assert value(families, "dbt_mview_fetch_failures_total") == 0


def test_two_nodes_in_a_process_count_by_themselves() -> None:
    one, other = Metrics(), Metrics()
    one.run("done")
    assert value(scrape(other, report()), "dbt_mview_runs_total", how="done") == 0


def test_names_are_as_prometheus_wants_them() -> None:
    """What promtool's lint looks at; and OpenMetrics, whose parser is strict."""
    metrics = Metrics()
    text, kind = metrics.expose(report(), True, "application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text")
    assert list(parse_openmetrics(text.decode()))
    plain = metrics.expose(report(), True)[0].decode()
    helps = re.findall(r"(?m)^# HELP (\S+) .+\.$", plain)
    types = re.findall(r"(?m)^# TYPE (\S+) (\S+)$", plain)
    own = [(name, type_) for name, type_ in types if name.startswith("dbt_mview")]
    assert len(own) > 12
    for name, type_ in own:
        assert name in helps or name.endswith("_created"), f"{name} has no help"
        assert re.fullmatch("[a-z][a-z_]*", name)
        assert (type_ == "counter") == name.endswith("_total"), name
        assert not re.search(r"_(milliseconds|ms|minutes|count|sum|bucket|gauge)$", name), name
    for family in text_string_to_metric_families(plain):
        assert "id" not in {label for one in family.samples for label in one.labels}


def test_the_number_of_series_does_not_grow_with_views() -> None:
    few, many = (
        len(Metrics().expose(report(views=tuple(view(f"c.s.v{n}") for n in range(count))), True)[0])
        for count in (10, 1000)
    )
    assert abs(many - few) < 100


# docs/grafana.json


def panels() -> list[dict[str, Any]]:
    """All panels that show something."""
    return [one for one in DASHBOARD["panels"] if one["type"] != "row"]


def expressions() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def exported() -> set[str]:
    """All sample names that are exported, but those that say when a counter was made."""
    families = scrape(Metrics(), report())
    return {sample.name for family in families.values() for sample in family.samples}


def metrics_of(expression: str) -> set[str]:
    """Names in a PromQL expression that are neither functions nor labels."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}', "", expression)
    bare = re.sub(r"\b(by|without|on|ignoring|group_left)\s*\([^)]*\)", "", bare)
    bare = re.sub(r"\[[^\]]*\]", "", bare)
    return set(re.findall(r"\b([a-zA-Z_:][\w:]*)\b(?!\s*\()", bare)) - {"by", "and", "or", "unless"}


def test_metrics_of_an_expression() -> None:
    found = metrics_of('max by (le) (rate(a_b{c="d"}[$__rate_interval])) / sum(e) or vector(0)')
    assert found == {"a_b", "e"}


@pytest.mark.parametrize("expression", expressions())
def test_the_dashboard_asks_for_what_is_exported(expression: str) -> None:
    names = metrics_of(expression)
    assert names and names <= exported()
    assert expression.count("(") == expression.count(")")
    assert '{instance=~"$instance"' in expression, "each panel is of the chosen nodes"


def test_the_dashboard_shows_all_there_is() -> None:
    asked = {name for expression in expressions() for name in metrics_of(expression)}
    shown = {re.sub("_(bucket|count|sum|total)$", "", name) for name in asked}
    families = {one for one in scrape(Metrics(), report()) if one.startswith("dbt_mview")}
    known = {re.sub("_(total|created)$", "", name) for name in families}
    assert known - shown == {"dbt_mview_build_info"}


def test_the_dashboard_is_of_no_grafana_in_particular() -> None:
    """Imported or provisioned: who looks at it chooses the data source."""
    assert DASHBOARD["id"] is None and DASHBOARD["schemaVersion"] >= 39
    variables = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
    assert variables["DS_PROMETHEUS"]["type"] == "datasource"
    assert variables["DS_PROMETHEUS"]["query"] == "prometheus"
    chosen = variables["instance"]["query"]["query"]
    name = re.fullmatch(r"label_values\((\w+), instance\)", chosen)
    assert name and name[1] in exported()
    for panel in panels():
        sources = [panel["datasource"], *(one["datasource"] for one in panel["targets"])]
        for source in sources:
            assert source == {"type": "prometheus", "uid": "${DS_PROMETHEUS}"}
        assert panel["title"] and panel["description"]


def test_panels_stand_beside_each_other() -> None:
    all_ = DASHBOARD["panels"]
    assert len({one["id"] for one in all_}) == len(all_)
    cells = [
        {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        for at in (one["gridPos"] for one in all_)
    ]
    assert not [pair for pair in combinations(cells, 2) if pair[0] & pair[1]]
    assert max(x for one in cells for x, _ in one) < 24
