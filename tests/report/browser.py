"""A headless Chromium asked over its own DevTools protocol: two pipes and JSON, so that tests need no driver.

with Browser() as browser:
    page = browser.open(Path("report.html"), width=390)
    page.run("document.title")
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 300.0  # seconds for one answer; a loaded machine starts Chromium slowly
FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # containers have little of it
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


def chromium() -> str | None:
    """Where Chromium is, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One Chromium process; `open` gives pages."""

    def __enter__(self) -> Browser:
        program = chromium()
        assert program is not None, "no Chromium found"
        self.profile = tempfile.mkdtemp(prefix="learnt-browser-")
        theirs_in, self.to = _pipe()
        self.back, theirs_out = _pipe()

        def lay_pipes() -> None:  # Chromium reads commands from 3 and answers on 4
            os.dup2(theirs_in, 3)
            os.dup2(theirs_out, 4)

        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [program, *FLAGS, *root, f"--user-data-dir={self.profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4),
            preexec_fn=lay_pipes,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.unread, self.number, self.events = b"", 0, []
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self.call("Browser.close", patience=5)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, session: str | None = None, patience: float = PATIENCE, **params: Any) -> Any:
        """Send a command and wait for its answer; events on the way are kept."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data) :]
        for answer in self._messages(patience):
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)
        raise AssertionError(f"Chromium did not answer {method} within {patience:g} s")

    def wait_for(self, method: str, session: str, patience: float = PATIENCE) -> None:
        if any(e.get("method") == method and e.get("sessionId") == session for e in self.events):
            return
        for message in self._messages(patience):
            self.events.append(message)
            if message.get("method") == method and message.get("sessionId") == session:
                return
        raise AssertionError(f"{method} did not come within {patience:g} s")

    def _messages(self, patience: float) -> Iterator[dict[str, Any]]:
        end = time.monotonic() + patience
        while True:
            while b"\0" in self.unread:
                first, _, self.unread = self.unread.partition(b"\0")
                yield json.loads(first)
            if not select.select([self.back], [], [], max(0.0, end - time.monotonic()))[0]:
                return
            chunk = os.read(self.back, 1 << 20)
            if not chunk:
                raise AssertionError(f"Chromium ended with exit code {self.process.poll()}")
            self.unread += chunk

    def open(self, file: Path, width: int = 1400, height: int = 900, *, dark: bool = False) -> Page:
        """A page of that width; a narrow one is a phone."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        page.call("Page.navigate", url=file.resolve().as_uri())
        self.wait_for("Page.loadEventFired", session)
        page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return page


class Page:
    def __init__(self, browser: Browser, session: str):
        self.browser, self.session = browser, session

    def call(self, method: str, **params: Any) -> Any:
        return self.browser.call(method, self.session, **params)

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, code: int = 0, text: str = "") -> None:
        """A key down and up again, as a person presses it."""
        key_event = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **key_event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key_event)

    def complaints(self) -> list[str]:
        """What the console, the log and uncaught exceptions said."""
        found = []
        for event in self._own():
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(str(params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """Everything fetched, the page itself and data inside it apart."""
        urls = [e["params"]["request"]["url"] for e in self._own() if e["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("data:", "about:"))][1:]

    def dialogs(self) -> int:
        """How many windows asked to be clicked away."""
        return sum(e["method"] == "Page.javascriptDialogOpening" for e in self._own())

    def _own(self) -> list[dict[str, Any]]:
        self.run("1")  # what happened before has been told once this is answered
        return [e for e in self.browser.events if e.get("sessionId") == self.session]

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))
        path.write_bytes(base64.b64decode(shot["data"]))

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def pdf(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))


def _pipe() -> tuple[int, int]:
    """Two ends far from 3 and 4, so that laying those two overwrites neither."""
    ends = os.pipe()
    far = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends)
    for end in ends:
        os.close(end)
    return far[0], far[1]
