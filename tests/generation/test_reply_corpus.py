"""What models write around their words and their JSON is read through, and what people write stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.generation.reply_corpus import WrittenReply, corpus, table

DOCS = Path(__file__).parents[2] / "docs" / "generation-checks.md"


@pytest.mark.parametrize("one", [one for one in corpus() if not one.held_out or one.is_clean], ids=lambda one: one.id)
def test_a_reply_is_read_as_it_is_meant(one: WrittenReply) -> None:
    """What people write stays as it is, held out or not; of the rest that is held out the docs say how much is read."""
    assert one.read() == one.reading


def test_the_docs_say_how_well_it_is_read() -> None:
    assert table() in DOCS.read_text(encoding="utf-8")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab'\"\\,:{}[]“”，：# /*\n", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab'\" ", max_size=4), inner, max_size=3),
    max_leaves=6,
)
