"""A headless Chromium, told what to do over a pipe (the DevTools protocol): pages as people meet
them. Cases that need it are skipped where there is none."""

import atexit
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

from harness import Skip, fail

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_S = 60
# Without the sandbox, so that root can play the cases too; of the network nothing is needed.
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
             "--disable-component-update", "--remote-debugging-pipe")


class Browser:
    """One process; each page is a target of its own."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="assay-browser-")
        theirs_in, self.out = os.pipe()
        self.into, theirs_out = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "sh", program, *ARGUMENTS,
             f"--user-data-dir={self.profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(theirs_in, theirs_out), env={**os.environ, "HOME": self.profile},
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer, self.number = b"", 0

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        while b"\0" not in self.buffer:
            part = os.read(self.into, 1 << 20)
            if not part:
                fail("the browser ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session, parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        return self.number


class Page:
    """A page, what it said on the console, and what it asked for."""

    def __init__(self, path, width=1200, height=900, has_script=True):
        self.browser, self.events = start(), []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.resize(width, height)
        if not has_script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Page.navigate", url=path.as_uri())
        self.wait("Page.loadEventFired")

    session = None

    def call(self, method, **parameters):
        number = self.browser.send(method, self.session, parameters)
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            message = self.browser.read()
            if message.get("id") == number:
                if "error" in message:
                    fail(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)
        return fail(f"{method}: no answer")

    def wait(self, event):
        end = time.monotonic() + TIMEOUT_S
        while not any(seen.get("method") == event for seen in self.events):
            if time.monotonic() > end:
                fail(f"{event} did not come")
            self.events.append(self.browser.read())

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def show_as(self, media="screen", scheme="light"):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def ask(self, expression):
        """The value of a JavaScript expression; what it is made of is copied."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            fail(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """Errors and warnings, and dialogues that a page has no business to open."""
        self.ask("new Promise((done) => setTimeout(done, 50))")
        bad = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded",
               "Page.javascriptDialogOpening")
        return [event for event in self.events if event.get("method") in bad]

    def seconds(self):
        """Of the processor, that the page has taken so far: other processes do not count."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def press(self, key, code, text=None):
        typed = {} if text is None else {"text": text}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code, **typed)

    def picture(self, path):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


running = []


def start():
    """The one browser of all cases."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise Skip(f"none of {', '.join(PROGRAMS)} is installed")
    if not running:
        running.append(Browser(program))
        atexit.register(running[0].close)
    return running[0]
