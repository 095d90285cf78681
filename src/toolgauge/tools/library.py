"""The embedded tool library: hand-written tool lists in two languages.

The files in library/ are compiled from authoring/tools by authoring/build_tools.py; nobody edits them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from toolgauge.errors import UsageError
from toolgauge.tools.toollist import ToolList, read_tool_lists

LANGUAGES = ("en", "zh")
_FOLDER = Path(__file__).parent / "library"


def library_file(language: str) -> Path:
    """The file of tool lists in a language, "en" or "zh". Raises UsageError for another one."""
    if language not in LANGUAGES:
        raise UsageError(f"the tool library has no language '{language}'; choose en or zh")
    return _FOLDER / f"{language}.jsonl"


@cache
def tool_library(language: str) -> tuple[ToolList, ...]:
    """All lists in a language; ids, tool names, parameters and order are the same in both. UsageError as above."""
    return tuple(read_tool_lists(library_file(language)))
