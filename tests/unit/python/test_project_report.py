"""The page of `dbt-mview report`: what it says, what it survives, where its boxes are."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dbt_mview import cli
from dbt_mview.drawing import chart_of, drawing_of
from dbt_mview.project_report import page_of, report_of
from tests.support.portrait import NOW, a_project, printed, refresh, view
from tests.support.reports import ODD

VOID = {"meta", "rect", "path"}


class Reader(HTMLParser):
    """Tags, attributes and texts; every tag is closed by its like."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("wbr",):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page(*views: Any, **more: Any) -> str:
    return page_of(report_of(printed(*views, **more)))


def text_of(html: str) -> str:
    plain = html.replace("<wbr>", "")
    return re.sub(
        r"\s+", " ", re.sub(r"<(style|title)[^>]*>.*?</\1>|<[^>]+>", " ", plain, flags=re.S)
    )


def test_what_it_says() -> None:
    said = text_of(page_of(report_of(a_project())))
    for words in (
        "jaffle_shop prod",
        "5 of 10 views can be FAST",
        "The last refresh of 1 failed.",
        "Give the window a PARTITION BY that the result shows. 1 view; COMPLETE takes 31 s in all",
        "2 views; COMPLETE takes 29 s in all",
        "affected keys by customer_id, after changes of shop.orders",
        "Failed: audit failed: amount &gt;= 0",
        "not known yet: raw.returns is not there",
        "60 min ago",
    ):
        assert words in said, words


def test_what_must_hold_for_fast() -> None:
    told = "the value of its subquery stays"
    said = text_of(page(view("s.v", strategy="row delta", keys=[], only_while=told)))
    assert f"row delta, while {told}" in said


def test_ways_out_come_first_and_what_spares_most_before_others() -> None:
    html = page_of(report_of(a_project()))
    order = [html.index(f'id="{name}"') for name in ("ways", "lineage", "views", "refreshes")]
    assert order == sorted(order)
    ways = report_of(a_project()).ways
    assert [round(way.seconds or 0, 1) for way in ways] == [31.0, 28.7, 9.7]


def test_it_needs_nothing_else() -> None:
    html = page_of(report_of(a_project()))
    read = Reader(html.replace("<wbr>", ""))
    names = {tag for tag, _ in read.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "base", "form", "image", "use"}
    for tag, attributes in read.tags:
        assert not {"src", "style", "onload", "onclick"} & set(attributes), tag
        assert (attributes.get("href") or "#").startswith("#"), attributes
    assert "url(" not in html and "@import" not in html
    assert "default-src &#39;none&#39;" in html


@pytest.mark.parametrize("name", [*ODD, "s.</style><script>alert(1)</script>", "s.{{ 1 + 1 }}"])
def test_odd_names_and_texts_are_harmless(name: str) -> None:
    name = name.removeprefix("hive.")
    odd = "<script>alert(1)</script>\"'&"
    one = view(
        name, "no", reads=[odd, name + "2"], reason=odd, way_out=odd, failed=odd, result="failed"
    )
    rows = [refresh(name, 1, reason=odd), refresh(name, 2, status="failed", failed=odd)]
    html = page(one, history=rows, project=odd)
    read = Reader(html.replace("<wbr>", ""))
    assert "script" not in {tag for tag, _ in read.tags}
    assert name in read.texts and odd in read.texts


def test_links_lead_to_rows() -> None:
    read = Reader(page_of(report_of(a_project())).replace("<wbr>", ""))
    ids = [attributes["id"] for _, attributes in read.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    links = {(attributes["href"] or "")[1:] for _, attributes in read.tags if "href" in attributes}
    assert links and links <= set(ids)


def test_what_fast_saved() -> None:
    rows = [
        refresh("s.v", 1, took=2.0),
        refresh("s.v", 2, took=4.0),
        refresh("s.v", 3, took=1.0, status="failed"),
        refresh("s.v", 4, "complete", 30.0),
    ]
    (one,) = report_of(printed(view("s.v", complete=10.0), history=rows)).views
    assert (one.saved, one.seconds, one.rows) == (8.0 + 6.0, 2.0, 365)
    (never,) = report_of(printed(view("s.v", complete=None), history=rows)).views
    assert never.saved is None
    (none,) = report_of(printed(view("s.v"), history=rows[3:])).views
    assert none.saved is None


def test_a_project_without_views_and_one_without_refreshes() -> None:
    said = text_of(page())
    assert "0 of 0 views can be FAST" in said and "no materialized view" in said
    new = view("s.v", complete=None, last_fast=None, refreshed=None, result=None, type=None)
    said = text_of(page(new))
    assert "1 of 1 view can be FAST" in said and "Nothing was refreshed yet." in said


def test_other_lines_of_a_project_are_passed_over_and_none_is_an_error() -> None:
    assert report_of(a_project()).now == NOW
    with pytest.raises(ValueError, match="mview_report has printed no report"):
        report_of(["hello"])


# The drawings.


def test_a_chart_in_bars_and_words() -> None:
    chart = chart_of([("complete", 10.0), ("fast", 5.0), ("fast", 0.0), ("failed", 1.0)])
    assert [round(bar.height, 1) for bar in chart.bars] == [28.0, 14.0, 2.0, 2.8]
    assert all(bar.y + bar.height == pytest.approx(28.0) for bar in chart.bars)
    xs = [bar.x for bar in chart.bars]
    assert xs == sorted(set(xs)) and xs[-1] + 3 == chart.width
    assert chart.said == "4 refreshes: 1 COMPLETE of 10.0 s, 2 FAST of 5.0 s, 1 failed of 1.0 s"
    assert chart_of([]).said == "no refresh" and chart_of([("fast", 0.0)]).bars


def test_what_is_read_stands_left_of_what_reads_it() -> None:
    reads = {"s.a": ["r.x"], "s.b": ["r.x", "s.a"], "s.c": ["s.b", "r.y", "r.y"], "s.alone": []}
    drawn = drawing_of([(name, "yes", sources) for name, sources in reads.items()])
    at = {box.name: box for box in drawn.boxes}
    assert set(at) == {*reads, "r.x", "r.y"} and at["r.x"].kind == "source"
    for name, sources in reads.items():
        for source in sources:
            assert at[source].x + at[source].width < at[name].x
    assert len(drawn.lines) == 5
    corners = [(box.x, box.y, box.x + box.width, box.y + 40) for box in drawn.boxes]
    for index, (left, top, right, bottom) in enumerate(corners):
        assert left >= 0 <= top and right <= drawn.width and bottom <= drawn.height
        for x, y, to_x, to_y in corners[index + 1 :]:
            assert right < x or to_x < left or bottom < y or to_y < top, "two boxes overlap"


def test_lines_cross_as_little_as_may_be() -> None:
    """Sources in the other order than what reads them."""
    drawn = drawing_of([(f"s.v{n}", "yes", [f"r.s{9 - n}"]) for n in range(10)])
    at = {box.name: box.y for box in drawn.boxes}
    assert all(at[f"s.v{n}"] == at[f"r.s{9 - n}"] for n in range(10))


def test_a_circle_and_a_long_name_are_drawn() -> None:
    drawn = drawing_of(
        [("s.a", "yes", ["s.b"]), ("s.b", "yes", ["s.a"]), ("s." + "x" * 90, "no", [])]
    )
    assert len(drawn.boxes) == 3
    assert max(len(box.text) for box in drawn.boxes) == 30


def test_five_hundred_views_take_no_time() -> None:
    views = [(f"s.v{n}", "yes", [f"s.v{n // 2}", f"r.s{n % 40}"]) for n in range(1, 500)]
    assert len(drawing_of(views).boxes) == 500 + 40


# The command.


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[Any] = []

    def run(name: str, args: Any, dbt_arguments: Any) -> list[str]:
        asked.append((name, args, dbt_arguments))
        return a_project()

    monkeypatch.setattr(cli, "_run_operation", run)
    out = tmp_path / "r.html"
    done = CliRunner().invoke(cli.main, ["report", "--out", str(out), "--target", "prod"])
    assert (done.exit_code, done.output) == (0, f"5 of 10 views can be FAST: {out}\n")
    assert asked == [("mview_report", {}, ("--target", "prod"))]
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    monkeypatch.setattr(cli, "_run_operation", lambda *_: [])
    failed = CliRunner().invoke(cli.main, ["report", "--out", str(out)])
    assert failed.exit_code == 1 and "has printed no report" in failed.output
