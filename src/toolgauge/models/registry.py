"""From what the user wrote after `-m` to a model: providers, built-in models, entry points."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.models.model import ConversationModel, Model, ModelOptions
from toolgauge.options import guess

if TYPE_CHECKING:
    from toolgauge.models.provider import Provider

GROUP = "toolgauge.models"
"""Entry-point group: the name is the prefix, the object a callable (rest: str, options: ModelOptions) -> Model."""

BUILTIN = "builtin"
REPLY_TOKENS = 4096
"""The most tokens of a reply of a server on this machine. Reasoning and a call or an answer mostly take less than half
of it, and servers refuse a limit that does not fit into their context."""
LIMITS = frozenset({"max_tokens", "max_completion_tokens", "n_predict"})
"""Fields of a request that limit its reply."""


class ModelOpening(Struct, frozen=True):
    """How a model is opened: as often as wanted, and on other machines. spec: what the user wrote after `-m`."""

    spec: str
    options: ModelOptions

    def open(self) -> Model:
        """See `open_model`."""
        return open_model(self.spec, self.options)


def limited(opening: ModelOpening, most: int = REPLY_TOKENS) -> ModelOpening:
    """The opening with a limit of reply tokens, unless somebody set one. At the default time limit a reply may then
    take longer (`ModelOptions.attempt_timeout`)."""
    options, sampling = opening.options, opening.options.sampling
    if sampling.max_tokens is not None or LIMITS & sampling.extra_body.keys():
        return opening
    patient = options.timeout == ModelOptions().timeout
    sampling = replace(sampling, max_tokens=most)
    return replace(opening, options=replace(options, sampling=sampling, whole_replies=patient))


def is_on_this_machine(model: Model) -> bool:
    """Whether a model's server is here: a reply that repeats itself would keep it busy for ever."""
    from toolgauge.models.providers import endpoint_of

    endpoint = endpoint_of(model)
    return endpoint is not None and endpoint.is_on_this_machine


def open_model(spec: str, options: ModelOptions | None = None) -> Model:
    """The model that `spec` names: "<provider>/<model>", "builtin/<name>[?query]", "<prefix>/<rest>" with a prefix
    that an installed package registered, or a provider alone whose variable names the model ("openai", "azure").

    Connects to nothing yet. Raises UsageError.
    """
    options = options or ModelOptions()
    if options.dialect is not None:
        return _spoken_model(spec, options.dialect, options)
    prefix, slash, rest = spec.partition("/")
    rest = rest.strip()
    if prefix == BUILTIN and rest:
        from toolgauge.models.builtin.models import open_builtin

        return open_builtin(spec, rest, options.sampling.seed)
    from toolgauge.models.providers import find_provider

    provider = find_provider(prefix)
    if provider and (rest or not slash):
        return _endpoint_model(provider, prefix, rest, options)
    if not slash or not rest:
        raise UsageError(f"invalid model '{spec}'; write provider/model, for example openai/gpt-5 or builtin/oracle")
    registered = registered_models()
    if prefix not in registered:
        raise _unknown_provider(spec, prefix, registered)
    try:
        factory: Callable[[str, ModelOptions], Model] = registered[prefix].load()
        return factory(rest, options)
    except ToolgaugeError:
        raise
    except Exception as error:  # a package of somebody else's: anything may be wrong with it
        message, point = str(error), registered[prefix].value
        message = message.replace(options.api_key, "***") if options.api_key else message
        raise UsageError(f"model '{spec}': {point} failed: {type(error).__name__}: {message}") from error


def names_a_model(spec: str) -> bool:
    """Does a name begin as those of models do, with a prefix that is known? Opening it may still fail."""
    from toolgauge.models.providers import find_provider

    prefix = spec.partition("/")[0]
    return prefix == BUILTIN or find_provider(prefix) is not None or prefix in registered_models()


def _unknown_provider(spec: str, prefix: str, registered: Iterable[str]) -> UsageError:
    from toolgauge.models.provider import PROVIDERS
    from toolgauge.models.providers import provider_names

    meant = guess(prefix, sorted({BUILTIN, *provider_names(), *registered})) or "."
    names = ", ".join(sorted({BUILTIN, *PROVIDERS, *registered}))
    return UsageError(f"model '{spec}': unknown provider '{prefix}'{meant} Choose one of {names}")


def registered_models() -> dict[str, EntryPoint]:
    """Prefix -> entry point, of every installed package."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _endpoint_model(provider: Provider, prefix: str, model: str, options: ModelOptions) -> Model:
    """prefix: the provider's name as the user wrote it; model: "" for the one that its variable names."""
    from toolgauge.models.client import EndpointModel
    from toolgauge.models.local_server import only_model
    from toolgauge.models.providers import default_model, find_endpoint
    from toolgauge.models.settings import settings

    found_settings = settings()
    endpoint = find_endpoint(provider, options, found_settings)
    if not model:
        asks = provider.group == "local" and not provider.model_variables
        model = only_model(endpoint) if asks else default_model(provider, found_settings)
    kind = EndpointModel
    if options.batch:
        from toolgauge.models.batches import BATCH_RULES, BatchEndpoint

        kind = BatchEndpoint if provider.name in BATCH_RULES else EndpointModel
    return kind(f"{prefix}/{model}", model, endpoint, options)


def _spoken_model(spec: str, dialect_name: str, options: ModelOptions) -> Model:
    """The model with tools and calls in the text of its messages."""
    from toolgauge.models.dialects.table import choose_dialect
    from toolgauge.models.text_calls import TextToolModel

    native = replace(options, dialect=None)
    inner = open_model(spec, native)
    if isinstance(inner, ConversationModel):
        raise UsageError(f"--dialect does not apply to {inner.name}: agents call their tools themselves")
    dialect = choose_dialect(dialect_name, inner.name)
    if dialect.stop and options.sampling.stop is None:
        stopping = replace(options.sampling, stop=list(dialect.stop))
        inner = open_model(spec, replace(native, sampling=stopping))
    return TextToolModel(inner, dialect)
