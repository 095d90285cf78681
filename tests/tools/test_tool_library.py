"""The embedded tool library is what the written lists compile to, and stands every check."""

from __future__ import annotations

import pytest

from build_tools import TARGET, compiled
from toolgauge.tools.checking import check_tools
from toolgauge.tools.toollist import ToolList, library_file, tool_library


@pytest.fixture(scope="module", params=["en", "zh"])
def lists(request: pytest.FixtureRequest) -> tuple[ToolList, ...]:
    return tool_library(request.param)


def test_the_package_s_files_are_what_the_written_lists_compile_to() -> None:
    """Compiling also runs every check of the build script."""
    made = compiled()
    assert {name: (TARGET / name).read_text(encoding="utf-8") for name in made} == made
    there = {*(TARGET / "tools/library").iterdir()}
    assert there == {TARGET / name for name in made}
    assert sum(len(text.encode()) for text in made.values()) < 2_000_000


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tools_check_finds_nothing(language: str) -> None:
    assert [str(finding) for finding in check_tools(library_file(language))] == []
