"""What `toolgauge.generate` is asked for, declared once, as `RunOptions` is for runs (runs/options.py).

The rest of the room is imported when it is needed: `import toolgauge.api` should not wait for it.
"""

from __future__ import annotations

from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.runs.options import OptionGroups


class GenerateOptions(OptionGroups, frozen=True, kw_only=True):
    """Everything that a generation may be asked for, beside the model that plays every agent without one of its own.

    roles: "user" (several models: one is drawn for each dialogue), "planner", "tool", "agent", "checker".
    """

    dialogues: GenerationOptions = GenerationOptions()
