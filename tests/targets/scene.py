"""A project as users have it: seeds, four views, a group of two of them with audits, a log."""

from __future__ import annotations

import datetime
import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.support.project import Project, ended, stopped_at
from tests.targets.targets import Target

ORDERS = "id,customer,day,amount\n" + "".join(
    f"{number},{number % 3},2026-01-0{1 + number % 4},{10 * number}\n" for number in range(1, 13)
)
CUSTOMERS = "id,city\n0,Oslo\n1,Rome\n2,Oslo\n"
# One operation for several statements and views: each dbt command takes its seconds.
MACROS = """
{% macro say(statements) %}
    {% for sql in statements %} {% do run_query(sql) %} {% endfor %}
{% endmacro %}
{% macro recover(views) %}
    {% for view in views %} {% do dbt_mview.mview_recover(view) %} {% endfor %}
{% endmacro %}
"""
SCHEMA = "scene"
CHANGES = (
    f"insert into {SCHEMA}.orders values (100, 1, date'2026-01-09', 5)",
    f"update {SCHEMA}.orders set amount = amount + 1 where id < 4",
    f"delete from {SCHEMA}.orders where id = 12",
)
FAST = {"refresh": "fast"}
PAIR = {"refresh_group": "pair", "audit": ["orders > 0"]}
MODELS = {
    "totals": (
        "select customer, count(*) as orders, sum(amount) as amount"
        " from {{ ref('orders') }} group by customer",
        FAST,
    ),
    "placed": (
        "select o.id, o.day, o.amount, c.city"
        " from {{ ref('orders') }} o join {{ ref('customers') }} c on o.customer = c.id",
        FAST,
    ),
    "by_day": ("select day, count(*) as orders from {{ ref('orders') }} group by day", PAIR),
    "by_city": ("select city, count(*) as orders from {{ ref('placed') }} group by city", PAIR),
}
GROUP = ("by_day", "by_city")
LOG = "orders_log"
# Rows that a table had at a time and does not have there, in both directions.
WAS = "(select * from {{ dbt_mview.as_of(ref('orders'), '%s') }})"
KEPT = f"(select * from {SCHEMA}.kept)"
WRONG = "select count(*) as wrong from (({0} except all {1}) union all ({1} except all {0}))"


class Scene:
    """The project on one target.

    Args:
        target: where.
        root: a directory that is not there yet.
    """

    def __init__(self, target: Target, root: Path) -> None:
        self.target = target
        self.broken: str | None = None  # the step that failed, or that is being played
        self.project = Project(root, SCHEMA, target=dict(target.output))
        self.project.artifacts, self.project.program = True, target.program
        feed = "alter table {{ this }} set tblproperties ('delta.enableChangeDataFeed' = 'true')"
        # A feed that is switched on by the log would begin later than the views.
        self.project.configure(
            seeds={"+file_format": "delta", "+post-hook": feed},
            models={"+file_format": "delta"},
            vars={"dbt_mview:flashback_enable": True},
        )
        self.project.write("seeds/orders.csv", ORDERS)
        self.project.write("seeds/customers.csv", CUSTOMERS)
        self.project.write("macros/say.sql", MACROS)
        for name, (query, config) in MODELS.items():
            self.project.model(name, query, **config)
        log = {"materialized": "materialized_view_log"}
        self.project.model(LOG, "select * from {{ ref('orders') }}", **log)

    def play(self, step: str) -> None:
        """Plays one step of STEPS."""
        STEPS[step](self)

    def dbt(self, *args: str, expect: bool = True, **env: str) -> str:
        """Runs dbt as users do, in a process of its own. Returns what it printed, on one line."""
        process = self.project.start(*args, **{**self.target.env, **env})
        printed = ended(process)
        assert (process.returncode == 0) == expect, printed
        return printed

    def op(self, name: str, **args: object) -> str:
        """Runs an operation. Returns what it printed, on one line."""
        return self.dbt("run-operation", name, "--args", json.dumps(args))

    def run(self) -> dict[str, str]:
        """dbt run of all. Returns the first word of each model's message."""
        self.dbt("run")
        file = self.project.root / "target" / "run_results.json"
        words = {}
        for one in json.loads(file.read_text())["results"]:
            kind, *_, name = one["unique_id"].split(".")
            if kind == "model":
                words[name] = one["message"].split()[0]
        return words

    def followed(self) -> None:
        """A run reads the changes, for those views that can, and the log has them."""
        words = self.run()
        # The last one of a group publishes for all, and which that is depends on the threads.
        pair = {words.pop(name) for name in GROUP}
        assert words == {"totals": "FAST", "placed": "FAST", LOG: "CAPTURE"}, words
        assert pair <= {"STAGED", "COMPLETE"} and "COMPLETE" in pair, pair
        self.equal()

    def stands(self) -> subprocess.Popen[str]:
        """A dbt run that stands still before its first publish."""
        env = dict(self.target.env)
        return stopped_at(self.project, "publish:before", "run", "--threads", "1", **env)

    # The steps

    def seed(self) -> None:
        """Two tables of Delta."""
        self.dbt("seed")

    def first_run(self) -> None:
        """All views are built, and the log begins."""
        words = self.run()
        assert words == {**dict.fromkeys(MODELS, "COMPLETE"), LOG: "START"}, words

    def fast(self) -> None:
        """Rows come, go and change: the views follow, two of them from the changes alone."""
        self.change()
        self.followed()

    def skip(self) -> None:
        """Nothing changed."""
        words = self.run()
        assert set(words.values()) == {"SKIP"}, words

    def flashback(self) -> None:
        """A table as it was before it changed; the views are not touched by that."""
        self.op("say", statements=[f"create table {SCHEMA}.kept as select * from {SCHEMA}.orders"])
        moment = datetime.datetime.now(datetime.timezone.utc).isoformat()
        self.change()
        wrong = WRONG.format(WAS % moment, KEPT)
        self.project.model("as_it_was", wrong, audit=["wrong = 0"])
        self.project.model("as_it_is", wrong.replace(moment, "-0 seconds"), audit=["wrong > 0"])
        self.dbt("run", "--select", "as_it_was", "as_it_is")
        for name in ("as_it_was", "as_it_is"):
            (self.project.root / "models" / f"{name}.sql").unlink()
            self.op("mview_drop", view=f"{SCHEMA}.{name}")
        self.op("say", statements=[f"drop table {SCHEMA}.kept"])
        self.followed()

    def purge(self) -> None:
        """No view needs what the log holds."""
        assert LOG in self.op("mlog_purge", log=LOG)
        self.change()
        self.followed()

    def client_dies(self) -> None:
        """kill -9 before a publish: the view is locked until it is recovered, then it follows."""
        self.change()
        process = self.stands()
        process.kill()
        process.wait()
        assert "is refreshing" in self.dbt("run", expect=False)
        self.recover()

    def server_dies(self) -> None:
        """kill -9 of the engine below a dbt that is about to publish; then there is another one."""
        self.change()
        process = self.stands()
        self.target.die()
        os.kill(process.pid, signal.SIGCONT)
        # Without a server, a client of Spark Connect tries again for ten minutes.
        self.target.rise()
        printed = ended(process)
        assert process.returncode, printed
        self.recover()

    def two_at_once(self) -> None:
        """Two runs at the same moment: each view is refreshed once, or refused to one of them."""
        self.change()
        pair = [self.project.start("run", **env) for env in self.target.two()]
        for process in pair:
            printed = ended(process)
            assert process.returncode == 0 or "is refreshing" in printed, printed
        self.run()
        self.equal()

    def recover(self) -> None:
        """What a dead run left is ended; the next run follows, and all is right."""
        self.op("recover", views=list(MODELS))
        self.run()
        self.equal()

    def change(self) -> None:
        """Rows of the seeds come, go and change."""
        self.op("say", statements=CHANGES)

    def equal(self) -> None:
        """Every view is its query, at the versions that it read."""
        printed = self.op("mview_verify")
        assert printed.count(" equal ") == len(MODELS), printed


# In their order: each goes on from what the one before has left.
STEPS: dict[str, Callable[[Scene], None]] = {
    "seed": Scene.seed,
    "first_run": Scene.first_run,
    "fast": Scene.fast,
    "skip": Scene.skip,
    "flashback": Scene.flashback,
    "purge": Scene.purge,
    "client_dies": Scene.client_dies,
    "server_dies": Scene.server_dies,
    "two_at_once": Scene.two_at_once,
}
