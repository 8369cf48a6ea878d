"""Metrics for Prometheus: gauges of a `Report`, made at each scrape, and what the service counts.

Gauges are of the views and logs that the reporting node owns, so that a sum over all nodes counts
none twice. No series is of a single view: ten thousand of them would be a burden to Prometheus.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from dbt_mview.serve.messages import Kind
from dbt_mview.serve.report import Health, Report

OUTCOMES = ("success", "skip", "failed", "not reached")
HOWS = ("done", "error", "died", "cancelled")
CONDITIONS = {
    "queued": "Views and logs that wait for a slot.",
    "running": "Views and logs that are being refreshed or purged.",
    "broken": "Views and logs that have failed too often and are not tried again.",
    "paused": "Views and logs that are paused.",
}
# Upper bounds of histograms, in seconds.
LATENESS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600)
REFRESH = (0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200)
FETCH = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """All metrics of one node, in a registry of their own. Each method is safe on any thread."""

    def __init__(self) -> None:
        """Begins at zero, also for what has not happened yet, so that rates begin there."""
        own = CollectorRegistry()
        ProcessCollector(registry=own)
        self._registry = own
        self._lateness = Histogram(
            "dbt_mview_lateness_seconds",
            "From the due time of a view or log to its start.",
            ["kind"],
            buckets=LATENESS,
            registry=own,
        )
        self._refresh = Histogram(
            "dbt_mview_refresh_seconds",
            "How long a refresh of a view or a purge of a log took.",
            ["kind", "outcome"],
            buckets=REFRESH,
            registry=own,
        )
        self._runs = Counter(
            "dbt_mview_runs", "Runs of dbt that have ended, by how.", ["how"], registry=own
        )
        self._fetch = Histogram(
            "dbt_mview_fetch_seconds",
            "How long it took to read state, whether or not it could be read.",
            buckets=FETCH,
            registry=own,
        )
        self._fetch_failures = Counter(
            "dbt_mview_fetch_failures", "Fetches that could not read state.", registry=own
        )
        for kind in get_args(Kind):
            self._lateness.labels(kind)
            for outcome in OUTCOMES:
                self._refresh.labels(kind, outcome)
        for how in HOWS:
            self._runs.labels(how)

    def started(self, kind: Kind, late: float) -> None:
        """A view or log was started.

        Args:
            kind: view or log.
            late: seconds since it was due.
        """
        self._lateness.labels(kind).observe(max(late, 0))

    def ended(self, kind: Kind, outcome: str, seconds: float) -> None:
        """A view or log was refreshed or purged, or was not.

        Args:
            kind: view or log.
            outcome: success, skip, failed, not reached.
            seconds: that it took.
        """
        self._refresh.labels(kind, outcome).observe(seconds)

    def run(self, how: str) -> None:
        """A `dbt run` has ended.

        Args:
            how: done, error, died, cancelled.
        """
        self._runs.labels(how).inc()

    def fetched(self, seconds: float, ok: bool) -> None:
        """State was read, or could not be.

        Args:
            seconds: that it took.
            ok: whether it was read.
        """
        self._fetch.observe(seconds)
        if not ok:
            self._fetch_failures.inc()

    def expose(self, report: Report, is_ready: bool, accept: str = "") -> tuple[bytes, str]:
        """All metrics, in the format that a scraper asks for.

        Args:
            report: for the gauges.
            is_ready: what /readyz says.
            accept: the scraper's header Accept.

        Returns:
            The text, and its content type.
        """
        encode, content_type = choose_encoder(accept)
        return encode(_All(self._registry, report, is_ready)), content_type


class _All:
    """What one scrape shows."""

    def __init__(self, registry: CollectorRegistry, report: Report, is_ready: bool) -> None:
        self._registry, self._report, self._is_ready = registry, report, is_ready

    def collect(self) -> Iterator[Metric]:
        """What was counted, then the gauges."""
        yield from self._registry.collect()
        yield from _gauges(self._report, self._is_ready)


def _gauges(report: Report, is_ready: bool) -> Iterator[Metric]:
    """The gauges of a report."""
    own = [line for line in report.views if line.node == report.node]
    due = [
        line
        for line in own
        if line.due is not None
        and line.due <= report.now
        and line.condition not in ("running", "paused", "broken")
    ]
    text = "Views and logs that are due and do not run."
    yield _by_kind("due", text, Tally(line.kind for line in due))
    for condition, text in CONDITIONS.items():
        some = Tally(line.kind for line in own if line.condition == condition)
        yield _by_kind(condition, text, some)
    yield _gauge(
        "lateness_max_seconds",
        "How late the latest view or log is that is due and does not run.",
        max((line.late for line in due), default=0),
    )
    alive = Tally(node.is_alive for node in report.nodes)
    nodes = GaugeMetricFamily(
        "dbt_mview_nodes", "Nodes, by whether their heartbeat is recent.", labels=["alive"]
    )
    for is_alive in (True, False):
        nodes.add_metric([str(is_alive).lower()], alive[is_alive])
    yield nodes
    yield _gauge(
        "clock_skew_seconds",
        "By how much the engine's clock is ahead of this machine's.",
        report.skew,
    )
    yield _gauge("ready", "1 if state was read recently and the database answers.", is_ready)
    health = GaugeMetricFamily(
        "dbt_mview_health", "1 for what keeps this node from starting runs.", labels=["health"]
    )
    for one in get_args(Health):
        health.add_metric([one], one == report.health)
    yield health
    info = GaugeMetricFamily(
        "dbt_mview_build_info",
        "Always 1: who and what this is.",
        labels=["version", "node", "project", "target"],
    )
    info.add_metric([report.version, report.node, report.project, report.target], 1)
    yield info


def _by_kind(name: str, text: str, counts: Mapping[Kind, int]) -> Metric:
    family = GaugeMetricFamily(f"dbt_mview_{name}", text, labels=["kind"])
    for kind in get_args(Kind):
        family.add_metric([kind], counts[kind])
    return family


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"dbt_mview_{name}", text, value=value)
