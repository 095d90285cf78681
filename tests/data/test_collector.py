"""Garbage collection is afterwards as it was, in whose process ever."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress

import pytest

from toolgauge.data.load import collector_paused, collector_spared


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """What tests/conftest.py has frozen is frozen again."""
    yield
    gc.freeze()


def test_what_was_frozen_stays_so() -> None:
    gc.freeze()
    before = gc.get_threshold()
    with collector_spared(), collector_spared():
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_freeze_count() > 1000
    assert gc.get_threshold() == before


def test_what_is_frozen_for_the_while_is_not_afterwards() -> None:
    gc.unfreeze()
    before = gc.get_threshold()
    with suppress(ZeroDivisionError), collector_spared(), collector_spared():
        assert gc.get_freeze_count() > 1000
        raise ZeroDivisionError
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == before


def test_what_was_made_in_a_pause_is_old_afterwards() -> None:
    gc.unfreeze()
    with collector_paused():
        made: list[object] = [[] for _ in range(1000)]
    old = {id(one) for one in gc.get_objects(generation=2)}
    assert all(id(one) in old for one in made)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
