"""The vars of flashback: ranges, types, defaults."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.kit.harness import Dbt, DbtError

DEFAULTS = {
    "enable": False,
    "window": 86400,
    "history_limit": 8000000,
    "create_interval": 1,
    "clean_interval": 1,
    "protect": "keep_alive",
}


def settings(**given: Any) -> dict[str, Any]:
    variables = {f"dbt_mview:flashback_{name}": value for name, value in given.items()}
    found: dict[str, Any] = Dbt(variables=variables)("_flashback_settings")
    return found


def test_defaults() -> None:
    assert settings() == DEFAULTS


def test_both_ends_of_each_range_and_texts_of_the_command_line() -> None:
    assert settings(
        enable="True",
        window=2592000,
        history_limit=str(2**63 - 1),
        trackpoint_create_interval=" 86400 ",
        trackpoint_clean_interval=1,
        protect="SET",
    ) == {
        "enable": True,
        "window": 2592000,
        "history_limit": 2**63 - 1,
        "create_interval": 86400,
        "clean_interval": 1,
        "protect": "set",
    }
    assert settings(window=1, history_limit=1)["window"] == 1


NUMBERS = {
    "window": 2592000,
    "history_limit": 2**63 - 1,
    "trackpoint_create_interval": 86400,
    "trackpoint_clean_interval": 86400,
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [0, -1, "most", 1.5, True, None, "", [1]])
def test_a_number_out_of_its_range_names_var_value_and_range(name: str, value: Any) -> None:
    given = NUMBERS[name] + 1 if value == "most" else value
    with pytest.raises(DbtError) as error:
        settings(**{name: given})
    assert str(error.value).startswith(
        f"dbt_mview: the var dbt_mview:flashback_{name}: '{given}' is out of its range, which is"
        f" 1 to {NUMBERS[name]}. Correct it in dbt_project.yml or in --vars; the default is "
    )


@pytest.mark.parametrize(
    ("name", "value", "words", "default"),
    [
        ("enable", 1, "true, false", "false"),
        ("enable", "on", "true, false", "false"),
        ("protect", "alter", "keep_alive, set, none", "keep_alive"),
        ("protect", None, "keep_alive, set, none", "keep_alive"),
    ],
)
def test_another_word_is_refused(name: str, value: Any, words: str, default: str) -> None:
    with pytest.raises(DbtError) as error:
        settings(**{name: value})
    assert str(error.value) == (
        f"dbt_mview: the var dbt_mview:flashback_{name}: '{value}' is out of its range, which is"
        f" {words}. Correct it in dbt_project.yml or in --vars; the default is {default}."
    )


def test_protect_none_is_a_word() -> None:
    assert settings(protect="none")["protect"] == "none"
