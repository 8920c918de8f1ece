"""What a container must not reach: listens on every address of the machine, and keeps the names that it is asked for.

python listening.py PORT RESOLVER NAMES-FILE
"""

import socket
import sys
import threading
from pathlib import Path


def _accept(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"here")


def _name_in(query: bytes) -> str:
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("ascii", "replace"))
        at += 1 + query[at]
    return ".".join(labels)


def main(port: str, resolver: str, names: str) -> None:
    listener = socket.create_server(("0.0.0.0", int(port)), backlog=64)  # noqa: S104 - that is the point
    threading.Thread(target=_accept, args=(listener,), daemon=True).start()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as queries, Path(names).open("a") as kept:
        queries.bind((resolver, 53))
        print("ready", flush=True)  # noqa: T201 - the test's wire
        while True:
            query, caller = queries.recvfrom(512)
            print(_name_in(query), file=kept, flush=True)
            queries.sendto(
                query[:2] + b"\x81\x83" + query[4:6] + bytes(6) + query[12:], caller
            )  # there is no such name


if __name__ == "__main__":
    main(*sys.argv[1:])
