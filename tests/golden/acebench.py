"""What ACEBench's rules decide on the public data, as digests: damaged answers and states, and calls on its worlds.

A line stands for a category or a function, and holds a hash over thousands of verdicts or outcomes, with every detail:
labels.py has the verdicts on built-in models alone, which say only few kinds of things.

    en exact agent_multi_step: 918 verdicts, sha256 0123456789abcdef
    en released send_message: 391 calls, sha256 0123456789abcdef
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolgauge.benchmarks.acebench.builtin import perfect_text
from toolgauge.benchmarks.acebench.data.entries import AceEntry, AceFunction
from toolgauge.benchmarks.acebench.data.load import load_acebench
from toolgauge.benchmarks.acebench.data.published import load_tables
from toolgauge.benchmarks.acebench.environments.world import World
from toolgauge.benchmarks.acebench.judge.judge import judge_agent, judge_normal, judge_special

PIECES = ("]", "'", "{", "x=1", "None", "-", "9", "true", "'a'", ",", "(1,)", "**{'k': 1}", "[]", "\u3000", "7", "1.0")
SPEECH = ("", "[]", "I am happy to help.", '["There is incorrect value (a) for the parameters (b), Missing necessary"]')
HOSTILE: tuple[Any, ...] = (None, True, -1, 0.5, 10**400, float("nan"), 1j, "", "\ud800", [], {}, ("a",), {1: 2}, set())
CLASSES = ("BaseApi", "MessageApi", "ReminderApi", "FoodPlatform", "Travel")


class Digests:
    """A hash and a count for each key, over everything that was put there."""

    def __init__(self) -> None:
        self.hashes: dict[str, Any] = {}
        self.counts: dict[str, int] = {}

    def put(self, key: str, *parts: object) -> None:
        digest = self.hashes.setdefault(key, hashlib.sha256())
        digest.update(json.dumps(parts, sort_keys=True, default=repr).encode())
        self.counts[key] = self.counts.get(key, 0) + 1

    def lines(self, what: str) -> Iterator[str]:
        for key, digest in self.hashes.items():
            yield f"{key}: {self.counts[key]} {what}, sha256 {digest.hexdigest()[:16]}"


def rules(scratch: Path, shared: Path) -> Iterator[str]:
    """The verdicts of both scorings, category by category, then the outcomes of calls, function by function."""
    for language in ("en", "zh"):
        yield from verdicts(shared, language)
    for language in ("en", "zh"):
        yield from outcomes(shared, language)


def verdicts(shared: Path, language: str) -> Iterator[str]:
    """The whole verdict on right and damaged answers and states, of every public entry."""
    file = shared / "data/acebench/environments" / language / "milestone_replay.json"
    replays, chance, digests = json.loads(file.read_bytes()), random.Random(1), Digests()
    for entry in load_acebench(shared / "data/acebench", language).entries:
        judge = judge_special if entry.kind.group == "special" else judge_normal
        if entry.kind.group == "agent":
            found = [judge_agent(entry, *state) for state in states(replays[entry.id], chance)]
        else:
            found = [judge(entry, text) for text in texts(entry, chance)]
        for by_scoring in found:
            for scoring, verdict in by_scoring.items():
                parts = (verdict.correct, verdict.error_type, verdict.detail, verdict.function, verdict.path)
                more = (verdict.reference_crash, verdict.process)
                digests.put(f"{language} {scoring} {entry.category}", entry.id, *parts, *more)
    yield from digests.lines("verdicts")


def texts(entry: AceEntry, chance: random.Random) -> Iterator[str]:
    right = perfect_text(entry)
    yield from (right, f"{right} ", right.lower(), right.replace("'", '"'), right[1:-1], *SPEECH)
    places = [index for index, mark in enumerate(right) if mark == "="] or [0]
    for _ in range(4):
        cut = chance.choice([chance.choice(places) + 1, chance.randrange(len(right))])
        yield right[:cut] + chance.choice(PIECES) + chance.choice(["", ", "]) + right[cut + chance.randrange(9) :]


def states(replay: Any, chance: random.Random) -> Iterator[tuple[Any, list[str]]]:
    """Saved states and the messages that led there: as they were recorded, and with something changed or left out."""
    state, messages = replay["witness"]["final_state"], replay["witness"]["calls"]
    yield from ((None, []), (state[:-1], messages), (state, messages[::-1]), *((state, messages[:n]) for n in range(4)))
    for _ in range(12):
        part = changed = json.loads(json.dumps(state))
        while part:
            key = chance.choice(list(part) if isinstance(part, dict) else range(len(part)))
            if isinstance(part[key], dict | list) and part[key] and chance.random() < 0.8:
                part = part[key]
                continue
            if chance.random() < 0.3:
                del part[key]
            else:
                part[key] = chance.choice([None, 7, "x", {}, []])
            break
        yield changed, messages


def outcomes(shared: Path, language: str) -> Iterator[str]:
    """How thousands of calls end, most of them with values that occur in the tables, and what is saved after them."""
    tables = load_tables(language, shared / "data/acebench")
    entries = load_acebench(shared / "data/acebench", language, ["agent"]).entries
    offered = {function.name: list(_properties(function)) for entry in entries for function in entry.functions}
    likely, values = _likely(tables), [*_values(tables), *HOSTILE]
    people = [*tables["food"]["users"].items(), *tables["travel"]["users"].items()]
    for scoring in ("released", "exact"):
        digests = Digests()
        for seed in range(60):
            chance = random.Random(seed)
            config = chance.choice([None, {"BaseApi": {"wifi": True}}, {"BaseApi": {"wifi": True, "logged_in": False}}])
            world = World(CLASSES, tables, config, language, "exact" if scoring == "exact" else "released")
            for _ in range(80):
                name = chance.choice([*offered, "nothing"])
                arguments = {key: chance.choice(likely.get(key, values)) for key in offered.get(name, [])}
                if "password" in arguments and chance.random() < 0.8:
                    user, account = chance.choice(people)
                    arguments |= {key: user for key in ("username", "user_id") if key in arguments}
                    arguments["password"] = account["password"]
                if arguments and chance.random() < 0.15:
                    arguments[chance.choice([*arguments, "odd"])] = chance.choice(values)
                if arguments and chance.random() < 0.1:
                    del arguments[chance.choice([*arguments])]
                ended = world.call(name, arguments)
                digests.put(f"{language} {scoring} {name}", ended.status, ended.value, ended.defect)
            digests.put(f"{language} {scoring} saved states", world.saved())
        yield from digests.lines("calls")


def _properties(function: AceFunction) -> dict[str, Any]:
    properties = function.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def _likely(tables: Any) -> dict[str, list[Any]]:
    """By the name of a parameter: values of the tables."""
    food, travel, people = tables["food"], tables["travel"], list(tables["message"]["user_list"])
    flights = [flight["flight_no"] for flight in travel["flights"]]
    cities = [flight["origin"] for flight in travel["flights"]]
    products = [product for shop in food["merchant_list"].values() for product in shop["menu"]]
    return {
        **dict.fromkeys(("sender_name", "receiver_name", "user_name"), people),
        **dict.fromkeys(("flight_no", "new_flight_no"), flights),
        **{key: [travel["cabin_economy"], travel["cabin_business"]] for key in ("cabin", "new_cabin")},
        **{key: ["cash", "bank", "card"] for key in ("payment_method", "new_payment_method")},
        **dict.fromkeys(("origin", "destination", "origin_city", "transfer_city", "destination_city"), cities),
        **{key: [1, 2, 3, 4, 5, 6, 7] for key in ("message_id", "reminder_id")},
        **{key: [0, 1, 2, 5] for key in ("baggage_count", "add_baggage")},
        "username": list(food["users"]),
        "merchant_name": list(food["merchant_list"]),
        "items": [[{"product": product["product"], "quantity": number}] for product in products for number in (1, 2)],
        "user_id": list(travel["users"]),
        "reservation_id": ["res_1", "res_2", "res_3", "res_4", "res_5"],
        "reason": [travel["airline_cancel_reason"], "other plans"],
    }


def _values(part: Any) -> Iterator[Any]:
    """The texts and numbers of a table."""
    if isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _values(inner)
    elif isinstance(part, str | int | float):
        yield part
