"""What `toolgauge.generate` is asked for, declared once, as `RunOptions` is for runs (runs/options.py).

The rest of the room is imported when it is needed: `import toolgauge.api` should not wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from toolgauge.runs.options import EndpointKeywords, EndpointOptions

if TYPE_CHECKING:
    from toolgauge.generation.dialogue_options import GenerationOptions
    from toolgauge.generation.model_roles import Roles

FILES = ("tools", "scenarios", "examples", "resume_from")
"""Options that name a file."""


class GenerateOptions(EndpointOptions, frozen=True, kw_only=True):
    """Everything that a generation may be asked for, beside the model that plays every agent without one of its own.

    user_models: one is drawn for each dialogue. base_urls: of roles ("user", "planner", "tool", "agent", "checker")
    that are served elsewhere than `base_url`. The rest is as in `GenerationOptions` and `EndpointOptions`.
    """

    tools: Path | str | None = None
    language: str = "en"
    tasks: int | None = None
    paths: str | None = None
    sample: int | None = None
    per_path: int = 1
    seed: int = 0
    year: int | None = None
    user_models: Sequence[str] = ()
    planner_model: str | None = None
    tool_model: str | None = None
    agent_model: str | None = None
    checker_model: str | None = None
    base_urls: Mapping[str, str] | None = None
    scenarios: Path | str | None = None
    examples: Path | str | None = None
    gates: Sequence[str] = ()
    candidates: bool = False
    attempts: int = 3
    vague: float = 0.25
    resume_from: Path | str | None = None
    layer: int | None = None

    def generation_options(self) -> GenerationOptions:
        """Which dialogues are made; raises UsageError."""
        from toolgauge.generation.dialogue_options import GenerationOptions

        chosen = {name: getattr(self, name) for name in GenerationOptions.__struct_fields__ if name != "filters"}
        files = {name: str(chosen[name]) for name in FILES if chosen[name] is not None}
        return GenerationOptions(**chosen | files | {"filters": tuple(self.gates)})

    def roles(self, model: str | None) -> Roles:
        """Who plays which agent."""
        from toolgauge.generation.model_roles import Roles

        named = (self.planner_model, self.tool_model, self.agent_model, self.checker_model)
        return Roles(model, tuple(self.user_models), *named, dict(self.base_urls or {}))


class AgentKeywords(TypedDict, total=False):
    """Which model plays which agent."""

    user_models: Sequence[str]
    planner_model: str | None
    tool_model: str | None
    agent_model: str | None
    checker_model: str | None
    base_urls: Mapping[str, str] | None


class GenerateKeywords(EndpointKeywords, AgentKeywords, total=False):
    """`GenerateOptions` as keyword arguments."""

    tools: Path | str | None
    language: str
    tasks: int | None
    paths: str | None
    sample: int | None
    per_path: int
    seed: int
    year: int | None
    scenarios: Path | str | None
    examples: Path | str | None
    gates: Sequence[str]
    candidates: bool
    attempts: int
    vague: float
    resume_from: Path | str | None
    layer: int | None
