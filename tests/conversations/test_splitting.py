"""Which messages of the user begin a task, one rule at a time (how well together: test_import_quality.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conversations.logs import log
from toolgauge.conversations.sessions import to_session
from toolgauge.conversations.splits_file import read_splits, split_lines
from toolgauge.conversations.splitting import Why, split
from toolgauge.errors import DataError

BOOKED = ("U book 2 seats on IC7", 'C book_train {"train_id": "IC7", "seats": 2}', 'R {"ok": true}', "A Booked, IC7.")
FOUND = ("U trains to Bonn", 'C search_trains {"destination": "Bonn"}', 'R {"id": "IC7"}')


def whys(*lines: str, language: str = "en") -> list[Why]:
    return [one.why for one in split(log(*lines), language)]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((*BOOKED, "U what's the weather in Bonn?"), Why.NEW_REQUEST),
        ((*BOOKED, "U and the weather there?"), Why.FOLLOW_UP),
        ((*BOOKED, "U no wait, I meant 3 seats"), Why.CHANGES),
        ((*BOOKED, "U thanks a lot!"), Why.COURTESY),
        ((*FOUND, "A There is IC7. Would you like me to reserve a hotel as well?", "U yes please"), Why.TAKES_OFFER),
        (("U refund O-1", "C refund {}", "R {}", "A Done. Want me to refund O-2 too?", "U yes"), Why.TAKES_OFFER),
        (("U refund O-1", "C refund {}", "R {}", "A Done. Want me to refund O-2 too?", "U no, mail me"), Why.CHANGES),
        (("U refund O-1", "C find {}", "R {}", "A It cost 5. Shall I refund it?", "U yes"), Why.CONFIRMS),
        (("U book a room", "C book {}", "R {}", "A It is taken. Shall I book the blue one?", "U yes"), Why.CONFIRMS),
        ((*FOUND, "A There is IC7. Is there anything else I can help with?", "U weather in Rome"), Why.NEW_REQUEST),
        (("U book seats on IC7", "A How many seats?", "U two"), Why.ANSWERS),
        (("U book seats on IC7", "A I need the number of seats.", "U two"), Why.ANSWERS),
        (("U book 2 seats on IC7", "A That is 80 EUR. Shall I book it?", "U yes"), Why.CONFIRMS),
        (("U book 2 seats on IC7", "A That is 80 EUR. Do you want to proceed?", "U no, make it 3"), Why.CORRECTS),
        (("U book seats on IC7", "A How many seats?", "U never mind, weather in Rome tomorrow?"), Why.TURNS_AWAY),
        (("U book seats on IC7", "A One moment, let me check.", "U ok"), Why.GOES_ON),
        (("U book seats on IC7", "U two of them"), Why.GOES_ON),
        ((*FOUND, "U weather in Rome?"), Why.NEW_REQUEST),
        (("U I had a bad day", "A Oh no, what happened?", "U my boss again", "A I see."), Why.SMALL_TALK),
    ],
)
def test_each_reason(lines: tuple[str, ...], why: Why) -> None:
    assert whys(*lines)[-1] is why


def test_people_correct_the_file_of_splits_and_give_it_back(tmp_path: Path) -> None:
    conversation = log(*BOOKED, "U and the weather there?", "A Sunny.")
    made = to_session(conversation)
    assert len(made.session.tasks) == 2
    file = tmp_path / "splits.jsonl"
    file.write_bytes(b"".join(split_lines(made.splits)))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(one["begins"], one["why"]) for one in lines] == [(True, "first"), (True, "follow_up")]
    lines[1]["begins"] = False
    file.write_text("\n".join(map(json.dumps, lines)))
    again = to_session(conversation, decided=read_splits(file)["log"])
    assert again.splits[1].why is Why.BY_HAND
    assert [call.name for call in again.session.tasks[0].calls][1] == "ask_user_for_required_parameters"
    lines[1]["begins"] = True
    file.write_text("\n".join(map(json.dumps, lines)))
    assert to_session(conversation, decided=read_splits(file)["log"]).record == made.record


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"conversation": "a", "message": "1", "begins": true}', "splits.jsonl:2: message"),
        ('{"conversation": "a", "begins": true}', "missing"),
        ('{"conversation": "a", "message": 0, "begins": false}', "contradicts an earlier line"),
    ],
)
def test_a_broken_file_of_splits_is_named(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "splits.jsonl"
    file.write_text('{"conversation": "a", "message": 0, "begins": true}\n' + line)
    with pytest.raises(DataError, match=said):
        read_splits(file)
