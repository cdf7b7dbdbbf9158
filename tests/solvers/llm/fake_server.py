"""A chat server on the loopback interface that misbehaves as told, for as long as a test lasts.

Each request takes the next behaviour of its list; when the list is empty it behaves well.
"""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: No behaviour holds a connection for longer than this many seconds.
LONGEST_S = 8.0

NEUTRAL = {
    "temperature": 0.0,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
    "repeat_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}


class FakeServer:
    """What was asked, and how to answer."""

    def __init__(self) -> None:
        self.behaviours: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.reports = True
        self.own_settings: dict[str, float] = {}
        self.answer: Callable[[dict[str, Any]], str] = lambda body: "house\ndog"
        self.url = ""
        self.n_at_once = self.most_at_once = 0
        self.is_over = threading.Event()
        self._lock = threading.Lock()

    def next(self, body: dict[str, Any], headers: dict[str, str]) -> str:
        with self._lock:
            self.bodies.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            return self.behaviours.pop(0) if self.behaviours else "good"

    def wait(self, seconds: float) -> None:
        self.is_over.wait(min(seconds, LONGEST_S))

    def settings(self, body: dict[str, Any]) -> dict[str, float]:
        """What llama.cpp would report: the fields it knows, defaults for the others."""
        return {**NEUTRAL, **{n: body[n] for n in NEUTRAL if n in body}, **self.own_settings}

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with self._lock:
            self.n_at_once += 1
            self.most_at_once = max(self.most_at_once, self.n_at_once)
        yield
        with self._lock:
            self.n_at_once -= 1


class _Handler(BaseHTTPRequestHandler):
    fake: FakeServer
    protocol_version = "HTTP/1.0"  # the end of the connection is the end of the answer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        behaviour = self.fake.next(body, dict(self.headers))
        try:
            with self.fake.at_work():
                getattr(self, f"do_{behaviour.partition(' ')[0]}")(body, behaviour)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def _begin(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _event(self, **document: Any) -> None:
        self.wfile.write(f"data: {json.dumps(document)}\n\n".encode())
        self.wfile.flush()

    def _text(self, text: str, **more: Any) -> None:
        self._event(choices=[{"index": 0, "delta": {"content": text}, **more}])

    def _end(self, body: dict[str, Any], last: str = "data: [DONE]\n\n") -> None:
        said = {"__verbose": {"generation_settings": self.fake.settings(body)}}
        self._event(
            choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}],
            usage={"prompt_tokens": 30, "completion_tokens": 4},
            **(said if self.fake.reports else {}),
        )
        self.wfile.write(last.encode())

    def do_good(self, body: dict[str, Any], _: str) -> None:
        self._begin(Content_Type="text/event-stream")
        if body.get("logprobs"):
            listed = [{"token": t, "logprob": p} for t, p in (("B", -0.3), ("A", -1.6), ("C", -4))]
            self._text("B", logprobs={"content": [{"top_logprobs": listed}]})
        else:
            for piece in self.fake.answer(body).splitlines(keepends=True):
                self._text(piece)
        self._end(body)

    def do_unreported(self, body: dict[str, Any], _: str) -> None:
        """Write a whole answer and nothing of the settings."""
        self._reporting({})

    def do_misreported(self, body: dict[str, Any], _: str) -> None:
        self._reporting({"__verbose": {"generation_settings": {"temperature": "garbage"}}})

    def _reporting(self, report: dict[str, Any]) -> None:
        self._begin(Content_Type="text/event-stream")
        self._text("nobody knows\nhow")
        done = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
        usage = {"prompt_tokens": 30, "completion_tokens": 4}
        self._event(choices=done, usage=usage, **report)

    def do_endless(self, body: dict[str, Any], _: str) -> None:
        """Write all that was asked for, without the end."""
        self._begin(Content_Type="text/event-stream")
        for _ in range(body["max_tokens"]):
            self._text("longer word\n")

    def do_finish(self, body: dict[str, Any], behaviour: str) -> None:
        """``finish REASON``: half an answer, which ends by this reason."""
        self._begin(Content_Type="text/event-stream")
        self._text("half an ans")
        said = {"__verbose": {"generation_settings": self.fake.settings(body)}}
        reason = behaviour.partition(" ")[2]
        self._event(choices=[{"index": 0, "delta": {}, "finish_reason": reason}], **said)
        self.wfile.write(b"data: [DONE]\n\n")

    def do_raw(self, body: dict[str, Any], behaviour: str) -> None:
        """``raw TEXT``: send this; ``SETTINGS`` stands for the report of the settings."""
        said = {"generation_settings": self.fake.settings(body)}
        text = behaviour.partition(" ")[2].replace("SETTINGS", json.dumps(said))
        self._begin(Content_Type="text/event-stream")
        self.wfile.write(text.encode())

    def do_slow(self, body: dict[str, Any], behaviour: str) -> None:
        self.fake.wait(0.3)
        self.do_good(body, behaviour)

    def do_whole(self, body: dict[str, Any], _: str) -> None:
        """Answer without a stream, as some servers do whatever is asked."""
        self._begin(Content_Type="application/json")
        document = {
            "choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 30, "completion_tokens": 4},
            "__verbose": {"generation_settings": self.fake.settings(body)},
        }
        self.wfile.write(json.dumps(document).encode())

    def do_status(self, body: dict[str, Any], behaviour: str) -> None:
        """``status 429 2``: refuse, and say after how many seconds to come again."""
        _, status, *after = behaviour.split()
        self._begin(int(status), **({"Retry_After": after[0]} if after else {}))
        self.wfile.write(b'{"error": "busy"}')

    def do_silent(self, body: dict[str, Any], _: str) -> None:
        self.fake.wait(LONGEST_S)

    def do_stall(self, body: dict[str, Any], _: str) -> None:
        self._begin(Content_Type="text/event-stream")
        self._text("half an ans")
        self.fake.wait(LONGEST_S)

    def do_cut(self, body: dict[str, Any], _: str) -> None:
        self._begin(Content_Type="text/event-stream")
        self._text("half an ans")

    def do_unended(self, body: dict[str, Any], _: str) -> None:
        """Finish the answer, and then keep the line open for ever."""
        self._begin(Content_Type="text/event-stream")
        self._text("finished")
        said = {"generation_settings": self.fake.settings(body)}
        done = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
        self._event(choices=done, __verbose=said)
        self.fake.wait(LONGEST_S)

    def do_garbage(self, body: dict[str, Any], _: str) -> None:
        self._begin(Content_Type="text/event-stream")
        self.wfile.write(bytes(range(256)) * 20)

    def do_page(self, body: dict[str, Any], _: str) -> None:
        self._begin(Content_Type="text/html")
        self.wfile.write(b"<html><body>Gateway</body></html>\n")

    def do_event(self, body: dict[str, Any], behaviour: str) -> None:
        """``event TEXT``: send this as an event, and then end well."""
        self._begin(Content_Type="text/event-stream")
        self.wfile.write(f"data: {behaviour.partition(' ')[2]}\n\n".encode())
        self._end(body)

    def do_last_event(self, body: dict[str, Any], behaviour: str) -> None:
        """``last_event TEXT``: a good answer, whose last event is this."""
        self._begin(Content_Type="text/event-stream")
        self._text("house\ndog")
        self._end(body, f"data: {behaviour.partition(' ')[2]}\n\ndata: [DONE]\n\n")

    def do_echo(self, body: dict[str, Any], behaviour: str) -> None:
        """``echo STATUS``: give back what was sent with the request, in colours."""
        status = int(behaviour.split()[1])
        self._begin(status, Content_Type="text/event-stream")
        said = f"\x1b[31mwhat is {self.headers['Authorization']}?"
        if status != 200:
            self.wfile.write((said + "x" * 500).encode())
        else:
            self._text(said[5:15])
            self._text(said[15:])
            self._end(body)

    def do_echo_error(self, body: dict[str, Any], _: str) -> None:
        self._begin(Content_Type="text/event-stream")
        self._event(error={"message": f"bad {self.headers['Authorization']}"})

    def do_redirect(self, body: dict[str, Any], _: str) -> None:
        self._begin(307, Location="http://elsewhere.example/v1")

    def do_chatter(self, body: dict[str, Any], _: str) -> None:
        """Write on and on, far beyond what was asked for."""
        self._begin(Content_Type="text/event-stream")
        for _ in range(4000):
            self._text("more " * 100)

    def do_odd(self, body: dict[str, Any], _: str) -> None:
        self._begin(Content_Type="text/event-stream")
        self._event(choices=[{"delta": {"content": {"a": 1}}}])

    def do_drip(self, body: dict[str, Any], _: str) -> None:
        """Send a byte now and then, and never the end of a line."""
        self._begin(Content_Type="text/event-stream")
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end and not self.fake.is_over.is_set():
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.05)

    def do_drip_headers(self, body: dict[str, Any], _: str) -> None:
        self.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end and not self.fake.is_over.is_set():
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.05)


@contextmanager
def running() -> Iterator[FakeServer]:
    """Run a server on a free port of the loopback interface until the block ends."""
    fake = FakeServer()
    handler = type("Handler", (_Handler,), {"fake": fake})
    socketserver.TCPServer.allow_reuse_address = True
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
