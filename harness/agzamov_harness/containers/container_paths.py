"""Paths inside the containers of a run. The images and compose.yaml use the same.

/agz/run           the run's folder, read-only; its journal/, notes/ and judged/ can be written
/run/agz           in a server: the volume that its socket is in
/run/agz/<server>  in the harness: the same volume, read-only
/run/engine        in the server of the tool of Chess960: the volume of the engine's socket, read-only
"""

from pathlib import PurePosixPath

RUN = PurePosixPath("/agz/run")
SOCKET_DIR = PurePosixPath("/run/agz")
WEIGHTS = PurePosixPath("/models/model.gguf")
STORE = PurePosixPath("/models")
HOSTS = PurePosixPath("/etc/hosts")
ENGINE, HARNESS, MEMORY, MODEL, OLLAMA, PROXY = "engine", "harness", "memory", "model", "ollama", "proxy"
TOOLS = "tools"
ENGINE_SOCKET = SOCKET_DIR / ENGINE / "engine.sock"
OLLAMA_PORT, PROXY_PORT = 11434, 8888


def server_of(seat: str) -> str:
    """The name of the container that serves a seat's weights."""
    return f"{MODEL}-{seat}"


def model_socket(seat: str) -> PurePosixPath:
    """Path of that server's socket in the harness's container."""
    return SOCKET_DIR / server_of(seat) / "model.sock"


def memory_server(number: int) -> str:
    """The name of the container of a memory: the stores of a plan are counted from 1."""
    return f"{MEMORY}-{number:03d}"


def memory_socket(number: int) -> PurePosixPath:
    """Path of that server's socket in the harness's container."""
    return SOCKET_DIR / memory_server(number) / "memory.sock"


TOOL_ENGINE_DIR = PurePosixPath("/run/engine")


def tool_server(game: str) -> str:
    """The name of the container of a game's tool."""
    return f"tool-{game}"


def tool_socket(game: str) -> PurePosixPath:
    """Path of that server's socket in the harness's container."""
    return SOCKET_DIR / tool_server(game) / "tool.sock"
