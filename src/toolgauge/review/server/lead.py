"""What the pages of a lead ask for: who takes part, second opinions, inspection rounds, how far the review is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from toolgauge.review.desk import Desk
from toolgauge.review.figures import Agreements, decided, given_opinions, judge_agreement
from toolgauge.review.state import Person
from toolgauge.review.views.lead import figures_view, team_view
from toolgauge.review.views.opinions import conflict_view, opinion_view, opinions_view
from toolgauge.review.views.rounds import rounds_view

Answer = Callable[[Person, Mapping[str, str]], Awaitable[object]]
"""who asks, the values in the address -> data, to be sent as JSON. Raises Refused, Forbidden."""


def lead_answers(desk: Desk) -> dict[str, Answer]:
    """By address. /api/opinions: all; with ?id=... one conflict, with &of=... the session as one reviewer has it."""
    agreements = Agreements(desk)

    async def opinions(person: Person, values: Mapping[str, str]) -> object:
        if (name := values.get("id")) and (owner := values.get("of")):
            return opinion_view(desk, person, name, owner)
        if name:
            return conflict_view(desk, person, name)
        if not person.is_lead:
            return opinions_view(desk, person)
        measured = await asyncio.to_thread(agreements.measure, given_opinions(desk.state))
        judge = await asyncio.to_thread(judge_agreement, desk, decided(desk.state))
        return opinions_view(desk, person, measured, judge)

    async def team(person: Person, _values: Mapping[str, str]) -> object:
        return team_view(desk, person)

    async def rounds(person: Person, _values: Mapping[str, str]) -> object:
        return rounds_view(desk, person)

    async def figures(person: Person, _values: Mapping[str, str]) -> object:
        return figures_view(desk, person)

    return {"/api/opinions": opinions, "/api/team": team, "/api/rounds": rounds, "/api/figures": figures}
