"""Runs inside a container: tries to reach everything that it is told to, and says what it reached.

python probe.py '{"tcp": [["host", 80], …], "names": ["x.example", …], "proxy": [["x.example", 443], …]}'
"""

import json
import socket
import sys

TIMEOUT_S = 1.0
PROXY = ("proxy", 8888)


def reaches(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), TIMEOUT_S):
            return True
    except OSError:
        return False


def resolves(name: str) -> bool:
    try:
        return bool(socket.getaddrinfo(name, 80))
    except OSError:
        return False


def through_proxy(host: str, port: int) -> str:
    """The first line of the proxy's answer, or why there is none."""
    try:
        with socket.create_connection(PROXY, TIMEOUT_S) as proxy:
            proxy.settimeout(5)
            proxy.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            return proxy.recv(4096).split(b"\r\n")[0].decode()
    except OSError as error:
        return type(error).__name__


if __name__ == "__main__":
    wanted = json.loads(sys.argv[1])
    found = {
        "tcp": [f"{host}:{port}" for host, port in wanted.get("tcp", ()) if reaches(host, port)],
        "names": [name for name in wanted.get("names", ()) if resolves(name)],
        "proxy": {f"{host}:{port}": through_proxy(host, port) for host, port in wanted.get("proxy", ())},
    }
    print(json.dumps(found))  # noqa: T201 - the test's wire
