"""Debian's Chromium without a display, driven over a pipe by the DevTools protocol: real events of mouse and keyboard.

A site is served on a free port of this machine, plainly: without special headers.
"""
import base64
import functools
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--ignore-gpu-blocklist", "--remote-debugging-pipe"]
# What a key says: its code on an American keyboard, and its Windows number.
NAMED = {"Return": ("Enter", "Enter", 13), "Right": ("ArrowRight", "ArrowRight", 39), "Left": ("ArrowLeft", "ArrowLeft", 37),
         "Escape": ("Escape", "Escape", 27), "space": (" ", "Space", 32), "F11": ("F11", "F11", 122), ".": (".", "Period", 190)}
MODIFIERS = {"alt": 1, "ctrl": 2, "shift": 8}


# Turns of the page's thread that take longer than 50 ms, as the browser itself counts them.
WATCH = """window.longTasks = [];
new PerformanceObserver((list) => { for (const task of list.getEntries()) longTasks.push(Math.round(task.duration)); })
    .observe({type: 'longtask', buffered: true});"""


class GoneWrong(Exception):
    """The page did not do what it should."""


class Server:
    def __init__(self, folder):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Chromium:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tilescope-chromium-")
        from_here, to_browser = os.pipe()
        from_browser, to_here = os.pipe()
        # The browser reads its descriptor 3 and writes its 4.
        script = f"exec 3<&{from_here} 4>&{to_here}; exec /usr/bin/chromium \"$@\""
        self.process = subprocess.Popen(["bash", "-c", script, "chromium", *FLAGS, f"--user-data-dir={self.folder}", "about:blank"],
                                        pass_fds=[from_here, to_here], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(from_here)
        os.close(to_here)
        self.writing, self.reading = os.fdopen(to_browser, "wb", 0), os.fdopen(from_browser, "rb", 0)
        self.last, self.session, self.answers, self.rest = 0, None, {}, b""
        self.said, self.addresses = [], []  # Errors and warnings of the page; what it asked for.
        self.changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        pages = [target for target in self.send("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        self.session = self.send("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.resize()

    def resize(self, width=1600, height=900, density=1):
        """In the page's own pixels, each of which has `density` of the display's in a row, as on a fine display or zoomed."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=density, mobile=False)

    def _read(self):
        while part := self.reading.read(1 << 20):
            *messages, self.rest = (self.rest + part).split(b"\0")
            for message in map(json.loads, messages):
                with self.changed:
                    self._take(message)
                    self.changed.notify_all()

    def _take(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
        parameters = message.get("params", {})
        method = message.get("method")
        if method == "Network.requestWillBeSent":
            self.addresses.append(parameters["request"]["url"])
        if method == "Runtime.consoleAPICalled" and parameters["type"] not in ("log", "debug"):
            self.said.append(" ".join(str(each.get("value", each.get("description"))) for each in parameters["args"]))
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description", details["text"]))
        if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.said.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))

    def send(self, method, **parameters):
        self.last += 1
        number, message = self.last, {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.writing.write(json.dumps(message).encode() + b"\0")
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers, timeout=120):
                raise GoneWrong(f"Chromium does not answer {method}")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise GoneWrong(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, address):
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise GoneWrong(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def begin(self, expression):
        """Evaluates a promise whose result() is asked for later."""
        self.evaluate(f"void (window.begun = {expression})")

    def result(self):
        return self.evaluate("begun")

    def wait_until(self, expression, seconds=90):
        end = time.time() + seconds
        while time.time() < end:
            try:
                if self.evaluate(expression):
                    return
            except GoneWrong:
                pass  # The page is being replaced.
            time.sleep(0.05)
        raise GoneWrong(f"not within {seconds} s: {expression}; the page said: {self.said[-5:]}")

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.move(x, y)
        time.sleep(0.1)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            time.sleep(0.05)

    def wheel(self, x, y, down):
        self.move(x, y)
        self.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=100 if down else -100)

    def touch(self, kind, *points):
        self.send("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def paste(self, text):
        self.send("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.evaluate(f"navigator.clipboard.writeText({json.dumps(text)})")
        event = {"key": "v", "code": "KeyV", "windowsVirtualKeyCode": 86, "modifiers": MODIFIERS["ctrl"]}
        self.send("Input.dispatchKeyEvent", type="keyDown", commands=["paste"], **event)
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def key(self, key, modifier=None):
        """"a", "7", or a name of NAMED."""
        letter = "Digit" if key.isdigit() else "Key"
        says, code, number = NAMED.get(key) or (key, letter + key.upper(), ord(key.upper()))
        event = {"key": says, "code": code, "windowsVirtualKeyCode": number, "modifiers": MODIFIERS.get(modifier, 0)}
        typed = {"text": says} if len(says) == 1 and modifier in (None, "shift") else {}
        self.send("Input.dispatchKeyEvent", type="keyDown" if typed else "rawKeyDown", **event, **typed)
        time.sleep(0.05)
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)
        time.sleep(0.05)

    def picture(self):
        """A PNG of the page."""
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
        except (GoneWrong, OSError):
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
