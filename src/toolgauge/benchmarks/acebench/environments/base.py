"""The device that the phone environments share, and BaseApi, which shows it."""

from __future__ import annotations

from toolgauge.benchmarks.acebench.environments.declaration import CallOutcome, Condition, function
from toolgauge.benchmarks.acebench.environments.environment import Environment
from toolgauge.benchmarks.acebench.environments.words import BilingualText
from toolgauge.chat import Json

LOGGED_IN = Condition(
    BilingualText("The device is not logged in.", "设备尚未登录。"), lambda here, _: bool(here.device["logged_in"])
)
WIFI_ON = Condition(
    BilingualText("The wireless network is off.", "无线网络未打开。"), lambda here, _: bool(here.device["wifi"])
)


class PhoneEnvironment(Environment):
    """An environment on the phone: it understands the functions of the device."""

    @function(BilingualText("Switches the wireless network of the device on.", "打开设备的无线网络。"))
    def turn_on_wifi(self) -> CallOutcome:
        self.device["wifi"] = True
        return self.done(BilingualText("The wireless network is on.", "无线网络已打开。"))

    @function(BilingualText("Logs the user in on the device.", "登录设备。"))
    def login_device(self) -> CallOutcome:
        self.device["logged_in"] = True
        return self.done(BilingualText("The device is logged in.", "设备已登录。"))


class BaseApi(PhoneEnvironment):
    """The device itself."""

    name = "BaseApi"
    section = "base"
    saved = ("wifi", "logged_in")

    def save(self) -> Json:
        return {part: self.device[part] for part in self.saved}
