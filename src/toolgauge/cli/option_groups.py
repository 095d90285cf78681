"""Options that several verbs take, as one parameter of a verb: a NamedTuple whose fields typer sees one by one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints


def expanded(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb as typer is to see it: a parameter annotated with a NamedTuple stands for the tuple's fields.

    The fields take the place of the parameter; the verb is called with the tuple.
    """
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(verb, include_extras=True)
    for name, parameter in inspect.signature(verb).parameters.items():
        if not hasattr(hints[name], "_field_defaults"):
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        group = groups[name] = hints[name]
        for field, annotation in get_type_hints(group, include_extras=True).items():
            default = group._field_defaults.get(field, inspect.Parameter.empty)
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter(field, kind, default=default, annotation=annotation))

    @wraps(verb)
    def called(**given: object) -> None:
        for name, group in groups.items():
            given[name] = group(**{field: given.pop(field) for field in group._fields})
        verb(**given)

    del vars(called)["__wrapped__"]  # else its annotations are read instead of these
    vars(called)["__signature__"] = inspect.Signature(parameters)
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called
