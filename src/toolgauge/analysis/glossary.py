"""The terms that pages, tables and docs use, each with a sentence that says what it means: the one catalogue of them.

A page shows a term with its meaning in a tip (templates/terms.html), docs/glossary.md lists all of them. Names are
English here and translated in locale/, like every message. Missing terms are added here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolgauge.analysis.titles import title
from toolgauge.locale import Text, _, pgettext, plain, translated


class Term(NamedTuple):
    """name: as it stands in running text; None where it is a title (titles.py). meaning: a sentence or two. page: where
    docs/ say more, with the heading."""

    meaning: Text
    name: Text | None = None
    page: str = ""


SCORINGS: dict[str, Term] = {
    "exact": Term(
        _(
            "What the benchmark means, with the defects of the public code repaired. Of annotated calls every legal "
            "order and grouping counts. It tells why a task failed, whichever scoring is shown."
        ),
        pgettext("scoring", "exact"),
        "rules.md#scorings",
    ),
    "released": Term(
        _("The benchmark's public evaluation code, label for label, with its defects."),
        pgettext("scoring", "official code"),
        "rules.md#scorings",
    ),
    "tables": Term(
        _("The older analysis code that the tables of the paper were made with; the published numbers stand in it."),
        pgettext("scoring", "paper tables"),
        "rules.md#scorings",
    ),
}
"""By the ids that files, options and addresses have."""

_SCORES: dict[str, Term] = {
    "task_accuracy": Term(
        _("Share of the tasks that are right by the scoring that is shown. Nothing is half right."),
        _("task accuracy"),
        "rules.md#the-numbers",
    ),
    "session_accuracy": Term(
        _("Share of the sessions in which every task is right."), _("session accuracy"), "rules.md#the-numbers"
    ),
    "accomplish_progress": Term(
        _(
            "How far multi-tool tasks got: the share of the annotated calls, questions and closing replies that were "
            "done rightly before the first error. Of sequential and mixed tasks."
        ),
        _("accomplish progress (AP)"),
        "rules.md#optimal-paths-and-progress",
    ),
    "optimal_path": Term(
        _(
            "Share of the multi-tool tasks that are right and took the fewest possible steps. Of parallel and mixed "
            "tasks."
        ),
        _("optimal path (OP)"),
        "rules.md#optimal-paths-and-progress",
    ),
    "calls_alone": Term(
        _("Accuracy when only the names and the order of the calls count, not their arguments."),
        _("tools and order alone"),
        "rules.md#mmtbs-analyses",
    ),
    "facts_mentioned": Term(
        _("Share of the facts that a closing reply has to mention, and does. No part of accuracy."),
        _("facts mentioned"),
        "rules.md#facts-in-replies",
    ),
    "process_accuracy": Term(
        _("Of an agent's conversation: the share of the expected calls (milestones) that were made, in their order."),
        _("process accuracy"),
        "acebench.md#tables",
    ),
    "pass_at_k": Term(
        _("Chance that at least one of k passes over a task is right."), _("pass@k"), "files.md#metricsjson"
    ),
    "pass_hat_k": Term(
        _("Chance that all of k passes over a task are right: how far one can rely on it."),
        _("pass^k"),
        "files.md#metricsjson",
    ),
    "scoring": Term(
        _("A set of rules for deciding whether a task is right. One table never mixes scorings."),
        _("scoring"),
        "rules.md#scorings",
    ),
    "headline": Term(
        _("The scoring that a benchmark's published numbers were made with; the one to compare with them."),
        _("headline scoring"),
        "rules.md#scorings",
    ),
}

_CERTAINTY: dict[str, Term] = {
    "interval": Term(
        _(
            "The range in which the true rate lies in {level} of such measurements. The tasks of a session depend on "
            "one another, so intervals count sessions.",
            level="95%",
        ),
        _("{level} interval", level="95%"),
        "rules.md#intervals",
    ),
    "rank_range": Term(
        _(
            "The places that a model may have, given the intervals: at best one behind those that are clearly better, "
            "at worst one before those that are clearly worse."
        ),
        _("rank range"),
        "results.md#the-web-site",
    ),
    "cannot_be_told_apart": Term(
        _("The difference may be chance: its interval holds zero, or the two intervals overlap."),
        _("cannot be told apart"),
        "results.md#which-one-is-better",
    ),
    "n": Term(_("What a rate is a share of: the number of tasks, sessions or calls."), _("n"), "rules.md#the-numbers"),
    "few": Term(
        _("Fewer than 10 tasks, or tasks of fewer than 10 sessions: too few to rely on the number."),
        _("few tasks"),
        "results.md#which-one-is-better",
    ),
    "missing": Term(
        _("Tasks without a score. They are left out of every rate, never counted as wrong."),
        _("missing"),
        "rules.md#missing-tasks",
    ),
    "saturated": Term(
        _("Everything is right, or might be: the benchmark cannot tell the model from a better one."),
        _("saturated"),
        "rules.md#intervals",
    ),
}

_UNITS: dict[str, Term] = {
    "session": Term(
        _("A whole dialogue between a user and an assistant. In the public sets it has four tasks."), _("session")
    ),
    "task": Term(
        _("What the user wants at one point of a session, until it is done. The unit of scoring."),
        pgettext("term", "task"),
    ),
    "step": Term(_("One reply of the model within a task. It may make several calls."), _("step")),
    "call": Term(_("One use of a tool: its name and its arguments."), _("call")),
    "epoch": Term(_("One pass over all tasks. With several epochs every task is asked several times."), _("epoch")),
    "turn": Term(
        _("Where in its session a task stands: 1 is its first. Later turns have more dialogue before them."), _("turn")
    ),
    "annotation": Term(
        _("The expected answer of a task: its calls with their arguments, and what each of them depends on."),
        _("annotation"),
        "rules.md",
    ),
    "call_graph": Term(
        _("The expected calls, and which of them need the result of which."),
        _("call graph"),
        "rules.md#the-shape-of-a-graph",
    ),
    "earlier_turns": Term(
        _("What was said in the session before the task: as annotated, or as the model itself said it."),
        _("earlier turns"),
        "rules.md#history",
    ),
    "available_tools": Term(_("The tools that the model may call in a task."), _("available tools")),
    "published": Term(
        _("As printed in a paper. Nothing was measured here."), _("published"), "results.md#published-models"
    ),
    "not_comparable": Term(
        _("Asked in another way than the published models, or on other tasks: it has no place among them."),
        _("not comparable"),
        "results.md#published-models",
    ),
    "built_in_model": Term(
        _(
            "A stand-in that comes with toolgauge, to try things out without a model. Its score says nothing about "
            "any model."
        ),
        _("built-in model"),
        "models.md#built-in-models",
    ),
}

_TASK_TYPES: dict[str, Term] = {
    "single_tool": Term(_("A task that needs one call."), _("single-tool")),
    "multi_tool": Term(
        _("A task that needs several calls: parallel, sequential or mixed ones."),
        _("multi-tool"),
        "rules.md#the-numbers",
    ),
    "parallel_tools": Term(
        _("Multi-tool: no call needs the result of another."), _("parallel"), "rules.md#the-shape-of-a-graph"
    ),
    "sequential_tools": Term(
        _("Multi-tool: every call needs the result of the one before."),
        _("sequential"),
        "rules.md#the-shape-of-a-graph",
    ),
    "mixed_tools": Term(
        _("Multi-tool: some calls need results of others, some can be made together."),
        pgettext("calls", "mixed"),
        "rules.md#the-shape-of-a-graph",
    ),
    "clarify": Term(_("A task in which something is missing, and the model has to ask for it."), _("clarify")),
    "chat": Term(_("A task that needs no tool at all."), _("chat")),
    "hidden_information": Term(
        _("What a task does not say itself, and the earlier turns do."), _("hidden information"), "rules.md#the-numbers"
    ),
    "first_turn": Term(_("The first task of a session: nothing was said before it."), _("first turn")),
    "coreference": Term(
        _("The task points back to something that was said before, as in “book it”."), _("coreference")
    ),
    "partial_information": Term(
        _("The task leaves out what was said just before, as in “and in Rome?”."), _("partial information")
    ),
    "long_range": Term(_("The task needs something from further back than the task before it."), _("long range")),
}

_FAILURES: dict[str, Term] = {
    "mistake": Term(
        _("Why a task failed, told by the exact scoring where there is one: one class for every failed task."),
        pgettext("term", "mistake"),
        "rules.md#mistakes",
    ),
    "main_failure_causes": Term(
        _(
            "The mistakes that cost most, in points of task accuracy. All mistakes together make up what is missing to "
            "100."
        ),
        _("main failure causes"),
        "results.md#why-it-fails",
    ),
    "points": Term(
        _("Percentage points: from {before} to {after} is 5 points.", before="60%", after="65%"), _("points")
    ),
    "near_misses": Term(
        _("Sessions with one wrong task, all others right."),
        _("near misses"),
        "results.md#why-it-fails",
    ),
    "as_the_paper_counts": Term(
        _("The paper's own classes of mistakes, made by its own procedure, to be compared with its numbers."),
        _("as the paper counts them"),
        "rules.md#mmtbs-procedure",
    ),
    "truncation": Term(
        _("Share of the replies that the token limit cut off. From 1 in 100 on, a score says less about the model."),
        _("truncation"),
        "rules.md#unfinished-replies",
    ),
    "expected_and_actual": Term(
        _("What the annotation expects beside what the model did: calls argument by argument, worlds value by value."),
        _("expected and actual"),
    ),
}

MISTAKES: dict[str, Text] = {
    "counted_wrong": _("the task is right by the exact scoring; only the published evaluator counts it as wrong."),
    "not_judgeable": _("the exact scoring cannot tell: the recording ends before the task is done."),
    "unclassified": _("nothing says what went wrong."),
    "agent_error": _("the agent under test raised an error, did nothing in time, or ended its turn with nothing."),
    "agent_without_tools": _("the agent under test neither listed nor called the tools that it was offered."),
    "truncated": _("the token limit cut the reply off; what the model would have said nobody knows."),
    "filtered": _("a content filter took the reply away, or the API refused it."),
    "only_reasoning": _("the model reasoned, and neither said nor called anything."),
    "empty_output": _("the model said nothing at all where a call or an answer was due."),
    "malformed_call": _("a call cannot be read: it lacks an id, a name or arguments, or its text is broken."),
    "unknown_tool": _("a tool was called that is not available."),
    "refusal": _("the model wrote text where it should have called a tool; the paper calls all of it refusal."),
    "needless_tool": _("a tool was called where none was needed."),
    "missed_clarification": _("the model went on without asking for what was missing."),
    "early_termination": _("the model ended before everything was done."),
    "order_violation": _("a call was made before the calls that it depends on."),
    "wrong_tool": _("another tool was called than the task asks for."),
    "redundant_call": _("something was called again, or more often than needed."),
    "bad_json": _("the arguments of a call are not valid JSON."),
    "missing_required": _("a required argument is missing."),
    "undefined_param": _("an argument was given that the tool does not define."),
    "wrong_type": _("an argument is of another type than it has to be."),
    "extra_value": _("an argument was given that the annotation does not have."),
    "missing_value": _("an argument of the annotation was left out."),
    "wrong_value": _("an argument has another value than the annotation."),
}
"""What the mistakes that all benchmarks share (`Mistake`) mean, behind their names and a colon, and what takes their
place; the names are titles."""

_COSTS: dict[str, Term] = {
    "cost": Term(
        _("US dollars for the tokens of a run, at the list prices of the provider."), _("cost"), "files.md#effort"
    ),
    "latency": Term(
        _("Seconds from a request to the end of its reply; of a task, its replies one after the other."),
        _("latency"),
        "files.md#effort",
    ),
    "p50": Term(_("Half of the values are below it (the median)."), _("p50"), "files.md#effort"),
    "p95": Term(_("95 of 100 values are below it: the slow ones begin here."), _("p95"), "files.md#effort"),
    "input_tokens": Term(
        _("Tokens that the model read, as the provider counts them."), _("input tokens"), "files.md#effort"
    ),
    "output_tokens": Term(
        _("Tokens that the model wrote, its reasoning included."), _("output tokens"), "files.md#effort"
    ),
    "reasoning_tokens": Term(_("Output tokens that went into reasoning."), _("reasoning tokens"), "files.md#effort"),
    "cached_tokens": Term(
        _("Input tokens that the provider had kept from earlier requests, mostly at a lower price."),
        _("cached tokens"),
        "files.md#effort",
    ),
    "requests": Term(_("Requests that were sent, repeated ones included."), _("requests"), "files.md#effort"),
    "per_right_task": Term(
        _("The total over the number of right tasks: what a right answer costs."),
        _("per right task"),
        "files.md#effort",
    ),
}

_COMPARISONS: dict[str, Term] = {
    "difference": Term(
        _("The rate of run B minus that of run A, in points, over the tasks that both have."),
        _("B − A"),
        "results.md#which-one-is-better",
    ),
    "fixed": Term(_("Wrong in A, right in B; of one model before and after a change."), _("fixed")),
    "broken": Term(_("Right in A, wrong in B; of one model before and after a change."), _("broken")),
    "p_value": Term(
        _(
            "How often chance alone makes a difference at least as large: a paired t test over sessions. Below 0.05 "
            "just where zero is outside the interval."
        ),
        _("p"),
        "results.md#which-one-is-better",
    ),
    "p_holm": Term(
        _("p, corrected for the number of rows of its table (Holm). Significant below 0.05."),
        _("p (Holm)"),
        "results.md#which-one-is-better",
    ),
    "cohens_h": Term(
        _("Size of a difference of two rates (Cohen's h): 0.2 is called small, 0.5 medium, 0.8 large."),
        _("effect size h"),
        "results.md#which-one-is-better",
    ),
}

HEADING = _("Glossary")
OPENING = _("The words that tables, pages and documents use.")
GROUPS: tuple[tuple[Text, Mapping[str, Term]], ...] = (
    (_("Scores"), _SCORES),
    (_("Scorings"), SCORINGS),
    (_("How sure"), _CERTAINTY),
    (_("What is counted"), _UNITS),
    (_("Types of tasks"), _TASK_TYPES),
    (_("Failures"), _FAILURES),
    (_("Mistakes"), {name: Term(meaning, None, "rules.md#mistakes") for name, meaning in MISTAKES.items()}),
    (_("Cost and latency"), _COSTS),
    (_("Comparing two runs"), _COMPARISONS),
)
"""All terms, under headings, in the order of the glossary."""
TERMS: Mapping[str, Term] = {name: term for _heading, terms in GROUPS for name, term in terms.items()}


def term_name(name: str, language: str = "en") -> str:
    """What a term is called in a language. Raises KeyError for one that the catalogue does not have."""
    term = TERMS[name]
    return title(name, language) if term.name is None else translated(term.name, language)


def term_meaning(name: str, language: str = "en") -> str:
    """What a term means, as sentences of their own. Raises KeyError for one that the catalogue does not have."""
    meaning = translated(TERMS[name].meaning, language)
    return meaning[:1].upper() + meaning[1:]


def scoring_text(scoring: str) -> Text:
    """What a scoring is called where people read; one of another package's benchmark is called by its id."""
    return term.name if (term := SCORINGS.get(scoring)) and term.name else plain(scoring)


def scoring_name(scoring: str, language: str = "en") -> str:
    """`scoring_text` in a language."""
    return translated(scoring_text(scoring), language)
