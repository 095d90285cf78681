"""What the error types of ACEBench's scorer (`AceError`) mean."""

from __future__ import annotations

from toolgauge.locale import _

EXPLANATIONS = {
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
