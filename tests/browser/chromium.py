"""A headless Chromium, driven by the DevTools protocol over pipes: no driver, no library."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXECUTABLE = next((path for name in NAMES if (path := shutil.which(name))), None)
# It reads commands from descriptor 3 and answers on 4.
PIPES = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Tab:
    """One page of the browser.

    Args:
        process: the browser.
        commands: the pipe that it reads.
        answers: the pipe that it writes.
    """

    def __init__(self, process: subprocess.Popen[bytes], commands: int, answers: int) -> None:
        self._process = process
        self._commands = os.fdopen(commands, "wb", buffering=0)
        self._answers = os.fdopen(answers, "rb")
        self._number, self._session = 0, ""
        self._seen: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a command and waits for its answer.

        Raises:
            RuntimeError: the browser refused it, or is gone.
        """
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            self._seen.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def wait(self, event: str) -> dict[str, Any]:
        """The next event of this name, also one that has come meanwhile."""
        while True:
            for index, one in enumerate(self._seen):
                if one.get("method") == event:
                    return self._seen.pop(index)
            self._seen.append(self._read())

    def _read(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            if not byte:
                raise RuntimeError(f"Chromium is gone, exit code {self._process.wait(10)}")
            text += byte
        message: dict[str, Any] = json.loads(text)
        return message

    def open(self, url: str) -> None:
        """Loads a page."""
        self._seen.clear()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def complaints(self) -> list[str]:
        """What the console has of the page that was opened last: violations of the CSP, 404."""
        return [
            one["params"]["entry"]["text"]
            for one in self._seen
            if one.get("method") == "Log.entryAdded"
        ]

    def eval(self, script: str) -> Any:
        """The value of an expression, or of what it promises.

        Raises:
            RuntimeError: it threw.
        """
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in done:
            raise RuntimeError(str(done["exceptionDetails"]))
        return done["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Presses a key, by its name and its code on Windows."""
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                text=text if kind == "keyDown" else "",
            )

    def look(self, width: int, scheme: str = "light", media: str = "screen") -> None:
        """Sets the width in CSS pixels, dark or light, and screen or print."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, file: Path, is_whole: bool = True) -> None:
        """Writes a picture of the page as PNG."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=is_whole)
        file.write_bytes(base64.b64decode(taken["data"]))


@contextmanager
def chromium() -> Iterator[Tab]:
    """A browser with one page; it is gone afterwards."""
    assert EXECUTABLE, "look at EXECUTABLE first"
    read, commands = os.pipe()
    answers, write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = (
            *(sys.executable, "-c", PIPES, str(read), str(write), EXECUTABLE),
            *("--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run"),
            # Root, as in a container, has no sandbox.
            *(("--no-sandbox",) if os.geteuid() == 0 else ()),
            f"--user-data-dir={profile}",
        )
        with open(os.devnull, "wb") as nothing:
            process = subprocess.Popen(command, stderr=nothing, pass_fds=(read, write))
        os.close(read)
        os.close(write)
        try:
            yield Tab(process, commands, answers)
        finally:
            process.terminate()
            process.wait(30)
