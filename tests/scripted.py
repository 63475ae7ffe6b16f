"""A provider for tests and for trying by hand: OpenAI's protocol over real HTTP, as scripted.

    with ScriptedProvider(Script(text=["Hel", "lo"])) as provider:
        model = CompatibleModel(provider.base_url, provider.model, ...)

By hand: ``python -m tests.scripted --port 9000``, then CHAT_BASE_URL=http://127.0.0.1:9000/v1. It
answers "You said: …"; a message with the word "slow" is answered slowly, with "error" by a 503,
with "limit" by a 429, with "cut" by half an answer, with "think" by thinking first.
"""

import argparse
import contextlib
import itertools
import json
import select
import socket
import ssl
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Json = dict[str, Any]
Responder = Callable[[Json], "Script"]

# What is learnt about a model stays in the process, and ports come again: no two share a name.
_numbers = itertools.count(1)


@dataclass
class Script:
    """One answer. The defaults are a well-behaved provider."""

    text: Sequence[str] = ("Hello", " there", ".")
    reasoning: Sequence[str] = ()
    reasoning_field: str = "reasoning_content"
    tool_calls: Sequence[list[Json]] = ()
    """One list of fragments per chunk."""
    delay: float = 0.0
    """Seconds between two chunks."""
    first_delay: float = 0.0
    finish: str | None = "stop"
    """None: no finish reason ever comes."""
    usage: Json | None = field(
        default_factory=lambda: {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    )
    done: bool = True
    extra: Sequence[Json] = ()
    """Payloads sent after the text, before the finish reason."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | Json | None = None
    """A whole body instead of a stream (a dict is sent as JSON)."""
    content_type: str = ""
    raw: bytes | None = None
    """The stream's bytes as they are, in pieces of `raw_step`."""
    raw_step: int = 0
    cut_after: int | None = None
    """The connection is reset after so many chunks."""
    hang_after: int | None = None
    """Nothing more comes after so many chunks, and the connection stays open."""


@dataclass
class Recorded:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    json: Json
    at: float
    """time.monotonic()"""
    client_port: int = 0
    closed_at: float | None = None
    """When the client went away before the answer was whole; None when it did not."""
    finished: bool = False
    """The whole answer was sent."""


class ScriptedProvider:
    """The server, in a thread of its own. Scripts are used up in turn, then `responder` answers."""

    def __init__(
        self,
        *scripts: Script,
        responder: Responder | None = None,
        port: int = 0,
        dimensions: int = 8,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.scripts: deque[Script] = deque(scripts)
        self.requests: list[Recorded] = []
        self.responder: Responder = responder or (lambda _: Script())
        self.dimensions = dimensions
        self.listing = Script(body={"object": "list", "data": [{"id": "scripted"}]})
        """What GET /models answers."""
        self.hear: Callable[[dict[str, str]], object] = lambda _: None
        """Is told the headers of each GET."""
        self.connections = 0
        self.model = f"scripted-{next(_numbers)}"
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.provider = self
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def private_hosts(self) -> frozenset[str]:
        return frozenset({f"127.0.0.1:{self.port}"})

    def queue(self, *scripts: Script) -> None:
        self.scripts.extend(scripts)

    @property
    def last(self) -> Recorded:
        return self.requests[-1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def serve(self) -> None:
        """Serve until interrupted."""
        self._server.serve_forever()

    def record(self, request: Recorded) -> None:
        with self._lock:
            self.requests.append(request)

    def script_for(self, asked: Json) -> Script:
        with self._lock:
            if self.scripts:
                return self.scripts.popleft()
        return self.responder(asked)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    provider: ScriptedProvider

    def process_request(self, request: Any, client_address: Any) -> None:
        self.provider.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what many scripts are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    recorded: Recorded

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.server.provider.hear(dict(self.headers))
        told = self.server.provider.listing
        self._whole(told.status, told.body or {}, told.headers)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        self.recorded = Recorded(
            self.path,
            {name.lower(): value for name, value in self.headers.items()},
            asked,
            time.monotonic(),
            self.client_address[1],
        )
        self.server.provider.record(self.recorded)
        try:
            self._answer(asked)
            self.recorded.finished = True
        except _ClientLeftError:
            self.recorded.closed_at = time.monotonic()
            self.close_connection = True
        except OSError:
            self.close_connection = True

    def _answer(self, asked: Json) -> None:
        if self.path.endswith("/embeddings") and not self.server.provider.scripts:
            self._whole(200, _embeddings(asked, self.server.provider.dimensions))
            return
        script = self.server.provider.script_for(asked)
        self._wait(script.first_delay)
        if script.body is not None or script.status != 200:
            body = script.body if script.body is not None else {"error": {"message": "scripted"}}
            self._whole(script.status, body, script.headers, script.content_type)
        elif not asked.get("stream"):
            self._whole(200, _one_json(script), script.headers)
        else:
            self._stream(script)

    def _whole(
        self, status: int, body: str | Json, headers: dict[str, str] | None = None, kind: str = ""
    ) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        kind = kind or ("text/plain" if isinstance(body, str) else "application/json")
        for name, value in {"Content-Type": kind, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, script: Script) -> None:
        self.send_response(200)
        kind = script.content_type or "text/event-stream"
        for name, value in {"Content-Type": kind, **script.headers}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, piece in enumerate(_pieces(script)):
            self._mishap(script, number)
            self._write(piece)
            self._wait(script.delay)
        self._mishap(script, len(_pieces(script)))
        self.wfile.write(b"0\r\n\r\n")

    def _mishap(self, script: Script, number: int) -> None:
        if script.cut_after == number:
            # Linger zero sends a reset, as a dying server does.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0" + bytes(4))
            self.connection.close()
            raise ConnectionError
        if script.hang_after == number:
            self._wait(3600)

    def _write(self, piece: bytes) -> None:
        self._wait(0)
        try:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()
        except OSError as error:
            raise _ClientLeftError from error

    def _wait(self, seconds: float) -> None:
        """Wait, and notice at once when the client goes away."""
        end = time.monotonic() + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.05))
            if readable and self._gone():
                raise _ClientLeftError
            if left == 0 or self.server.provider.stopping.is_set():
                return
            if readable:
                time.sleep(min(left, 0.02))

    def _gone(self) -> bool:
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True


class _ClientLeftError(Exception):
    """The client closed the connection."""


def _pieces(script: Script) -> list[bytes]:
    if script.raw is not None:
        step = script.raw_step or max(1, len(script.raw))
        return [script.raw[at : at + step] for at in range(0, len(script.raw), step)]
    deltas: list[Json] = [{script.reasoning_field: words} for words in script.reasoning]
    deltas += [{"content": words} for words in script.text]
    deltas += [{"tool_calls": fragments} for fragments in script.tool_calls]
    found = [sse(chunk(delta)) for delta in deltas] + [sse(payload) for payload in script.extra]
    if script.finish is not None:
        found.append(sse(chunk({}, script.finish)))
    if script.usage is not None:
        found.append(sse({"id": "c", "choices": [], "usage": script.usage}))
    return [*found, b"data: [DONE]\n\n"] if script.done else found


def chunk(delta: Json, finish: str | None = None) -> Json:
    """One payload of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}


def sse(payload: Json) -> bytes:
    """The payload as an event; ASCII only, so lone surrogates pass as the escapes they come as."""
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def _one_json(script: Script) -> Json:
    message: Json = {"role": "assistant", "content": "".join(script.text)}
    if script.reasoning:
        message[script.reasoning_field] = "".join(script.reasoning)
    if script.tool_calls:
        message["tool_calls"] = [call for calls in script.tool_calls for call in calls]
    choice = {"index": 0, "message": message, "finish_reason": script.finish}
    return {"object": "chat.completion", "choices": [choice], "usage": script.usage}


def _embeddings(asked: Json, dimensions: int) -> Json:
    texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
    data = [
        {"object": "embedding", "index": place, "embedding": _vector(text, dimensions)}
        for place, text in enumerate(texts)
    ]
    # Out of order on purpose: the index says which text a vector belongs to.
    return {"object": "list", "data": data[::-1], "model": asked.get("model"), "usage": {}}


def _vector(text: str, dimensions: int) -> list[float]:
    vector = [0.0] * dimensions
    for char in text:
        vector[ord(char) % dimensions] += 1.0
    return vector


def echo(asked: Json) -> Script:
    """The script that repeats what the user said, in the manner that a word of it asks for."""
    talk = [message for message in asked.get("messages", []) if message["role"] == "user"]
    said = talk[-1]["content"] if talk else ""
    said = said if isinstance(said, str) else "".join(part.get("text", "") for part in said)
    text = [said[at : at + 4] for at in range(0, len(said), 4)]
    script = Script(text=["You said: ", *text], delay=0.02)
    if "slow" in said:
        script.delay = 0.3
    if "think" in said:
        script.reasoning = ["Let me think ", "about that."]
    if "error" in said:
        return Script(status=503, body={"error": {"message": "scripted: unavailable"}})
    if "limit" in said:
        return Script(status=429, headers={"Retry-After": "20"})
    if "cut" in said:
        script.cut_after = 1 + len(text) // 2
    return script


def main() -> None:
    """Serve `echo` until Ctrl-C."""
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible provider.")
    parser.add_argument("--port", type=int, default=9000)
    provider = ScriptedProvider(responder=echo, port=parser.parse_args().port)
    sys.stdout.write(f"CHAT_BASE_URL={provider.base_url} CHAT_MODEL=scripted\n")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        provider.serve()


if __name__ == "__main__":
    main()
