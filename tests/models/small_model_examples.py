"""Worked examples of the dialects of small models: Granite 4, Phi-4 mini, LFM2, and the Gemmas."""

from __future__ import annotations

from tests.models.dialect_texts import BOTH, NOW_JSON, RAIN, RAIN_JSON, Calls, Texts
from toolgauge.call_problems import CallProblem

_LFM = Texts(
    one="<|tool_call_start|>[rain(city='Oslo')]<|tool_call_end|>",
    both="<|tool_call_start|>[rain(city='Oslo'),\n now()]<|tool_call_end|>",
    line="<|tool_call_start|>[rain(city='Oslo'), now()]<|tool_call_end|>",
    nested="<|tool_call_start|>[book(who={'name': 'Ana', 'age': 7}, days=[[1, 2], []], sure=True, note=None)]"
    "<|tool_call_end|>",
    unicode="<|tool_call_start|>[查天气(城市='北京「东城」', e='é \"q\" \\\\ \\n')]<|tool_call_end|>",
    dotted="<|tool_call_start|>[geo.v2.find(q='a.b')]<|tool_call_end|>",
    cut="<|tool_call_start|>[rain(city='Oslo'",
    broken="<|tool_call_start|>[rain(city=)]<|tool_call_end|>",
    broken_problem=CallProblem.BROKEN_LIST,
)


def _notation(texts: dict[str, str], quote: str, call: tuple[str, str]) -> Texts:
    """Calls of FunctionGemma's kind. texts: with double quotes for the family's own marks."""

    def say(*calls: str) -> str:
        return "".join(f"{call[0]}call:{one.replace('`', quote)}{call[1]}" for one in calls)

    return Texts(
        one=say(texts["rain"]),
        both=say(texts["rain"], "now{}").replace(call[1] + call[0], f"{call[1]}\n{call[0]}"),
        line=say(texts["rain"], "now{}"),
        nested=say(texts["book"]),
        unicode=say(texts["查天气"]),
        dotted=say(texts["geo.v2.find"]),
        cut=f"{call[0]}call:rain{{city:{quote}Os",
        broken=f"{call[0]}call:rain{{city={quote}Oslo{quote}}}{call[1]}",
        broken_problem=CallProblem.NO_VALUE,
    )


_NOTED = {
    "rain": "rain{city:`Oslo`}",
    "book": "book{days:[[1,2],[]],note:null,sure:true,who:{age:7,name:`Ana`}}",
    "查天气": '查天气{e:`é "q" \\ \n`,城市:`北京「东城」`}',
    "geo.v2.find": "geo.v2.find{q:`a.b`}",
}
EXAMPLES: dict[str, Texts] = {
    "lfm2": _LFM,
    "lfm2.5": _LFM,
    "gemma": Texts(
        one="```tool_code\nrain(city='Oslo')\n```",
        both="```tool_code\nrain(city='Oslo')\nnow()\n```",
        line="```tool_code\nprint(rain(city='Oslo')); print(now())\n```",
        nested="```tool_code\nbook(who={'name': 'Ana', 'age': 7}, days=[[1, 2], []],\n     sure=True, note=None)\n```",
        unicode="```tool_code\n查天气(城市='北京「东城」', e='é \"q\" \\\\ \\n')\n```",
        dotted="```tool_code\ngeo.v2.find(q='a.b')\n```",
        cut="```tool_code\nrain(city='Oslo'",
        broken="```tool_code\nrain(city=)\n```",
        broken_problem=CallProblem.BROKEN_LIST,
    ),
    "functiongemma": _notation(_NOTED, "<escape>", ("<start_function_call>", "<end_function_call>")),
    "gemma4": _notation(_NOTED, '<|"|>', ("<|tool_call>", "<tool_call|>")),
}


TOLERATED: list[tuple[str, str, Calls, str | None]] = [
    # its tags are special tokens, which servers leave out
    ("granite4", f"{RAIN_JSON}\n{NOW_JSON}", BOTH, None),
    ("granite4", '{"name": "Ana", "age": 3}', [], '{"name": "Ana", "age": 3}'),
    ("phi4-mini", f"[{RAIN_JSON}]", RAIN, None),
    ("phi4-mini", f"functools[{RAIN_JSON}]", RAIN, None),
    ("phi4-mini", f"Python has functools. <|tool_call|>{RAIN_JSON}<|/tool_call|>", RAIN, "Python has functools."),
    ("lfm2", '<|tool_call_start|>[rain(city="Oslo")]<|tool_call_end|>I look.', RAIN, "I look."),
    ("lfm2", "[rain(city='Oslo')]I look.", RAIN, "I look."),
    ("lfm2", f"<|tool_call_start|>[{RAIN_JSON}, {NOW_JSON}]<|tool_call_end|>", BOTH, None),
    ("lfm2", f"[{RAIN_JSON}, {NOW_JSON}]", BOTH, None),
    ("lfm2", "<|tool_call_start|>rain(city='Oslo')<|tool_call_end|><|tool_call_start|>[now()]", BOTH, None),
    ("lfm2", "<|tool_call_start|>[w(t='a\n[b', from=2, x=true)]<|tool_call_end|>",
     [("w", {"t": "a\n[b", "from": 2, "x": True})], None),
    ("lfm2.5", "<|tool_call_start|>[w(t='<|tool_call_end|>')]<|tool_call_end|>",
     [("w", {"t": "<|tool_call_end|>"})], None),
    ("gemma", "I look.\n```tool_code\n# rain\nprint(rain(city='Oslo'))\nnow()", BOTH, "I look."),
    ("gemma", "```tool_code\n[rain(city='Oslo'), now()]\n```", BOTH, None),
    ("gemma", "```tool_code\nw(t='```\nx')\n```\nSo.", [("w", {"t": "```\nx"})], "So."),
    ("gemma", "```tool_code\nprint(text='x')\n```", [("print", {"text": "x"})], None),
    ("gemma", "```python\nrain(city='Oslo')\n```", [], "```python\nrain(city='Oslo')\n```"),
    # words without the marks of texts, the call without its own; JSON's quotes
    ("functiongemma", "call:rain{city:Oslo}", RAIN, None),
    ("functiongemma", 'Yes. <start_function_call> call:f{a : "x,\\n", b:[ 1 , {"c d":-2.5e1}, two words ]}',
     [("f", {"a": "x,\n", "b": [1, {"c d": -25.0}, "two words"]})], "Yes."),
    ("functiongemma", "<start_function_call>call:f{<escape>a b<escape>:<escape>170<escape>,n:170}",
     [("f", {"a b": "170", "n": 170})], None),
    ("functiongemma", "Say call:rain{city:Oslo}", [], "Say call:rain{city:Oslo}"),
    ("gemma4", '<|channel>thought\nhm<channel|>Yes.<|tool_call>call:rain{city:<|"|>Oslo<|"|>}<tool_call|>', RAIN,
     "Yes."),
    ("gemma4", '<|channel>thought\n<channel|>It rains.', [], "It rains."),
]  # fmt: skip

REFUSED: list[tuple[str, str, CallProblem]] = [
    ("lfm2", "<|tool_call_start|>[rain('Oslo')]<|tool_call_end|>", CallProblem.POSITIONAL),
    ("lfm2", "<|tool_call_start|>[rain(month=07)]<|tool_call_end|>", CallProblem.BROKEN_LIST),
    ("lfm2", "<|tool_call_start|>[]<|tool_call_end|>", CallProblem.BROKEN_LIST),
    ("lfm2", "<|tool_call_start|>[rain(city='Oslo')] so", CallProblem.BROKEN_LIST),
    ("lfm2", "<|tool_call_start|>", CallProblem.CUT_OFF),
    ("lfm2", '<|tool_call_start|>[{"name": "rain", "arguments": {"ci', CallProblem.CUT_OFF),
    ("gemma", "```tool_code\nx = rain(city='Oslo')\n```", CallProblem.BROKEN_LIST),
    ("gemma", "```tool_code\n__import__('os').system('id')\n```", CallProblem.BROKEN_LIST),
    ("phi4-mini", "<|tool_call|>rain<|/tool_call|>", CallProblem.NO_JSON),
    ("functiongemma", "<start_function_call>rain{city:<escape>Oslo<escape>}<end_function_call>", CallProblem.UNWRITTEN),
    ("functiongemma", "<start_function_call>call:rain{city:}<end_function_call>", CallProblem.NO_VALUE),
    ("gemma4", '<|tool_call>call:rain{city:<|"|>Oslo<|"|>', CallProblem.CUT_OFF),
    ("gemma4", f"<|tool_call>call:rain{{a:{'9' * 5000}}}", CallProblem.LONG_NUMBER),
    ("gemma4", "<|tool_call>call:rain{a:" + "[" * 70 + "]" * 70 + "}", CallProblem.TOO_DEEP),
]
