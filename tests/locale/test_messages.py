"""Messages as data: put into words in a language, whatever stands in their values."""

from __future__ import annotations

import pytest

from toolgauge.locale import _, languages, plain, translated


def test_a_message_reads_in_every_language() -> None:
    said = _("{one} and {other}", one=_("none"), other=["x", "y"])
    assert str(said) == "none and x, y"
    assert translated(said, "zh") == "无 与 x、y"
    assert translated(said, "fr") == str(said)
    assert "zh" in languages()


@pytest.mark.parametrize(
    "hostile", ["{0}", "{id}", "{id.__class__}", "{", "}}{{", "\x1b[31m\r\n", "%s %(id)s", "is missing"]
)
def test_values_are_never_templates(hostile: str) -> None:
    said = _("{path}: is a file; figures need a folder", path=hostile)
    assert str(said) == f"{hostile}: is a file; figures need a folder"
    assert translated(said, "zh").startswith(hostile)
    assert translated(plain(hostile), "zh") == hostile
