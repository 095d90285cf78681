"""Hunyuan 3: GLM's tags around names and values of arguments, within a section.

The released models put a word of their own into every tag (`<tool_call:opensource>`), the preview does not; Hunyuan 4
writes another word, and no mark behind the name. Whatever the word is, it is read. Marks after the chat templates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial

from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.models.dialects.dialect import Parsed, PlainCall, Result
from toolgauge.models.dialects.family import Family
from toolgauge.models.dialects.format_spec import tool_lines
from toolgauge.models.dialects.prompts import prompt
from toolgauge.models.dialects.tag_json import VARIANT
from toolgauge.models.dialects.tagged_args import TaggedArgs
from toolgauge.models.dialects.thinking import after_thinking
from toolgauge.models.dialects.typed_args import argument_texts, typed

_THINK = re.compile(r"</?think(:[\w-]{1,32})?>")
_CALL = re.compile(r"<tool_calls?(:[\w-]{1,32})?>")
_ENDING = re.compile(r"</?(?:think|tool_|arg_)")
"""What may end a value."""


@lru_cache(maxsize=8)
def _reader(word: str) -> TaggedArgs:
    """The calls in tags with this word."""
    return TaggedArgs(
        opener=re.compile(rf"<tool_calls{word}>\s*+(?:<tool_call{word}>)?|<tool_call{word}>"),
        name=re.compile(rf"\s*+(?P<name>[^\s<>]++)\s*+(?:<tool_sep{word}>\s*+)?(?=<arg_key{word}>|</tool_call{word}>)"),
        key=re.compile(rf"<arg_key{word}>(?P<key>[^<]*+)</arg_key{word}>\s*+<arg_value{word}>"),
        value_end=re.compile(f"</arg_value{word}>"),
        closer=re.compile(rf"</tool_call{word}>\s*+(?:</tool_calls{word}>)?"),
    )


class Hunyuan3(Struct, frozen=True):
    """A `Speaker`. word: what stands in every tag behind its name, with a colon; may be empty."""

    word: str

    def brief(self, said: str, tools: tuple[Tool, ...], language: str) -> str:
        told = f"<tools>\n{tool_lines(tools)}\n</tools>\n\n{self._section(('{function-name}', _PATTERN))}"
        return prompt("hunyuan3", language, tools=told, said=said).strip()

    def say(self, content: str, calls: Sequence[PlainCall]) -> str:
        written = ((call.name, argument_texts(call, _ENDING, quoted=False)) for call in calls)
        return content + self._section(*written)

    def report(self, results: Sequence[Result]) -> str:
        word = self.word
        told = "\n".join(f"<tool_response{word}>\n{one.content}\n</tool_response{word}>" for one in results)
        return f"<tool_responses{word}>\n{told}\n</tool_responses{word}>"

    def parse(self, text: str) -> Parsed:
        word = self._word_in(_THINK, text)
        call_mark = f"<tool_calls{self._word_in(_CALL, text)}>"
        return after_thinking(text, self._read, (f"<think{word}>", f"</think{word}>"), call_mark)

    def _read(self, text: str) -> Parsed:
        return _reader(self._word_in(_CALL, text)).read(text)

    def _word_in(self, tags: re.Pattern[str], text: str) -> str:
        """The word of the first of these tags in a text."""
        found = tags.search(text)
        return (found[1] or "") if found else self.word

    def _section(self, *calls: tuple[str, Sequence[tuple[str, str]]]) -> str:
        """A section of calls, of their names and the names and values of their arguments."""
        word = self.word
        written = []
        for name, pairs in calls:
            tags = (
                f"<arg_key{word}>{key}</arg_key{word}>\n<arg_value{word}>{text}</arg_value{word}>\n"
                for key, text in pairs
            )
            written.append(f"<tool_call{word}>{name}<tool_sep{word}>\n{''.join(tags)}</tool_call{word}>\n")
        return f"<tool_calls{word}>\n{''.join(written)}</tool_calls{word}>"


_PATTERN = (("{arg-key-1}", "{arg-value-1}"), ("{arg-key-2}", "{arg-value-2}"))

HUNYUAN3, HUNYUAN3_PREVIEW = (
    Family(name, title, Hunyuan3(word), models=(model + VARIANT,), settle=partial(typed, quoted=False))
    for name, title, word, model in (
        ("hunyuan3", "Hunyuan 3", ":opensource", "hy3"),
        ("hunyuan3-preview", "Hunyuan 3 Preview", "", "hy3-preview"),
    )
)
