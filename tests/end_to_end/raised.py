"""Every message that the source can raise or report, collected from its text: what has to have its Chinese.

A message is the text that a sink is given: an error class of ours, a problem of a data file, a failure of a request. It
is followed through variables of the function, choices, sums, and functions that return messages; what is filled in at
run time is a gap, {}. A function that hands one of its parameters on to a sink is a sink itself.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

import toolgauge

GAP = "{}"
ROOT = Path(toolgauge.__file__).parent
MOST = 60
"""Ways to read one expression that are followed."""
REPORTS = {"Failure": 0, "Problem": 1, "Finding": 1, "_note": 1, "stop": 0}
"""What carries a message beside the errors, and its place among the arguments."""
WORDS = ("what", "when", "why", "reason")
"""Parameters that are phrases of a message around them."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Message(NamedTuple):
    """A message as it is written, and where."""

    template: str
    place: str


class Sink(NamedTuple):
    """Something callable that takes a message: at which position, under which name."""

    position: int
    keyword: str = "message"


NOTES = Sink(0)
"""Lists of notes that are printed at the end."""


class Module:
    """A file of the source: its functions by name, its constants, which function a node stands in."""

    def __init__(self, path: Path) -> None:
        self.name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text())
        self.nodes = list(ast.walk(tree))
        self.functions: dict[str, Function] = {}
        self.constants: dict[str, ast.expr] = {}
        self.home: dict[int, Function] = {}
        self.private: set[str] = set()
        for node in self.nodes:
            if isinstance(node, Function):
                self.functions[node.name] = node
                self.home.update((id(part), node) for part in ast.walk(node))  # inner functions come later
            elif isinstance(node, ast.ClassDef) and node.name.startswith("_"):
                self.private.update(one.name for one in node.body if isinstance(one, Function))
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.constants[node.targets[0].id] = node.value

    @cached_property
    def calls(self) -> list[tuple[ast.Call, str]]:
        """Every call, with the last part of its function's name."""
        return [
            (node, node.func.id if isinstance(node.func, ast.Name) else node.func.attr)
            for node in self.nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
        ]


class Source:
    """All modules, what in them takes messages, and what the messages are."""

    def __init__(self) -> None:
        self.modules = [Module(path) for path in sorted(ROOT.rglob("*.py"))]
        self.classes = self._error_classes()
        self.sinks: dict[tuple[str, str], Sink] = {}
        """Of functions, by module and name."""
        while self._find_sinks():
            pass
        public = {one for one in self.sinks if not self._module(one[0]).private & {one[1]}}
        self.everywhere = {name: self.sinks[module, name] for module, name in public if not name.startswith("__")}
        self.functions: dict[str, list[tuple[Module, Function]]] = defaultdict(list)
        for module in self.modules:
            for name, function in module.functions.items():
                if function.returns is not None and "str" in ast.unparse(function.returns):
                    self.functions[name].append((module, function))

    def messages(self) -> list[Message]:
        found: dict[str, Message] = {}
        for module in self.modules:
            for call, name in module.calls:
                sink = NOTES if name == "append" and ".notes." in ast.unparse(call.func) else self._sink(module, name)
                said = _argument(call, sink) if sink else None
                for template in self._read(said, module, 0) if said is not None else ():
                    found.setdefault(template, Message(template, f"{module.name}:{call.lineno}"))
        return list(found.values())

    def said_in(self, name: str) -> list[Message]:
        """What the functions of a module return or yield (the last of a tuple)."""
        module = self._module(name)
        return [
            Message(text, f"{name}:{function.lineno}")
            for function in module.functions.values()
            for text in self._said(module, function, 0)
        ]

    def _error_classes(self) -> frozenset[str]:
        parents = {
            node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
            for module in self.modules
            for node in module.nodes
            if isinstance(node, ast.ClassDef)
        }
        found = {"ToolgaugeError"}
        while more := {name for name, bases in parents.items() if bases & found} - found:
            found |= more
        return frozenset(found)

    def _module(self, name: str) -> Module:
        return next(one for one in self.modules if one.name == name)

    def _sink(self, module: Module, name: str) -> Sink | None:
        if name in self.classes:
            return Sink(0)
        if name in REPORTS:
            return Sink(REPORTS[name])
        return self.sinks.get((module.name, name)) or getattr(self, "everywhere", {}).get(name)

    def _find_sinks(self) -> bool:
        """Functions of a module that hand a parameter on to what is known as a sink; has one been found?"""
        before = len(self.sinks)
        for module in self.modules:
            for call, name in module.calls:
                sink, function = self._sink(module, name), module.home.get(id(call))
                said = _argument(call, sink) if sink else None
                if said is None or function is None or function.name.startswith("__"):
                    continue
                names = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
                for part in _handed_on(said):
                    if part in names:
                        self.sinks.setdefault((module.name, function.name), Sink(names.index(part), part))
        return len(self.sinks) > before

    def _read(self, node: ast.expr, module: Module, depth: int) -> list[str]:
        """The ways an expression can read."""
        if depth > 8:
            return [GAP]
        again = depth + 1
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else [GAP]
        if isinstance(node, ast.JoinedStr):
            return _joined([self._read(part, module, again) for part in node.values])
        if isinstance(node, ast.FormattedValue):
            plain = node.conversion == -1 and node.format_spec is None
            return self._read(node.value, module, again) if plain else [GAP]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return _joined([self._read(node.left, module, again), self._read(node.right, module, again)])
        if isinstance(node, ast.IfExp):
            return [*self._read(node.body, module, again), *self._read(node.orelse, module, again)]
        if isinstance(node, ast.Name):
            return self._read_name(node, module, again)
        if isinstance(node, ast.Call):
            return self._read_call(node, module, again)
        return [GAP]

    def _read_call(self, node: ast.Call, module: Module, depth: int) -> list[str]:
        """What a function of the module, or the only one of that name anywhere, returns."""
        plain = isinstance(node.func, ast.Name)
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        homes = [one for one in self.functions.get(name, ()) if plain != _is_method(one[1])]
        homes = [one for one in homes if one[0] is module] or homes
        said = self._said(*homes[0], depth) if len(homes) == 1 else []
        return said if any(" " in text for text in said) else [GAP]  # else a value that is made presentable

    def _read_name(self, node: ast.Name, module: Module, depth: int) -> list[str]:
        function = module.home.get(id(node))
        given = [
            one.value
            for one in (ast.walk(function) if function else ())
            if isinstance(one, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == node.id for target in one.targets)
        ]
        if not given and node.id in module.constants:
            given = [module.constants[node.id]]
        return list(dict.fromkeys(text for value in given for text in self._read(value, module, depth))) or [GAP]

    def _said(self, module: Module, function: Function, depth: int) -> list[str]:
        given = [node.value for node in ast.walk(function) if isinstance(node, ast.Return | ast.Yield) and node.value]
        values = [value.elts[-1] if isinstance(value, ast.Tuple) else value for value in given]
        return list(dict.fromkeys(text for value in values for text in self._read(value, module, depth)))


def _is_method(function: Function) -> bool:
    return any(one.arg == "self" for one in function.args.args[:1])


def _argument(call: ast.Call, sink: Sink) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == sink.keyword:
            return keyword.value
    if len(call.args) <= sink.position or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    return call.args[sink.position]


def _handed_on(node: ast.expr) -> list[str]:
    """The variable that is a message, or those that are phrases of one."""
    if isinstance(node, ast.Name):
        return [node.id]
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    inner = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
    return [part.id for part in inner if isinstance(part, ast.Name) and part.id in WORDS]


def _joined(parts: list[list[str]]) -> list[str]:
    texts = ["".join(choice) for choice, _ in zip(product(*parts), range(MOST), strict=False)]
    return list(dict.fromkeys(texts))


@cache
def source() -> Source:
    return Source()
