"""The process score of agent entries: which share of the milestones the messages passed.

Source: docs/acebench.md#agent-entries; keys such as Q25: docs/acebench.md#scorings.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.benchmarks.acebench.decoder.decode import AceCall, decode_message_exact, render_calls

_IGNORED = str.maketrans(dict.fromkeys(" \t\r\n'\"\\[]"))


def released_process(milestones: Sequence[Sequence[str]], process: Sequence[object]) -> float:
    """The leading milestones that occur in order, as raw text; of alternatives the best, to 3 decimals (Q25, Q26)."""
    texts = [message.strip() for message in process if isinstance(message, str)]
    if len(milestones) == 1:
        return _leading_share(milestones[0], texts)
    return max((round(_leading_share(one, texts), 3) for one in milestones), default=1.0)


def _leading_share(milestones: Sequence[str], texts: Sequence[str]) -> float:
    position = passed = 0
    for milestone in milestones:
        try:
            position = texts.index(milestone.strip(), position) + 1
        except ValueError:
            break
        passed += 1
    return passed / len(milestones) if milestones else 1.0


def exact_process(milestones: Sequence[Sequence[str]], process: Sequence[object]) -> float:
    """The longest ordered subsequence of milestones among the calls that were made; the best alternative (Q25)."""
    calls = [call for message in process for call in _calls_of(message)]
    return max((_longest_share(one, calls) for one in milestones), default=1.0)


def _longest_share(milestones: Sequence[str], calls: Sequence[AceCall]) -> float:
    wanted: list[AceCall | str] = []
    for text in milestones:
        wanted += _calls_of(text) or [text]
    row = [0] * (len(wanted) + 1)
    for call in calls:
        diagonal = 0
        for column, one in enumerate(wanted, 1):
            above = row[column]
            row[column] = diagonal + 1 if _same(one, call) else max(above, row[column - 1])
            diagonal = above
    return row[-1] / len(wanted) if wanted else 1.0


def _calls_of(text: object) -> list[AceCall]:
    decoded = decode_message_exact(text)
    return list(decoded) if isinstance(decoded, tuple) else []


def _same(milestone: AceCall | str, call: AceCall) -> bool:
    """Equal calls, arguments in any order.

    A milestone that is no valid call (English texts with unescaped apostrophes) is compared by its letters.
    """
    if isinstance(milestone, str):
        return milestone.translate(_IGNORED) == render_calls([call]).translate(_IGNORED)
    return milestone.name == call.name and milestone.arguments == call.arguments
