"""Runs inside a container: tries to reach everything that it is told to, and says what it reached.

python probe.py '{"tcp": [["host", 80], …], "names": ["x.example", …], "address": ["x.example", …],
                  "proxy": [["x.example", 443], …], "plain": ["GET http://x.example/ HTTP/1.1", …],
                  "flood": [["x.example", 443, TIMES], …]}'
"""

import json
import socket
import sys

TIMEOUT_S, PROXY_S = 1.0, 60.0
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


def asked_of_proxy(first_line: str) -> str:
    """The first line of the proxy's answer to a request, or why there is none."""
    try:
        with socket.create_connection(PROXY, PROXY_S) as proxy:
            proxy.sendall(f"{first_line}\r\nHost: allowed.example\r\n\r\n".encode())
            return proxy.recv(4096).split(b"\r\n")[0].decode()
    except OSError as error:
        return type(error).__name__


def through_proxy(host: str, port: int) -> str:
    return asked_of_proxy(f"CONNECT {host}:{port} HTTP/1.1")


def addresses(name: str) -> list[str]:
    return sorted({str(row[4][0]) for row in socket.getaddrinfo(name, 80, socket.AF_INET, socket.SOCK_STREAM)})


if __name__ == "__main__":
    wanted = json.loads(sys.argv[1])
    found = {
        "tcp": [f"{host}:{port}" for host, port in wanted.get("tcp", ()) if reaches(host, port)],
        "names": [name for name in wanted.get("names", ()) if resolves(name)],
        "proxy": {f"{host}:{port}": through_proxy(host, port) for host, port in wanted.get("proxy", ())},
    }
    if "address" in wanted:
        found["address"] = {name: addresses(name) for name in wanted["address"]}
    if "plain" in wanted:
        found["plain"] = {line: asked_of_proxy(line) for line in wanted["plain"]}
    for host, port, times in wanted.get("flood", ()):
        for _ in range(times):
            through_proxy(host, port)
    print(json.dumps(found))  # noqa: T201 - the test's wire
