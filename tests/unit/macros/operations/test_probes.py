"""What mview_doctor tries."""

from __future__ import annotations

from ...kit.harness import Dbt


def test_each_says_what_it_is_for_and_what_tells_that_it_works() -> None:
    probes = Dbt()("_probes", "`s`.`t`", "abc")
    assert len({probe["what"] for probe in probes}) == len(probes)
    for probe in probes:
        assert set(probe) == {"what", "without", "try", "shows"} and probe["without"]
        assert "`t`" in probe["try"] or "`abc_view`" in probe["try"] or "_view`" in probe["try"]
        shows = probe["shows"]
        assert shows in ("failure", "commit", "plan", None) or shows.startswith("select count(*)")
