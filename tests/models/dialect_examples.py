"""Worked examples of every dialect, written by hand after the families' published formats.

A family's table gives the texts in which the same calls are made; what they mean is written once (dialect_texts.py).
"""

from __future__ import annotations

from tests.models import small_model_examples as small_models
from tests.models.dialect_texts import (
    BOOK_JSON,
    BOTH,
    BROKEN_JSON,
    DOTTED_JSON,
    NOW_JSON,
    RAIN,
    RAIN_JSON,
    UNICODE_JSON,
    Calls,
    Texts,
)
from toolgauge.call_problems import CallProblem

_TAGGED = Texts(
    one=f"<tool_call>\n{RAIN_JSON}\n</tool_call>",
    both=f"<tool_call>\n{RAIN_JSON}\n</tool_call>\n<tool_call>\n{NOW_JSON}\n</tool_call>",
    line=f"<tool_call>{RAIN_JSON}</tool_call><tool_call>{NOW_JSON}</tool_call>",
    nested=f"<tool_call>\n{BOOK_JSON}\n</tool_call>",
    unicode=f"<tool_call>\n{UNICODE_JSON}\n</tool_call>",
    dotted=f"<tool_call>\n{DOTTED_JSON}\n</tool_call>",
    cut='<tool_call>\n{"name": "rain", "arguments": {"city": "Os',
    broken=f"<tool_call>\n{BROKEN_JSON}\n</tool_call>",
)
_LISTED = Texts(
    one=f"[{RAIN_JSON}]",
    both=f"[{RAIN_JSON},\n {NOW_JSON}]",
    line=f"[{RAIN_JSON}, {NOW_JSON}]",
    nested=f"[{BOOK_JSON}]",
    unicode=f"[{UNICODE_JSON}]",
    dotted=f"[{DOTTED_JSON}]",
    cut='[{"name": "rain", "arguments": {"city": "Oslo"}',
    broken=f"[{BROKEN_JSON}]",
)


def _around(texts: Texts, before: str, after: str = "") -> Texts:
    """The same between marks."""
    names = ("one", "both", "line", "nested", "unicode", "dotted")
    wrapped = {name: f"{before}{getattr(texts, name)}{after}" for name in names}
    return texts._replace(cut=before + texts.cut, broken=before + texts.broken + after, **wrapped)  # type: ignore[arg-type]


EXAMPLES: dict[str, Texts] = {
    "hermes": _TAGGED,
    "llama3-json": Texts(
        one='{"name": "rain", "parameters": {"city": "Oslo"}}',
        both='<|python_tag|>{"name": "rain", "parameters": {"city": "Oslo"}};\n{"name": "now", "parameters": {}}',
        line='{"name": "rain", "parameters": {"city": "Oslo"}}; {"name": "now", "parameters": {}}',
        nested=BOOK_JSON.replace("arguments", "parameters"),
        unicode=UNICODE_JSON.replace("arguments", "parameters"),
        dotted='{"type": "function", "name": "geo.v2.find", "parameters": {"q": "a.b"}}',
        cut='{"name": "rain", "parameters": {"city": "Oslo"',
        broken=BROKEN_JSON.replace("arguments", "parameters"),
    ),
    "mistral": _around(_LISTED, "[TOOL_CALLS] "),
    "granite": _around(_LISTED, "<|tool_call|>"),
    "hunyuan": _around(_LISTED, "<tool_calls>", "</tool_calls>"),
    "xlam2": _LISTED,
    "hammer": _around(_LISTED, "```\n", "\n```"),
    "llama-pythonic": Texts(
        one="[rain(city='Oslo')]",
        both="[rain(city='Oslo'),\n now()]",
        line="[rain(city='Oslo')] [now()]",
        nested="[book(who={'name': 'Ana', 'age': 7}, days=[[1, 2], []], sure=True, note=None)]",
        unicode="[查天气(城市='北京「东城」', e='é \"q\" \\\\ \\n')]",
        dotted="[geo.v2.find(q='a.b')]",
        cut="[rain(city='Oslo'",
        broken="[rain(city=)]",
        broken_problem=CallProblem.BROKEN_LIST,
    ),
    "generic": Texts(
        one=f"```tool_calls\n{RAIN_JSON}\n```",
        both=f"```tool_calls\n{RAIN_JSON}\n{NOW_JSON}\n```",
        line=f"```json\n{RAIN_JSON} {NOW_JSON}\n```",
        nested=f"```tool_calls\n[{BOOK_JSON}]\n```",
        unicode=UNICODE_JSON,
        dotted=f"<tool_call>{DOTTED_JSON}</tool_call>",
        cut='```tool_calls\n{"name": "rain", "arguments": ',
        broken=f"```tool_calls\n{BROKEN_JSON}\n```",
    ),
}
_ARGUMENTS = {
    "rain": '{"city": "Oslo"}',
    "now": "{}",
    "book": '{"who": {"name": "Ana", "age": 7}, "days": [[1, 2], []], "sure": true, "note": null}',
    "查天气": '{"城市": "北京「东城」", "e": "\\u00e9 \\"q\\" \\\\ \\n"}',
    "geo.v2.find": '{"q": "a.b"}',
}


def _named(call: str, before: str = "", after: str = "", gap: str = "", line_gap: str | None = None) -> Texts:
    """Calls whose name stands outside their JSON. call: one, with %s for its name and its arguments; before, after:
    around all of them; gap, line_gap: between two, on two lines and on one."""

    def say(*names: str, gap: str = gap) -> str:
        return before + gap.join(call % (name, _ARGUMENTS[name]) for name in names) + after

    return Texts(
        one=say("rain"),
        both=say("rain", "now"),
        line=say("rain", "now", gap=gap if line_gap is None else line_gap),
        nested=say("book"),
        unicode=say("查天气"),
        dotted=say("geo.v2.find"),
        cut=before + (call % ("rain", "\0")).partition("\0")[0] + '{"city": "Os',
        broken=before + call % ("rain", '{city: "Oslo"}') + after,
    )


_FENCED = _named(
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>%s\n```json\n%s\n```<｜tool▁call▁end｜>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "\n",
    "",
)
_CODER = "<tool_call>\n<function=%s>\n%s</function>\n</tool_call>"
EXAMPLES |= {
    "toolace": EXAMPLES["llama-pythonic"],
    "watt": EXAMPLES["llama-pythonic"],
    "deepseek-v3": _FENCED,
    "deepseek-v3.1": _named(
        "<｜tool▁call▁begin｜>%s<｜tool▁sep｜>%s<｜tool▁call▁end｜>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
    ),
    "kimi": _named(
        "<|tool_call_begin|>functions.%s:0<|tool_call_argument_begin|>%s<|tool_call_end|>",
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
    ),
    "glm4.5": Texts(
        one="<tool_call>rain\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
        both="<tool_call>rain\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>\n"
        "<tool_call>now\n</tool_call>",
        line="<tool_call>rain<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call><tool_call>now</tool_call>",
        nested='<tool_call>book\n<arg_key>who</arg_key>\n<arg_value>{"name": "Ana", "age": 7}</arg_value>\n'
        "<arg_key>days</arg_key>\n<arg_value>[[1, 2], []]</arg_value>\n<arg_key>sure</arg_key>\n"
        "<arg_value>true</arg_value>\n<arg_key>note</arg_key>\n<arg_value>null</arg_value>\n</tool_call>",
        unicode="<tool_call>查天气\n<arg_key>城市</arg_key>\n<arg_value>北京「东城」</arg_value>\n"
        '<arg_key>e</arg_key>\n<arg_value>"\\u00e9 \\"q\\" \\\\ \\n"</arg_value>\n</tool_call>',
        dotted="<tool_call>geo.v2.find\n<arg_key>q</arg_key>\n<arg_value>a.b</arg_value>\n</tool_call>",
        cut="<tool_call>rain\n<arg_key>city</arg_key>\n<arg_value>Os",
        broken="<tool_call>rain\n<arg_key>city</arg_key>\nOslo\n</tool_call>",
        broken_problem=CallProblem.NO_VALUE,
    ),
    "qwen3-coder": Texts(
        one=_CODER % ("rain", "<parameter=city>\nOslo\n</parameter>\n"),
        both=_CODER % ("rain", "<parameter=city>\nOslo\n</parameter>\n") + "\n" + _CODER % ("now", ""),
        line="<tool_call><function=rain><parameter=city>Oslo</parameter></function></tool_call>"
        "<tool_call><function=now></function></tool_call>",
        nested=_CODER
        % (
            "book",
            '<parameter=who>\n{"name": "Ana", "age": 7}\n</parameter>\n<parameter=days>\n[[1, 2], []]\n</parameter>\n'
            "<parameter=sure>\ntrue\n</parameter>\n<parameter=note>\nnull\n</parameter>\n",
        ),
        unicode=_CODER
        % (
            "查天气",
            '<parameter=城市>\n北京「东城」\n</parameter>\n<parameter=e>\né "q" \\ \n\n</parameter>\n',
        ),
        dotted=_CODER % ("geo.v2.find", "<parameter=q>\na.b\n</parameter>\n"),
        cut="<tool_call>\n<function=rain>\n<parameter=city>\nOs",
        broken=_CODER % ("rain", "city: Oslo\n"),
        broken_problem=CallProblem.NO_VALUE,
    ),
}


def _dsml(section: str) -> Texts:
    """DeepSeek's tags. section: the name of a section of calls."""

    def invoke(name: str, *parameters: tuple[str, str, str], gap: str = "\n") -> str:
        inner = gap.join(
            f'<｜DSML｜parameter name="{key}" string="{is_string}">{value}</｜DSML｜parameter>'
            for key, is_string, value in parameters
        )
        return f'<｜DSML｜invoke name="{name}">{gap}{inner}{gap}</｜DSML｜invoke>'

    def around(*invokes: str, gap: str = "\n") -> str:
        return f"<｜DSML｜{section}>{gap}{gap.join(invokes)}{gap}</｜DSML｜{section}>"

    city = ("city", "true", "Oslo")
    return Texts(
        one=around(invoke("rain", city)),
        both=around(invoke("rain", city), invoke("now")),
        line=around(invoke("rain", city, gap=""), invoke("now", gap=""), gap=""),
        nested=around(
            invoke(
                "book",
                ("who", "false", '{"name": "Ana", "age": 7}'),
                ("days", "false", "[[1, 2], []]"),
                ("sure", "false", "true"),
                ("note", "false", "null"),
            )
        ),
        unicode=around(invoke("查天气", ("城市", "true", "北京「东城」"), ("e", "true", 'é "q" \\ \n'))),
        dotted=around(invoke("geo.v2.find", ("q", "true", "a.b"))),
        cut=f'<｜DSML｜{section}>\n<｜DSML｜invoke name="rain">\n<｜DSML｜parameter name="city" string="true">Os',
        broken=around('<｜DSML｜invoke name="rain">\n<city>Oslo</city>\n</｜DSML｜invoke>'),
        broken_problem=CallProblem.NO_VALUE,
    )


def _tagged(word: str) -> Texts:
    """Hunyuan 3's tags. word: what stands in each of them."""

    def call(name: str, *arguments: tuple[str, str], gap: str = "\n") -> str:
        tags = "".join(
            f"<arg_key{word}>{key}</arg_key{word}>{gap}<arg_value{word}>{value}</arg_value{word}>{gap}"
            for key, value in arguments
        )
        return f"<tool_call{word}>{name}<tool_sep{word}>{gap}{tags}</tool_call{word}>"

    def around(*calls: str, gap: str = "\n") -> str:
        return f"<tool_calls{word}>{gap}{gap.join(calls)}{gap}</tool_calls{word}>"

    city = ("city", "Oslo")
    book = [("who", '{"name": "Ana", "age": 7}'), ("days", "[[1, 2], []]"), ("sure", "true"), ("note", "null")]
    return Texts(
        one=around(call("rain", city)),
        both=around(call("rain", city), call("now")),
        line=around(call("rain", city, gap=""), call("now", gap=""), gap=""),
        nested=around(call("book", *book)),
        unicode=around(call("查天气", ("城市", "北京「东城」"), ("e", 'é "q" \\ \n'))),
        dotted=around(call("geo.v2.find", ("q", "a.b"))),
        cut=f"<tool_calls{word}>\n<tool_call{word}>rain<tool_sep{word}>\n<arg_key{word}>city</arg_key{word}>\n"
        f"<arg_value{word}>Os",
        broken=around(
            f"<tool_call{word}>rain<tool_sep{word}>\n<arg_key{word}>city</arg_key{word}>\nOslo\n</tool_call{word}>"
        ),
        broken_problem=CallProblem.NO_VALUE,
    )


EXAMPLES |= {"hunyuan3": _tagged(":opensource")}
HUNYUAN3_PREVIEW = _tagged("")
EXAMPLES |= {"deepseek-v3.2": _dsml("function_calls"), "deepseek-v4": _dsml("tool_calls")}


def _minimax(call: str, key: str, start: str, end: str, gap: str = "\n") -> Texts:
    """Calls in a section or block, a tag for each value. call: with %s for its name and its tags; key: with %s."""

    def say(name: str, *pairs: tuple[str, str]) -> str:
        return call % (name, "".join(key % pair for pair in pairs))

    book = [("who", '{"name": "Ana", "age": 7}'), ("days", "[[1, 2], []]"), ("sure", "true"), ("note", "null")]
    rain = say("rain", ("city", "Oslo"))
    return Texts(
        one=start + rain + end,
        both=start + rain + gap + say("now") + end,
        line=(start + rain + gap.strip() + say("now") + end).replace("\n", ""),
        nested=start + say("book", *book) + end,
        unicode=start + say("查天气", ("城市", "北京「东城」"), ("e", 'é "q" \\ \n')) + end,
        dotted=start + say("geo.v2.find", ("q", "a.b")) + end,
        cut=(start + rain).partition("lo")[0] if start else rain.partition("lo\n")[0],
        broken=start + call % ("rain", "city: Oslo\n") + end,
        broken_problem=CallProblem.NO_VALUE,
    )


EXAMPLES["minimax-m2"] = _minimax(
    '<invoke name="%s">\n%s</invoke>',
    '<parameter name="%s">%s</parameter>\n',
    "<minimax:tool_call>\n",
    "\n</minimax:tool_call>",
)
EXAMPLES["seed-oss"] = _minimax(
    "<seed:tool_call>\n<function=%s>\n%s</function>\n</seed:tool_call>",
    "<parameter=%s>\n%s\n</parameter>\n",
    "",
    "",
)
EXAMPLES["gpt-oss"] = _named(
    "<|channel|>commentary to=functions.%s <|constrain|>json<|message|>%s", gap="<|call|><|start|>assistant"
)

EXAMPLES |= small_models.EXAMPLES
EXAMPLES |= {"granite4": _TAGGED, "phi4-mini": _around(_LISTED, "<|tool_call|>", "<|/tool_call|>")}

TOLERATED: list[tuple[str, str, Calls, str | None]] = [
    *small_models.TOLERATED,
    ("hermes", "Use JSON in <tool_call>, then <tool_call> is", [], "Use JSON in <tool_call>, then <tool_call> is"),
    ("hermes", f"Like <tool_call> so:\n<tool_call>{RAIN_JSON}", RAIN, "Like <tool_call> so:"),
    ("hermes", f"<tool_call>\n{RAIN_JSON}", RAIN, None),
    ("hermes", f"<tool_call>\n{RAIN_JSON}\n{RAIN_JSON}\n</tool_call>", RAIN * 2, None),
    ("hermes", f"<tool_call>\n[{RAIN_JSON}]\n</tool_call>", RAIN, None),
    ("hermes", '<tool_call>\n{"name": "w", "arguments": {"t": "</tool_call>"}}\n</tool_call>',
     [("w", {"t": "</tool_call>"})], None),
    # no arguments at all, null, and an object within a text
    ("hermes", '<tool_call>\n{"name": "now"}\n</tool_call>', [("now", {})], None),
    ("hermes", '<tool_call>\n{"name": "now", "arguments": null}\n</tool_call>', [("now", {})], None),
    ("hermes", '<tool_call>\n{"name": "rain", "arguments": "{\\"city\\": \\"Oslo\\"}"}\n</tool_call>', RAIN, None),
    # a real line break within a string
    ("hermes", '<tool_call>\n{"name": "w", "arguments": {"t": "a\nb"}}\n</tool_call>', [("w", {"t": "a\nb"})], None),
    ("hermes", f"<think>\n\n</think>\n\n<tool_call>\n{RAIN_JSON}\n</tool_call>", RAIN, None),
    # a closing mark of thinking that belongs to an argument
    ("hermes", '<tool_call>\n{"name": "w", "arguments": {"t": "</think>"}}\n</tool_call>',
     [("w", {"t": "</think>"})], None),
    ("llama3-json", f"<|python_tag|>{RAIN_JSON}", RAIN, None),
    ("llama3-json", f"<|python_tag|>{RAIN_JSON}<|eom_id|>", RAIN, None),
    ("llama3-json", f"[{RAIN_JSON}]", RAIN, None),
    ("llama3-json", '{"name": "w", "parameters": {"t": "a; {b}"}}', [("w", {"t": "a; {b}"})], None),
    ("llama3-json", 'The record is {"name": "Ana", "age": 3}.', [], 'The record is {"name": "Ana", "age": 3}.'),
    ("llama3-json", '{"a": {"name": "rain", "parameters": {}}}', [], '{"a": {"name": "rain", "parameters": {}}}'),
    ("mistral", f"[{RAIN_JSON}]", RAIN, None),  # the mark is a special token, which many servers leave out
    ("mistral", '[TOOL_CALLS]rain{"city": "Oslo"}', RAIN, None),
    ("mistral", '[TOOL_CALLS]rain[ARGS]{"city": "Oslo"}[TOOL_CALLS]now[CALL_ID]a1b2c3d4e[ARGS]{}',
     [*RAIN, ("now", {})], None),
    ("mistral", '[TOOL_CALLS] rain [ARGS] {"city": "Oslo"}', RAIN, None),  # blanks between special tokens
    ("mistral", '[TOOL_CALLS] [{"name": "w", "arguments": {"t": "[TOOL_CALLS]rain{"}}]',
     [("w", {"t": "[TOOL_CALLS]rain{"})], None),
    ("mistral", '[TOOL_CALLS]w{"t": "[TOOL_CALLS]rain{}"}', [("w", {"t": "[TOOL_CALLS]rain{}"})], None),
    ("mistral", f"[THINK]hm[/THINK]Yes.[TOOL_CALLS][{RAIN_JSON}]", RAIN, "Yes."),
    ("mistral", f"[TOOL_CALLS] [{RAIN_JSON}]\nIt rains. [see]", RAIN, "It rains. [see]"),
    ("granite", f"<tool_call>[{RAIN_JSON}]", RAIN, None),
    ("granite", f"[{RAIN_JSON}]", RAIN, None),
    ("granite", f"<function_call> {RAIN_JSON}", RAIN, None),
    ("granite", "<think>hm</think><response>It rains.</response>", [], "It rains."),
    ("hunyuan", f"<think>hm</think>\n<answer><tool_calls>[{RAIN_JSON}]</tool_calls></answer>", RAIN, None),
    ("hunyuan", "<think>hm</think>\n<answer>助手：下雨。</answer>", [], "下雨。"),
    ("hunyuan", "助手：下雨。", [], "下雨。"),
    ("xlam2", f"```json\n[{RAIN_JSON}]\n```", RAIN, None),
    ("xlam2", f"<tool_call>{RAIN_JSON}</tool_call>", RAIN, None),
    ("xlam2", f"thinking\n</think>[{RAIN_JSON}]", RAIN, None),
    ("xlam2", "[]", [], "[]"),
    ("hammer", f"[{RAIN_JSON}]", RAIN, None),
    ("hammer", f"```json\n[{RAIN_JSON}]\n```", RAIN, None),
    ("hammer", "[]", [], "[]"),
    ("llama-pythonic", "[rain(from='Oslo', is_now=true)]", [("rain", {"from": "Oslo", "is_now": True})], None),
    ("llama-pythonic", "[get-rain(x-y=null, n=-3)]", [("get-rain", {"x-y": None, "n": -3})], None),
    ("llama-pythonic", "As [1] says: [rain(city='Oslo')]", RAIN, "As [1] says:"),
    ("generic", f"```json\n{RAIN_JSON}\n```", RAIN, None),
    ("generic", f"```\n[{RAIN_JSON}]\n```\nDone.", RAIN, "Done."),
    ("generic", f"{RAIN_JSON}", RAIN, None),
    ("generic", '```json\n{"colour": "red"}\n```', [], '```json\n{"colour": "red"}\n```'),
    ("generic", '```python\nprint({"name": "x"})\n```', [], '```python\nprint({"name": "x"})\n```'),
    ("llama-pythonic", "<|python_start|>[rain(city='Oslo')]<|python_end|>", RAIN, None),
    ("llama-pythonic", "<|python_tag|>[rain(city='Oslo')]<|eom_id|>", RAIN, None),
    ("toolace", '{"name": "rain", "parameters": {"city": "Oslo"}}', RAIN, None),
    ("deepseek-v3", '<|tool_calls_begin|><|tool_call_begin|>rain<|tool_sep|>{"city": "Oslo"}', RAIN, None),
    ("deepseek-v3.1", '<｜tool▁call▁begin｜>function<｜tool▁sep｜>{"a": 1}', [("function", {"a": 1})], None),
    ("kimi", '<|tool_call_begin|>rain:7<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|>', RAIN, None),
    ("kimi", '<|tool_call_begin|>rain<|tool_call_argument_begin|>{"city": "Oslo"}', RAIN, None),
    ("glm4.5", "<tool_call>rain\\n<arg_key>city</arg_key>\\n<arg_value>Oslo</arg_value>\\n</tool_call>", RAIN, None),
    # the opening tag is forgotten, the closing one; between two; both of a function
    ("qwen3-coder", "Yes.\n<function=rain>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>", RAIN,
     "Yes."),
    ("qwen3-coder", "<tool_call>\n<function=rain>\n<parameter=city>\nOslo\n</parameter>\n</function>", RAIN, None),
    ("qwen3-coder", "<tool_call><function=rain><parameter=city>Oslo</parameter></function><function=now></function>",
     BOTH, None),
    ("qwen3-coder", "<tool_call>\n<function=rain>\n<parameter=city>\nOslo\n</parameter>\n</tool_call>", RAIN, None),
    # a value ends with the next tag
    ("qwen3-coder", _CODER % ("rain", "<parameter=city>\nOslo\n"), RAIN, None),
    ("qwen3-coder", _CODER % ("f", "<parameter=a>\nx\n<parameter=b>\n2\n</parameter>\n"),
     [("f", {"a": "x", "b": 2})], None),
    # tags that belong to a value
    ("qwen3-coder", _CODER % ("w", "<parameter=t>\n</think> <tool> </tool_call>\n</parameter>\n"),
     [("w", {"t": "</think> <tool> </tool_call>"})], None),
    ("qwen3-coder", _CODER % ("w", "<parameter=t>\n\n  a\n\n</parameter>\n<parameter=u>\n</parameter>\n"),
     [("w", {"t": "\n  a\n", "u": ""})], None),
    ("qwen3-coder", "<function=f> is no call, nor <function=f></function>", [],
     "<function=f> is no call, nor <function=f></function>"),
    # without its section; what its string attribute leaves open; a string that looks like a number
    ("deepseek-v3.2", '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a">1</｜DSML｜parameter>\n</｜DSML｜invoke>',
     [("f", {"a": 1})], None),
    ("deepseek-v3.2", '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true"> 1\n</｜DSML｜parameter>'
     "</｜DSML｜invoke>", [("f", {"a": " 1\n"})], None),
    ("deepseek-v4", '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="false">x y</｜DSML｜parameter>'
     "</｜DSML｜invoke>", [("f", {"a": "x y"})], None),
    # arguments as an object, none at all
    ("deepseek-v3.2", '<｜DSML｜function_calls>\n<｜DSML｜invoke name="rain">\n{"city": "Oslo"}\n</｜DSML｜invoke>\n'
     "</｜DSML｜function_calls><｜end▁of▁sentence｜>", RAIN, None),
    ("deepseek-v4", '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now"/>\n</｜DSML｜tool_calls>', [("now", {})], None),
    # other names of the section; V4.1's; marks left out by the server
    ("deepseek-v4", EXAMPLES["deepseek-v4"].both.replace("tool_calls", "toolcalls"), BOTH, None),
    ("deepseek-v4", EXAMPLES["deepseek-v4"].both.replace("tool_calls", " calls").replace("｜invoke", "｜ invoke")
     .replace("｜parameter", "｜ parameter"), BOTH, None),
    ("deepseek-v3.2", EXAMPLES["deepseek-v3.2"].both.replace("｜DSML｜", ""), BOTH, None),
    ("deepseek-v3.2", EXAMPLES["deepseek-v3.2"].both.replace("｜", "|"), BOTH, None),
    ("deepseek-v3.2", 'Write <invoke name="f"> or <tool_calls>.', [], 'Write <invoke name="f"> or <tool_calls>.'),
    # tags of the other release; no mark behind the name, as Hunyuan 4; thinking in tags with a word
    ("hunyuan3", HUNYUAN3_PREVIEW.both, BOTH, None),
    ("hunyuan3", EXAMPLES["hunyuan3"].both + "<｜hy_eos:opensource｜>", BOTH, None),
    ("hunyuan3", EXAMPLES["hunyuan3"].line.replace("<tool_sep:opensource>", ""), BOTH, None),
    ("hunyuan3", f"<think:opensource>hm</think:opensource>Yes.{EXAMPLES['hunyuan3'].one}", RAIN, "Yes."),
    ("hunyuan3", f"hm</think:opensource>{EXAMPLES['hunyuan3'].one}", RAIN, None),
    ("hunyuan3", "<tool_call:opensource>now<tool_sep:opensource></tool_call:opensource>", [("now", {})], None),
    ("hunyuan3", "<think:opensource></think:opensource>Dry.", [], "Dry."),
    # the recipient behind the author, as the chat template has it; in the channel of thinking; no mark at the end
    ("gpt-oss", '<|start|>assistant to=functions.rain<|channel|>commentary json<|message|>{"city": "Oslo"}',
     RAIN, None),
    ("gpt-oss", ' to=functions.rain<|channel|>commentary <|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
     RAIN, None),
    ("gpt-oss", '<|channel|>analysis to=functions.rain<|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
     RAIN, None),
    ("gpt-oss", '<|channel|>commentary to=functions.rain code<|message|>{"city": "Oslo"}<|end|>',
     RAIN, None),
    # thinking, what is said before calls and at the end; marks in an argument
    ("gpt-oss", "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>I look."
     f"<|end|><|start|>assistant{EXAMPLES['gpt-oss'].both}", BOTH, "I look."),
    ("gpt-oss", "<|channel|>final<|message|>Dry.<|return|>", [], "Dry."),
    ("gpt-oss", "Dry.<|end|>", [], "Dry."),
    ("gpt-oss", '<|channel|>commentary to=functions.w <|constrain|>json<|message|>{"t": "<|end|></think><|channel|>"}',
     [("w", {"t": "<|end|></think><|channel|>"})], None),
    # what it goes on with as somebody else; a message that is no call
    ("gpt-oss", f"{EXAMPLES['gpt-oss'].one}<|start|>functions.rain to=assistant<|channel|>commentary<|message|>yes",
     RAIN, None),
    ("gpt-oss", "<|channel|>commentary to=user<|message|>Dry.", [], "Dry."),
    # marks left out by the server
    ("gpt-oss", 'analysisRain?assistantcommentary to=functions.rain json{"city": "Oslo"}', RAIN, None),
    ("gpt-oss", 'commentary to=functions.rain json{"city": "Oslo"}assistantcommentary to=functions.now{}', BOTH, None),
    ("gpt-oss", 'analysis rain?assistantcommentaryI look.assistant to=functions.raincommentary json{"city": "Oslo"}',
     RAIN, "I look."),
    ("gpt-oss", "analysis用户问天气。assistantfinalDry.", [], "Dry."),
    ("gpt-oss", "analysis of rain: dry. The assistant said so.", [], "analysis of rain: dry. The assistant said so."),
    ("gpt-oss", "finally Dry.", [], "finally Dry."),
]  # fmt: skip
"""What families also write: (dialect, text, calls, content)."""

REFUSED: list[tuple[str, str, CallProblem]] = [
    *small_models.REFUSED,
    ("hermes", '<tool_call>{"nom": "rain"}</tool_call>', CallProblem.NO_CALL),
    ("hermes", '<tool_call>{"name": "", "arguments": {}}</tool_call>', CallProblem.NO_CALL),
    ("hermes", '<tool_call>{"name": "rain", "arguments": [1]}</tool_call>', CallProblem.NO_CALL),
    ("hermes", '<tool_call>{"name": "rain", "arguments": "Oslo"}</tool_call>', CallProblem.NO_CALL),
    ("hermes", '<tool_call>rain(city="Oslo")</tool_call>', CallProblem.NO_JSON),
    ("hermes", 'Now <tool_call>rain(city="Oslo")</tool_call>', CallProblem.NO_JSON),
    ("hermes", '<tool_call>rain(city="Oslo")', CallProblem.NO_JSON),
    ("hermes", "<tool_call>", CallProblem.CUT_OFF),
    ("hermes", '<tool_call>{"name": "rain", "arguments": {"a": tr', CallProblem.CUT_OFF),
    ("hermes", '<tool_call>{"name": "rain", "arguments": {"a": 1}} }'.replace("}} }", "},}"), CallProblem.BROKEN_JSON),
    ("mistral", "[TOOL_CALLS]rain{city}", CallProblem.BROKEN_JSON),
    ("llama-pythonic", "[rain('Oslo')]", CallProblem.POSITIONAL),
    ("llama-pythonic", "[now(), rain('Oslo')]", CallProblem.POSITIONAL),
    ("llama-pythonic", "[rain(city=b'Oslo')]", CallProblem.BROKEN_LIST),
    ("llama-pythonic", "[rain(city='Oslo'), 3]", CallProblem.BROKEN_LIST),
    ("llama-pythonic", "[rain(a='1', a='2')]", CallProblem.BROKEN_LIST),
    ("kimi", "<|tool_calls_section_begin|><|tool_call_begin|>functions.rain", CallProblem.UNWRITTEN),
    ("deepseek-v3", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>", CallProblem.UNWRITTEN),
    ("deepseek-v3", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>rain\n```json\n[1]\n```", CallProblem.UNWRITTEN),
    ("glm4.5", "<tool_call>rain\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>", CallProblem.CUT_OFF),
    ("glm4.5", '<tool_call>{"name": "rain"}</tool_call>', CallProblem.UNWRITTEN),
    ("qwen3-coder", '<tool_call>\n{"name": "rain"}\n</tool_call>', CallProblem.UNWRITTEN),
    ("qwen3-coder", "<tool_call>\n<function=rain>\n<parameter=city>\nOslo\n</parameter>", CallProblem.CUT_OFF),
    ("qwen3-coder", _CODER % ("rain", "<parameter=city>\nOslo\n</parameter/>\n"), CallProblem.NO_VALUE),
    (
        "qwen3-coder",
        _CODER % ("rain", "<parameter=a>\n1\n</parameter>\nso\n<parameter=b>\n2\n</parameter>\n"),
        CallProblem.NO_VALUE,
    ),
    ("deepseek-v3.2", "<｜DSML｜function_calls>\n", CallProblem.UNWRITTEN),
    ("deepseek-v3.2", EXAMPLES["deepseek-v3.2"].one.replace('name="city"', "city"), CallProblem.NO_VALUE),
    ("deepseek-v4", EXAMPLES["deepseek-v4"].one.replace(' name="rain"', ""), CallProblem.UNWRITTEN),
    ("deepseek-v4", '<｜DSML｜invoke name="f">\n[1]\n</｜DSML｜invoke>', CallProblem.NO_VALUE),
    ("deepseek-v4", '<｜DSML｜invoke name="f">\n{"a": tru}\n</｜DSML｜invoke>', CallProblem.BROKEN_JSON),
    ("hunyuan3", "<tool_calls:opensource>\n", CallProblem.UNWRITTEN),
    ("hunyuan3", HUNYUAN3_PREVIEW.one.replace("rain<", "<"), CallProblem.UNWRITTEN),
    ("gpt-oss", "<|channel|>commentary to=functions.rain <|constrain|>json", CallProblem.CUT_OFF),
    ("gpt-oss", "<|channel|>commentary to=functions.rain <|constrain|>json<|message|>", CallProblem.CUT_OFF),
    ("gpt-oss", "<|channel|>commentary to=functions.rain<|message|>[1]", CallProblem.NO_CALL),
    ("gpt-oss", 'commentary to=functions.rainjson{"city": "Oslo"}', CallProblem.CUT_OFF),
    ("watt", "[__import__('os').system('id')]", CallProblem.BROKEN_LIST),
]
"""What stays text: (dialect, text, the problem)."""
