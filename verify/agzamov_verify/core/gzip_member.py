"""The one gzip member that a packed file of a bundle is (RFC 1952): its header has no free byte.

    1f 8b  08       00     00 00 00 00  00    ff
    magic  deflate  flags  time         XFL   OS: unknown

Libraries fill in XFL and OS by compression level and machine, so the same content would have several digests.
"""

import struct
import zlib
from typing import Final

HEADER: Final = bytes.fromhex("1f8b08000000000000ff")
LEVEL: Final = 6
"""Of zlib. It is not part of the format: a stream that another level or library made holds the same lines."""


def compressed(data: bytes) -> bytes:
    """The member that holds `data`: header, raw deflate stream, CRC-32 and size modulo 2^32."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(data) + packer.flush()
    return HEADER + body + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFF_FFFF)
