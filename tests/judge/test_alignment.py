"""The one alignment: what holds of it whatever is aligned, and that every user of it gets what it always got."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge import former_alignments as former
from tests.judge.building import TEXT, Node, call, calls, session
from tests.sizes import sized
from toolgauge.benchmarks.acebench.judge.exact import _group_fault
from toolgauge.benchmarks.acebench.view.task_views import _partners
from toolgauge.benchmarks.dialogues.environment import TaskEnvironment
from toolgauge.benchmarks.dialogues.judge.mmtb_analysis import failing_calls
from toolgauge.benchmarks.dialogues.judge.mmtb_arguments import check_lenient
from toolgauge.benchmarks.dialogues.judge.released import NameRun
from toolgauge.chat import Reply
from toolgauge.integrations.credit import _wrong_credit
from toolgauge.judge.alignment import RightPairs, align, maximum_matching
from toolgauge.judge.arguments import check_arguments
from toolgauge.judge.exact import ExactJudge
from toolgauge.judge.graph import bits
from toolgauge.judge.replies import CALLS, AnnotatedTask, Checks, ReadReply, read_turns
from toolgauge.models.dialects.ace import AceCall
from toolgauge.report.task_views.alignment_view import _Follower

LARGEST = 5


class Case(NamedTuple):
    """rows: each row's tiers; near, right: per row a value for each column."""

    rows: list[tuple[int, ...]]
    near: list[list[int]]
    right: list[list[bool]]
    taken: int

    def nearness(self, row: int, column: int) -> int:
        return self.near[row][column]

    def is_right(self, row: int, column: int) -> bool:
        return self.right[row][column]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    height, width = draw(st.integers(0, LARGEST)), draw(st.integers(1, LARGEST))
    mask = st.integers(0, (1 << width) - 1)

    def table(values: st.SearchStrategy[Any]) -> list[list[Any]]:
        return [[draw(values) for _ in range(width)] for _ in range(height)]

    rows = [tuple(draw(st.lists(mask, min_size=1, max_size=2))) for _ in range(height)]
    return Case(rows, table(st.integers(0, 2)), table(st.booleans()), draw(mask))


POLICIES = st.tuples(st.booleans(), st.sampled_from(RightPairs), st.booleans())


def aligned(case: Case, policy: tuple[bool, RightPairs, bool]) -> list[int | None]:
    with_right, order, shared = policy
    is_right = case.is_right if with_right else None
    return align(case.rows, case.nearness, is_right, order, shared=shared, taken=case.taken)


@given(cases(), POLICIES)
def test_only_candidates_are_taken_and_each_once(case: Case, policy: tuple[bool, RightPairs, bool]) -> None:
    *_, shared = policy
    columns = aligned(case, policy)
    for tiers, column in zip(case.rows, columns, strict=True):
        if column is not None:
            assert any(tier >> column & 1 for tier in tiers)
    if not shared:
        got = [column for column in columns if column is not None]
        assert len(set(got)) == len(got)
        assert not any(case.taken >> column & 1 for column in got)


@given(cases(), POLICIES)
def test_no_row_goes_without_while_a_candidate_is_free(case: Case, policy: tuple[bool, RightPairs, bool]) -> None:
    columns = aligned(case, policy)
    taken = case.taken
    for column in columns:
        taken |= 0 if column is None else 1 << column
    for tiers, column in zip(case.rows, columns, strict=True):
        if column is None:
            assert not any(tier & ~taken for tier in tiers)
            assert not (policy[2] and tiers[-1])


@given(cases())
def test_as_many_right_pairs_as_trying_every_pairing_finds(case: Case) -> None:
    columns = align(case.rows, case.nearness, case.is_right, taken=case.taken)
    right = sum(column is not None and case.is_right(row, column) for row, column in enumerate(columns))
    assert right == most_right(case)


def most_right(case: Case) -> int:
    """By trying every pairing of some rows with as many columns."""
    width = len(case.near[0]) if case.near else 0
    free = [
        [any(tier >> c & 1 for tier in tiers) and not case.taken >> c & 1 for c in range(width)] for tiers in case.rows
    ]
    for size in range(min(len(case.rows), width), 0, -1):
        for rows in combinations(range(len(case.rows)), size):
            for columns in permutations(range(width), size):
                if all(free[r][c] and case.is_right(r, c) for r, c in zip(rows, columns, strict=True)):
                    return size
    return 0


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_change_how_many_are_right(case: Case, random: Any) -> None:
    order = list(range(len(case.rows)))
    random.shuffle(order)
    shuffled = Case(
        [case.rows[row] for row in order],
        [case.near[row] for row in order],
        [case.right[row] for row in order],
        case.taken,
    )

    def outcome(one: Case) -> int:
        columns = align(one.rows, one.nearness, one.is_right, taken=one.taken)
        return sum(column is not None and one.is_right(row, column) for row, column in enumerate(columns))

    assert outcome(case) == outcome(shuffled)


@given(cases(), POLICIES)
def test_a_single_row_takes_the_first_of_the_nearest(case: Case, policy: tuple[bool, RightPairs, bool]) -> None:
    for row, tiers in enumerate(case.rows):
        one = Case([tiers[-1:]], [case.near[row]], [case.right[row]], 0)
        (column,) = aligned(one, (False, *policy[1:]))
        candidates = list(bits(tiers[-1]))
        best = max((case.near[row][candidate] for candidate in candidates), default=None)
        assert column == next((candidate for candidate in candidates if case.near[row][candidate] == best), None)


@given(cases(), POLICIES)
def test_a_known_highest_nearness_only_saves_work(case: Case, policy: tuple[bool, RightPairs, bool]) -> None:
    with_right, order, shared = policy
    is_right = case.is_right if with_right else None
    again = align(case.rows, case.nearness, is_right, order, shared=shared, taken=case.taken, highest=2)
    assert again == aligned(case, policy)


@given(st.lists(st.lists(st.integers(0, 6), unique=True), max_size=7))
def test_the_matching_is_the_one_that_recursion_finds(fitting: list[list[int]]) -> None:
    assert list(maximum_matching(fitting).items()) == list(former.pair_up(fitting).items())


def test_a_thousand_calls_can_make_way_for_one_another() -> None:
    """Once a RecursionError of the judge, where a task had as many equal calls: each was a level of the call stack."""
    size = 1500  # the last row moves all others
    fitting = [[0], *([row - 1, row] for row in range(1, size))]
    fitting.append([0, size])
    assert len(maximum_matching([*fitting[1:], fitting[0]])) == size + 1


# Every user of the alignment against what it did before.


ARGUMENTS = st.fixed_dictionaries(
    {}, optional={"x": st.sampled_from(["red", "red wine", "a blue house"]), "n": st.integers(0, 1)}
)
NAMES = st.sampled_from("aab")


@st.composite
def tasks(draw: st.DrawFn) -> tuple[AnnotatedTask, tuple[Reply, ...]]:
    """A task and a run of it: calls of its tools, now and then one that is not offered, a text at the end."""
    nodes: list[Node] = []
    for index in range(draw(st.integers(1, LARGEST))):
        after = (
            draw(st.lists(st.integers(0, index - 1), unique=True, max_size=2)) if index and draw(st.booleans()) else []
        )
        nodes.append((draw(NAMES), draw(ARGUMENTS), after))
    whole = session(nodes)

    def steps() -> Reply:
        made = draw(st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=4))
        return calls(*(call(name, **arguments) for name, arguments in made))

    replies = (*(steps() for _ in range(draw(st.integers(1, 3)))), TEXT)
    return AnnotatedTask(whole, whole.tasks[0]), replies


MANY = settings(max_examples=sized(100, 300), deadline=None)
RULES = st.sampled_from([check_arguments, check_lenient])
Task = tuple[AnnotatedTask, tuple[Reply, ...]]


def failing(task: AnnotatedTask, rule: Any, replies: tuple[Reply, ...]) -> tuple[ExactJudge, ReadReply] | None:
    """A judge before the step that it does not admit, and that step."""
    judge = ExactJudge(Checks(task, rule), read_turns(replies))
    for turn in judge.turns:
        if turn.kind == CALLS and not judge.matcher.advance(judge.right_readings(turn)):
            return judge, turn
    return None


@MANY
@given(tasks(), RULES)
def test_exact_tells_the_same_fault(case: Task, rule: Any) -> None:
    found = failing(case[0], rule, case[1])
    if found is not None:
        judge, turn = found
        ready = judge.matcher.ready()
        if all(judge.task.named(made) & ready for made in turn.calls):
            assert judge.nearest_fault(turn) == former.exact_fault_told(judge, turn)


@MANY
@given(tasks(), RULES)
def test_partial_credit_is_the_same(case: Task, rule: Any) -> None:
    found = failing(case[0], rule, case[1])
    if found is not None:
        judge, turn = found
        for due in (1, 2):
            assert _wrong_credit(judge, turn, due) == former.wrong_credit(judge, turn, due)


@MANY
@given(tasks(), RULES)
def test_the_same_results_are_handed_out(case: Task, rule: Any) -> None:
    task, replies = case
    one, other = TaskEnvironment(task, rule), TaskEnvironment(task, rule)
    for reply in replies:
        ready, turn = one.legal.ready() | one.released.ready(), ReadReply(reply)
        messages = one.answer(reply)
        if messages is None:
            break
        nodes = former.nodes_of_results(other, turn, reply.tool_calls, ready)
        assert [message.content for message in messages[1:]] == [f'{{"of": {node}}}' for node in nodes]
        assert one.given == other.given


@MANY
@given(tasks(), RULES, st.data())
def test_a_page_shows_the_same_pairs(case: Task, rule: Any, data: st.DataObject) -> None:
    task, replies = case
    follower = _Follower(task, rule, read_turns(replies))
    follower.done = data.draw(st.integers(0, (1 << task.size) - 1))
    ready = task.graph.ready(follower.done)
    for turn in read_turns(replies[:-1]):
        expected = former.nodes_on_a_page(follower.checks, turn, ready, follower.done)
        assert follower._nearest(turn, ready) == expected


@MANY
@given(tasks())
def test_the_papers_analysis_finds_the_same_failing_calls(case: Task) -> None:
    task, replies = case
    run = NameRun(task, read_turns(replies))
    assert failing_calls(run) == former.mmtb_failing_calls(run)


ACE_ARGUMENTS = st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from([1, 1.0, True, "a", "A", [1], None]))
ACE_CALLS = st.lists(st.builds(AceCall, NAMES, ACE_ARGUMENTS), max_size=4)


@MANY
@given(st.lists(st.tuples(NAMES, ACE_ARGUMENTS), max_size=4), ACE_CALLS)
def test_acebench_pairs_the_same_calls(wanted: list[tuple[str, dict[str, Any]]], made: list[AceCall]) -> None:
    schemas = {"a": {"properties": {"x": {"type": "string"}}}}
    assert _partners(schemas, wanted, made) == former.ace_partners(schemas, wanted, made)
    size = min(len(wanted), len(made))
    group, alike = [want for _, want in wanted[:size]], made[:size]
    assert _group_fault(schemas["a"], group, alike) == former.ace_group_fault(schemas["a"], group, alike)
