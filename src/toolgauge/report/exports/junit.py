"""Decisions as a JUnit report, which servers of continuous integration show beside the tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from toolgauge.visible import visible


class Case(NamedTuple):
    """One line of the report. skipped: nothing could be decided, which failed or not."""

    name: str
    text: str
    failed: bool = False
    skipped: bool = False


def junit(suite: str, cases: Sequence[Case]) -> bytes:
    """The bytes of the XML file. suite: what was looked at; names may be a stranger's."""
    root = Element(
        "testsuite",
        name=visible(suite),
        tests=str(len(cases)),
        failures=str(sum(case.failed for case in cases)),
        skipped=str(sum(case.skipped and not case.failed for case in cases)),
        errors="0",
    )
    for case in cases:
        element = SubElement(root, "testcase", classname="toolgauge", name=visible(case.name))
        if case.failed:
            SubElement(element, "failure", message=visible(case.text))
        elif case.skipped:
            SubElement(element, "skipped", message=visible(case.text))
        else:
            SubElement(element, "system-out").text = visible(case.text)
    indent(root)
    content: bytes = tostring(root, "utf-8", xml_declaration=True)
    return content + b"\n"
