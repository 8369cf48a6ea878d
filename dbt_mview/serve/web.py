"""What a node shows over HTTP: a page, an API, health and metrics. It reads `Reporter` alone.

Who may: anybody on this machine may look; a token is needed for each request that changes
something, and beyond loopback for all but /healthz and /readyz. There are no cookies, so no other
site can use those of a browser; and a name that is not ours is refused, so that no other site can
be made to point here (DNS rebinding).
"""

from __future__ import annotations

import base64
import hmac
import json
import os
import secrets
import socket
import threading
from collections import Counter as Tally
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast, get_args
from urllib.parse import quote, urlencode

import uvicorn
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dbt_mview.schedule import moment
from dbt_mview.serve.events import iso
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.report import Condition, NodeLine, Report, Reporter, RunLine, ViewLine
from dbt_mview.serve.times import utc
from dbt_mview.serve.words import first_line

TEMPLATES = Path(__file__).parent / "templates"
VERBS = ("run", "cancel", "pause", "resume", "reset")
HEALTH = ("/healthz", "/readyz")
FILTERS = ("q", "condition", "offset")
LIMIT = 1000  # of views in one answer
ON_PAGE = 200  # views
OF_A_TABLE = 50  # rows of each other table of the page
SECOND = 1_000_000
# What the page says of a node's health.
HEADLINES = {
    "ok": "Healthy",
    "starting": "Starting",
    "stopping": "Stopping",
    "database": "The database does not answer",
    "state": "State cannot be read",
    "project": "The project does not parse",
    "engine": "The engine does not answer",
    "memory": "Memory is short",
}


# Where it listens, and who may ask


@dataclass(frozen=True, slots=True)
class Listen:
    """Where the service listens.

    Args:
        host: a name or an address of this machine.
        port: 0 for any free one.
        certificate: file of the TLS certificate with its chain; None for plain HTTP.
        key: file of its key; None if it is in the certificate's file.
        is_behind_proxy: a proxy in front does TLS, and says who asks by X-Forwarded-For.
    """

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    is_behind_proxy: bool = False

    @property
    def is_public(self) -> bool:
        """Whether others than users of this machine can reach it."""
        return self.is_behind_proxy or not _is_loopback(self.host)

    @property
    def name(self) -> str:
        """By which others ask for it: the machine's, where it listens on all its addresses."""
        return _machine(":" in self.host) if _is_any(self.host) else self.host


def parse_listen(
    text: str,
    *,
    certificate: Path | None = None,
    key: Path | None = None,
    is_behind_proxy: bool = False,
) -> Listen:
    """Reads where to listen.

    Args:
        text: HOST:PORT, with [] around an IPv6 address.
        certificate: see `Listen`.
        key: see `Listen`.
        is_behind_proxy: see `Listen`.

    Raises:
        ValueError: it is none; or others could read along.
    """
    host, _, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        host = ""
    if not host or not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise ValueError(f"cannot listen on '{text}': give HOST:PORT, as in 127.0.0.1:8580")
    if key is not None and certificate is None:
        raise ValueError(f"there is a TLS key ({key}), but no certificate: give both")
    listen = Listen(host, int(port), certificate, key, is_behind_proxy)
    if listen.is_public and certificate is None and not is_behind_proxy:
        raise ValueError(
            f"cannot listen on {text} without TLS: the token could be read on the way; give a"
            " certificate and its key, or --behind-proxy if a proxy in front does TLS"
        )
    return listen


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _is_any(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


@cache
def _machine(is_v6: bool) -> str:
    """The name of this machine, with its domain if it has one.

    Where this machine itself cannot look it up it is localhost, by which at least its own users
    come here.

    Args:
        is_v6: it listens on IPv6 alone.
    """
    name, full = socket.gethostname(), socket.getfqdn()
    # The full one may be another name of the loopback address.
    name = full if full.lower().startswith(f"{name.lower()}.") else name
    try:
        socket.getaddrinfo(name, None, socket.AF_INET6 if is_v6 else socket.AF_INET)
    except (OSError, UnicodeError):
        return "localhost"
    return name


def read_or_make_token(home: Path) -> str:
    """The token that requests must bring, in the file `token` of the home folder.

    Args:
        home: of this node.

    Raises:
        ValueError: others may read the file, or it is empty.
    """
    file = home / "token"
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_token(file)
    token = secrets.token_urlsafe(32)
    with os.fdopen(handle, "w", encoding="ascii") as stream:
        stream.write(f"{token}\n")
    return token


def _read_token(file: Path) -> str:
    with file.open(encoding="utf-8") as stream:
        mode = os.fstat(stream.fileno()).st_mode & 0o777
        # Windows has no such rights, and says 0666 of each file.
        if os.name != "nt" and mode & 0o077:
            raise ValueError(f"{file} is open to others (mode {mode:04o}); run: chmod 600 {file}")
        token = stream.read().strip()
    if not token:
        raise ValueError(f"{file} is empty: delete it, and a new token is made")
    return token


class _Guard:
    """Sees each request first, and each answer last."""

    def __init__(
        self,
        app: ASGIApp,
        token: str | None,
        hosts: Collection[str],
        is_public: bool,
        headers: Mapping[str, str],
    ) -> None:
        self._app, self._is_public, self._headers = app, is_public, headers
        self._token = None if token is None else token.encode()
        self._hosts = {_host_name(host) for host in hosts} | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        refusal = self._refuse(scope)
        await (self._app if refusal is None else refusal)(scope, receive, answer)

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        given = headers.getlist("host")
        if len(given) != 1 or not self._is_ours(_host_name(given[0])):
            return problem(
                400,
                "this service does not have the name that the header Host says: ask by an address"
                " or localhost, or name the host when the service is started",
            )
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return problem(400, "no request has a body here: send none")
        is_reading = scope["method"] in ("GET", "HEAD")
        if (is_reading and not self._is_public) or scope["path"] in HEALTH:
            return None
        if not self._has_token(headers):
            detail = "this needs the header Authorization: Bearer TOKEN; it is in the file token"
            return problem(401, f"{detail} in the service's home", {"WWW-Authenticate": "Bearer"})
        return None

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return (
            self._token is not None
            and scheme.lower() == "bearer"
            and hmac.compare_digest(token.strip().encode("latin-1"), self._token)
        )

    def _is_ours(self, name: str) -> bool:
        """An address cannot be rebound: who asks by one means this machine."""
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return name in self._hosts
        return True


def _host_name(header: str) -> str:
    """The host of a header Host, without its port: another one may be forwarded to ours."""
    name, colon, port = header.lower().rpartition(":")
    return (name if colon and not port.endswith("]") else header.lower()).rstrip(".")


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error as RFC 9457 has it.

    Args:
        status: of HTTP.
        detail: what is wrong and what to do.
        headers: more of them.
    """
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return JSONResponse(body, status, headers, media_type="application/problem+json")


# What is shown


def _time(value: int | None) -> str | None:
    return None if value is None else iso(moment(value))


def _as_json(line: NodeLine | ViewLine | RunLine) -> dict[str, Any]:
    """A line of the report, with times in ISO 8601."""
    values = {field.name: getattr(line, field.name) for field in fields(line)}
    for name in values.keys() & {"due", "ended", "began", "paused_time"}:
        values[name] = _time(values[name])
    if isinstance(line, ViewLine):
        values["schedule"] = _schedule(line.schedule)
    return values


def _schedule(words: str) -> Any:
    """A schedule as an object; where state's log has only the beginning of it, that as text."""
    try:
        return json.loads(words) if words else None
    except ValueError:
        return words


@dataclass(frozen=True, slots=True)
class _Query:
    """Which views are wanted."""

    q: str
    condition: str
    limit: int
    offset: int

    @classmethod
    def of(cls, request: Request, names: Sequence[str], limit: int) -> _Query:
        """Reads it from the URL.

        Args:
            request: of which.
            names: which parameters it may have.
            limit: where it says none.

        Raises:
            HTTPException: 400, something in it is not known or out of its range.
        """
        given = dict(request.query_params)
        if unknown := given.keys() - set(names):
            known = ", ".join(names)
            raise HTTPException(400, f"not known: {', '.join(sorted(unknown))}; there is {known}")
        condition = given.get("condition", "")
        if condition and condition not in get_args(Condition):
            known = ", ".join(get_args(Condition))
            raise HTTPException(400, f"no view is ever '{condition}'; condition is one of {known}")
        return cls(
            given.get("q", "").strip(),
            condition,
            _number(given, "limit", limit, 1, LIMIT),
            _number(given, "offset", 0, 0, 10**9),
        )

    def find(self, report: Report) -> list[ViewLine]:
        """All that are wanted, what is due first comes first."""
        wanted = self.q.casefold()
        found = [
            line
            for line in report.views
            if (not self.condition or line.condition == self.condition)
            and wanted in line.id.casefold()
        ]
        return sorted(found, key=_by_due)

    def link(self, offset: int) -> str:
        """The query of a URL for another part of the same."""
        given = {"q": self.q, "condition": self.condition, "offset": offset or ""}
        return "?" + urlencode({name: value for name, value in given.items() if value})


def _number(given: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    text = given.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 12 and least <= int(text) <= most):
        raise HTTPException(400, f"{name} is '{text}': give {least} to {most}")
    return int(text)


def _by_due(line: ViewLine) -> tuple[bool, int, str]:
    return line.due is None, line.due or 0, line.id


def _span(seconds: float) -> str:
    """A duration in its two largest units: 1 h 5 min; below ten seconds with a decimal."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    rest = round(seconds)
    if rest < 60:
        return f"{rest} s"
    if rest < 3600:
        minutes, rest = divmod(rest, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    minutes = rest // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    large = f"{days} d {hours} h" if days else f"{hours} h {minutes} min"
    return large.removesuffix(" 0 h").removesuffix(" 0 min")


def _relative(at: int, now: int) -> str:
    """How far away a time is, in one unit, of hours and days at least two: 3 min ago, in 90 min."""
    seconds = abs(at - now) // SECOND
    if seconds == 0:
        return "now"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= size * (2 if size > 60 else 1):
            text = f"{seconds // size} {unit}"
            break
    return f"in {text}" if at > now else f"{text} ago"


def _breakable(name: str) -> Markup:
    """A name that may go on in the next line after a dot or an underscore."""
    return Markup(str(escape(name)).replace(".", ".<wbr>").replace("_", "_<wbr>"))


class _Page:
    """The page, as HTML."""

    def __init__(self) -> None:
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        filters: dict[str, Callable[[Any], str]] = {
            "span": _span,
            "iso": lambda at: iso(moment(at)),
            "utc": utc,
            "encoded": lambda id_: quote(id_, safe=""),
            "breakable": _breakable,
        }
        environment.filters.update(filters)
        self._template = environment.get_template("page.html")
        self._style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
        digest = base64.b64encode(sha256(self._style.encode()).digest()).decode()
        self.style_source = f"'sha256-{digest}'"

    def render(self, report: Report, query: _Query) -> str:
        """The page of a report, with the views that are wanted."""
        views = report.views
        troubled = [line for line in views if line.condition == "broken" or line.problem]
        troubled.sort(key=lambda one: (one.condition != "broken", -one.failures, one.id))
        waiting = [line for line in views if line.condition in ("queued", "waiting", "held")]
        waiting.sort(key=lambda one: (-one.late, one.id))
        found = query.find(report)
        last = max(0, len(found) - 1) // query.limit * query.limit
        offset = min(query.offset, last)
        return self._template.render(
            report=report,
            headline=HEADLINES[report.health],
            counts=Tally(line.condition for line in views),
            conditions=get_args(Condition),
            troubled=troubled,
            waiting=waiting,
            running=[run for run in report.runs if run.ended is None],
            ended=[run for run in report.runs if run.ended is not None][:OF_A_TABLE],
            found=len(found),
            shown=found[offset : offset + query.limit],
            offset=offset,
            query=query,
            most=OF_A_TABLE,
            style=Markup(self._style),
            relative=lambda at: _relative(at, report.now),
        )


@cache
def _the_page() -> _Page:
    """Compiled once in a process."""
    return _Page()


# The application


def make_app(
    reporter: Reporter,
    metrics: Metrics,
    *,
    token: str | None,
    hosts: Collection[str] = (),
    is_public: bool = False,
    behind_proxy: bool = False,
) -> Starlette:
    """The web application of a node.

    Args:
        reporter: the service.
        metrics: what it has counted.
        token: that requests must bring; None: whatever needs one is refused.
        hosts: names by which it may be asked for, beside localhost and addresses.
        is_public: whether others than users of this machine can reach it.
        behind_proxy: a proxy in front says who asks, by X-Forwarded-For.

    Raises:
        ValueError: it is public and has no token.
    """
    if is_public and token is None:
        raise ValueError("beyond this machine a token is needed: give one")
    page = _the_page()

    def show_page(request: Request) -> Response:
        return HTMLResponse(page.render(reporter.report(), _Query.of(request, FILTERS, ON_PAGE)))

    # These two answer also when all threads wait for requests to be done.
    async def show_alive(request: Request) -> Response:
        is_alive = reporter.is_alive()
        text = "ok" if is_alive else "the loop has not turned within the last ten seconds"
        return PlainTextResponse(text, 200 if is_alive else 503)

    async def show_ready(request: Request) -> Response:
        is_ready, why = reporter.is_ready()
        return PlainTextResponse("ok" if is_ready else first_line(why), 200 if is_ready else 503)

    def show_metrics(request: Request) -> Response:
        accept = request.headers.get("accept", "")
        body, kind = metrics.expose(reporter.report(), reporter.is_ready()[0], accept)
        return Response(body, headers={"Content-Type": kind})

    def show_views(request: Request) -> Response:
        query, report = _Query.of(request, (*FILTERS, "limit"), 100), reporter.report()
        found = query.find(report)
        some = found[query.offset : query.offset + query.limit]
        return JSONResponse(
            {
                "now": _time(report.now),
                "total": len(found),
                "offset": query.offset,
                "limit": query.limit,
                "views": [_as_json(line) for line in some],
            }
        )

    def find(report: Report, id_: str) -> ViewLine:
        for line in report.views:
            if line.id == id_:
                return line
        raise HTTPException(404, f"there is no view or log '{id_}'; /v1/views lists them")

    def show_view(request: Request) -> Response:
        return JSONResponse(_as_json(find(reporter.report(), request.path_params["id"])))

    def show_runs(request: Request) -> Response:
        report = reporter.report()
        return JSONResponse(
            {"now": _time(report.now), "runs": [_as_json(run) for run in report.runs]}
        )

    def show_nodes(request: Request) -> Response:
        report = reporter.report()
        return JSONResponse(
            {"now": _time(report.now), "nodes": [_as_json(node) for node in report.nodes]}
        )

    def show_settings(request: Request) -> Response:
        return JSONResponse({"settings": reporter.report().settings})

    def show_status(request: Request) -> Response:
        report = reporter.report()
        is_ready, why = reporter.is_ready()
        counts = Tally(line.condition for line in report.views)
        names = ("node", "version", "project", "target", "health", "problem", "settings")
        return JSONResponse(
            {
                "now": _time(report.now),
                **{name: getattr(report, name) for name in names},
                "is_ready": is_ready,
                "why_not_ready": "" if is_ready else why,
                "skew": report.skew,
                "fetched": report.fetched,
                "beaten": report.beaten,
                "counts": {condition: counts[condition] for condition in get_args(Condition)},
                "nodes": [_as_json(node) for node in report.nodes],
                "runs": [_as_json(run) for run in report.runs],
            }
        )

    def ask(request: Request) -> Response:
        verb, id_ = request.path_params["verb"], request.path_params["id"]
        if verb not in VERBS:
            raise HTTPException(404, f"nothing can be asked for by '{verb}': {', '.join(VERBS)}")
        line = find(reporter.report(), id_)
        try:
            is_done, text = reporter.request(verb, line.id, _who(request, behind_proxy))
        except TimeoutError:
            return problem(
                503,
                "no node has answered within a minute; one may have begun, and still do it: look at"
                " the view before you ask again",
            )
        except OSError as error:
            why = first_line(error)
            return problem(503, f"the database cannot be reached: {why}; try again")
        if not is_done:
            return problem(409, text)
        return JSONResponse({"id": line.id, "verb": verb, "message": text})

    # Ids may hold slashes, and servers decode %2F before routes are matched.
    routes = [
        Route("/", show_page),
        Route("/healthz", show_alive),
        Route("/readyz", show_ready),
        Route("/metrics", show_metrics),
        Route("/v1/views", show_views),
        Route("/v1/views/{id:path}/{verb}", ask, methods=["POST"]),
        Route("/v1/views/{id:path}", show_view),
        Route("/v1/runs", show_runs),
        Route("/v1/nodes", show_nodes),
        Route("/v1/settings", show_settings),
        Route("/v1/status", show_status),
    ]
    csp = (
        f"default-src 'none'; style-src {page.style_source}; form-action 'self';"
        " base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {
        "Content-Security-Policy": csp,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }

    async def show_failure(request: Request, error: Exception) -> Response:
        # The error goes on to uvicorn, which logs it. This answer does not pass the guard.
        return problem(500, f"{type(error).__name__}: the log of the service says where", headers)

    guard = Middleware(_Guard, token=token, hosts=hosts, is_public=is_public, headers=headers)
    return Starlette(
        routes=routes,
        middleware=[guard],
        exception_handlers={HTTPException: _refused, Exception: show_failure},
    )


def _who(request: Request, behind_proxy: bool) -> str:
    """Who asks, for the log."""
    # The last of them is what the proxy itself has seen.
    forwarded = request.headers.getlist("x-forwarded-for")[-1:] if behind_proxy else []
    if forwarded:
        return forwarded[0].rpartition(",")[2].strip()
    return request.client.host if request.client else "unknown"


async def _refused(request: Request, error: Exception) -> Response:
    known = cast(HTTPException, error)
    detail = known.detail
    if known.status_code == 405:
        detail = f"{request.method} cannot be done here; see the header Allow"
    elif known.status_code == 404 and detail == "Not Found":
        detail = f"there is no {request.url.path}"
    return problem(known.status_code, detail, known.headers)


# The server


class _Uvicorn(uvicorn.Server):
    """Says when it listens, instead of being asked again and again."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


class Server:
    """Serves an application on a thread of its own.

    Args:
        app: what `make_app` has made.
        listen: where.
    """

    def __init__(self, app: Starlette, listen: Listen) -> None:
        """Nothing is opened yet."""
        self.address = ""
        self._app, self._listen = app, listen
        self._uvicorn: _Uvicorn | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Returns when it listens; then `address` says where others ask for it.

        Raises:
            OSError: the address is in use, or not of this machine.
            ValueError: the certificate and its key cannot be used.
        """
        at = self._listen
        config = uvicorn.Config(
            self._app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            proxy_headers=False,
            ssl_certfile=at.certificate,
            ssl_keyfile=at.key,
            timeout_graceful_shutdown=5,
        )
        try:
            config.load()
        except OSError as error:  # ssl.SSLError is one as well
            files = " and ".join(str(file) for file in (at.certificate, at.key) if file)
            raise ValueError(f"TLS cannot be done with {files}: {error}") from error
        try:
            family, *_, target = socket.getaddrinfo(
                at.host, at.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listener = socket.create_server(target[:2], family=family, backlog=128)
        except OSError as error:
            raise OSError(f"cannot listen on {at.host}:{at.port}: {error}") from error
        host = f"[{at.name}]" if ":" in at.name else at.name
        scheme = "https" if at.certificate else "http"
        self.address = f"{scheme}://{host}:{listener.getsockname()[1]}"
        server = self._uvicorn = _Uvicorn(config)
        self._thread = threading.Thread(
            target=server.run, args=([listener],), name="web", daemon=True
        )
        self._thread.start()
        if not server.listening.wait(30):
            raise OSError(f"{self.address} did not start within 30 seconds: the log says why")

    def stop(self) -> None:
        """Ends it; requests in work have five seconds. More than once is fine."""
        if self._uvicorn and self._thread:
            self._uvicorn.should_exit = True
            self._thread.join()
