"""rich without what texts of others could do with it: markup, emoji codes, links, control characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import ProgressColumn, Task, TextColumn
from rich.segment import Segment
from rich.text import Text

from toolgauge.visible import visible


class SafeConsole(Console):
    """Prints strings as one line of plain text. Of a `Text`, the characters that a terminal obeys are shown."""

    def __init__(self, file: IO[str]) -> None:
        super().__init__(file=file, markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(visible(text), **(options | {"markup": False, "emoji": False}))

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces of text of everything that is printed, cells of tables before they are laid out."""
        for segment in super().render(renderable, options):
            if segment.control:  # the cursor's, of rich's own bars
                yield segment
                continue
            style = segment.style.update_link(None) if segment.style and segment.style.link else segment.style
            yield Segment(visible(segment.text, "\n"), style)


class PlainColumn(TextColumn):
    """A column of a progress bar whose texts are one line and no markup."""

    def __init__(self, template: str) -> None:
        super().__init__(template, markup=False)

    def render(self, task: Task) -> Text:
        text = super().render(task)
        return Text(visible(text.plain), style=text.style, justify=text.justify)


class LiveColumn(ProgressColumn):
    """A column of a progress bar whose text is asked for when it is drawn."""

    def __init__(self, text: Callable[[], str]) -> None:
        super().__init__()
        self._text = text

    def render(self, task: Task) -> Text:  # noqa: ARG002 - rich tells which
        return Text(visible(self._text()))
