"""Hypothesis strategies: values of any kind, as hostile arguments and annotations hold them."""

from __future__ import annotations

from hypothesis import strategies as st

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["", ".", "\ud800", "北京", "100.20.30.41", "1.5,2.5", 10**400, "string", "object", "array"]),
)
keys = st.one_of(
    st.sampled_from(["a", "b", "", "\udfff", "type", "items", "properties", "description"]),
    st.text(max_size=3),
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4))
objects = st.dictionaries(keys, values, max_size=4)
