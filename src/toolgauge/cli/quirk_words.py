"""What is different at a provider, in sentences: the quirks of the table, in the interface's language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgauge.models.provider import Provider, Quirks

APIS = {
    "chat": "chat completions",
    "azure": "chat completions of Azure's deployments",
    "messages": "Anthropic Messages",
    "responses": "OpenAI Responses",
}

SENTENCES = {
    "length_field": "the limit of a reply is sent as {value}",
    "dropped": "not sent, for it is not taken there: {value}",
    "renamed": "sent under another name: {value}",
    "with_tools": "sent with tools unless you say otherwise: {value}",
    "call_content": "a message with calls and no words has an empty text",
    "tool_name": "results say the name of their tool",
    "alternates": "neighbouring messages of the user become one",
    "user_after_tool": "where the user speaks right after a result, the assistant says “…” in between",
    "ids": "ids of calls become nine letters and digits",
    "schema": "parameters of tools are told in OpenAPI's vocabulary; what it lacks is said in words or left out",
    "json_schema": "a reply that has to be JSON is held to its schema by response_format",
    "kept": "reasoning of messages with calls is sent back",
    "required": "reasoning of messages with calls is sent back, an empty one where there is none",
    "reasoning_field": "the field in which reasoning is sent back: {value}",
    "signed": "signatures of reasoning go back with the calls; calls that others made get a stand-in",
    "details": "reasoning_details go back as they came",
    "filtered": "a prompt that the content filter refuses ({value}) is an outcome, not a failure",
    "unpaid": "an account without money ({value}) is not asked again",
}


def differences(provider: Provider) -> list[str]:
    """Sentences about the quirks of a provider that are not the usual."""
    return [SENTENCES[key].format(value=value) for key, value in _unusual(provider.quirks)]


def _unusual(quirks: Quirks) -> Iterator[tuple[str, str]]:
    from toolgauge.models.provider import Quirks

    usual = Quirks()
    for key in Quirks.__struct_fields__:
        value = getattr(quirks, key)
        if value != getattr(usual, key):
            yield (value if key == "returned" else key), _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(
            f"{name} → {str(one).lower() if isinstance(one, bool) else one}" for name, one in value.items()
        )
    return str(value)
