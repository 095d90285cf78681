"""Messages as data: put into words in a language, whatever stands in their values."""

from __future__ import annotations

import pickle

import msgspec
import pytest

from toolgauge.locale import _, joined, languages, plain, translated


def test_a_message_reads_in_every_language() -> None:
    said = _("{one} and {other}", one=_("none"), other=["x", "y"])
    assert str(said) == "none and x, y"
    assert translated(said, "zh") == "无 与 x、y"
    assert translated(said, "fr") == str(said)
    assert "zh" in languages()


def test_messages_inside_messages_are_translated_and_other_texts_stay() -> None:
    inner = _("is missing")
    said = joined(["missing", inner, 3, ["is missing", inner]], ": ")
    assert str(said) == "missing: is missing: 3: is missing, is missing"
    assert translated(said, "zh") == "missing: 缺失: 3: is missing、缺失"
    assert translated("is missing", "zh") == translated(plain("is missing"), "zh") == "is missing"


@pytest.mark.parametrize(
    "hostile", ["{0}", "{id}", "{id.__class__}", "{", "}}{{", "\x1b[31m\r\n", "%s %(id)s", "is missing"]
)
def test_values_are_never_templates(hostile: str) -> None:
    said = _("{path}: is a file; figures need a folder", path=hostile)
    assert str(said) == f"{hostile}: is a file; figures need a folder"
    assert translated(said, "zh").startswith(hostile)
    assert translated(joined([hostile, plain(hostile)], hostile), "zh") == hostile * 3


def test_messages_travel_between_processes() -> None:
    said = _("{id} is {n:,}", id=_("is missing"), n=1234)
    assert pickle.loads(pickle.dumps(said)) == said
    assert msgspec.json.decode(msgspec.json.encode(said)) == {
        "message": "{id} is {n:,}",
        "values": {"id": {"message": "is missing", "values": {}, "context": "", "singular": ""}, "n": 1234},
        "context": "",
        "singular": "",
    }
