"""MessageApi: short messages between a few people, and an inbox that is soon full."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from toolgauge.benchmarks.acebench.environments.base import LOGGED_IN, WIFI_ON, PhoneEnvironment
from toolgauge.benchmarks.acebench.environments.declaration import (
    CallOutcome,
    CallStatus,
    Condition,
    Parameter,
    function,
)
from toolgauge.benchmarks.acebench.environments.environment import read_table
from toolgauge.benchmarks.acebench.environments.values import Defect, find, lowered
from toolgauge.benchmarks.acebench.environments.words import BilingualText
from toolgauge.chat import Json


class Person(TypedDict):
    user_id: str


class PhoneMessage(TypedDict):
    """A message; `time` is a date (YYYY-MM-DD), and only messages of the table have one."""

    sender_id: str
    receiver_id: str
    message: Any
    time: NotRequired[str]


class MessageTable(TypedDict):
    user_list: dict[str, Person]
    inbox: dict[int, PhoneMessage]
    max_capacity: int
    message_id_counter: int


SENDER = Parameter("sender_name", "string", BilingualText("Full name of the person who sends.", "发送者的姓名。"))
RECEIVER = Parameter(
    "receiver_name", "string", BilingualText("Full name of the person who receives.", "接收者的姓名。")
)


def known(argument: str, words: BilingualText) -> Condition:
    """The person named in an argument is in the directory."""
    return Condition(words, lambda here, given: find(here.people, given[argument]) is not None)


NOBODY = BilingualText("Nobody of that name is known.", "没有这个人。")
SENDER_KNOWN = known("sender_name", BilingualText("The sender is not known.", "发送者不存在。"))
RECEIVER_KNOWN = known("receiver_name", BilingualText("The receiver is not known.", "接收者不存在。"))
ROOM = Condition(
    BilingualText(
        "The memory for messages is full; one has to be deleted first.", "短信内存已满，需要先删除一条短信。"
    ),
    lambda here, _: len(here.inbox) < here.capacity,
)
NOT_EMPTY = Condition(BilingualText("There are no messages.", "没有任何短信。"), lambda here, _: bool(here.inbox))
NO_MATCH = BilingualText("There is no such message.", "没有符合条件的短信。")
FOUND = BilingualText("Messages were found.", "已找到短信。")


class MessageApi(PhoneEnvironment):
    name = "MessageApi"
    section = "message"
    saved = ("inbox",)

    def set_up(self, table: Any) -> None:
        read = read_table(table, MessageTable, self.section)
        self.people, self.capacity = read["user_list"], read["max_capacity"]
        self.state = {"inbox": read["inbox"], "counter": read["message_id_counter"]}

    @property
    def inbox(self) -> dict[int, PhoneMessage]:
        inbox: dict[int, PhoneMessage] = self.state["inbox"]
        return inbox

    @function(
        BilingualText("Sends a message from one person to another.", "由一个人向另一个人发送一条短信。"),
        SENDER,
        RECEIVER,
        Parameter("message", "string", BilingualText("What the message says.", "短信的内容。")),
        LOGGED_IN,
        WIFI_ON,
        ROOM,
        SENDER_KNOWN,
        RECEIVER_KNOWN,
    )
    def send_message(self, sender_name: str, receiver_name: str, message: Any) -> CallOutcome:
        ids = [self.people[name]["user_id"] for name in (sender_name, receiver_name)]
        self.state["counter"] += 1
        self.inbox[self.state["counter"]] = {"sender_id": ids[0], "receiver_id": ids[1], "message": message}
        return self.done(BilingualText("The message was sent.", "短信已发送。"))

    @function(
        BilingualText("Deletes a message.", "删除一条短信。"),
        Parameter("message_id", "integer", BilingualText("The number of the message.", "短信的编号。")),
        LOGGED_IN,
        Condition(NO_MATCH, lambda here, given: find(here.inbox, given["message_id"]) is not None),
    )
    def delete_message(self, message_id: int) -> CallOutcome:
        del self.inbox[message_id]
        return self.done(BilingualText("The message was deleted.", "短信已删除。"))

    @function(
        BilingualText("Shows what one person has sent to another.", "查看一个人发给另一个人的所有短信。"),
        SENDER,
        RECEIVER,
        LOGGED_IN,
        SENDER_KNOWN,
        RECEIVER_KNOWN,
    )
    def view_messages_between_users(self, sender_name: str, receiver_name: str) -> CallOutcome:
        way = (self.people[sender_name]["user_id"], self.people[receiver_name]["user_id"])
        found = [
            {"id": number, "sender": sender_name, "receiver": receiver_name, "message": message["message"]}
            for number, message in self.inbox.items()
            if (message["sender_id"], message["receiver_id"]) == way
        ]
        return self.done(FOUND, messages=found) if found else self.refuse(NO_MATCH)

    @function(
        BilingualText("Finds a person's messages that contain a word.", "在某人收发的短信中查找关键词。"),
        Parameter("user_name", "string", BilingualText("Full name of the person.", "此人的姓名。")),
        Parameter("keyword", "string", BilingualText("The word to look for.", "要查找的关键词。")),
        known("user_name", NOBODY),
    )
    def search_messages(self, user_name: str, keyword: Any) -> CallOutcome:
        user = self.people[user_name]["user_id"]
        found = [
            {"id": number, **{key: message.get(key) for key in ("sender_id", "receiver_id", "message")}}
            for number, message in self.inbox.items()
            if user in (message["sender_id"], message["receiver_id"])
            and lowered(keyword) in lowered(message["message"])
        ]
        return self.done(FOUND, messages=found) if found else self.refuse(NO_MATCH)

    @function(
        BilingualText("Shows when each message was sent, by its number.", "按编号查看每条短信的发送时间。"), LOGGED_IN
    )
    def get_all_message_times_with_ids(self) -> CallOutcome:
        return CallOutcome(CallStatus.NONE, self._times())

    @function(
        BilingualText("Tells the number of the newest message.", "获取最新一条短信的编号。"), LOGGED_IN, NOT_EMPTY
    )
    def get_latest_message_id(self) -> CallOutcome:
        times = self._times()
        sent = [number for number in self.inbox if number not in times]
        # What was sent here is newer than every message of the table, whatever their dates say.
        return self._number(max(sent) if sent else max(times, key=times.__getitem__))

    @function(
        BilingualText("Tells the number of the oldest message.", "获取最早一条短信的编号。"), LOGGED_IN, NOT_EMPTY
    )
    def get_earliest_message_id(self) -> CallOutcome:
        times = self._times()
        return self._number(min(times, key=times.__getitem__) if times else min(self.inbox))

    def _times(self) -> dict[int, str]:
        times = {number: message["time"] for number, message in self.inbox.items() if "time" in message}
        if len(times) < len(self.inbox) and not self.rules.undated_messages:
            raise Defect(BilingualText("a message has no time", "有短信没有时间"))
        return times

    def _number(self, number: int) -> CallOutcome:
        data: Json = {"message_id": number}
        return self.done(FOUND, **data)
