"""Messages as data: put into words in a language, whatever stands in their values."""

from __future__ import annotations

import pickle
import subprocess
import sys

import msgspec
import pytest

from toolgauge.errors import DataError, UsageError
from toolgauge.locale import Text, _, joined, languages, plain, translated
from toolgauge.locale.foreign import LONGEST, cause, foreign, os_cause


def test_a_message_reads_in_every_language() -> None:
    said = _("holds no entry of {names}", names=["x", "y"])
    assert str(said) == "holds no entry of x, y"
    assert translated(said, "zh") == "没有 x、y 的条目"
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


def test_an_empty_message_is_empty() -> None:
    assert translated(joined([]), "zh") == ""


def test_messages_travel_between_processes() -> None:
    said = _("{id} is {n:,}", id=_("is missing"), n=1234)
    assert pickle.loads(pickle.dumps(said)) == said
    assert msgspec.json.decode(msgspec.json.encode(said)) == {
        "message": "{id} is {n:,}",
        "values": {"id": {"message": "is missing", "values": {}, "context": "", "singular": ""}, "n": 1234},
        "context": "",
        "singular": "",
    }


def test_errors_carry_their_message_and_read_in_english() -> None:
    error = DataError(_("is missing"), "f.jsonl", 3, "tools[0]")
    assert str(error) == "f.jsonl:3: tools[0]: is missing"
    assert translated(error.text, "zh") == "f.jsonl:3: tools[0]: 缺失"
    assert str(pickle.loads(pickle.dumps(UsageError(_("is missing"))))) == "is missing"
    foreigner = UsageError("in words {of} their own")
    assert str(foreigner) == translated(foreigner.text, "zh") == "in words {of} their own"


def test_a_long_message_loses_the_end_of_what_others_said() -> None:
    said = _("{model} at {base_url}: {what}", model="m", base_url="http://h", what=plain("x" * 1000))
    short = said.shortened(100)
    assert len(str(short)) == 100
    assert str(short).endswith("x…")
    assert said.shortened(5000) == said


SENTENCES = {
    "No such file or directory": "没有那个文件或目录",
    "[Errno 2] No such file or directory: 'x'": "[Errno 2] 没有那个文件或目录：'x'",
    "Expected `int`, got `str` - at `$.a[0]`": "`$.a[0]` 处应为 `int`，实际是 `str`",
    "JSON is malformed: expected ',' or '}' (byte 31)": "JSON 格式有误：缺少逗号或 }（第 31 个字节）",
    "Invalid value for '--n': 'x' is not a valid integer.": "'--n' 的值无效：'x' 不是整数。",
    "nobody knows {this}": "nobody knows {this}",
}


@pytest.mark.parametrize("english", SENTENCES)
def test_known_sentences_of_others_are_translated(english: str) -> None:
    assert str(foreign(english)) == english
    assert translated(foreign(english), "zh") == SENTENCES[english]


def test_causes_of_errors() -> None:
    missing = FileNotFoundError(2, "No such file or directory", "x")
    assert translated(os_cause(missing), "zh") == "没有那个文件或目录"
    assert str(cause(missing)) == str(missing)
    assert cause(DataError(_("is missing"), "f")).values["message"] == _("is missing")


@pytest.mark.parametrize(
    "piece", ["Invalid value for a: ", "[Errno 1] x: ", " - at `", "Expected `", "`, got `", " ssl:", "Value error, "]
)
def test_no_text_keeps_the_comparison_busy(piece: str) -> None:
    """The work is bounded, else the suite's time limit ends it; longer texts are left alone."""
    for start in ("", "Expected `", "Cannot connect to host ", "Invalid enum value "):
        text = (start + piece * LONGEST)[:LONGEST]
        assert str(foreign(text)) == text
    assert foreign(piece * LONGEST) == plain(piece * LONGEST)


def test_english_opens_no_catalogue() -> None:
    program = (
        "import toolgauge.cli.main\n"
        "from toolgauge.locale import _, catalogue, translated\n"
        "translated(_('is missing'), 'en'); str(_('is missing'))\n"
        "assert catalogue.cache_info().misses <= 1 and not list(catalogue('en').info())"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_fields_are_shown_as_the_reader_names_them() -> None:
    from toolgauge.locale import named_field

    said = _("{field} is a whole number from 1 on", field=named_field("max_cost"))
    assert str(said) == "max_cost is a whole number from 1 on"
    assert translated(said, "en", lambda name: f"--{name.replace('_', '-')}").startswith("--max-cost ")


def test_a_slot_that_ends_in_field_names_the_field() -> None:
    said = _("{out_field} {out}: is a symbolic link; name the place that it leads to", out="a")
    assert str(said) == "out a: is a symbolic link; name the place that it leads to"
    assert said.fields() == ("out",)
    given = _("{out_field}: is a symbolic link", out_field="b")
    assert (str(given), given.fields()) == ("b: is a symbolic link", ())


def test_a_message_is_no_text() -> None:
    assert not isinstance(Text("x"), str)
