"""An S3 on this machine: moto's, with what S3 promises and moto does not keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from typing import Any

import boto3
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

KEY = "testing"
BUCKET = "lake"


class S3:
    """What answers.

    Args:
        losing: every how many'th confirmation of a conditional PUT is lost: the object is there,
            and the answer is an error, as S3's may be. 0: none.
    """

    def __init__(self, losing: int = 0) -> None:
        self.losing, self.confirmed, self.lost = losing, 0, 0
        self.moto: Any = DomainDispatcherApplication(create_backend_app)
        self.lock = Lock()
        self.endpoint = ""

    def __call__(self, request: dict[str, Any], answer: Callable[..., Any]) -> Iterable[bytes]:
        """One request, as a WSGI server hands it over."""
        if request["REQUEST_METHOD"] != "PUT" or "HTTP_IF_NONE_MATCH" not in request:
            return list(self.moto(request, answer))
        said: list[Any] = []
        # moto looks, and writes a moment later: without the lock, both of two writers may be told
        # that the object is theirs.
        with self.lock:
            body = list(self.moto(request, lambda *args: said.append(args)))
            self.confirmed += said[0][0].startswith("200")
            is_lost = said[0][0].startswith("200") and self.losing > 0
            if is_lost and self.confirmed % self.losing == 0:
                self.lost += 1
                answer("500 Internal Server Error", [("Content-Length", "0")])
                return []
        answer(*said[0])
        return body

    def settings(self) -> dict[str, str]:
        """What S3A needs to come here, as settings of Hadoop."""
        return {
            "fs.s3a.endpoint": self.endpoint,
            "fs.s3a.endpoint.region": "us-east-1",
            "fs.s3a.path.style.access": "true",
            "fs.s3a.access.key": KEY,
            "fs.s3a.secret.key": KEY,
        }

    def client(self) -> Any:
        """A client of it."""
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=KEY,
            aws_secret_access_key=KEY,
        )

    def keys(self) -> list[str]:
        """The names of all objects."""
        pages = self.client().get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]


class Quiet(WSGIRequestHandler):
    """Prints no line for each request."""

    def log_request(self, *_: Any) -> None:
        pass


@contextmanager
def s3(losing: int = 0) -> Iterator[S3]:
    """Runs one with an empty bucket, `lake`, on a free port of this machine only."""
    place = S3(losing)
    server = make_server("127.0.0.1", 0, place, threaded=True, request_handler=Quiet)
    place.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        place.client().create_bucket(Bucket=BUCKET)
        yield place
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
