"""The table of verbs and inputs is complete: every argument and option of the command line has its place in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import typer

from tests.hostile.expected_failures import EXPECTED_FAILURES
from tests.hostile.table import FAMILIES, PLAIN, USES, cells
from toolgauge.cli.main import app


def commands(of: typer.Typer = app, before: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every verb with the function behind it."""
    for command in of.registered_commands:
        assert command.callback is not None
        assert command.name
        yield f"{before}{command.name}", command.callback
    for group in of.registered_groups:
        assert group.typer_instance is not None
        own = group.typer_instance.registered_callback
        if own is not None and own.callback is not None:  # a verb that has verbs below it
            yield str(group.name), own.callback
        yield from commands(group.typer_instance, f"{before}{group.name} ")


VERBS = dict(commands())
USUAL = [cell for cell in cells() if cell.usual]


def parameters() -> set[tuple[str, str]]:
    return {
        (verb, name)
        for verb, function in VERBS.items()
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items()
        if parameter.annotation is not typer.Context
    }


def test_every_option_has_a_place() -> None:
    plain = {(verb, name) for verb, names in PLAIN.items() for name in names.split()}
    used = {(use.verb, use.parameter) for use in USES if use.parameter != ".env"}
    plain -= used
    missing = parameters() - plain - used
    assert not missing, f"new on the command line: give it a use in table.py, or name it in PLAIN: {sorted(missing)}"
    assert not (plain | used) - parameters(), "no longer on the command line"


def test_whoever_asks_a_model_meets_env_files() -> None:
    asking = {verb for verb, name in parameters() if name == "base_url"} | {"models"}
    assert asking <= {use.verb for use in USES if use.family == "env"}


def test_every_verb_and_family_is_met() -> None:
    assert {use.verb for use in USES} == set(VERBS)
    assert {use.family for use in USES} == set(FAMILIES)
    names = [use.name for use in USES]
    assert len(names) == len(set(names))


def test_ids_are_unique_and_the_usual_part_has_every_verb_and_every_kind_of_input() -> None:
    ids = [cell.id for cell in cells()]
    assert len(ids) == len(set(ids))
    usual, whole = ({word for cell in part for word in cell.item.name.split("-")} for part in (USUAL, cells()))
    assert usual == whole
    assert {(cell.use.verb, cell.use.family) for cell in USUAL} == {(use.verb, use.family) for use in USES}
    assert set(EXPECTED_FAILURES) <= set(ids), "the list names cells that there are not"
