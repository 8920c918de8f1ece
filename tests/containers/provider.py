"""A provider of hosted models, as far as a client can tell: the reference players over https. It keeps keys.

Without a certificate ("") it speaks http, as a server of one's own does.

python provider.py PORT CERTIFICATE KEYS-FILE
"""

import ssl
import sys
from pathlib import Path

from agzamov_harness.reference_server import chat_server


def main(port: str, certificate: str, keys: str) -> None:
    server = chat_server.start("0.0.0.0", int(port))  # noqa: S104 - it plays the outside world
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        # Each connection's own thread shakes hands: a client that stands still keeps no other waiting.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    handler = server.RequestHandlerClass

    class Keeping(handler):  # type: ignore[misc, valid-type]
        def parse_request(self) -> bool:
            parsed: bool = super().parse_request()
            with Path(keys).open("a") as kept:
                print(self.headers.get("authorization"), file=kept)
            return parsed

    server.RequestHandlerClass = Keeping
    print("ready", flush=True)  # noqa: T201 - the test's wire
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
