"""A model of Inspect's in our runner: `-m inspect/<provider>/<model>` (entry point `toolgauge.models`)."""

from __future__ import annotations

import asyncio
import os
import re
from typing import Any

from toolgauge.chat import Reply, Request
from toolgauge.errors import ContextOverflow, MissingExtra, ProviderError, UsageError
from toolgauge.models.failures import is_overflow_text
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.models.providers import split_url

LONGEST_MESSAGE = 400
"""Characters of an error; Inspect's own may quote a whole request."""
_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$")
_MARKUP = re.compile(r"\[/?(?:bold|italic|blue|red|dim)\]")


class InspectModel:
    """A `Model` around one of Inspect's. Inspect does the retries, and its settings in the environment hold."""

    def __init__(self, rest: str, options: ModelOptions) -> None:
        """rest: "<provider>/<model>" as Inspect has it. Raises UsageError."""
        from inspect_ai.model import get_model

        from toolgauge.integrations.inspect_ai.raw_calls import listener

        self.name, self._rest, self._options = f"inspect/{rest}", rest, options
        try:
            opened = get_model(
                rest, config=_config(options), base_url=options.base_url, api_key=options.api_key, memoize=False
            )
        except UsageError:
            raise
        except Exception as error:  # a key or a package is missing, or no such provider: it says so in many ways
            raise UsageError(f"model '{self.name}': {self._presentable(error)}") from None
        self._model = listener(opened)
        self._tool_choice = _tool_choice(options.sampling)

    async def ask(self, request: Request) -> Reply:
        """In a task of its own, since Inspect keeps a transcript of all that happens in one."""
        return await asyncio.create_task(self._ask(request))

    async def _ask(self, request: Request) -> Reply:
        from toolgauge.integrations.inspect_ai.builtin import gold_hint_for
        from toolgauge.integrations.inspect_ai.conversation import InspectConversation
        from toolgauge.integrations.inspect_ai.message_adapter import failure_of, is_overflow, reply_of

        side = InspectConversation()
        tools = side.tools(request)
        for attempt in range(1, self._options.max_attempts + 1):
            try:
                with gold_hint_for(request):
                    output = await self._model.generate(
                        side.messages(request), tools, self._tool_choice if tools else None
                    )
            except Exception as error:  # each provider's library has its own errors
                said = self._presentable(error)
                failed = ContextOverflow if is_overflow_text(said) else ProviderError
                raise failed(": ".join([self.name, said])) from None
            trouble = failure_of(output)
            if trouble is None:
                return reply_of(output)
            if is_overflow(output):
                raise ContextOverflow(": ".join([self.name, self._presentable(Exception(trouble))]), True, attempt)
            if attempt < self._options.max_attempts:  # Inspect repeats what raises, not what is told in an output
                await asyncio.sleep(self._options.backoff.delay(attempt))
        raise ProviderError(": ".join([self.name, self._presentable(Exception(trouble))]), attempts=attempt)

    async def close(self) -> None:
        await self._model.api.aclose()

    def describe(self) -> dict[str, Any]:
        from importlib.metadata import version

        url = self._model.api.base_url
        place = split_url(url)[0] if url else None
        return {"provider": "inspect", "model": self._rest, "base_url": place, "inspect_ai": version("inspect-ai")}

    def _presentable(self, error: Exception) -> str:
        """One line without markup and secrets, of the error beneath Inspect's own where there is one."""
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        words = _MARKUP.sub("", str(getattr(cause, "message", "") or cause))
        known = [value for name, value in os.environ.items() if _SECRET.search(name.upper())]
        for secret in [value for value in (*known, self._options.api_key) if value and len(value) > 3]:
            words = words.replace(secret, "***")
        line = " ".join(words.split()) or type(cause).__name__
        return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def open_inspect_model(rest: str, options: ModelOptions) -> InspectModel:
    """What the entry point names; raises UsageError, also where Inspect is not installed."""
    try:
        import inspect_ai  # noqa: F401
    except ImportError:
        raise MissingExtra("inspect/...", "Inspect AI", "inspect") from None
    if "/" not in rest:
        raise UsageError(
            f"invalid model 'inspect/{rest}'; write inspect/provider/model, for example inspect/openai/gpt-5"
        )
    return InspectModel(rest, options)


def _config(options: ModelOptions) -> object:
    """Sampling options in Inspect's words; only what is set."""
    from inspect_ai.model import GenerateConfig

    sampling = options.sampling
    stop = [sampling.stop] if isinstance(sampling.stop, str) else sampling.stop
    chosen = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "seed": sampling.seed,
        "reasoning_effort": sampling.reasoning_effort,
        "parallel_tool_calls": sampling.parallel_tool_calls,
        "stop_seqs": stop,
        "frequency_penalty": sampling.frequency_penalty,
        "presence_penalty": sampling.presence_penalty,
        "extra_body": sampling.extra_body or None,
        "max_retries": options.max_attempts - 1,
        "attempt_timeout": max(1, round(options.timeout)),
        "max_connections": options.concurrency,
    }
    return GenerateConfig.model_validate({name: value for name, value in chosen.items() if value is not None})


def _tool_choice(sampling: Sampling) -> object:
    """OpenAI's "required" is Inspect's "any"; one tool is named by an object of either."""
    from inspect_ai.tool import ToolFunction

    choice = sampling.tool_choice
    if isinstance(choice, dict):
        function = choice.get("function")
        return ToolFunction(name=str(function.get("name"))) if isinstance(function, dict) else None
    return "any" if choice == "required" else choice
