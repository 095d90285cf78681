"""Where the environments differ between the two languages and the two scorings; everything else is one implementation.

That a Chinese order must leave something of the balance is said by the table (`balance_must_exceed_total`).

Source: docs/acebench.md#scorings and docs/acebench.md#the-worlds.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Scoring = Literal["released", "exact"]


class EnvironmentRules(Struct, frozen=True):
    """One column of the table of differences.

    orders_by_product: `search_orders` looks at products too; without it, an order of another merchant breaks it.
    reminder_search: what `search_reminders` is like. mark_reminders: there is `mark_as_notified`.
    undated_messages: messages that were sent, and so have no time, do not break the functions that read times.
    refuse_bookings: a failed login, an unknown flight or cabin refuses a booking instead of breaking it.
    """

    language: str
    scoring: Scoring
    orders_by_product: bool
    reminder_search: Literal["absent", "broken", "works"]
    mark_reminders: bool
    undated_messages: bool
    refuse_bookings: bool


def rules_for(language: str, scoring: Scoring) -> EnvironmentRules:
    """The rules of a language ("en" or "zh") under a scoring ("released" or "exact")."""
    chinese, exact = language == "zh", scoring == "exact"
    return EnvironmentRules(
        language=language,
        scoring=scoring,
        orders_by_product=exact or not chinese,
        reminder_search="works" if exact else "broken" if chinese else "absent",
        mark_reminders=chinese,
        undated_messages=exact,
        refuse_bookings=exact,
    )
