"""Chat templates: whether one shows the tools, and the marks that they write around turns, in what a model wrote."""

from __future__ import annotations

import re

from toolgauge.chat import Reply

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
