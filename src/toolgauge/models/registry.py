"""From what the user wrote after `-m` to a model: providers, built-in players, entry points."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from msgspec import Struct

from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.models.model import Model, ModelOptions

GROUP = "toolgauge.models"
"""Entry-point group: the name is the prefix, the object a callable (rest: str, options: ModelOptions) -> Model."""

BUILTIN = "builtin"


class Opening(Struct, frozen=True):
    """How a model is opened: as often as wanted, and on other machines. spec: what the user wrote after `-m`."""

    spec: str
    options: ModelOptions

    def open(self) -> Model:
        """See `open_model`."""
        return open_model(self.spec, self.options)


def open_model(spec: str, options: ModelOptions | None = None) -> Model:
    """The model that `spec` names: "openai/<model>", "azure/<deployment>", "builtin/<player>[?query]", or
    "<prefix>/<rest>" with a prefix that an installed package registered.

    Connects to nothing yet. Raises UsageError.
    """
    options = options or ModelOptions()
    prefix, slash, rest = spec.partition("/")
    if not slash or not rest.strip():
        raise UsageError(f"model '{spec}': write it as provider/model, for example openai/gpt-5 or builtin/oracle")
    if prefix == BUILTIN:
        from toolgauge.models.players import open_player

        return open_player(spec, rest)
    from toolgauge.models.providers import PROVIDERS

    if prefix in PROVIDERS:
        return _endpoint_model(spec, prefix, rest, options)
    registered = registered_models()
    if prefix in registered:
        return _registered_model(spec, registered[prefix], rest, options)
    known = sorted({BUILTIN, *PROVIDERS, *registered})
    close = difflib.get_close_matches(prefix, known, 1)
    guess = f" (did you mean {close[0]}/?)" if close else ""
    raise UsageError(f"model '{spec}': unknown provider '{prefix}'{guess}; known: {', '.join(known)}")


def registered_models() -> dict[str, EntryPoint]:
    """Prefix -> entry point, of every installed package."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _endpoint_model(spec: str, prefix: str, model: str, options: ModelOptions) -> Model:
    from toolgauge.models.client import EndpointModel
    from toolgauge.models.providers import PROVIDERS, find_endpoint, settings

    return EndpointModel(spec, model, find_endpoint(PROVIDERS[prefix], options, settings()), options)


def _registered_model(spec: str, point: EntryPoint, rest: str, options: ModelOptions) -> Model:
    try:
        factory: Callable[[str, ModelOptions], Model] = point.load()
        return factory(rest, options)
    except ToolgaugeError:
        raise
    except Exception as error:  # a package of somebody else's: anything may be wrong with it
        raise UsageError(f"model '{spec}': {point.value} failed: {type(error).__name__}: {error}") from error
