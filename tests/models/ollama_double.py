"""An Ollama server in front of a live llama.cpp: Ollama's routes and words as recorded, real inference behind them.

The real server cannot be installed where these tests run. What this one says of models comes from a store on disk, as
the real one's does; each way of misbehaving that was seen of real servers is a named `Manner`.
"""

import json
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any, NamedTuple, Self

import httpx2

VERSION = "0.33.0-double"
BYTES_PER_TOKEN = 1  # the babbler's
NEVER, FIVE_MINUTES = "2319-03-02T09:35:32.369073748Z", "2026-11-20T09:52:46.542570548Z"
Json = dict[str, Any]


class Manner(StrEnum):
    """How the server behaves."""

    GOOD = "good"
    CUTS_PROMPTS = "does not know truncate: false, and drops what does not fit"
    SMALL_CONTEXT = "gives another context than it was asked for"
    CLOUD = "has another host answer"
    FORGETS_DIGEST = "names another digest"


class Shown(NamedTuple):
    """A model as /api/tags shows it."""

    name: str
    digest: str
    size: int


class OllamaDouble:
    """The server. Use it as a context manager; `behind` is the address of llama.cpp, `context` what it gives."""

    def __init__(self, shown: Shown, behind: str, context: int, manner: Manner = Manner.GOOD) -> None:
        self.shown, self.context, self.manner = shown, context, manner
        self.requests: list[tuple[str, Json]] = []
        self.loads = 0
        self.pulled: list[str] = []
        self.expires = NEVER
        self._loaded: Json | None = None
        self._lock, self._turn = Lock(), Lock()
        self._client = httpx2.Client(base_url=behind, timeout=300.0, trust_env=False)
        handler = type("BoundHandler", (_Handler,), {"double": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def answer(self, path: str, body: Json) -> tuple[int, Json]:
        """Status and JSON for one request."""
        with self._lock:
            self.requests.append((path, body))
        match path:
            case "/api/version":
                return 200, {"version": VERSION}
            case "/api/tags":
                return 200, {"models": [self._row()]}
            case "/api/ps":
                return 200, {"models": [self._in_memory()] if self._loaded is not None else []}
        if body.get("model") not in (self.shown.name, self.shown.name.removesuffix(":latest")):
            return 404, {"error": f"model '{body.get('model')}' not found"}
        return self._of_model(path, body)

    def _of_model(self, path: str, body: Json) -> tuple[int, Json]:
        match path:
            case "/api/show":
                told = {"general.architecture": "llama", "llama.context_length": 8192}
                return 200, {"details": self._row()["details"], "model_info": told, "capabilities": ["completion"]}
            case "/api/generate":
                unload = body.get("keep_alive") == 0
                self._load(None if unload else body.get("options", {}), body)
                return 200, {"model": self.shown.name, "response": "", "done": True, "done_reason": "load"}
            case "/api/chat":
                self._load(body["options"], body)
                return self._chat(body)
        return 404, {"error": "404 page not found"}

    def pull(self, name: str) -> list[Json]:
        """The lines of a pull."""
        self.pulled.append(name)
        size = self.shown.size
        steps = [{"status": f"pulling {self.shown.digest[:12]}", "total": size, "completed": n} for n in (0, size)]
        return [{"status": "pulling manifest"}, *steps, {"status": "success"}]

    def _load(self, options: Json | None, body: Json) -> None:
        """Load or unload. As measured: another context or another `shift` is another load, and forgets `keep_alive`."""
        with self._lock:
            wanted = options and {"num_ctx": options.get("num_ctx"), "shift": body.get("shift", True)}
            if wanted and wanted != self._loaded:
                self.loads += 1
                self.expires = FIVE_MINUTES
            if "keep_alive" in body and options is not None:
                self.expires = NEVER
            self._loaded = wanted

    def _row(self) -> Json:
        details = {"format": "gguf", "family": "llama", "parameter_size": "121K", "quantization_level": "F32"}
        digest = "f" * 64 if self.manner is Manner.FORGETS_DIGEST else self.shown.digest
        row = {"name": self.shown.name, "model": self.shown.name, "size": self.shown.size, "digest": digest}
        row |= {"modified_at": "2026-11-20T09:47:46.542570548Z", "details": details}
        return row | ({"remote_host": "https://ollama.com:443"} if self.manner is Manner.CLOUD else {})

    def _in_memory(self) -> Json:
        given = self.context // 2 if self.manner is Manner.SMALL_CONTEXT else self.context
        return {**self._row(), "size_vram": 0, "expires_at": self.expires, "context_length": given}

    def _chat(self, body: Json) -> tuple[int, Json]:
        options, messages = body["options"], body["messages"]
        if self.manner is Manner.CUTS_PROMPTS:
            room = (self.context // 2) * BYTES_PER_TOKEN
            messages = [{**messages[-1], "content": messages[-1]["content"][-room:]}]
        passed = ("temperature", "top_p", "top_k", "min_p", "seed", "repeat_penalty")
        asked = {name: options[name] for name in passed if name in options}
        asked |= {name: body[name] for name in ("logprobs", "top_logprobs") if name in body}
        with self._turn:  # as with OLLAMA_NUM_PARALLEL=1: prompts that are read side by side can change each other
            answer = self._client.post(
                "/v1/chat/completions",
                json={"model": "model", "messages": messages, "max_tokens": options["num_predict"], **asked},
            )
        if answer.status_code != httpx2.codes.OK:
            return answer.status_code, {"error": answer.json()["error"]["message"]}
        return 200, self._native(answer.json())

    def _native(self, said: Json) -> Json:
        choice, usage = said["choices"][0], said["usage"]
        native = {
            "model": self.shown.name,
            "created_at": "2026-11-20T09:48:15.192514189Z",
            "message": {"role": "assistant", "content": choice["message"]["content"]},
            "done": True,
            "done_reason": choice["finish_reason"],
            "prompt_eval_count": usage["prompt_tokens"],
            "eval_count": usage["completion_tokens"],
        }
        if "logprobs" in choice:
            native["logprobs"] = choice["logprobs"]["content"]
        return native

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._client.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    double: OllamaDouble

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", "0")))
        body = json.loads(data) if data else {}
        if self.path == "/api/pull":
            lines = "".join(json.dumps(line) + "\n" for line in self.double.pull(body["model"]))
            self._send(200, lines.encode())
        else:
            status, value = self.double.answer(self.path, body)
            self._send(status, json.dumps(value).encode())

    do_GET = do_POST  # noqa: N815 - the base's name

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Stay quiet."""

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json; charset=utf-8")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
