"""Gemma 2, 3 and 3n: Python calls in a code block `tool_code`, results in a code block `tool_output`.

These models have no marks of their own for tools; this is how their makers' guides ask for calls. Tools stand there as
Python signatures; JSON loses nothing of their schemas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgauge.models.dialects.ace_dialect import as_python
from toolgauge.models.dialects.dialect import PlainCall, Result
from toolgauge.models.dialects.family import Family
from toolgauge.models.dialects.format_spec import FormatSpec, functions
from toolgauge.models.dialects.python_calls import PythonCalls
from toolgauge.models.dialects.tag_json import VARIANT

_CODE = PythonCalls(
    re.compile(r"```tool_code\b"), re.compile(r"\s*+(?:```|\Z)"), re.compile(r"[\s,;]*+(?:#[^\n]*+\n[\s,;]*+)*")
)


def _code(calls: Sequence[PlainCall]) -> str:
    lines = "\n".join(as_python([call])[1:-1].replace("```", "\\x60``") for call in calls)
    return f"```tool_code\n{lines}\n```"


def _outputs(results: Sequence[Result]) -> str:
    return "\n".join(f"```tool_output\n{result.content}\n```" for result in results)


GEMMA = Family(
    "gemma",
    "Gemma 2, 3, 3n",
    FormatSpec("gemma", _CODE, functions, _code, _outputs),
    models=(
        r"gemma-2-(2|9|27)b-it" + VARIANT,
        r"gemma-3-(270m|1b|4b|12b|27b)-it(-qat)?" + VARIANT,
        r"gemma-3n-e[24]b-it" + VARIANT,
        r"gemma(2|3)-\d+[mb](-it)?(-qat)?" + VARIANT,
        r"gemma3n-e[24]b(-it)?" + VARIANT,
    ),
    stop=("```tool_output",),
    alternating=True,
    system_role="user",
)
