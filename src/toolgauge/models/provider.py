"""Who serves models, and what their endpoints take and give differently; the table of them is providers.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.models.families import Ids

Api = Literal["chat", "azure", "messages", "responses"]
"""The API at an endpoint: chat completions, Azure's deployments of them, Anthropic's Messages, OpenAI's Responses."""
Group = Literal["hosted", "aggregator", "local"]


class Quirks(Struct, frozen=True):
    """How chat completions at an endpoint differ from OpenAI's, as its documentation has it (docs/models.md#providers).

    The defaults are the form that is accepted most widely.
    """

    length_field: str = "max_tokens"
    """The field for the most tokens of a reply."""
    dropped: tuple[str, ...] = ()
    """Sampling fields that are refused or have no effect: never sent, and the run says that they were not."""
    renamed: dict[str, str] = {}
    """Sampling fields that have another name there."""
    with_tools: Json = {}
    """Fields that go along with tools unless they are set, where the default is not the best the model can do."""
    call_content: Literal["null", "text"] = "null"
    """What stands for the words of a message that has calls and no words: null, or an empty text."""
    tool_name: bool = False
    """Tool messages say the name of the tool, too."""
    alternates: bool = False
    """User (or tool) and assistant take turns, strictly: neighbours of one kind become one message."""
    user_after_tool: bool = True
    """Else an assistant message has to stand between a tool's result and the user's next words."""
    ids: Ids = "any"
    """Ids of calls: as they come, or as a family of models wants them (`ModelFamily.ids`)."""
    schema: Literal["json", "openapi"] = "json"
    """Parameters of tools as JSON Schema, or in OpenAPI's smaller vocabulary of it."""
    json_schema: bool = False
    """Replies are held to a JSON Schema by `response_format`."""
    returned: Literal["never", "kept", "required"] = "never"
    """The reasoning of messages with calls is sent back: not at all, where there is any, or always (empty at least)."""
    reasoning_field: str = "reasoning_content"
    """The field in which it is sent back."""
    signed: bool = False
    """Calls carry signatures of the reasoning behind them, and calls that others made need a stand-in for one."""
    details: bool = False
    """Replies carry `reasoning_details`, which go back as they came."""
    filtered: tuple[str, ...] = ()
    """Error codes by which a content filter refuses a prompt: an outcome, not a failure."""
    unpaid: tuple[str, ...] = ()
    """Error codes of an account without money or quota: no use in trying again."""


class Provider(Struct, frozen=True):
    """A row of the table; variables are tried in order, options win over them.

    sites: further addresses of the same provider, by what is put after its name ("cn": moonshot-cn/<model>). price:
    its id in genai-prices, None where nobody has a list; prices: those of its sites that have lists of their own.
    needs_key: False for servers of one's own.
    """

    name: str
    title: str
    key_variables: tuple[str, ...]
    url_variables: tuple[str, ...] = ()
    model_variables: tuple[str, ...] = ()
    base_url: str | None = None
    sites: dict[str, str] = {}
    group: Group = "hosted"
    api: Api = "chat"
    aliases: tuple[str, ...] = ()
    needs_key: bool = True
    price: str | None = None
    prices: dict[str, str] = {}
    quirks: Quirks = Quirks()

    @property
    def variables(self) -> tuple[str, ...]:
        """All environment variables about it."""
        return (*self.key_variables, *self.url_variables, *self.model_variables)


def _read_table() -> dict[str, Provider]:
    rows = tomllib.loads(Path(__file__).with_name("providers.toml").read_text("utf-8"))
    return msgspec.convert({name: {"name": name, **row} for name, row in rows.items()}, dict[str, Provider])


PROVIDERS = _read_table()
"""Every provider by its name."""
