"""A server that cannot read the call that its model wrote says so in an error: the model's mistake, asked for once."""

from __future__ import annotations

import pytest

from tests.mockserver import Fault, raw, serve
from tests.models.asking import ask, options
from toolgauge.errors import ProviderError
from toolgauge.models.endings import Ending, ending_of
from toolgauge.models.failures import unread_output

LLAMACPP = "The model produced output that does not match the expected peg-native format"
POSITION = "Failed to parse input at pos 12: <tool_call>\nrain(</tool_call>"
OLLAMA = "error parsing tool call: raw='{\"city\": \"Oslo', err=', err=unexpected end of JSON input"
TOLD: list[tuple[object, str | None]] = [
    ({"code": 500, "message": LLAMACPP, "type": "server_error"}, None),
    ({"code": 500, "message": LLAMACPP.replace("peg-native", "peg-gemma4"), "type": "server_error"}, None),
    ({"code": 500, "message": POSITION, "type": "server_error"}, "<tool_call>\nrain(</tool_call>"),
    ({"message": OLLAMA, "type": "api_error", "param": None, "code": None}, '{"city": "Oslo'),
    (OLLAMA, '{"city": "Oslo'),
    (f"litellm.InternalServerError: {LLAMACPP}", None),
]
OTHER: list[tuple[int, object]] = [
    (400, {"message": LLAMACPP}),
    (503, {"message": LLAMACPP}),
    (500, {"message": "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error"}),
    (500, {"message": "Internal Server Error"}),
    (500, None),
    (400, {"message": "Failed to call a function", "code": "tool_use_failed"}),
]


def refused(status: int, error: object) -> Fault:
    return Fault(status, raw({"error": error}).body)


@pytest.mark.parametrize(("error", "written"), TOLD)
def test_it_is_a_reply_and_asked_for_once(error: object, written: str | None) -> None:
    with serve(faults=[refused(500, error)] * 9) as server:
        (reply,) = ask(server, chosen=options(server))
        assert len(server.requests) == 1
    assert (reply.content, reply.tool_calls, reply.attempts) == (written, (), 1)
    assert ending_of(reply.finish_reason) is Ending.MISTAKE


@pytest.mark.parametrize(("status", "error"), OTHER)
def test_other_errors_are_failures(status: int, error: object) -> None:
    assert unread_output(status, error) is None
    with serve(faults=[refused(status, error)] * 9) as server, pytest.raises(ProviderError):
        ask(server, chosen=options(server, max_attempts=2))
