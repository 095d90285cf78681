"""The options of `toolgauge generate` that say which model plays which agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from toolgauge.generation.options import AgentKeywords

_Model = Annotated[str | None, typer.Option(metavar="MODEL", help="Its model, if not that of -m.")]
_Url = Annotated[str | None, typer.Option(metavar="URL", help="Where that model is served, if not at --base-url.")]


class AgentFlags(NamedTuple):
    """Models by agent, and where they are served."""

    user_model: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="Plays the user; may be repeated: each dialogue draws one."),
    ] = None
    planner_model: _Model = None
    tool_model: _Model = None
    agent_model: _Model = None
    checker_model: _Model = None
    user_base_url: _Url = None
    planner_base_url: _Url = None
    tool_base_url: _Url = None
    agent_base_url: _Url = None
    checker_base_url: _Url = None

    def base_urls(self) -> dict[str, str]:
        """Addresses by agent, of those that have one of their own."""
        fields = self._asdict()
        named = {name.removesuffix("_base_url"): url for name, url in fields.items() if name.endswith("_base_url")}
        return {agent: url for agent, url in named.items() if url is not None}

    def keywords(self) -> AgentKeywords:
        """For `GenerateOptions`."""
        return {
            "user_models": self.user_model or (),
            "planner_model": self.planner_model,
            "tool_model": self.tool_model,
            "agent_model": self.agent_model,
            "checker_model": self.checker_model,
            "base_urls": self.base_urls(),
        }
