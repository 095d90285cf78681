"""Sentences that others say in English - the system, msgspec, json, typer - and that stand inside ours.

They arrive as texts, so here, and only here, a text is compared with what we know; what is not known stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from toolgauge.locale import Text, _, plain

LONGEST = 1000
"""Characters of a text that is compared; longer ones stay as they are."""
DEEPEST = 4
"""Sentences inside sentences."""
NESTED = "why"
"""The value that is a sentence itself."""
NUMBERS = ("errno", "line", "column", "position", "count")
_SLOT = re.compile(r"\{(\w+)\}")

SENTENCES = (
    # typer
    _("Missing argument {name}. Choose from:\n\t{choices}"),
    _("Missing option {name}. Choose from:\n\t{choices}"),
    _("Missing argument {name}."),
    _("Missing option {name}."),
    _("Missing parameter: {name}"),
    _("Missing command."),
    _("No such command {name}."),
    _("No such command {name}. Did you mean {guess}?"),
    _("No such option: {name}"),
    _("No such option: {name} (Possible options: {guesses})"),
    _("No such option {name}."),
    _("No such option {name}. Did you mean {guess}?"),
    _("No such option {name}. (Did you mean one of: {guesses}?)"),
    _("No such option: {name} Did you mean {guess}?"),
    _("No such option: {name} (Did you mean one of: {guesses}?)"),
    _("Option {name} requires an argument."),
    _("Option {name} requires {count} arguments."),
    _("Option {name} does not take a value."),
    _("Got unexpected extra argument ({arguments})"),
    _("Got unexpected extra arguments ({arguments})"),
    _("Got unexpected extra argument(s) ({arguments})"),
    _("Invalid value for {name}: {why}"),
    _("Invalid value: {why}"),
    _("Value error, {why}"),
    _("Could not open file {name}: {why}"),
    _("{value} is not one of {choices}."),
    _("{value} is not a valid integer range."),
    _("{value} is not a valid float range."),
    _("{value} is not a valid integer."),
    _("{value} is not a valid float."),
    _("{value} is not a valid boolean."),
    _("{value} is not in the range {range}."),
    # pydantic, which checks values for typer
    _("Input should be a valid integer, unable to parse string as an integer"),
    _("Input should be a valid integer"),
    _("Input should be a valid number, unable to parse string as a number"),
    _("Input should be a valid number"),
    _("Input should be a valid boolean, unable to interpret input"),
    _("Input should be greater than or equal to {limit}"),
    _("Input should be less than or equal to {limit}"),
    _("Input should be greater than {limit}"),
    _("Input should be less than {limit}"),
    _("Input should be a finite number"),
    # the system
    _("No such file or directory"),
    _("Permission denied"),
    _("Is a directory"),
    _("Not a directory"),
    _("File exists"),
    _("No space left on device"),
    _("Disk quota exceeded"),
    _("Read-only file system"),
    _("File name too long"),
    _("Too many open files"),
    _("Directory not empty"),
    _("Input/output error"),
    _("Address already in use"),
    _("Cannot assign requested address"),
    _("Connection refused"),
    _("Connection reset by peer"),
    _("Connection timed out"),
    _("Network is unreachable"),
    _("No route to host"),
    _("Name or service not known"),
    _("Temporary failure in name resolution"),
    _("Exec format error"),
    _("[Errno {errno}] {why}"),
    _("[Errno {errno}] {why}: {file}"),
    # connections
    _("Cannot connect to host {host} ssl:{ssl} [{why}]"),
    _("Connect call failed {address}"),
    _("Multiple exceptions: {errors}"),
    # msgspec and json
    _("Input data was truncated"),
    _("JSON is malformed: {why} (byte {position})"),
    _("invalid character"),
    _("invalid number"),
    _("invalid escape character in string"),
    _("trailing characters"),
    _("trailing comma in object"),
    _("trailing comma in array"),
    _("expected ':'"),
    _("expected ',' or ']'"),
    _("expected ',' or '}}'"),
    _("expected '\"'"),
    _("Invalid enum value {value}"),
    _("Invalid enum value {value} - at `{path}`"),
    _("Expected `{expected}`, got `{actual}`"),
    _("Expected `{expected}`, got `{actual}` - at `{path}`"),
    _("Object missing required field `{field}`"),
    _("Object missing required field `{field}` - at `{path}`"),
    _("Expecting value: line {line} column {column} (char {position})"),
    _("Expecting property name enclosed in double quotes: line {line} column {column} (char {position})"),
    _("Expecting ',' delimiter: line {line} column {column} (char {position})"),
    _("Expecting ':' delimiter: line {line} column {column} (char {position})"),
    _("Extra data: line {line} column {column} (char {position})"),
    _("Unterminated string starting at: line {line} column {column} (char {position})"),
)


def cause(error: BaseException | str) -> Text:
    """What an error says, as a message: its own, or a known sentence of others; else their words."""
    own = getattr(error, "text", None)
    return own if isinstance(own, Text) else foreign(str(error))


def os_cause(error: OSError) -> Text:
    """Why the system refused, without the number and the file."""
    inner = getattr(error, "reason", None)  # of urllib's
    if isinstance(inner, OSError):
        return os_cause(inner)
    return foreign(error.strerror) if error.strerror else cause(error)


def foreign(text: str, depth: int = 0) -> Text:
    """A sentence of others as a message with its values; one that is not known stays as it is."""
    if len(text) > LONGEST or depth > DEEPEST:
        return plain(text)
    for pattern, sentence in _patterns():
        if found := pattern.fullmatch(text):
            values = found.groupdict()
            return Text(
                sentence.message,
                {name: foreign(one, depth + 1) if name == NESTED else one for name, one in values.items()},
            )
    return plain(text)


@cache
def _patterns() -> list[tuple[re.Pattern[str], Text]]:
    """Those that begin with words of their own first, the longest first. Values are matched lazily and are three at
    most, so LONGEST bounds the work."""
    ordered = sorted(SENTENCES, key=lambda one: (one.message.startswith("{"), -len(_SLOT.sub("", one.message))))
    return [(re.compile(_pattern(one.message), re.DOTALL), one) for one in ordered]


def _pattern(message: str) -> str:
    """The pattern of the English that a template makes."""
    parts = _SLOT.split(message)
    made = ""
    for number, part in enumerate(parts):
        if number % 2:
            made += f"(?P<{part}>{'[0-9]{1,20}' if part in NUMBERS else '.+?'})"
        else:
            made += re.escape(part.replace("{{", "{").replace("}}", "}"))
    return made
