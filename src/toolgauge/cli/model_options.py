"""The options with which a model is reached, as several verbs take them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.models.model import Sampling
    from toolgauge.runs.options import ReachKeywords

MODEL_OPTION = typer.Option(
    "-m", "--model", metavar="MODEL", help="provider/model, for example openai/gpt-5 or builtin/noisy."
)
ModelName = Annotated[str, MODEL_OPTION]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="An OpenAI-compatible server, for example http://localhost:8000/v1.")
]
ApiKey = Annotated[
    str | None, typer.Option(help="Better in the environment or .env (OPENAI_API_KEY, AZURE_OPENAI_API_KEY).")
]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Seconds for one request.")]
MaxReply = Annotated[
    float, typer.Option("--max-reply-mb", min=0.001, metavar="MB", help="The largest reply that is read, unpacked.")
]
MaxAttempts = Annotated[int, typer.Option(min=1, metavar="N", help="How often a request is tried.")]
Patience = Annotated[
    float,
    typer.Option(
        min=0.0, metavar="SECONDS", help="Seconds to go on trying when an endpoint that answered before is gone."
    ),
]
Temperature = Annotated[
    float | None, typer.Option(min=0.0, metavar="X", help="Sampling temperature; the provider's default if unset.")
]
TopP = Annotated[float | None, typer.Option(min=0.0, max=1.0, metavar="X", help="Nucleus sampling.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, metavar="N", help="Most tokens of one reply.")]
Seed = Annotated[int | None, typer.Option(help="The provider's sampling seed.")]
Effort = Annotated[
    str | None, typer.Option("--reasoning-effort", help="For reasoning models, for example low or high.")
]
Dialect = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="For servers that give calls as text: how the model writes them, or auto."),
]
ExtraBody = Annotated[str | None, typer.Option(metavar="JSON", help="Further request fields as a JSON object.")]


class SamplingFlags(NamedTuple):
    """How replies are drawn; the provider's seed is a verb's own option, for generations have a seed too."""

    temperature: Temperature = None
    top_p: TopP = None
    max_tokens: MaxTokens = None
    reasoning_effort: Effort = None
    extra_body: ExtraBody = None

    def sampling(self, seed: int | None) -> Sampling:
        """Raises UsageError where --extra-body is no JSON object."""
        from toolgauge.models.model import Sampling

        return Sampling(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            seed=seed,
            reasoning_effort=self.reasoning_effort,
            extra_body=_json_object(self.extra_body),
        )


class EndpointFlags(NamedTuple):
    """Where models are served, and how patiently they are asked."""

    base_url: BaseUrl = None
    api_key: ApiKey = None
    timeout: Timeout = 300.0
    max_reply: MaxReply = 32.0
    max_attempts: MaxAttempts = 6
    patience: Patience = 600.0

    def keywords(self) -> ReachKeywords:
        """As keyword arguments of `RunOptions` and `GenerateOptions`."""
        return {
            "base_url": self.base_url,
            "api_key": self.api_key,
            "timeout": self.timeout,
            "max_reply_bytes": int(self.max_reply * 1e6),
            "max_attempts": self.max_attempts,
            "patience": self.patience,
        }


def _json_object(text: str | None) -> dict[str, object]:
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--extra-body is not JSON: {error!s}") from None
    if not isinstance(value, dict):
        raise UsageError("--extra-body must be a JSON object, for example '{\"top_k\": 20}'")
    return value
