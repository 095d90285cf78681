"""What the mistakes that all benchmarks share (`Mistake`) mean, by their names, and what takes their place."""

from __future__ import annotations

from toolgauge.locale import _

EXPLANATIONS = {
    "counted_wrong": _("the task is right by “exact”; only the published evaluator counts it as wrong."),
    "not_judgeable": _("“exact” cannot tell: the recording ends before the task is done."),
    "unclassified": _("nothing says what went wrong."),
    "truncated": _("the token limit cut the reply off; what the model would have said nobody knows."),
    "filtered": _("a content filter took the reply away, or the API refused it."),
    "only_reasoning": _("the model reasoned, and neither said nor called anything."),
    "empty_output": _("the model said nothing at all where a call or an answer was due."),
    "malformed_call": _("a call cannot be read: it lacks an id, a name or arguments, or its text is broken."),
    "unknown_tool": _("a tool was called that is not on offer."),
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
