"""The Matcher against the papers' enumeration: on random graphs both say the same of every prefix."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.enumeration import Path, legal_paths, released_paths, sequences
from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.judge.released import ReleasedMatcher
from toolgauge.judge.graph import CallGraph, Matcher

Rules = type[Matcher] | type[ReleasedMatcher]
Steps = tuple[tuple[str, ...], ...]


@st.composite
def graphs(draw: st.DrawFn, largest: int = 5) -> tuple[list[str], list[list[int]]]:
    size = draw(st.integers(1, largest))
    names = draw(st.lists(st.sampled_from("AABC"), min_size=size, max_size=size))
    after = [draw(st.lists(st.integers(0, i - 1), unique=True, max_size=3)) if i else [] for i in range(size)]
    return names, after


def follow(graph: CallGraph, rules: Rules, steps: Steps) -> Matcher | ReleasedMatcher | None:
    matcher = rules(graph)
    for step in steps:
        if not matcher.advance([graph.by_name.get(name, 0) for name in step]):
            return None
    return matcher


def next_steps(names: list[str]) -> set[tuple[str, ...]]:
    """All multisets of the graph's names, and one name too many."""
    options: set[tuple[str, ...]] = {()}
    for name in [*names, names[0]]:
        options |= {tuple(sorted((*option, name))) for option in options}
    return options - {()}


def assert_same_prefixes(graph: CallGraph, rules: Rules, accepted: set[Steps], names: list[str]) -> None:
    prefixes = {path[:length] for path in accepted for length in range(len(path) + 1)}
    candidates = next_steps(names)
    for prefix in prefixes:
        matcher = follow(graph, rules, prefix)
        assert matcher is not None, prefix
        assert matcher.complete == (prefix in accepted)
        for step in candidates:
            extended = follow(graph, rules, (*prefix, step))
            assert (extended is not None) == ((*prefix, step) in prefixes), (prefix, step)


@settings(max_examples=sized(60, 150), deadline=None)
@given(graphs())
def test_matcher_agrees_with_algorithm_1_on_every_prefix(case: tuple[list[str], list[list[int]]]) -> None:
    names, after = case
    accepted = sequences(legal_paths(after), names)
    assert_same_prefixes(CallGraph(names, after), Matcher, accepted, names)


def released_next(paths: list[Path], names: list[str], step: int, wanted: tuple[str, ...]) -> list[Path]:
    """The public loop: the first remaining path whose names agree decides, and paths with other nodes are dropped."""
    for path in paths:
        if step < len(path) and tuple(sorted(names[i] for i in path[step])) == wanted:
            return [other for other in paths if step < len(other) and other[step] == path[step]]
    return []


@settings(max_examples=sized(80, 200), deadline=None)
@given(graphs())
def test_matcher_agrees_with_the_released_loop_on_every_prefix(case: tuple[list[str], list[list[int]]]) -> None:
    names, after = case
    graph, rules = CallGraph(names, after), ReleasedMatcher
    candidates = next_steps(names)
    frontier: list[tuple[Steps, list[Path]]] = [((), list(released_paths(names, after)))]
    seen: set[Path] = set()
    while frontier:
        prefix, paths = frontier.pop()
        for step in candidates:
            remaining = released_next(paths, names, len(prefix), step)
            matcher = follow(graph, rules, (*prefix, step))
            assert (matcher is not None) == bool(remaining), (prefix, step)
            if remaining:
                assert isinstance(matcher, ReleasedMatcher)
                chosen = remaining[0][: len(prefix) + 1]
                assert tuple(tuple(sorted(nodes)) for nodes in matcher.steps) == chosen
                assert matcher.complete == any(len(path) == len(chosen) for path in remaining)
                if chosen not in seen:
                    seen.add(chosen)
                    frontier.append(((*prefix, step), remaining))


TABLE = [  # ready calls, accepted, legal but rejected (docs/rules.md#the-four-rules-of-the-public-evaluators)
    ("A B", [], "A|B B|A AB", ""),
    ("A A", [], "A|A AA", ""),
    ("A A A", [], "A|A|A AAA", "AA|A A|AA"),
    ("A A B", [], "A|A|B B|A|A B|AA AA|B AAB", "AB|A A|AB A|B|A"),
    ("B A A", [], "A|A|B B|A|A B|AA AA|B AAB AB|A", "A|AB A|B|A"),
    ("A B A", [], "A|A|B B|A|A B|AA AA|B AAB AB|A A|AB A|B|A", ""),
    ("A A C", [(2, 1)], "A|A|C AA|C", "A|C|A A|AC"),
]


@rows(("calls", "edges", "accepted", "rejected"), TABLE)
def test_D1_consequences_of_the_four_rules(
    calls: str, edges: list[tuple[int, int]], accepted: str, rejected: str
) -> None:
    names = calls.split()
    after = [[b for a, b in edges if a == i] for i in range(len(names))]
    graph = CallGraph(names, after)
    for text in f"{accepted} {rejected}".split():
        steps = tuple(tuple(step) for step in text.split("|"))
        released, legal = follow(graph, ReleasedMatcher, steps), follow(graph, Matcher, steps)
        assert (released is not None and released.complete) == (text in accepted.split()), text
        assert legal is not None, text
        assert legal.complete, text


def test_B1_namesakes_are_told_apart_late() -> None:
    """Two A, of which only the second leads to C: after one A and C the assignment with the second A is left."""
    graph = CallGraph(["A", "A", "C"], [[], [], [1]])
    matcher = follow(graph, Matcher, (("A",), ("C",)))
    assert isinstance(matcher, Matcher)
    assert [trail.steps for trail in matcher.trails] == [((1,), (2,))]
    assert follow(graph, ReleasedMatcher, (("A",), ("C",))) is None


def test_many_namesakes_are_followed_in_bounded_time() -> None:
    """Each with arguments of its own, called in two steps: whatever the first may mean, the second ends alike."""
    graph = CallGraph(["A"] * 24 + ["B"], [[]] * 24 + [list(range(24))], identical=lambda: range(25))
    matcher = Matcher(graph)
    began = time.process_time()
    for _ in range(2):
        assert matcher.advance([graph.by_name["A"]] * 12)
    assert time.process_time() - began < 5  # one assignment after the other, it took a minute
    assert len(matcher.trails) == 1
    assert matcher.advance([graph.by_name["B"]])
    assert matcher.complete


def test_arguments_restrict_what_a_call_may_stand_for() -> None:
    """The second A's arguments were given first: only that call is done, and the first is still due."""
    graph = CallGraph(["A", "A"], [[], []], identical=lambda: ["x", "y"])
    matcher = Matcher(graph)
    assert matcher.advance([0b10])
    assert matcher.ready() == 0b01
    assert not matcher.advance([0b10])
