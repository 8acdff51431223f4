"""A headless Chromium through selenium: pages as people meet them."""

import json
import os
import shutil
import struct
import time
import zlib

import pytest

# Without the sandbox, so that root can play the cases too; of the network nothing is needed.
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking",
             "--disable-sync", "--disable-component-update")


def start():
    """The driver; skips the case where one of the three is missing."""
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium or chromedriver is not installed")
    os.environ["no_proxy"] = "localhost,127.0.0.1"  # where the driver listens
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(driver), options=options)


class Page:
    """A page, what it said on the console, and what it asked for."""

    def __init__(self, browser, path, width=1200, height=900, has_script=True):
        self.browser, self.said, self.events = browser, [], []
        older = browser.current_window_handle
        browser.switch_to.new_window("tab")
        newer = browser.current_window_handle
        browser.switch_to.window(older)
        browser.close()
        browser.switch_to.window(newer)
        for kind in ("browser", "performance"):
            browser.get_log(kind)  # of the page before
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        if not has_script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        browser.get(path.as_uri())

    def call(self, method, **parameters):
        return self.browser.execute_cdp_cmd(method, parameters)

    def show_as(self, media="screen", scheme="light"):
        """Without motion: a picture that is taken while the page scrolls shows something else."""
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def ask(self, expression):
        """The value of a JavaScript expression; what it is made of is copied."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in answer, f"{expression}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def complaints(self):
        """Errors and warnings. A dialogue, which a page has no business to open, is an exception."""
        time.sleep(0.05)
        self.said += self.browser.get_log("browser")
        return self.said

    def seconds(self):
        """Of the processor, that the page has taken so far: other processes do not count."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def requests(self):
        self.events += [json.loads(entry["message"])["message"]
                        for entry in self.browser.get_log("performance")]
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    def press(self, key):
        from selenium.webdriver import ActionChains, Keys
        ActionChains(self.browser).send_keys(getattr(Keys, key)).perform()


def _predict(kind, left, above, corner):
    guess = left + above - corner
    paeth = min((abs(guess - left), 0, left), (abs(guess - above), 1, above),
                (abs(guess - corner), 2, corner))[2]
    return (0, left, above, (left + above) // 2, paeth)[kind]


def pixels(png):
    """Rows of (red, green, blue) of a picture that the browser took: 8 bits, not interlaced."""
    at, packed, head = 8, b"", None
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", png[at + 8:at + 8 + size])
        elif kind == b"IDAT":
            packed += png[at + 8:at + 8 + size]
        at += 12 + size
    width, height, depth, colour = head[:4]
    assert depth == 8 and colour in (2, 6) and head[6] == 0, head
    step = 3 if colour == 2 else 4
    raw, above, rows = bytearray(zlib.decompress(packed)), bytearray(step * width), []
    for y in range(height):
        first = y * (step * width + 1) + 1
        line, kind = raw[first:first + step * width], raw[first - 1]
        for i, value in enumerate(line):
            left, corner = (line[i - step], above[i - step]) if i >= step else (0, 0)
            line[i] = (value + _predict(kind, left, above[i], corner)) % 256
        rows.append([tuple(line[step * x:step * x + 3]) for x in range(width)])
        above = line
    return rows
