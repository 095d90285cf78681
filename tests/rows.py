"""A table in one test: `@rows(("text", "value"), TABLE)` where `pytest.mark.parametrize` would make a test of each row.

For rows that take milliseconds and share nothing that one of them changes. All rows are tried; each that fails is told.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

MOST_SHOWN = 300
"""Characters of a row."""


def rows(
    names: str | Sequence[str], table: Iterable[Any], ids: object = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with every row of a table. names: of its parameters, as for parametrize; other parameters are
    fixtures. ids: not needed, a row is shown as it is."""
    single = isinstance(names, str)
    fields, lines = [names] if isinstance(names, str) else list(names), list(table)
    assert lines, "a table without rows tests nothing"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def run(**fixtures: Any) -> None:
            failed: list[Exception] = []
            for row in lines:
                try:
                    test(**fixtures, **dict(zip(fields, (row,) if single else row, strict=True)))
                except Exception as error:
                    error.add_note(f"in the row {repr(row)[:MOST_SHOWN]}")
                    failed.append(error)
            if len(failed) == 1:
                raise failed[0]
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(lines)} rows", failed)

        left = [one for name, one in inspect.signature(test).parameters.items() if name not in fields]
        run.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        return run

    return decorate
