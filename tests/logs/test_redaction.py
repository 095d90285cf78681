"""Redaction: no original survives, what was equal stays equal, and the shape stays."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import luhn

from tests.rows import rows
from tests.sizes import sized
from toolgauge.chat import Tool, ToolCall
from toolgauge.errors import DataError, MissingExtra, UsageError
from toolgauge.logs import detectors
from toolgauge.logs.conversation import Conversation, LogMessage
from toolgauge.logs.detectors import detect, read_wanted
from toolgauge.logs.files import conversation_line
from toolgauge.logs.placeholders import Kind, digits_of
from toolgauge.logs.redaction import Redactor

EXAMPLES = [
    (Kind.EMAIL, "ada.lovelace+x@mail.example.org", "person1@example.com"),
    (Kind.EMAIL, "ADA@EXAMPLE.ORG", "PERSON1@EXAMPLE.COM"),
    (Kind.EMAIL, "jörg@bücher.example", "person1@example.com"),
    (Kind.EMAIL, "ada%40example.org", "person1%40example.com"),
    (Kind.EMAIL, "ada＠example.org", "person1＠example.com"),
    (Kind.PHONE, "+47 912 34 567", "+47 955 50 001"),
    (Kind.PHONE, "１３９１２３４５６７８", "１３９１5550001"),
    (Kind.PHONE, "139\u20111234\u00a05678", "139\u20111555\u00a00001"),
    (Kind.PHONE, "0044 20 7946 0958", "0044 20 7555 0001"),
    (Kind.PHONE, "13912345678", "13915550001"),
    (Kind.PHONE, "139 1234 5678", "139 1555 0001"),
    (Kind.PHONE, "+86 139-1234-5678", "+86 139-1555-0001"),
    (Kind.PHONE, "021-12345678", "021-15550001"),
    (Kind.PHONE, "(415) 555-2671", "(415) 555-0001"),
    (Kind.CARD, "4111 1111 1111 1111", "4000 0000 0000 0010"),
    (Kind.CARD, "378282246310005", "300000000000015"),
    (Kind.CARD, "6222021234567890128", "6000000000000000012"),
    (Kind.CHINESE_ID, "11010519491231002X", "11010119900101012X"),
    (Kind.CHINESE_ID, "440524188001010014", None),
    (Kind.CHINESE_ID, "440524198001010013", "110101199001010103"),
    (Kind.IBAN, "DE89 3704 0044 0532 0130 00", "DE09 0000 0000 0000 0000 01"),
    (Kind.IBAN, "GB82WEST12345698765432", "GB85AAAA00000000000001"),
    (Kind.KEY, "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2", "aa-aaaa-a0A0a0A0a0A0a0A0a0A0a0A1"),
    (Kind.KEY, "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "aaa_00A0a00A000a0000A0000a000000Aa000A0b"),
    (Kind.KEY, "AKIAIOSFODNN7EXAMPLQ", "AAAAAAAAAAAA0AAAAAAB"),
    (Kind.IP, "192.168.10.11", "198.18.0.1"),
    (Kind.IP, "2001:4860:4860::8888", "2001:db8::1"),
    (Kind.NATIONAL_ID, "536-90-4399", "000-00-0001"),
    (Kind.NATIONAL_ID, "529.982.247-25", "000.000.000-01"),
    (Kind.NATIONAL_ID, "RCCMNL83S18D969H", "AAAAAA00A00A000B"),
]


@rows(("kind", "original", "expected"), EXAMPLES)
@rows("around", ["{}", "it is {}.", "我的是{}，谢谢", '{{"value": "{}"}}', "({})", "<{}>"])
def test_what_is_replaced_by_what(kind: Kind, original: str, expected: str | None, around: str) -> None:
    text = around.format(original)
    found = detect(text)
    if expected is None:
        assert kind not in {one.kind for one in found}
        return
    assert [one.kind for one in found] == [kind]
    assert Redactor().text(text) == around.format(expected)


@rows(
    "text",
    [
        "2025-03-14 18:05:00 Friday",
        "order 1234567890 of 2024",
        "1795433363530",
        "1795433363530713628",
        "version 1.2.3, 127.0.0.1, 12:30:45",
        "59.9139, 10.7522",
        "a@b, @ada, user@localhost",
        "4111 1111 1111 1112",
        "1,234,567.89",
        "ISBN 978-3-16-148410-0",
        "room 101-102-103",
        "call_2a get_weather tool_1",
    ],
)
def test_what_stays(text: str) -> None:
    assert Redactor().text(text) == text


def talk(*texts: str | None, arguments: str = "{}", tools: tuple[Tool, ...] = ()) -> Conversation:
    messages = [LogMessage("user", text) for text in texts]
    made = LogMessage("assistant", None, (ToolCall("call_1", "send", arguments),))
    return Conversation("c1", (*messages, made, LogMessage("tool", texts[0], tool_call_id="call_1")), tools)


def test_one_value_in_every_way_of_writing_it() -> None:
    """What the user says matches the call afterwards as it did before."""
    said = "I am +47 912 34 567, card 4111-1111-1111-1111"
    arguments = '{"phone": "91234567", "international": "004791234567", "card": 4111111111111111, "n": 91234567}'
    redacted = Redactor().conversation(talk(said, arguments=arguments))
    phone = digits_of(re.search(r"\+[\d ]+", redacted.messages[0].content or "")[0])  # type: ignore[index]
    made = json.loads(redacted.messages[1].tool_calls[0].arguments)
    assert made["phone"] == phone[2:]
    assert made["international"] == "00" + phone
    assert made["n"] == int(made["phone"])
    assert f"{made['card']}" == digits_of((redacted.messages[0].content or "").rpartition("card ")[2])
    assert redacted.messages[2].content == redacted.messages[0].content


@pytest.mark.parametrize(
    "text",
    [
        'result: {"to": "\\u0061da\\u0040example.org"}',
        'result: "{\\"to\\": \\"ada\\\\u0040example.org\\"}"',
        'result: {"text": "hi\\nada@example.org"}',
        '{"to": "ada@example.org", "to": "a\\nb"}',
        '{"n": ' + "9" * 5000 + ', "to": "\\u0061da@example.org"}',
    ],
    ids=["escaped", "escaped-twice", "line-end", "key-twice", "long-number"],
)
def test_json_inside_of_a_text_hides_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "names.txt").write_text("Ada\nJörg", encoding="utf-8")
    redacted = Redactor(read_wanted(tmp_path / "names.txt")).conversation(talk(text, r"x: \nAda, J\u00f6rg"))
    assert redacted.messages[0].content == _replaced(text)
    assert redacted.messages[1].content == r"x: \nPerson1, Person2"


def _replaced(text: str) -> str:
    return re.sub(r"(a|\\+u0061)da(@|\\+u0040)example\.org", "person1@example.com", text)


def test_names_and_patterns_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("# people\nAda Lovelace\nada\n李雷\n/ORD-\\d{4}/\n", encoding="utf-8")
    redactor = Redactor(read_wanted(path))
    said = "Ada Lovelace (ada, ADA) met 李雷 of Canada about ORD-7731 and ord-7731, ORD-7732: ORD-7731"
    redacted = redactor.conversation(talk(said, "好的李雷ada你好")).messages
    assert redacted[0].content == (
        "Person1 (person2, PERSON2) met 某丙 of Canada about AAA-0001 and ord-7731, AAA-0002: AAA-0001"
    )
    assert redacted[1].content == "好的某丙person2你好"
    assert redactor.distinct == {"name": 3, "pattern": 2}
    assert redactor.places["pattern"] == 6


@pytest.mark.parametrize("line", ["/(/", "/" + "a" * 6000 + "/"])
def test_a_pattern_that_is_none(tmp_path: Path, line: str) -> None:
    (tmp_path / "names.txt").write_text(f"Ada\n{line}\n")
    with pytest.raises(DataError, match=r"names\.txt:2"):
        read_wanted(tmp_path / "names.txt")


@pytest.mark.parametrize("pattern", ["(?R)", "a(?1)?", "x(?&name)", "(?P>name)"])
def test_a_pattern_that_calls_itself_is_an_error(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "names.txt").write_text(f"/{pattern}/\n")
    with pytest.raises(DataError, match=r"names\.txt:1: the regular expression calls itself"):
        read_wanted(tmp_path / "names.txt")


def test_a_pattern_that_takes_too_long_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgauge.logs.detectors.PATTERN_SECONDS", 0.2)
    (tmp_path / "names.txt").write_text(r"/(?:x+x+)+y(?!z)\b(?<=qy)/" + "\n")
    redactor = Redactor(read_wanted(tmp_path / "names.txt"))
    with pytest.raises(UsageError, match=r"names\.txt:1: the pattern takes too long"):
        redactor.text("x" * 5000 + "y" + "x" * 5000)


def test_without_the_libraries_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    detectors._secret_patterns.cache_clear()
    monkeypatch.setitem(sys.modules, "detect_secrets.plugins.base", None)
    with pytest.raises(MissingExtra, match=r"pip install 'toolgauge\[redact\]'"):
        Redactor()


def _luhn(body: str) -> str:
    return body + str(luhn.calc_check_digit(body))


def _grouped(digits: str, size: int, mark: str) -> str:
    return mark.join(digits[place : place + size] for place in range(0, len(digits), size))


_WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)
_EMAILS = st.builds(lambda name, host, end: f"{name}@{host}.{end}", _WORD, _WORD, st.sampled_from(["org", "com", "cn"]))
_MOBILES = st.builds("1{}{}".format, st.sampled_from("3456789"), st.text("0123456789", min_size=9, max_size=9))
_INTERNATIONAL = st.builds(
    "+{}{}".format, st.sampled_from(["47", "1", "86"]), st.text("0123456789", min_size=8, max_size=9)
)
_CARDS = st.builds(
    lambda first, rest, mark: _grouped(_luhn(first + rest), 4, mark),
    st.sampled_from("45"),
    st.text("0123456789", min_size=14, max_size=14),
    st.sampled_from(["", " ", "-"]),
)
_DAYS = st.dates().map(lambda day: f"{1950 + day.year % 60}{day:%m%d}")
_IDS = st.builds("110105{}{}".format, _DAYS, st.text("0123456789", min_size=4, max_size=4))
PERSONAL = st.one_of(_EMAILS, _MOBILES, _INTERNATIONAL, _CARDS, _IDS)
FILLING = st.sampled_from(["", "hi ", "my number is ", "联系", ": ", "\n", '"', "\\", " (", ", ", "x=", "order 12 "])
PIECES = st.lists(st.tuples(FILLING, st.integers(0, 4)), max_size=6)


@given(st.lists(PERSONAL, min_size=5, max_size=5, unique=True), st.lists(PIECES, min_size=4, max_size=4))
@settings(max_examples=sized(60, 1500), deadline=None)
def test_no_original_survives_and_equal_stays_equal(originals: list[str], plan: list[list[tuple[str, int]]]) -> None:
    texts = ["".join(filling + " " + originals[n] + " " for filling, n in pieces) for pieces in plan]
    arguments = json.dumps(
        {"all": texts[0], "one": originals[0], "deep": [{originals[1]: originals[2]}]}, ensure_ascii=True
    )
    tool = Tool("send", texts[2], {"type": "object", "properties": {"to": {"enum": originals}}})
    conversation = talk(*texts, arguments=arguments, tools=(tool,))
    redacted = Redactor().conversation(conversation)
    line = conversation_line(redacted).decode()
    made = json.loads(redacted.messages[4].tool_calls[0].arguments)
    whole = line + json.dumps(made, ensure_ascii=False)
    for original in originals:
        assert original not in whole, original
    after = tool_values(redacted)
    assert len(set(after)) == len(originals)
    assert made["one"] == after[0]
    assert made["deep"] == [{after[1]: after[2]}]
    assert made["all"] == redacted.messages[0].content
    assert Redactor().conversation(conversation) == redacted


def tool_values(conversation: Conversation) -> list[str]:
    properties = conversation.tools[0].parameters["properties"]
    return list(properties["to"]["enum"])
