"""Operations as tools with what a document says besides: what they return, what their methods mean.

Sources: OpenAPI 3.1.1, "Responses Object", "Security Scheme Object"; RFC 9110, section 9.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from toolgauge.chat import Json, Tool, ToolFacts, ToolHints
from toolgauge.errors import DataError
from toolgauge.limits import IMPORT_SECONDS
from toolgauge.tools.budget import Budget, OverBudget
from toolgauge.tools.inlining import RESULT, Inliner
from toolgauge.tools.operations import Operation, is_json, media_of, tool_of
from toolgauge.tools.references import SourceDocument
from toolgauge.tools.transport import is_transport

MAX_RESULTS = 16 << 20
"""Bytes of the descriptions of results, of all operations together."""
_SAFE, _IDEMPOTENT = ("get", "head", "options", "trace", "query"), ("put", "delete")
"""Methods that change nothing, and that change the same however often they are sent."""
_SUCCESS = re.compile("2([0-9]{2}|XX)", re.IGNORECASE)


class Converter:
    """Makes tools of a document's operations. left_out: headers of the transport and credentials that are no
    parameters, in the order of their first appearance. Of results as many are described as their own bounds allow."""

    def __init__(self, source: SourceDocument, budget: Budget) -> None:
        self.inliner = Inliner(source, budget)
        self.left_out: dict[str, None] = {}
        self._results = Inliner(source, Budget(IMPORT_SECONDS / 2), RESULT)
        self._left = MAX_RESULTS
        self._credentials = frozenset(_credentials(source))

    def tool(self, operation: Operation, name: str) -> Tool:
        """The operation as a tool called `name`. Raises DataError where its parameters cannot be understood."""
        tool = tool_of(operation, name, self.inliner, self._is_parameter)
        return tool.noting(ToolFacts(self._result(operation), _hints(operation), operation.deprecated))

    def _is_parameter(self, where: str, name: str) -> bool:
        if (where == "header" and is_transport(name)) or (where, name.lower()) in self._credentials:
            self.left_out[name] = None
            return False
        return True

    def _result(self, operation: Operation) -> Json | None:
        """The schema of a result, if it is JSON; what is wrong in responses does not concern the parameters."""
        response, place = _success(operation), f"{operation.place}.responses"
        if response is None or self._left <= 0:
            return None
        try:
            kind, media = media_of(self._results.source.resolved(response, place).get("content"))
            schema = self._results.inline(media.get("schema"), place) if is_json(kind) else {}
        except DataError:
            return None
        except OverBudget:
            self._left = 0
            return None
        self._left -= len(msgspec.json.encode(schema))
        return schema or None


def _credentials(source: SourceDocument) -> Iterator[tuple[str, str]]:
    """Where the document's security schemes want keys."""
    components = source.value.get("components")
    schemes = components.get("securitySchemes") if type(components) is dict else None
    for one in schemes.values() if type(schemes) is dict else ():
        if type(one) is dict and one.get("type") == "apiKey" and type(one.get("name")) is str:
            yield str(one.get("in")), one["name"].lower()


def _hints(operation: Operation) -> ToolHints | None:
    """What the method says about the operation."""
    hints = ToolHints(
        read_only_hint=operation.method in _SAFE or None,
        destructive_hint=operation.method == "delete" or None,
        idempotent_hint=operation.method in _IDEMPOTENT or None,
    )
    return hints if hints != ToolHints() else None


def _success(operation: Operation) -> object:
    """The first response that says that all went well."""
    responses = operation.definition.get("responses")
    listed = responses.items() if type(responses) is dict else ()
    return next((one for status, one in listed if _SUCCESS.fullmatch(str(status))), None)
