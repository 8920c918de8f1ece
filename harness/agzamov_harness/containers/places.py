"""Where things lie inside the containers of a run. The images and compose.yaml say the same.

/agz/run           the run's folder, read-only; its journal/, notes/ and judged/ can be written
/run/agz           in a server: the volume that its socket is in
/run/agz/<server>  in the harness: the same volume, read-only
"""

from pathlib import PurePosixPath

RUN = PurePosixPath("/agz/run")
MEETING = PurePosixPath("/run/agz")
WEIGHTS = PurePosixPath("/models/model.gguf")
STORE = PurePosixPath("/models")
ENGINE, HARNESS, MODEL, OLLAMA, PROXY = "engine", "harness", "model", "ollama", "proxy"
ENGINE_SOCKET = MEETING / ENGINE / "engine.sock"
OLLAMA_PORT, PROXY_PORT = 11434, 8888
UID = GID = 10001


def server_of(seat: str) -> str:
    """The name of the container that serves a seat's weights."""
    return f"{MODEL}-{seat}"


def model_socket(seat: str) -> PurePosixPath:
    """Where the harness finds the socket of that server."""
    return MEETING / server_of(seat) / "model.sock"
