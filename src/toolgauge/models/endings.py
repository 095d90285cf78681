"""How a reply ended: by its finish reason in any provider's word, by the marks of a chat template that it wrote, and by
what it holds."""

from __future__ import annotations

import re
from enum import Enum, StrEnum
from functools import lru_cache

from toolgauge.chat import Reply


class Ending(Enum):
    """Who ended a reply, by its finish reason."""

    MODEL = "model"
    LIMIT = "limit"  # the limit of tokens, its own or that of the context
    FILTER = "filter"  # a content filter, or the API's refusal
    MISTAKE = "mistake"  # the model: it wrote a call that its provider cannot read
    FAILURE = "failure"  # the provider
    UNSAID = "unsaid"  # there is none, or one that we do not know


REPEATS = "repeats_itself"
"""The finish reason of a reply that was stopped here because it repeats itself (streams.py)."""
_CALLS = "tool_calls tool_call tool_use function_call toolcalls"
WORDS: dict[Ending, str] = {
    Ending.MODEL: "stop end_turn stop_sequence eos eos_token complete completed normal word eosfound stopstringfound "
    f"{_CALLS}",
    Ending.LIMIT: "length max_tokens max_output_tokens max_length model_length model_context_window_exceeded limit "
    f"token_limit error_limit maxpredictedtokensreached contextlengthreached {REPEATS}",
    Ending.FILTER: "content_filter content_filtered sensitive refusal guardrail_intervened error_toxic safety "
    "recitation language blocklist prohibited_content spii jailbreak model_armor image_safety image_prohibited_content "
    "image_recitation",
    Ending.MISTAKE: "malformed_function_call malformed_tool_call malformed_tool_use malformed_model_output "
    "malformed_response unexpected_tool_call too_many_tool_calls tool_use_failed",
    Ending.FAILURE: "error failed failure insufficient_system_resource network_error abort aborted cancelled canceled "
    "timeout time_limit server_error overloaded engine_overloaded load unload modelunloaded userstopped pause_turn",
}
"""Every provider's words, small; docs/models.md#how-a-reply-ended says whose they are."""

_BY_REASON = {reason: ending for ending, reasons in WORDS.items() for reason in reasons.split()}
_PARTS = re.compile("[:.]")
"""Google's endpoints: "function_call_filter: MALFORMED_FUNCTION_CALL", "FinishReason.MAX_TOKENS"."""


def ending_of(reason: object) -> Ending:
    """Who ended a reply with this finish reason, in any API's words and case."""
    return _ending_of(reason) if isinstance(reason, str) else Ending.UNSAID


@lru_cache(64)
def _ending_of(reason: str) -> Ending:
    for part in _PARTS.split(reason.lower()):
        if ending := _BY_REASON.get(part.strip()):
            return ending
    return Ending.UNSAID


def announces_calls(reason: object) -> bool:
    """Does a finish reason say that the reply ended with calls?"""
    return isinstance(reason, str) and reason.lower() in _CALLS.split()


_ENDS = (
    r"<\|im_end\|>",  # ChatML: Qwen, Hermes, SmolLM, LFM2, Kimi
    r"<end_of_turn>|<turn\|>",  # Gemma
    r"<\|(?:eot_id|eom_id|eot|eom)\|>",  # Llama 3 and 4
    r"</s>(?=\s*(?:\Z|<|\[INST\]))",  # Llama 2, Mistral, TinyLlama; elsewhere it is HTML
    r"<\|(?:end|call)\|>(?!\s*<\|start\|>assistant)",  # Phi; gpt-oss, one turn of which may hold several messages
    r"<\|return\|>",  # gpt-oss
    r"<\|(?:endoftext|end_of_text)\|>",  # GPT-2's vocabulary, Llama 3, Granite
    r"<[｜|]end[▁_ ]of[▁_ ]sentence[｜|]>",  # DeepSeek
    r"<｜hy_(?:eos|User)(?::[\w-]{1,32})?｜>",  # Hunyuan 3
    r"<\|END_OF_TURN_TOKEN\|>",  # Command
    r"<seed:eos>|\[e~\[",  # Seed-OSS, MiniMax
    r"\[/?INST\]|\[TOOL_RESULTS\]",  # Mistral
    r"<\|(?:user|observation|system)\|>",  # GLM, Phi, Zephyr
    r"<[｜|](?:User|tool[▁_ ]outputs?[▁_ ]begin)[｜|]>",  # DeepSeek
    r"<\|im_start\|>(?!\s*assistant)",
    r"<start_of_turn>(?!\s*model)|<\|turn>(?!\s*model)",
    r"<\|(?:start_header_id|header_start|start_of_role|start)\|>(?!\s*assistant)",
)
"""Behind these nothing is this turn's: its end, or the beginning of somebody else's."""
_BEGINS = r"<\|im_start\|>", r"<start_of_turn>|<\|turn>", r"<\|(?:start_header_id|header_start|start_of_role)\|>"
"""Before the assistant's own turn; they end nothing."""
_RESULTS = (
    r"<tool_responses?(?::[\w-]{1,32})?>|<start_function_response>|<\|tool_response(?:_start)?(?:\|>|>)",
    r"<function_results>|<tool_result>",  # DeepSeek V3.2, V4
    r"```\s?tool_(?:results?|outputs?|responses?)\b",
    r"<<tool>>",
    r"^## Return of functions\.",
)
"""Where a model answers for the tool."""

MARK = re.compile(f"(?P<end>{'|'.join(_ENDS)})|{'|'.join(_RESULTS)}", re.MULTILINE)
_INSIDE = re.compile(f"(?:{'|'.join((*_ENDS, *_BEGINS))})(?=\\s*+\\S)")


def shows_tools(template: str) -> bool:
    """Does the source of a template show the model the tools? A server leaves them out of the prompt otherwise, without
    a word."""
    return "tools" in template


def holds_marks(reply: Reply) -> bool:
    """Whether marks of a chat template stand inside what a model wrote, read by a dialect or not; one at the very end,
    which some servers return, only ends it."""
    return _INSIDE.search(reply.raw or reply.content or "") is not None


def ends_turn(reply: Reply) -> bool:
    """Whether a model ended its turn by a mark that its server did not stop at: what comes behind is nobody's."""
    return any(mark["end"] for mark in MARK.finditer(reply.raw or reply.content or ""))


class Unfinished(StrEnum):
    """How a reply is not what the model had to say; names of counts in metrics.json and of mistakes."""

    TRUNCATED = "truncated"
    FILTERED = "filtered"
    ONLY_REASONING = "only_reasoning"


_MARKS = ("think", "thinking", "reasoning")
"""What reasoning stands between that a server left in the content."""
_UNFINISHED = {Ending.LIMIT: Unfinished.TRUNCATED, Ending.FILTER: Unfinished.FILTERED}


def unfinished(reply: Reply) -> Unfinished | None:
    """How a reply is unfinished; None for one that its model ended, empty ones included."""
    ending = ending_of(reply.finish_reason)
    if ending is Ending.LIMIT and (reply.raw or reply.content):
        ending = Ending.MODEL if ends_turn(reply) else ending  # cut off in what it went on with
    if problem := _UNFINISHED.get(ending):
        return problem
    if reply.tool_calls:
        return None
    content = (reply.content or "").strip()
    thought = bool((reply.reasoning or "").strip()) if not content else _is_reasoning(content)
    return Unfinished.ONLY_REASONING if thought else None


def _is_reasoning(content: str) -> bool:
    """Whether a text is reasoning and nothing else; its opening mark may stand in the prompt, its closing one be
    missing."""
    for mark in _MARKS:
        opening, closing = f"<{mark}>", f"</{mark}>"
        if content.startswith(opening):
            return not content.partition(closing)[2].strip()
        if content.endswith(closing) and opening not in content:
            return True
    return False


LOOP = 400
"""Characters at the end of a text in which something stands at least LAPS times over."""
LAPS = 4
_LONGEST_LOOP = 4_000
_NUMBER = re.compile(r"\d+")


def loops(reply: Reply) -> bool:
    """Does a reply, or its reasoning, end in the same piece over and over?"""
    return any(repeats_itself(text) for text in (reply.raw or reply.content, reply.reasoning) if text)


def repeats_itself(text: str, least: int = LOOP, *, exactly: bool = False) -> bool:
    """Does a text end in the same piece over and over? More tokens only make such a text longer.

    least: characters that the repetition takes up at least; exactly: else numbers may count on.
    """
    tail = text[-2 * _LONGEST_LOOP :]
    tail = (tail if exactly else _NUMBER.sub("0", tail))[-_LONGEST_LOOP:][::-1]
    borders = [0] * len(tail)  # of each beginning, the longest part that begins and ends it (Knuth, Morris, Pratt)
    for place in range(1, len(tail)):
        length = borders[place - 1]
        while length and tail[place] != tail[length]:
            length = borders[length - 1]
        borders[place] = length + (tail[place] == tail[length])
        whole = place + 1
        if whole >= least and (whole - borders[place]) * LAPS <= whole:
            return True
    return False
