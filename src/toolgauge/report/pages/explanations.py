"""What mistakes mean, by their names: those of `Mistake` and of ACEBench's scorer."""

from __future__ import annotations

from toolgauge.locale import _

EXPLANATIONS = {
    "empty_output": _("the model said nothing at all where a call or an answer was due."),
    "malformed_call": _("a call cannot be read: it lacks an id, a name or arguments."),
    "unknown_tool": _("a tool was called that is not on offer."),
    "refusal": _("the model answered in words where it should have called a tool."),
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
    "wrong_output_format": _("no calls can be read from the reply."),
    "wrong functions number": _("more or fewer calls were made than expected."),
    "function_mismatch": _("other functions were called than expected."),
    "simple_function_checker:unclear": _("the public scorer gives no clear reason here."),
    "wrong_param": _("arguments are empty where some are due, or there where none are."),
    "wrong_function_name": _("the function has another name than expected."),
    "lack_args": _("an expected argument is missing."),
    "addition_args": _("an argument was given that is not expected."),
    "type_error": _("an argument is of another type than it has to be."),
    "value_error:string": _("a text differs from the expected one."),
    "value_error:list/tuple": _("a list differs from the expected one."),
    "value_error": _("a value differs from the expected one."),
    "value_error:list_dict_count": _("a list of objects has another length than expected."),
    "value_error:dict_items": _("an object in a list differs from the expected one."),
    "error_detection": _("the model did not notice that the request cannot be carried out as it is."),
    "error_correction": _("the model noticed the problem, but did not name what it lies in."),
    "wrong number of class": _("the end state has more or fewer parts than expected."),
    "class attributes wrong": _("the state of the world at the end is not the expected one."),
}
