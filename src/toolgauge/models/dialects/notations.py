"""What is special in how some families write: functions and patterns that the rows of `table.py` name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from toolgauge.chat import Tool, ToolCall
from toolgauge.models.dialects.calls import Parsed, PlainCall, Result, write_json
from toolgauge.models.dialects.dialect import as_objects, between, tool_lines
from toolgauge.models.dialects.gemma import GemmaNotation
from toolgauge.models.dialects.pythonic import MarkedCalls, parse_lists, render_call, render_python
from toolgauge.models.dialects.reading import JsonCalls, NamedCalls
from toolgauge.models.dialects.tagged import CODER_ENDS, TaggedCalls, argument_texts, typed_value

HERMES = JsonCalls(re.compile(r"(?P<mark><tool_call>)"), re.compile(r"</tool_call>"))
GRANITE4 = JsonCalls(
    re.compile(r'(?P<mark><tool_call>)|\A\s*+(?=\{\s*+"name"\s*+:\s*+"[^"\\]++"\s*+,\s*+"arguments"\s*+:)'),
    re.compile(r"</tool_call>"),
)
"""Its tags are special tokens, which many servers leave out: a call at the beginning is read without."""
GRANITE = JsonCalls(
    re.compile(r'(?P<mark><\|tool_call\|>|<tool_call>|<function_call>)|\A\s*+(?=\[\s*\{\s*")'),
    re.compile(r"</tool_call>|</function_call>"),
)
HUNYUAN = JsonCalls(re.compile(r"(?P<mark><tool_calls>)"), re.compile(r"</tool_calls>"))
PHI4 = JsonCalls(
    re.compile(r'(?P<mark><\|tool_call\|>|functools(?=\[))|\A\s*+(?=\[\s*+\{\s*+")'), re.compile(r"<\|/tool_call\|>")
)
"""The marks of its model card; vLLM's template has it write `functools[...]` instead."""
LLAMA = JsonCalls(re.compile(r'(?P<mark><\|python_tag\|>)|(?=\{\s*+")|(?=\[\s*+\{\s*+")'), re.compile(r"<\|eom_id\|>"))
_FENCE = r"(?:```[\w-]*+\s*+)?"
_FENCED = _FENCE + r'(?=\{\s*+")|' + _FENCE + r'(?=\[\s*+\{\s*+")'
XLAM2 = JsonCalls(
    re.compile(r"(?P<mark><tool_call>|\[TOOL_CALLS\])|" + _FENCE + r'(?=\[\s*+\{\s*+")'), re.compile("```|</tool_call>")
)
HAMMER = JsonCalls(re.compile(_FENCED), re.compile("```"))
GENERIC = JsonCalls(
    re.compile(r"(?P<mark>```tool_calls?\b|<tool_calls?>)|" + _FENCED), re.compile(r"```|</tool_calls?>")
)


def hermes_calls(calls: Sequence[PlainCall]) -> str:
    return "\n".join(f"<tool_call>\n{write_json(call)}\n</tool_call>" for call in as_objects(calls))


hermes_results = between("<tool_response>\n", "\n</tool_response>")


def generic_calls(calls: Sequence[PlainCall]) -> str:
    lines = "\n".join(write_json(call) for call in as_objects(calls))
    return f"```tool_calls\n{lines}\n```"


def generic_results(results: Sequence[Result]) -> str:
    lines = "\n".join(write_json({"name": result.name, "result": result.content}) for result in results)
    return f"```tool_results\n{lines}\n```"


_GRANITE_RESPONSE = re.compile(r"\A\s*<response>|</response>\s*\Z")
_HUNYUAN_ANSWER = re.compile(r"\A\s*(?:<answer>\s*)?(?:助手：)?|(?:(?<!\s)\s*+)?</answer>\s*+\Z")
"""Tags around an answer and the word "assistant:" before it, which its template asks for."""
_PYTHON_MARK = re.compile(r"\A\s*<\|python_(?:tag|start)\|>|<\|(?:python_end|eom_id|eot_id|eot)\|>\s*\Z")
"""What Llama writes around a list."""


def parse_granite(text: str) -> Parsed:
    return GRANITE.parse(_GRANITE_RESPONSE.sub("", text))


def parse_hunyuan(text: str) -> Parsed:
    return HUNYUAN.parse(_HUNYUAN_ANSWER.sub("", text))


def parse_llama_list(text: str) -> Parsed:
    return parse_lists(_PYTHON_MARK.sub("", text))


def parse_toolace(text: str) -> Parsed:
    """ToolACE 2 was trained on Llama 3.1 and falls back into its JSON."""
    return parse_lists(_PYTHON_MARK.sub("", text), LLAMA.parse)


# Mistral: a list of calls behind `[TOOL_CALLS]`; from Small 3.2 on `[TOOL_CALLS]name[ARGS]{...}` for each call.
_MISTRAL_LIST = JsonCalls(
    re.compile(r'(?P<mark>\[TOOL_CALLS\])|\A\s*+(?=\[\s*+\{\s*+")'), re.compile(r"\[/TOOL_CALLS\]")
)
_MISTRAL_NAME = re.compile(r"\s*+(?P<name>[^\s\[\]{},;]++)\s*+(?:\[CALL_ID\]\s*+\w*+\s*+)?(?:\[ARGS\])?\s*+(?=\{)")
_MISTRAL_NAMED = NamedCalls(re.compile(r"\[TOOL_CALLS\]"), _MISTRAL_NAME, re.compile(""))


def parse_mistral(text: str) -> Parsed:
    """The first mark decides: later ones may belong to an argument."""
    opener = _MISTRAL_LIST.opener.search(text)
    is_named = opener is not None and _MISTRAL_NAME.match(text, opener.end())
    return _MISTRAL_NAMED.parse(text) if is_named else _MISTRAL_LIST.parse(text)


def mistral_id(call_id: str) -> str:
    """The last nine letters and digits of an id, filled up with zeros: Mistral's templates want so many."""
    return "".join(char for char in call_id if char.isascii() and char.isalnum())[-9:].zfill(9)


def mistral_calls(calls: Sequence[PlainCall]) -> str:
    listed = [{"name": call.name, "arguments": call.arguments, "id": mistral_id(call.id)} for call in calls]
    return f"[TOOL_CALLS] {write_json(listed)}"


def mistral_results(results: Sequence[Result]) -> str:
    return "\n".join(
        f"[TOOL_RESULTS] {write_json({'content': result.content, 'call_id': mistral_id(result.id)})}[/TOOL_RESULTS]"
        for result in results
    )


# DeepSeek V3 and V3.1: marks of wide bars, which tokenisers of derived models spell with bars of ASCII, with blanks or
# underlines; V3 puts the arguments into a code block.
def _deepseek_mark(name: str) -> str:
    """The pattern of a mark, "tool calls begin"."""
    return r"<[｜|]" + name.replace(" ", r"[▁_ ]") + r"[｜|]>"


DEEPSEEK = NamedCalls(
    re.compile(rf"(?:{_deepseek_mark('tool calls begin')}\s*+)?{_deepseek_mark('tool call begin')}"),
    re.compile(
        rf"\s*+(?:function\s*+{_deepseek_mark('tool sep')})?\s*+(?P<name>[^\s{{}}<`｜]++)\s*+"
        rf"(?:{_deepseek_mark('tool sep')})?\s*+(?:```(?:json)?\s*+)?(?=[{{\"])"
    ),
    re.compile(
        rf"\s*+(?:```)?\s*+(?:{_deepseek_mark('tool call end')})?\s*+(?:{_deepseek_mark('tool calls end')})?\s*+"
        rf"(?:{_deepseek_mark('end of sentence')})?"
    ),
)


def _deepseek_section(calls: Sequence[str], gap: str) -> str:
    written = gap.join(f"<｜tool▁call▁begin｜>{call}<｜tool▁call▁end｜>" for call in calls)
    return f"<｜tool▁calls▁begin｜>{written}<｜tool▁calls▁end｜>"


def deepseek_v3_calls(calls: Sequence[PlainCall]) -> str:
    blocks = [f"function<｜tool▁sep｜>{call.name}\n```json\n{write_json(call.arguments)}\n```" for call in calls]
    return _deepseek_section(blocks, "\n")


def deepseek_v31_calls(calls: Sequence[PlainCall]) -> str:
    return _deepseek_section([f"{call.name}<｜tool▁sep｜>{write_json(call.arguments)}" for call in calls], "")


def deepseek_v31_tools(tools: Sequence[Tool]) -> str:
    return "\n\n".join(
        f"### {tool.name}\nDescription: {tool.description}\n\nParameters: {write_json(tool.parameters)}"
        for tool in tools
    )


# DeepSeek V3.2 and V4, MiniMax M2: tags around a section of calls, each call and each argument. DeepSeek's have a mark
# of their own, `｜DSML｜`, and say whether a value is a string. All that the models were seen to write instead is read:
# other names of the section, two bars or other ones, and within a section tags without the mark, which is one token and
# may be left out by a server.
_DSML = r"(?:[｜|]{1,2}|‖)DSML(?:[｜|]{1,2}|‖)\s?"
_SECTION = r"(?:function_calls|tool_?calls|tool|calls)"


def _invoked(mark: str, section: str, opener: str) -> TaggedCalls:
    """mark, section: patterns of what may stand in each tag, and of the section's name; opener: of what announces."""
    return TaggedCalls(
        opener=re.compile(opener),
        name=re.compile(r"\s++name=\"(?P<name>[^\"<>]++)\"\s*+(?:/>|>\s*+)"),
        key=re.compile(rf"<{mark}parameter\s++name=\"(?P<key>[^\"]*+)\"(?:\s++string=\"(?P<string>[^\"]*+)\")?\s*+>"),
        value_end=re.compile(rf"</{mark}parameter>"),
        closer=re.compile(rf"(?:(?<=/>)|</{mark}invoke>)\s*+(?:</{section}>)?"),
    )


def _dsml_value(key: re.Match[str], text: str) -> object:
    return text if key["string"] == "true" else typed_value(text, None, quoted=True)


_INVOKE = rf"<(?:{_DSML})?invoke\b"
DSML = replace(
    _invoked(
        rf"(?:{_DSML})?",
        rf"(?:{_DSML})?{_SECTION}",
        rf"<{_DSML}{_SECTION}>\s*+(?:{_INVOKE})?|<{_SECTION}>\s*+{_INVOKE}|<{_DSML}invoke\b"
        rf"|(?<=</invoke>)\s*+{_INVOKE}",
    ),
    value=_dsml_value,
)
_DSML_ENDS = re.compile(rf"</?(?:{_DSML})?(?:{_SECTION}>|invoke\b|parameter\b|think>)")
"""What a value cannot hold as it is."""


def dsml_calls(calls: Sequence[PlainCall], section: str) -> str:
    written = "\n".join(
        f'<｜DSML｜invoke name="{call.name}">\n'
        + "\n".join(_dsml_parameter(key, value) for key, value in call.arguments.items())
        + "\n</｜DSML｜invoke>"
        for call in calls
    )
    return f"<｜DSML｜{section}>\n{written}\n</｜DSML｜{section}>"


def _dsml_parameter(key: str, value: object) -> str:
    is_string = isinstance(value, str) and not _DSML_ENDS.search(value)
    text = str(value) if is_string else write_json(value)
    if _DSML_ENDS.search(text):
        text = text.replace("<", "\\u003c")
    return f'<｜DSML｜parameter name="{key}" string="{write_json(is_string)}">{text}</｜DSML｜parameter>'


def function_results(results: Sequence[Result]) -> str:
    return f"<function_results>\n{between('<result>', '</result>')(results)}\n</function_results>"


MINIMAX = _invoked("", "minimax:tool_call", r"<minimax:tool_call>\s*+(?:<invoke\b)?|(?<=</invoke>)\s*+<invoke\b")
_MINIMAX_ENDS = re.compile(r"</?(?:minimax:|invoke\b|parameter\b|think>)")


def minimax_calls(calls: Sequence[PlainCall]) -> str:
    written = []
    for call in calls:
        pairs = argument_texts(call, _MINIMAX_ENDS, quoted=False)
        tags = "".join(f'<parameter name="{key}">{text}</parameter>\n' for key, text in pairs)
        written.append(f'<invoke name="{call.name}">\n{tags}</invoke>')
    return "<minimax:tool_call>\n" + "\n".join(written) + "\n</minimax:tool_call>"


def minimax_tools(tools: Sequence[Tool]) -> str:
    return "\n".join(f"<tool>{write_json(tool.wire()['function'])}</tool>" for tool in tools)


# GLM 4.5 on: tags around every name and value. Hunyuan 3 has the same within a section, with a word of its own in every
# tag (`<tool_call:opensource>`), its preview without, Hunyuan 4 with another one and no mark behind the name.
GLM = TaggedCalls(
    opener=re.compile("<tool_call>"),
    # without arguments it follows at once: "no <tool_call> and </tool_call> tags" is no call of `and`
    name=re.compile(
        r"(?:\n*+|\s*+(?=[^\s<>{}\"\\]++\s*+(?:\\n\s*+)*<arg_key>))(?P<name>[^\s<>{}\"\\]++)\s*+(?:\\n\s*+)*"
        r"(?=<arg_key>|</tool_call>)"
    ),
    key=re.compile(r"<arg_key>(?P<key>[^<]*+)</arg_key>\s*+(?:\\n\s*+)*<arg_value>"),
    value_end=re.compile("</arg_value>"),
    closer=re.compile("</tool_call>"),
)
_GLM_ENDS = re.compile("<")


def glm_calls(calls: Sequence[PlainCall]) -> str:
    written = []
    for call in calls:
        pairs = argument_texts(call, _GLM_ENDS, quoted=True)
        tags = (f"<arg_key>{key}</arg_key>\n<arg_value>{text}</arg_value>\n" for key, text in pairs)
        written.append(f"<tool_call>{call.name}\n{''.join(tags)}</tool_call>")
    return "\n".join(written)


_WORD = r"(?::[\w-]{1,32})?"
HUNYUAN3 = TaggedCalls(
    opener=re.compile(rf"<tool_calls{_WORD}>\s*+(?:<tool_call{_WORD}>)?|<tool_call{_WORD}>"),
    name=re.compile(rf"\s*+(?P<name>[^\s<>]++)\s*+(?:<tool_sep{_WORD}>\s*+)?(?=<arg_key{_WORD}>|</tool_call{_WORD}>)"),
    key=re.compile(rf"<arg_key{_WORD}>(?P<key>[^<]*+)</arg_key{_WORD}>\s*+<arg_value{_WORD}>"),
    value_end=re.compile(f"</arg_value{_WORD}>"),
    closer=re.compile(rf"</tool_call{_WORD}>\s*+(?:</tool_calls{_WORD}>)?"),
)
_HUNYUAN3_ENDS = re.compile(r"</?(?:think|tool_|arg_)")
_HY = ":opensource"


def hunyuan3_calls(calls: Sequence[PlainCall]) -> str:
    return _hunyuan3_section((call.name, argument_texts(call, _HUNYUAN3_ENDS, quoted=False)) for call in calls)


def _hunyuan3_section(calls: Iterable[tuple[str, Sequence[tuple[str, str]]]]) -> str:
    written = []
    for name, pairs in calls:
        tags = (f"<arg_key{_HY}>{key}</arg_key{_HY}>\n<arg_value{_HY}>{text}</arg_value{_HY}>\n" for key, text in pairs)
        written.append(f"<tool_call{_HY}>{name}<tool_sep{_HY}>\n{''.join(tags)}</tool_call{_HY}>\n")
    return f"<tool_calls{_HY}>\n{''.join(written)}</tool_calls{_HY}>"


_HUNYUAN3_PATTERN = (("{arg-key-1}", "{arg-value-1}"), ("{arg-key-2}", "{arg-value-2}"))


def hunyuan3_tools(tools: Sequence[Tool]) -> str:
    """The tools, and how a section of calls looks."""
    return f"<tools>\n{tool_lines(tools)}\n</tools>\n\n{_hunyuan3_section([('{function-name}', _HUNYUAN3_PATTERN)])}"


def hunyuan3_results(results: Sequence[Result]) -> str:
    each = between(f"<tool_response{_HY}>\n", f"\n</tool_response{_HY}>")
    return f"<tool_responses{_HY}>\n{each(results)}\n</tool_responses{_HY}>"


def coder_calls(calls: Sequence[PlainCall], tag: str = "tool_call", line: str = "\n") -> str:
    """Qwen3-Coder's and Seed-OSS's tags. line: what stands around a value that would be read back without."""
    written = []
    for call in calls:
        tags = []
        for key, text in argument_texts(call, CODER_ENDS, quoted=False):
            around = line or ("\n" if text.strip("\n") != text else "")
            tags.append(f"<parameter={key}>{around}{text}{around}</parameter>\n")
        written.append(f"<{tag}>\n<function={call.name}>\n{''.join(tags)}</function>\n</{tag}>")
    return "\n".join(written)


# Kimi K2: calls in a section, each with an id that holds its name, `functions.NAME:NUMBER`.
_KIMI_NATIVE = re.compile(r"functions\.\S+:\d+")
_NUMBER = re.compile(r"\d{1,9}\Z")
KIMI = NamedCalls(
    re.compile(r"(?:<\|tool_calls?_section_begin\|>\s*+)?<\|tool_call_begin\|>"),
    re.compile(
        r"\s*+(?:functions\.)?(?P<name>[^\s{}<|]{1,256}?)(?::\d{1,9})?\s*+<\|tool_call_argument_begin\|>\s*+(?=[{\"])"
    ),
    re.compile(r"\s*+(?:<\|tool_call_end\|>)?\s*+(?:<\|tool_calls?_section_end\|>)?\s*+(?:<\|im_end\|>)?"),
)


def kimi_id(call_id: str, name: str, place: int) -> str:
    """An id as the family writes it; it counts calls through a conversation. place: of the call in its step, for ids
    that end in no number."""
    if _KIMI_NATIVE.fullmatch(call_id):
        return call_id
    number = _NUMBER.search(call_id)
    return f"functions.{name}:{number[0] if number else place}"


def kimi_calls(calls: Sequence[PlainCall]) -> str:
    written = "".join(
        f"<|tool_call_begin|>{kimi_id(call.id, call.name, place)}<|tool_call_argument_begin|>"
        f"{write_json(call.arguments)}<|tool_call_end|>"
        for place, call in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{written}<|tool_calls_section_end|>"


def kimi_results(results: Sequence[Result]) -> str:
    return "\n\n".join(
        f"## Return of {kimi_id(result.id, result.name, place)}\n{result.content}"
        for place, result in enumerate(results)
    )


_KIMI_ODD = re.compile(r"(?:functions?[._:]?)*+(?P<name>.+?)[.:_-]?\d*")


def resolve_kimi(parsed: Parsed, tools: tuple[Tool, ...]) -> Parsed:
    """Names out of ids that the model wrote after the pattern of a client's: `functions_f_3`, `functionsf3`, `call_ab1`
    (SGLang pull requests 21377, 25362; vLLM's 32146)."""
    offered = {tool.name: tool for tool in tools}
    return replace(parsed, calls=tuple(_kimi_call(call, offered) for call in parsed.calls)) if offered else parsed


def _kimi_call(call: ToolCall, offered: dict[str, Tool]) -> ToolCall:
    name = call.name or ""
    odd = _KIMI_ODD.fullmatch(name)
    if name in offered or not odd:
        return call
    if odd["name"] in offered:
        return replace(call, name=odd["name"])
    arguments = json.loads(call.arguments)
    if arguments.get("name") in offered:
        name = arguments.pop("name")
        return replace(call, name=name, arguments=write_json(arguments.pop("arguments", arguments)))
    if not re.fullmatch(r"(?:call|chatcmpl|tool)?[\w-]*\d[\w-]*", name):
        return call
    takes = [
        tool.name
        for tool in offered.values()
        if arguments.keys() <= tool.properties.keys() and set(tool.required) <= arguments.keys()
    ]
    return replace(call, name=takes[0]) if len(takes) == 1 else call


# LFM2: a Python list of calls between marks, or JSON, as some prompts ask for.
LFM_START, LFM_END = "<|tool_call_start|>", "<|tool_call_end|>"
_LFM_PYTHON = MarkedCalls(
    re.compile(re.escape(LFM_START)), re.compile(rf"\s*+(?:{re.escape(LFM_END)}|\Z)"), re.compile(r"[\s,;]*+")
)
_LFM_JSON = JsonCalls(
    re.compile(rf'(?P<mark>{re.escape(LFM_START)})|\A\s*+(?=\[\s*+\{{\s*+")'), re.compile(re.escape(LFM_END))
)
_LFM_FIRST = re.compile(rf"{re.escape(LFM_START)}\s*+(?P<json>\[?\s*+\{{)?")


def parse_lfm(text: str) -> Parsed:
    """The first mark decides between Python and JSON; without any mark (they are special tokens, which many servers
    leave out), every list of calls counts."""
    first = _LFM_FIRST.search(text)
    if first is None:
        return parse_lists(text, _LFM_JSON.parse)
    return (_LFM_JSON if first["json"] else _LFM_PYTHON).parse(text)


def lfm_calls(calls: Sequence[PlainCall]) -> str:
    written = render_python(calls).replace("<|tool_call", "\\x3c|tool_call")
    return f"{LFM_START}{written}{LFM_END}"


# Gemma 2, 3 and 3n have no marks of their own for tools; their makers' guides ask for calls in a code block.
GEMMA = MarkedCalls(
    re.compile(r"```tool_code\b"), re.compile(r"\s*+(?:```|\Z)"), re.compile(r"[\s,;]*+(?:#[^\n]*+\n[\s,;]*+)*")
)
FUNCTION_GEMMA = GemmaNotation(
    ("<start_function_call>", "<end_function_call>"),
    ("<start_function_declaration>", "<end_function_declaration>"),
    ("<start_function_response>", "<end_function_response>"),
    "<escape>",
)
GEMMA4 = GemmaNotation(
    ("<|tool_call>", "<tool_call|>"), ("<|tool>", "<tool|>"), ("<|tool_response>", "<tool_response|>"), '<|"|>'
)


def gemma_calls(calls: Sequence[PlainCall]) -> str:
    lines = "\n".join(render_call(call).replace("```", "\\x60``") for call in calls)
    return f"```tool_code\n{lines}\n```"
