"""One and many: English has two forms, Chinese one; templates and scripts of the site choose like Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.locale.test_catalogue import extracted
from toolgauge.analysis.notes import SHORT_SIGNS, SIGNS
from toolgauge.benchmarks.acebench.judge.reasons import AceCode
from toolgauge.locale import ngettext, translated
from toolgauge.locale.foreign import SENTENCES
from toolgauge.report.wording import script_messages

SLOT = re.compile(r"\{\w+(?::,(?:\.0f)?)?\}|(?<![\w.{:])1(?= )")
"""A value that may be a whole number - quoted ones (!r) and those with decimals are none -, or a 1 that is written."""
NEXT = re.compile(r"(?: [a-z’'-]+){0,3}")
SEVERAL = re.compile(r"[a-z]+[^\Wsui]s")
"""A word that may be a plural."""
SMALL = re.compile(r"a|and|are|as|at|by|for|from|had|have|how|in|is|of|on|or|that|the|to|which|who|with")
"""Words behind which no noun belongs to the number any more."""
VERB = re.compile(
    r"announces|asks|begins|chooses|closes|comes|contains|costs|does|follows|goes|has|holds|leads|makes|means|needs"
    r"|plays|reaches|reads|recommends|requires|says|simulates|stands|takes|was"
)
"""What names do: where a value is a name, the word behind it is no plural. A verb that is missing here is added."""
UNITS = frozenset(("intervals", "points", "tokens"))
"""Points have decimals, nothing takes a single token, and 95% intervals are no number of intervals."""
LIMIT = re.compile(r"\{(?:most|max_)|\b(?:more than|at most|deeper than) \{")
"""Limits of ours are above one, and so is what exceeds them."""
OTHER = re.compile(r"\(s\)|\b[Oo]ne or more\b|\{count(?::,)?\} (?:are|have|were)\b")
"""Other ways of not deciding between one and many."""
MORE_THAN_ONE = {
    "Interrupted: what is under way has {seconds} seconds to come back; a second Ctrl-C or signal ends at once.": "ten",
    "Near misses: {near:,} of {count:,} complete sessions have one wrong task ({value}), most often "
    "{kinds} ({number:,} each).": "two",
    "Show all {count} characters": "longer than what is shown",
    "a text has {count:,} characters; so long a session is not checked further": "longer than most_checked",
    "defines {name} {count} times": "from twice on",
    "describes {name} {count} times": "from twice on",
    "its {count:,} allowed values are not listed": "more than can be listed",
    "{caption}; not known of {count} of {all} runs": "a chart has two or more",
    "Accuracy against cost; not known of {count} of {all} runs": "a chart has two or more",
    "{count} accepted answers; compared is number {compared}": "one alone is told otherwise",
    "{count} conversations in a row failed, the last because: {reason}": "from ten on",
    "{deaths} workers in a row died, the last because: {error}": "from ten on",
    "{epochs} epochs, pooled": "one alone is not told",
    "{message} (in {attempts} batches)": "one alone is not told",
    "{name} has {count} files; name one of those in {parent}": "one alone is taken",
    "{what} (in {count:,} of {all:,} sessions)": "only where some are left out",
}
"""Messages whose number is never one, and why."""
NO_NUMBER = {
    "{name} calls",
    "{dialect_field}: {model} calls its tools itself",
    "{engine} answers at {base_url} (after {seconds:.0f} s). Ctrl-C ends it. In another terminal:",
    "{id} answers no question of {parent}/{file}",
    "there is no tool list that the scenario {id} names: give its id or name in {tools}",
    "$ref {reference} names an anchor; write it as a path, #/components/...",
}
"""Messages about a name, in words that could be about a number."""


@pytest.mark.parametrize(("count", "said"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1_000, "1,000 runs")])
def test_the_count_decides(count: int, said: str) -> None:
    text = ngettext("{count:,} run", "{count:,} runs", count=count)
    assert str(text) == said
    assert translated(text, "zh") == f"{count:,} 次运行"
    assert str(text.mapped(str.upper)) == said


def test_the_count_may_come_later() -> None:
    text = ngettext("{count:,} run of {name}", "{count:,} runs of {name}", name="a")
    assert str(text.filled(count=1)) == "1 run of a"
    assert str(text.filled(count=2)) == "2 runs of a"


def test_scripts_have_what_is_said_of_many() -> None:
    said = script_messages(["drawer"], "zh")
    assert said["{count} attempts"] == "请求 {count} 次"
    assert "{count} attempts" not in script_messages(["drawer"], "en")


def counted(message: str) -> Iterator[str]:
    """Where a message without two forms speaks of several, whatever the number: "{count} calls"."""
    for slot in SLOT.finditer(message):
        for word in NEXT.match(message, slot.end())[0].split():  # type: ignore[index]  # it also fits no word
            if SMALL.fullmatch(word) or VERB.fullmatch(word):
                break
            if SEVERAL.fullmatch(word) and word not in UNITS:
                yield f"{slot[0]} … {word}"
                break
    yield from (found[0] for found in OTHER.finditer(message))


def test_what_is_said_of_several_is_said_of_one_too() -> None:
    """A message with a number and a plural has a form for one (`ngettext`), or says it so that it fits any number
    ("calls: {count}"). Signs in the notes are told from five on; AceCode's texts stand in scores.jsonl, whose bytes are
    kept; SENTENCES are those of others."""
    allowed = {*MORE_THAN_ONE, *NO_NUMBER, *(code.text for code in AceCode)}
    allowed |= {text.message for text in (*SIGNS.values(), *SHORT_SIGNS.values(), *SENTENCES)}
    messages = {str(one.id) for one in extracted() if one.id and isinstance(one.id, str)}
    found = {text: list(counted(text)) for text in sorted(messages) if not LIMIT.search(text)}
    assert {text: places for text, places in found.items() if places and text not in allowed} == {}
    assert {*MORE_THAN_ONE, *NO_NUMBER} - {text for text, places in found.items() if places} == set()


def test_both_forms_speak_of_what_they_say() -> None:
    pairs = [one.id for one in extracted() if isinstance(one.id, tuple)]
    assert [pair for pair in pairs if pair[0] == pair[1]] == []
    assert [one for one, _many in pairs if re.search(r"\{count(?::,)?\} (?:are|have|were)\b|\(s\)", one)] == []
