"""The page, the API, and who may ask."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from dbt_mview.schedule import micros
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.web import Server, _machine, make_app, parse_listen, read_or_make_token
from tests.sim.sown import sown
from tests.support.reports import NOW, ODD, SECOND, FakeReporter, node, report, run, view

TOKEN = "a-token"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def reporter() -> FakeReporter:
    return FakeReporter(report())


def client(reporter: FakeReporter, **options: Any) -> TestClient:
    given = {"token": TOKEN, **options}
    app = make_app(reporter, Metrics(), **given)
    return TestClient(app, "http://127.0.0.1:8580", raise_server_exceptions=False)


@pytest.fixture
def web(reporter: FakeReporter) -> TestClient:
    return client(reporter)


def told(answer: Any, status: int) -> str:
    """The detail of an error, which is as RFC 9457 says."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status and body["type"] == "about:blank" and body["title"]
    detail: str = body["detail"]
    return detail


# Health


def test_health_is_what_the_loop_says(reporter: FakeReporter, web: TestClient) -> None:
    assert web.get("/healthz").status_code == 200
    reporter.alive = False
    assert web.get("/healthz").status_code == 503


def test_ready_says_why_not(reporter: FakeReporter, web: TestClient) -> None:
    assert web.get("/readyz").status_code == 200
    reporter.ready = (False, "the database has not answered for 95 s\nDETAIL: a row")
    answer = web.get("/readyz")
    assert answer.status_code == 503
    assert answer.text == "the database has not answered for 95 s"


def test_metrics_are_served_in_the_format_that_is_asked_for(web: TestClient) -> None:
    answer = web.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'dbt_mview_broken{kind="view"} 1.0' in answer.text
    asked = web.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert asked.headers["content-type"].startswith("application/openmetrics-text")
    assert asked.text.endswith("# EOF\n")


# The API


def test_views_come_by_due_and_in_parts(reporter: FakeReporter, web: TestClient) -> None:
    views = [view(f"c.s.v{number}", due=NOW - number * SECOND) for number in range(5)]
    reporter.shown = report(views=(view("c.s.never", due=None), *views))
    first = web.get("/v1/views?limit=2").json()
    assert [one["id"] for one in first["views"]] == ["c.s.v4", "c.s.v3"]
    assert (first["total"], first["offset"], first["limit"]) == (6, 0, 2)
    last = web.get("/v1/views?limit=2&offset=4").json()
    assert [one["id"] for one in last["views"]] == ["c.s.v0", "c.s.never"]


def test_views_are_found_by_condition_and_by_name(web: TestClient) -> None:
    broken = web.get("/v1/views?condition=broken").json()["views"]
    assert [one["id"] for one in broken] == ["hive.sales.broken"]
    named = web.get("/v1/views", params={"q": "<SCRIPT>"}).json()["views"]
    assert [one["id"] for one in named] == [ODD[0]]
    assert web.get("/v1/views?q=broken&condition=idle").json()["views"] == []


def test_times_are_iso_in_utc(reporter: FakeReporter, web: TestClient) -> None:
    one = web.get("/v1/views/hive.sales.idle").json()
    assert one["due"] == "2026-11-27T18:20:00.123456Z"
    assert web.get("/v1/views/hive.sales.broken").json()["due"] is None
    paused = web.get("/v1/views/hive.sales.paused").json()
    assert (paused["condition"], paused["paused_time"]) == ("paused", "2026-11-27T14:20:00.123456Z")
    assert one["paused_time"] is None
    runs = web.get("/v1/runs").json()
    assert runs["now"] == "2026-11-27T17:20:00.123456Z"
    assert [run["run"] for run in runs["runs"]] == ["r-3", "r-2", "r-1"]
    assert runs["runs"][0]["ended"] is None and runs["runs"][0]["began"].endswith("Z")


def test_a_schedule_is_an_object(web: TestClient) -> None:
    assert web.get("/v1/views/hive.sales.idle").json()["schedule"] == {"next": "interval 1 hour"}


def test_a_schedule_of_which_only_the_beginning_is_known_is_text(
    reporter: FakeReporter, web: TestClient
) -> None:
    cut = '{"cron": "0 3 * * *", "time_zone…'
    reporter.shown = report(views=(view("c.s.v", schedule=cut), view("c.s.w")))
    views = web.get("/v1/views").json()["views"]
    assert [one["schedule"] for one in views] == [cut, {"next": "interval 1 hour"}]


def test_a_node_that_starts_is_shown_with_the_reason(
    web: TestClient, reporter: FakeReporter
) -> None:
    reporter.shown = report(nodes=(node("north-1", starting="<i> asks dbt"), node("north-2")))
    assert "&lt;i&gt; asks dbt" in web.get("/").text
    assert ">starting</span>" in web.get("/").text
    assert [one["starting"] for one in web.get("/v1/nodes").json()["nodes"]] == ["<i> asks dbt", ""]


def test_nodes_settings_and_status(web: TestClient) -> None:
    nodes = web.get("/v1/nodes").json()["nodes"]
    assert [(one["name"], one["is_alive"]) for one in nodes][2] == ("north-3", False)
    assert web.get("/v1/settings").json() == {"settings": {"workers": "2", "timeout": "59m"}}
    status = web.get("/v1/status").json()
    assert "views" not in status and status["health"] == "ok" and status["is_ready"] is True
    assert status["counts"]["broken"] == 1 and status["counts"]["idle"] == len(ODD) + 2
    assert len(status["nodes"]) == 3 and len(status["runs"]) == 3


@pytest.mark.parametrize("verb", ["run", "cancel", "pause", "resume", "reset"])
def test_a_request_is_handed_on_and_answered(
    reporter: FakeReporter, web: TestClient, verb: str
) -> None:
    reporter.answer = (True, "it starts at once")
    answer = web.post(f"/v1/views/hive.sales.idle/{verb}", headers=BEARER)
    assert answer.json() == {
        "id": "hive.sales.idle",
        "verb": verb,
        "message": "it starts at once",
    }
    assert reporter.asked == [(verb, "hive.sales.idle", "testclient")]


def test_a_request_that_is_refused_says_why(reporter: FakeReporter, web: TestClient) -> None:
    reporter.answer = (False, "it runs on another node")
    answer = web.post("/v1/views/hive.sales.idle/run", headers=BEARER)
    assert told(answer, 409) == "it runs on another node"


def test_a_request_that_nobody_answers(reporter: FakeReporter, web: TestClient) -> None:
    reporter.answer = TimeoutError()
    answer = web.post("/v1/views/hive.sales.idle/run", headers=BEARER)
    said = told(answer, 503)
    assert "no node has answered within a minute" in said and "still do it" in said
    reporter.answer = OSError("connection refused\nSELECT a row")
    detail = told(web.post("/v1/views/hive.sales.idle/run", headers=BEARER), 503)
    assert "connection refused" in detail and "SELECT" not in detail


def test_only_ids_of_the_report_are_handed_on(reporter: FakeReporter, web: TestClient) -> None:
    answer = web.post("/v1/views/hive.sales.gone/run", headers=BEARER)
    assert "no view or log 'hive.sales.gone'" in told(answer, 404)
    assert "by 'drop'" in told(web.post("/v1/views/hive.sales.idle/drop", headers=BEARER), 404)
    assert "/v1/views lists" in told(web.get("/v1/views/hive.sales.gone"), 404)
    assert "there is no /v2" in told(web.get("/v2"), 404)
    assert reporter.asked == []


def test_a_method_that_is_not_there(web: TestClient) -> None:
    answer = web.post("/v1/nodes", headers=BEARER)
    assert "POST cannot be done" in told(answer, 405) and "GET" in answer.headers["allow"]
    assert told(web.delete("/v1/views/hive.sales.idle", headers=BEARER), 405)


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("condition=bad", "no view is ever 'bad'; condition is one of idle, "),
        ("limit=0", "limit is '0': give 1 to 1000"),
        ("limit=1001", "limit is '1001': give 1 to 1000"),
        ("offset=-1", "offset is '-1': give 0 to"),
        ("offset=²", "offset is '²': give 0 to"),
        ("state=broken", "not known: state; there is q, condition, offset, limit"),
    ],
)
def test_what_a_query_may_say(web: TestClient, query: str, detail: str) -> None:
    assert told(web.get(f"/v1/views?{query}"), 400).startswith(detail)


def test_an_error_of_ours_says_where_to_look(reporter: FakeReporter, web: TestClient) -> None:
    reporter.shown = None  # type: ignore[assignment]
    answer = web.get("/v1/nodes")
    assert "AttributeError: the log of the service" in told(answer, 500)
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_health_answers_while_all_threads_wait(reporter: FakeReporter) -> None:
    """Forty requests may wait for the nodes that they are for."""
    reporter.gate.clear()
    server = Server(make_app(reporter, Metrics(), token=TOKEN), parse_listen("127.0.0.1:0"))
    server.start()
    waiting = [socket.create_connection(address(server)) for _ in range(45)]
    try:
        for one in waiting:
            one.sendall(
                b"POST /v1/views/hive.sales.idle/run HTTP/1.1\r\nHost: localhost\r\n"
                b"Authorization: Bearer a-token\r\n\r\n"
            )
        until = time.monotonic() + 10
        while len(reporter.asked) < 40 and time.monotonic() < until:
            time.sleep(0.01)
        with urllib.request.urlopen(f"{server.address}/healthz", timeout=5) as answer:
            assert answer.read() == b"ok"
    finally:
        reporter.gate.set()
        for one in waiting:
            one.close()
        server.stop()


# Who may ask


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", "Bearer ünd"])
def test_a_change_needs_the_token(reporter: FakeReporter, web: TestClient, given: str) -> None:
    headers = {b"Authorization": given.encode("latin-1")} if given else {}
    answer = web.post("/v1/views/hive.sales.idle/run", headers=headers)
    assert "Authorization: Bearer TOKEN" in told(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"
    assert reporter.asked == []


@pytest.mark.parametrize("given", ["", f"Basic {TOKEN}"])
def test_a_token_that_nobody_asks_for_is_seen(
    reporter: FakeReporter, web: TestClient, given: str
) -> None:
    with sown("a token is not asked for"), pytest.raises(AssertionError):
        test_a_change_needs_the_token(reporter, web, given)


def test_without_a_token_nothing_can_be_changed(reporter: FakeReporter) -> None:
    web = client(reporter, token=None)
    assert web.get("/").status_code == 200
    empty = {"Authorization": "Bearer "}
    assert told(web.post("/v1/views/hive.sales.idle/run", headers=empty), 401)
    with pytest.raises(ValueError, match="beyond this machine a token is needed"):
        client(reporter, token=None, is_public=True)


SHOWN = ("/", "/metrics", "/v1/views", "/v1/views/x", "/v1/runs", "/v1/nodes", "/v1/settings")


@pytest.mark.parametrize("path", [*SHOWN, "/v1/status", "/nothing"])
def test_beyond_loopback_looking_needs_the_token(reporter: FakeReporter, path: str) -> None:
    web = client(reporter, is_public=True)
    assert told(web.get(path), 401)
    assert web.head(path).status_code == 401
    assert web.get(path, headers=BEARER).status_code == (
        404 if path in ("/nothing", "/v1/views/x") else 200
    )


def test_beyond_loopback_health_is_for_everybody(reporter: FakeReporter) -> None:
    web = client(reporter, is_public=True)
    assert web.get("/healthz").status_code == web.get("/readyz").status_code == 200
    assert told(web.post("/healthz", headers=BEARER), 405)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:9000", "127.0.0.1:8580", "[::1]:8580", "[::1]", "10.1.2.3:80"]
)
def test_ours_are_localhost_and_addresses(web: TestClient, host: str) -> None:
    assert web.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8580", "localhost.evil.example"])
def test_a_name_that_is_not_ours_is_refused(reporter: FakeReporter, host: str) -> None:
    """A page of that name could have been pointed here, and read along."""
    web = client(reporter, hosts=["views.example"])
    for path in ("/", "/healthz"):
        assert "header Host" in told(web.get(path, headers={"Host": host}), 400)
    assert told(web.post("/", headers={"Host": host, **BEARER}), 400)
    assert web.get("/", headers={"Host": "views.example:443"}).status_code == 200


def test_a_body_is_refused_unread(reporter: FakeReporter, web: TestClient) -> None:
    path = "/v1/views/hive.sales.idle/run"
    assert "no request has a body" in told(web.post(path, headers=BEARER, content=b"x"), 400)
    pieces = iter([b"x"])
    assert told(web.post(path, headers=BEARER, content=pieces), 400)
    assert reporter.asked == []


def test_who_asks_is_what_the_proxy_saw(reporter: FakeReporter) -> None:
    path = "/v1/views/hive.sales.idle/run"
    headers = {**BEARER, "X-Forwarded-For": "1.1.1.1, 10.0.0.7"}
    client(reporter, behind_proxy=True).post(path, headers=headers)
    client(reporter).post(path, headers=headers)
    assert [who for *_, who in reporter.asked] == ["10.0.0.7", "testclient"]


@pytest.mark.parametrize("path", ["/", "/v1/views", "/metrics", "/healthz", "/nothing"])
def test_every_answer_has_the_headers(web: TestClient, path: str) -> None:
    for answer in (web.get(path), web.get(path, headers={"Host": "evil.example"})):
        headers = answer.headers
        policy = dict(
            one.strip().split(" ", 1) for one in headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "set-cookie" not in headers


def test_no_other_site_may_ask(web: TestClient) -> None:
    """A browser asks by OPTIONS before it sends a token for another site."""
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = web.options("/v1/views/hive.sales.idle/run", headers=headers)
    assert answer.status_code == 401
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("text", "host", "port", "is_public"),
    [
        ("127.0.0.1:8580", "127.0.0.1", 8580, False),
        ("127.8.8.8:1", "127.8.8.8", 1, False),
        ("localhost:0", "localhost", 0, False),
        ("[::1]:8580", "::1", 8580, False),
        ("0.0.0.0:8580", "0.0.0.0", 8580, True),
        ("[::]:65535", "::", 65535, True),
        ("views.example:8580", "views.example", 8580, True),
    ],
)
def test_where_it_listens(text: str, host: str, port: int, is_public: bool) -> None:
    listen = parse_listen(text, certificate=Path("a.pem"))
    assert (listen.host, listen.port, listen.is_public) == (host, port, is_public)
    if is_public:
        with pytest.raises(ValueError, match="without TLS: the token could be read"):
            parse_listen(text)
    else:
        parse_listen(text)


@pytest.mark.parametrize("text", ["8580", ":1", "localhost", "::1:8580", "a:65536", "a:-1", "a:"])
def test_where_it_cannot_listen(text: str) -> None:
    with pytest.raises(ValueError, match="give HOST:PORT"):
        parse_listen(text)


def test_behind_a_proxy_it_is_public_wherever_it_listens() -> None:
    assert parse_listen("127.0.0.1:8580", is_behind_proxy=True).is_public
    assert parse_listen("0.0.0.0:8580", is_behind_proxy=True).is_public
    with pytest.raises(ValueError, match="but no certificate"):
        parse_listen("127.0.0.1:8580", key=Path("a.key"))


def test_the_token_is_made_once_and_for_its_owner(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        token = read_or_make_token(tmp_path)
    finally:
        os.umask(before)
    assert len(token) >= 43 and read_or_make_token(tmp_path) == token
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660])
def test_a_token_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    read_or_make_token(tmp_path)
    (tmp_path / "token").chmod(mode)
    with pytest.raises(ValueError, match=r"open to others \(mode 06\d\d\); run: chmod 600 /"):
        read_or_make_token(tmp_path)


def test_a_token_that_is_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").touch(0o600)
    with pytest.raises(ValueError, match="is empty: delete it"):
        read_or_make_token(tmp_path)


# The page


class Reader(HTMLParser):
    """What a page is made of, and that each element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        self.ids += [id_] if (id_ := given.get("id")) else []
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        if tag not in ("meta", "input", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def text_of(page: str) -> str:
    """What a page says, in one line."""
    bare = re.sub(r"<style>.*?</style>|<wbr>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def test_the_page_is_sound_html(web: TestClient) -> None:
    page = Reader(web.get("/").text)
    assert len(page.ids) == len(set(page.ids))
    assert page.headings[0] == 1 and set(page.headings[1:]) == {2}
    attributes = [given for _, given in page.tags]
    named = [given["aria-labelledby"] for given in attributes if "aria-labelledby" in given]
    named += [given["for"] for given in attributes if "for" in given]
    anchors = [
        href[1:] for given in attributes if (href := given.get("href") or "").startswith("#")
    ]
    assert named and anchors and set(named) | set(anchors) <= set(page.ids)
    assert not [tag for tag, _ in page.tags if tag in ("script", "iframe", "img", "link")]
    assert not [name for given in attributes for name in given if name.startswith("on")]
    assert not [given for given in attributes if "style" in given or "http-equiv" in given]
    heads = [given for tag, given in page.tags if tag == "th"]
    assert {given.get("scope") for given in heads} == {"col", "row"}
    tables = sum(tag == "table" for tag, _ in page.tags)
    regions = [given for given in attributes if given.get("role") == "region"]
    assert len(regions) == tables == 6 and all(one["tabindex"] == "0" for one in regions)


def test_the_page_says_what_is_wrong(reporter: FakeReporter, web: TestClient) -> None:
    assert "Healthy" in text_of(web.get("/").text)
    reporter.shown = report(health="database", problem="look at db:5432", skew=-7.31)
    text = text_of(web.get("/").text)
    assert "The database does not answer look at db:5432" in text
    assert "7.3 s behind" in text
    assert "hive.sales.broken broken 16 none Division by zero" in text
    page = web.get("/").text
    assert "hive.sales.paused view paused 3 h ago never" in text_of(page)
    assert 'title="2026-11-27 14:20:00 UTC"' in page, "since when it is paused"
    reporter.shown = report(views=(view("v", "running", paused_time=NOW - 1_000 * SECOND),))
    assert "v view running in " in text_of(web.get("/").text), "it began before"


def test_odd_names_are_text_on_the_page(reporter: FakeReporter, web: TestClient) -> None:
    problem = "<img src=x onerror=alert(1)>"
    views = tuple(view(id_, "broken", problem=problem, node=id_, pool=id_) for id_ in ODD)
    runs = (run(ODD[0], ODD, problem=problem, node=ODD[0]),)
    reporter.shown = report(
        views=views, runs=runs, project=ODD[0], target=ODD[1], node=ODD[1], problem=problem
    )
    page = web.get("/", params={"q": "s", "condition": "broken"}).text
    read = Reader(page)
    assert not [tag for tag, _ in read.tags if tag in ("script", "img")]
    links = [given["href"] for tag, given in read.tags if tag == "a"]
    for id_ in ODD:
        assert id_ in text_of(page)
        assert f"v1/views/{quote(id_, safe='')}" in links
    field = next(given for tag, given in read.tags if given.get("id") == "q")
    assert field["value"] == "s"


def test_what_was_looked_for_is_text_as_well(web: TestClient) -> None:
    page = web.get("/", params={"q": '"><script>alert(1)</script>'}).text
    read = Reader(page)
    field = next(given for tag, given in read.tags if given.get("id") == "q")
    assert field["value"] == '"><script>alert(1)</script>'
    assert "No view or log is like this." in text_of(page)


def test_the_page_has_parts(reporter: FakeReporter, web: TestClient) -> None:
    reporter.shown = report(views=tuple(view(f"c.s.v{number:04}") for number in range(450)))
    first = web.get("/?q=V").text
    assert "1 to 200 of 450" in text_of(first) and "Previous" not in text_of(first)
    links = [given["href"] for tag, given in Reader(first).tags if given.get("rel") == "next"]
    second = web.get(f"/{html.unescape(str(links[0]))}").text
    assert "201 to 400 of 450" in text_of(second)
    rels = [(given["rel"], given["href"]) for _, given in Reader(second).tags if "rel" in given]
    assert rels == [("prev", "?q=V#views"), ("next", "?q=V&offset=400#views")]
    last = text_of(web.get("/?offset=9999").text)
    assert "401 to 450 of 450" in last and "Next 200" not in last


def test_an_empty_service_has_a_page(reporter: FakeReporter, web: TestClient) -> None:
    reporter.shown = report(
        views=(), runs=(), nodes=(), health="starting", problem="", fetched=None, beaten=None
    )
    text = text_of(web.get("/").text)
    for said in ("Starting This node starts nothing.", "State read never", "Nothing runs."):
        assert said in text


def test_only_the_last_runs_and_the_worst_are_shown(
    reporter: FakeReporter, web: TestClient
) -> None:
    broken = tuple(
        view(f"c.s.v{number:02}", "broken", failures=number, problem="p") for number in range(60)
    )
    reporter.shown = report(
        views=broken, runs=tuple(run(f"r-{number:02}", ("c.s.v00",)) for number in range(60))
    )
    text = text_of(web.get("/?condition=idle").text)
    assert "c.s.v59 broken 59" in text and "c.s.v09 broken" not in text
    assert "50 of 60 are shown. All that are broken" in text
    assert "r-49" in text and "r-50" not in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "now"),
        (1, "in 1 s"),
        (-59, "59 s ago"),
        (60, "in 1 min"),
        (180, "in 3 min"),
        (-5400, "90 min ago"),
        (-7200, "2 h ago"),
        (172800, "in 2 d"),
    ],
)
def test_times_are_told_from_now(
    reporter: FakeReporter, web: TestClient, seconds: int, text: str
) -> None:
    at = NOW + seconds * SECOND
    reporter.shown = report(views=(view("c.s.v", due=at, ended=None, took=None),))
    found = re.findall(r'<time datetime="([^"]+)" title="([^"]+ UTC)">([^<]+)<', web.get("/").text)
    shown = found[-1]
    assert shown[2] == text and micros(datetime.fromisoformat(shown[0])) == at


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.6, "1 min"),
        (61, "1 min 1 s"),
        (3600, "1 h"),
        (3900, "1 h 5 min"),
        (86400, "1 d"),
        (90000, "1 d 1 h"),
    ],
)
def test_durations_have_two_units(
    reporter: FakeReporter, web: TestClient, seconds: float, text: str
) -> None:
    reporter.shown = report(views=(view("c.s.v", took=seconds),))
    assert f'<td class="number">{text}</td>' in web.get("/").text


def test_ten_thousand_views_take_no_time(reporter: FakeReporter, web: TestClient) -> None:
    """The goal is 200 ms. What is measured here is the work alone, and not what runs beside it."""
    lines = [view(f"spark_catalog.s.v{number}", due=NOW + number) for number in range(9_000)]
    lines += [view(f"c.s.b{number}", "broken", failures=16, problem="p") for number in range(1000)]
    reporter.shown = report(views=tuple(lines))
    web.get("/")
    for path in ("/", "/v1/views?limit=1000", "/metrics"):
        begun = time.process_time()
        assert web.get(path).status_code == 200
        assert time.process_time() - begun < 0.2, path


# The server


def address(server: Server) -> tuple[str, int]:
    host, _, port = server.address.partition("://")[2].rpartition(":")
    return host, int(port)


@pytest.mark.parametrize(
    ("host", "full", "known", "named"),
    [
        ("north-1", "north-1.example", "north-1.example", "north-1.example"),
        ("north-1", "localhost", "north-1", "north-1"),
        ("north-1", "north-1.example", "", "localhost"),
    ],
)
def test_where_it_listens_on_all_addresses_its_machine_is_named(
    reporter: FakeReporter,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    full: str,
    known: str,
    named: str,
) -> None:
    """Whoever reads the address elsewhere would ask themselves by 0.0.0.0."""
    look_up = socket.getaddrinfo

    def look(name: str, *args: Any, **given: Any) -> Any:
        if name in (host, full, known) and name != known:
            raise socket.gaierror(f"{name} is not known")
        return look_up("127.0.0.1" if name == known else name, *args, **given)

    monkeypatch.setattr(socket, "gethostname", lambda: host)
    monkeypatch.setattr(socket, "getfqdn", lambda: full)
    monkeypatch.setattr(socket, "getaddrinfo", look)
    _machine.cache_clear()
    listen = parse_listen("0.0.0.0:0", is_behind_proxy=True)
    app = make_app(reporter, Metrics(), token=TOKEN, hosts=[listen.name], is_public=True)
    server = Server(app, listen)
    server.start()
    try:
        assert server.address.startswith(f"http://{named}:")
        port = address(server)[1]
        request = urllib.request.Request(f"http://127.0.0.1:{port}/healthz")
        request.add_header("Host", f"{named}:{port}")
        with urllib.request.urlopen(request, timeout=5) as answer:
            assert answer.read() == b"ok"
    finally:
        server.stop()
        _machine.cache_clear()
    assert parse_listen("127.0.0.1:80").name == "127.0.0.1"
    assert parse_listen("views.example:80", is_behind_proxy=True).name == "views.example"


@pytest.fixture
def served(reporter: FakeReporter) -> Iterator[Server]:
    server = Server(make_app(reporter, Metrics(), token=TOKEN), parse_listen("127.0.0.1:0"))
    server.start()
    yield server
    server.stop()


def test_a_server_answers_when_it_has_started(served: Server) -> None:
    connection = HTTPConnection(*address(served), timeout=5)
    connection.request("GET", "/healthz")
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (200, b"ok")
    assert answer.getheader("server") is None
    connection.close()


@pytest.mark.parametrize("id_", ODD)
def test_odd_names_are_found_and_asked_for(
    reporter: FakeReporter, served: Server, id_: str
) -> None:
    """By a real server: starlette's client decodes a path twice."""
    connection = HTTPConnection(*address(served), timeout=5)
    path = f"/v1/views/{quote(id_, safe='')}"
    connection.request("GET", path)
    assert json.loads(connection.getresponse().read())["id"] == id_
    connection.request("POST", f"{path}/pause", headers={**BEARER, "X-Forwarded-For": "9.9.9.9"})
    assert connection.getresponse().status == 200
    connection.close()
    assert reporter.asked == [("pause", id_, "127.0.0.1")]


def test_a_server_that_has_stopped_leaves_its_port(reporter: FakeReporter, served: Server) -> None:
    at = address(served)
    again = Server(make_app(reporter, Metrics(), token=None), parse_listen(f"{at[0]}:{at[1]}"))
    with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{at[1]}: "):
        again.start()
    served.stop()
    again.start()
    again.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(at)
    assert "web" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
def test_tls(reporter: FakeReporter, tmp_path: Path) -> None:
    certificate, key = tmp_path / "a.pem", tmp_path / "a.key"
    app = make_app(reporter, Metrics(), token=TOKEN)
    listen = parse_listen("127.0.0.1:0", certificate=certificate, key=key)
    with pytest.raises(ValueError, match=r"TLS cannot be done with .*a\.pem and .*a\.key"):
        Server(app, listen).start()
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-keyout", key, "-out", certificate, "-days", "1", "-subj", "/CN=a"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
        ],
        check=True,
        capture_output=True,
    )
    server = Server(app, listen)
    server.start()
    try:
        trusted = ssl.create_default_context(cafile=certificate)
        url = f"{server.address}/healthz"
        with urllib.request.urlopen(url, timeout=5, context=trusted) as answer:
            assert url.startswith("https://") and answer.read() == b"ok"
    finally:
        server.stop()
