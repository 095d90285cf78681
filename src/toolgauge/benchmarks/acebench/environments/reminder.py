"""ReminderApi: a short list of reminders."""

from __future__ import annotations

from typing import Any, TypedDict

from toolgauge.benchmarks.acebench.environments.base import LOGGED_IN, PhoneEnvironment
from toolgauge.benchmarks.acebench.environments.declaration import CallOutcome, Condition, Parameter, function
from toolgauge.benchmarks.acebench.environments.environment import read_table
from toolgauge.benchmarks.acebench.environments.values import Defect, find, lowered
from toolgauge.benchmarks.acebench.environments.words import BilingualText


class Reminder(TypedDict):
    reminder_id: int
    title: Any
    description: Any
    time: Any
    notified: bool


class ReminderTable(TypedDict):
    reminder_list: dict[int, Reminder]
    max_capacity: int
    reminder_id_counter: int


NO_MATCH = BilingualText("There is no such reminder.", "没有符合条件的提醒。")
FOUND = BilingualText("Reminders were found.", "已找到提醒。")
NUMBER = Parameter(
    "reminder_id", "integer", BilingualText("The reminder's place in the list (1, 2, ...).", "提醒在列表中的序号。")
)
THERE = Condition(NO_MATCH, lambda here, given: find(here.reminders, given["reminder_id"]) is not None)


class ReminderApi(PhoneEnvironment):
    name = "ReminderApi"
    section = "reminder"
    saved = ("reminder_list",)

    def set_up(self, table: object) -> None:
        read = read_table(table, ReminderTable, self.section)
        self.capacity = read["max_capacity"]
        self.state = {"reminder_list": read["reminder_list"], "counter": read["reminder_id_counter"]}

    @property
    def reminders(self) -> dict[int, Reminder]:
        reminders: dict[int, Reminder] = self.state["reminder_list"]
        return reminders

    @function(
        BilingualText("Shows the reminder that has exactly this title.", "查看标题完全一致的提醒。"),
        Parameter("title", "string", BilingualText("The whole title.", "完整的标题。")),
        LOGGED_IN,
    )
    def view_reminder_by_title(self, title: object) -> CallOutcome:
        for reminder in self.reminders.values():
            if reminder["title"] == title:
                return self.done(FOUND, reminder=reminder)
        return self.refuse(NO_MATCH)

    @function(
        BilingualText("Adds a reminder.", "添加一条提醒。"),
        Parameter("title", "string", BilingualText("Its title.", "提醒的标题。")),
        Parameter("description", "string", BilingualText("What it is about.", "提醒的内容。")),
        Parameter(
            "time",
            "string",
            BilingualText("When it is due, as YYYY-MM-DD HH:MM.", "提醒的时间，格式为 YYYY-MM-DD HH:MM。"),
        ),
        LOGGED_IN,
        Condition(
            BilingualText("No more reminders fit in.", "提醒已满。"),
            lambda here, _: len(here.reminders) < here.capacity,
        ),
    )
    def add_reminder(self, title: object, description: object, time: object) -> CallOutcome:
        self.state["counter"] += 1
        number = self.state["counter"]
        self.reminders[number] = {
            "reminder_id": number,
            "title": title,
            "description": description,
            "time": time,
            "notified": False,
        }
        return self.done(BilingualText("The reminder was added.", "提醒已添加。"))

    @function(BilingualText("Deletes a reminder.", "删除一条提醒。"), NUMBER, LOGGED_IN, THERE)
    def delete_reminder(self, reminder_id: int) -> CallOutcome:
        del self.reminders[reminder_id]
        return self.done(BilingualText("The reminder was deleted.", "提醒已删除。"))

    @function(
        BilingualText("Shows all reminders.", "查看所有提醒。"),
        Condition(NO_MATCH, lambda here, _: bool(here.reminders)),
    )
    def view_all_reminders(self) -> CallOutcome:
        shown = [_without(reminder, "reminder_id") for reminder in self.reminders.values()]
        return self.done(FOUND, reminders=shown)

    @function(
        BilingualText("Notes that the user was told of a reminder.", "将一条提醒标记为已通知。"),
        NUMBER,
        THERE,
        offered=lambda rules: rules.mark_reminders,
    )
    def mark_as_notified(self, reminder_id: int) -> CallOutcome:
        self.reminders[reminder_id]["notified"] = True
        return self.done(BilingualText("The reminder is marked.", "提醒已标记。"))

    @function(
        BilingualText("Finds reminders whose title or text contains a word.", "在提醒的标题或内容中查找关键词。"),
        Parameter("keyword", "string", BilingualText("The word to look for.", "要查找的关键词。")),
        offered=lambda rules: rules.reminder_search != "absent",
    )
    def search_reminders(self, keyword: object) -> CallOutcome:
        found = [
            _without(reminder, "reminder_id", "notified")
            for reminder in self.reminders.values()
            if lowered(keyword) in lowered(reminder["title"]) or lowered(keyword) in lowered(reminder["description"])
        ]
        if not found:
            return self.refuse(NO_MATCH)
        if self.rules.reminder_search == "broken":
            raise Defect(BilingualText("the search is out of order", "查找功能出现故障"))
        return self.done(FOUND, reminders=found)


def _without(reminder: Reminder, *names: str) -> dict[str, Any]:
    return {key: value for key, value in reminder.items() if key not in names}
