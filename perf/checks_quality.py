"""How often do the checks of recorded conversations find what is not there, and how much of what is there?

`python perf/checks_quality.py` prints the tables of docs/without-gold.md as Markdown. False findings are counted
in dialogues as they should have gone: the embedded benchmark, generated demonstrations and, where TOOLGAUGE_SHARED has
them, the public WildToolBench sessions and ACEBench's dialogues (`--show` prints what was found). Recall is measured on
the embedded dialogues with one planted fault each.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.conversations.gold import acebench, embedded, sessions  # noqa: E402
from tests.conversations.measured import false_findings, recalls  # noqa: E402

import toolgauge  # noqa: E402
from toolgauge.conversations.checks.check import checked  # noqa: E402
from toolgauge.conversations.conversation import Conversation  # noqa: E402

LANGUAGES = ("en", "zh")
REAL = {
    "en": "similar_api_12 preference_0 atom_number_4 atom_number_32 atom_number_44 atom_list_31 atom_object_deep_25",
    "zh": "multi_turn_user_switch_7_0 atom_number_38 multi_turn_user_adjust_16_0 atom_bool_5 atom_enum_43",
}
"""Dialogues of ACEBench in which a person read what was found, and it is so: values that nobody gave, questions whose
answer stood there."""
GENERATED = 60
"""Dialogues of the demonstration."""


def gold(scratch: Path) -> Iterator[tuple[str, str, list[Conversation]]]:
    """(name, language, conversations) of all gold dialogues that are at hand."""
    public = Path(os.environ.get("TOOLGAUGE_SHARED", ROOT.parent / "shared")) / "data"
    for language in LANGUAGES:
        yield "mini", language, embedded(language)
        made = scratch / language
        toolgauge.generate("builtin/oracle", out=made, language=language, sample=GENERATED)
        yield "generated", language, list(sessions(made / "sessions.jsonl", language))
        if public.is_dir():
            file = public / "wildtoolbench/sample_sessions.jsonl"
            yield "WildToolBench (5 sessions)", language, list(sessions(file, language))
            yield "ACEBench", language, list(acebench(public / "acebench/data_all", language))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print every finding in gold dialogues")
    show = parser.parse_args().show
    print("| gold dialogues | language | conversations | calls | against the definition | confirmed | false |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        for name, language, conversations in gold(Path(scratch)):
            one = false_findings(conversations, {f"normal_{part}" for part in REAL[language].split()})
            share = f"{one.false} ({100 * one.rate:.1f}%)"
            cells = (name, language, one.conversations, f"{one.calls:,}", one.misfits, one.confirmed, share)
            print(f"| {' | '.join(map(str, cells))} |")
            if show:
                for found in (
                    found for each in conversations for found in checked(each).findings if found.code.is_fault
                ):
                    print("   ", found.conversation, found.code, found.tool, found.at, found.other, file=sys.stderr)
    print()
    print("| planted | finding | en | zh |")
    print("|---|---|---:|---:|")
    measured = [{(one.what, one.code): one for one in recalls(embedded(language))} for language in LANGUAGES]
    for key in measured[0]:
        shares = [f"{one[key].found} of {one[key].planted}" if key in one else "–" for one in measured]
        print(f"| {key[0]} | `{key[1]}` | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
