"""The built-in models as models of Inspect's: `--model toolgauge/noisy?seed=1`.

They read the annotated answers, which are in no message: the solver lays the request beside the call, and it never
leaves the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from inspect_ai.model import ChatCompletionChoice, ChatMessage, GenerateConfig, ModelAPI, ModelCall, ModelOutput
from inspect_ai.tool import ToolChoice, ToolInfo

from toolgauge.chat import Request
from toolgauge.errors import UsageError
from toolgauge.integrations.inspect_ai.conversation import assistant_message
from toolgauge.models.builtin.models import open_builtin

_ASKED: ContextVar[Request | None] = ContextVar("toolgauge_asked", default=None)


@contextmanager
def gold_hint_for(request: Request) -> Iterator[None]:
    """Inside the block, built-in models know the request that they are asked."""
    token = _ASKED.set(request)
    try:
        yield
    finally:
        _ASKED.reset(token)


class BuiltinModelAPI(ModelAPI):
    """A provider whose models are the built-in models; it connects to nothing."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's own signature
        **_: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._builtin = open_builtin(f"toolgauge/{model_name}", model_name)

    def max_connections(self) -> int:
        """They answer at once."""
        return 1000

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002, ARG002 - Inspect's names
        tools: list[ToolInfo],  # noqa: ARG002
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,  # noqa: ARG002
    ) -> tuple[ModelOutput, ModelCall]:
        request = _ASKED.get()
        if request is None:
            raise UsageError(f"toolgauge/{self.model_name} only works in tasks of toolgauge, and not as a grader")
        reply = self._builtin.play(request)
        message = assistant_message(reply.content, reply.tool_calls, reply.reasoning)
        choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if reply.tool_calls else "stop")
        answer = {"choices": [{"message": reply.message().wire()}]}
        output = ModelOutput(model=self.model_name, choices=[choice])
        return output, ModelCall.create({"model": self.model_name}, answer)
