"""Debian's Firefox ESR in a display of its own, since it has no WebGL without one, driven by its Marionette protocol: real events of mouse and keyboard.

What tests/web/play asks of a browser, as in chromium.py.
"""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from chromium import GoneWrong

PROGRAM = "/usr/bin/firefox-esr"
# Keys without a letter: WebDriver's numbers.
NAMED = {"Return": "\ue007", "Right": "\ue014", "Left": "\ue012", "Escape": "\ue00c", "space": " ", "F11": "\ue03b"}
MODIFIERS = {"alt": "\ue00a", "ctrl": "\ue009", "shift": "\ue008"}
# Software GL is good enough; no request to anyone else.
SETTINGS = {"webgl.force-enabled": True, "marionette.port": 0, "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
            "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False,
            "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
            "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False,
            "services.settings.server": "data:,"}


class Firefox:
    def __init__(self, width=1600, height=900):
        self.folder = tempfile.mkdtemp(prefix="tilescope-firefox-")
        with open(f"{self.folder}/user.js", "w") as file:
            for name, value in SETTINGS.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        reading, writing = os.pipe()
        self.display = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width + 200}x{height + 300}x24"],
                                        pass_fds=[writing], **quiet)
        os.close(writing)
        with os.fdopen(reading) as said:
            number = said.readline().strip()
        environment = {**os.environ, "DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1"}
        self.process = subprocess.Popen([PROGRAM, "--marionette", "--no-remote", "--profile", self.folder], env=environment, **quiet)
        self.last, self.said = 0, []
        self.connection = socket.create_connection(("127.0.0.1", self._port()), timeout=120)
        self._receive()  # It says which protocol.
        self.send("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        inner = "return [innerWidth, innerHeight]"
        self.send("WebDriver:SetWindowRect", width=width, height=height)
        shown = self.send("WebDriver:ExecuteScript", script=inner, args=[])["value"]
        self.send("WebDriver:SetWindowRect", width=2 * width - shown[0], height=2 * height - shown[1])

    def _port(self):
        for _ in range(600):
            try:
                with open(f"{self.folder}/MarionetteActivePort") as file:
                    return int(file.read())
            except (OSError, ValueError):
                time.sleep(0.1)
        raise GoneWrong("Firefox does not start")

    def _read(self, count):
        text = b""
        while len(text) < count:
            part = self.connection.recv(count - len(text))
            if not part:
                raise GoneWrong("Firefox is gone")
            text += part
        return text

    def _receive(self):
        length = b""
        while not length.endswith(b":"):
            length += self._read(1)
        return json.loads(self._read(int(length[:-1])))

    def send(self, command, **parameters):
        self.last += 1
        text = json.dumps([0, self.last, command, parameters]).encode()
        self.connection.sendall(b"%d:%s" % (len(text), text))
        _, _, problem, result = self._receive()
        if problem:
            raise GoneWrong(f"{command}: {problem['message']}")
        return result

    def open(self, address):
        self.send("WebDriver:Navigate", url="about:blank")
        self.send("WebDriver:Navigate", url=address)

    def evaluate(self, expression):
        # Of the page's names: those of a script's own scope cannot be seen from here.
        script = f"const {{Page, FS, HEAP8}} = window; return ({expression});"
        return self.send("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def wait_until(self, expression, seconds=90):
        end = time.time() + seconds
        while time.time() < end:
            try:
                if self.evaluate(expression):
                    return
            except GoneWrong:
                pass  # The page is being replaced.
            time.sleep(0.05)
        raise GoneWrong(f"not within {seconds} s: {expression}")

    def _act(self, kind, actions, **parameters):
        self.send("WebDriver:PerformActions", actions=[{"type": kind, "id": kind, "actions": actions, **parameters}])

    def move(self, x, y):
        self._act("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}])

    def click(self, x, y):
        self.move(x, y)
        time.sleep(0.1)
        self._act("pointer", [{"type": "pointerDown", "button": 0}, {"type": "pause", "duration": 50}, {"type": "pointerUp", "button": 0}])

    def wheel(self, x, y, down):
        self._act("wheel", [{"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": 100 if down else -100}])

    def key(self, key, modifier=None):
        """"a", "7", or a name of NAMED."""
        says = NAMED.get(key, key)
        held = [MODIFIERS[modifier]] if modifier else []
        self._act("key", [{"type": "keyDown", "value": value} for value in [*held, says]] +
                  [{"type": "keyUp", "value": value} for value in [says, *held]])
        time.sleep(0.05)

    def picture(self):
        """A PNG of the page."""
        return base64.b64decode(self.send("WebDriver:TakeScreenshot", full=False)["value"])

    def close(self):
        try:
            self.send("Marionette:Quit", flags=["eForceQuit"])
        except (GoneWrong, OSError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.display.terminate()
        self.display.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
