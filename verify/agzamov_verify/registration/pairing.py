"""The pairing of a beacon's signature, by the library py_ecc, which is optional.

Importing it takes longer than the whole check of a small bundle, so this module is imported when a round is checked.
"""

import hashlib
import sys
from typing import Final

_RECURSION_LIMIT: Final = sys.getrecursionlimit()
try:
    from py_ecc.bls.hash_to_curve import hash_to_G1
    from py_ecc.bls.point_compression import decompress_G1, decompress_G2
    from py_ecc.optimized_bls12_381 import FQ12, G2, curve_order, final_exponentiate, is_inf, multiply, neg, pairing
finally:  # py_ecc raises it so far that a document of many brackets would end the process
    sys.setrecursionlimit(_RECURSION_LIMIT)

DST: Final = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"


def is_signed(message: bytes, signature: bytes, key: bytes) -> bool:
    """True if `signature` (48 bytes, in G1) is that of `message` by `key` (96 bytes, in G2)."""
    try:
        public = decompress_G2((int.from_bytes(key[:48], "big"), int.from_bytes(key[48:], "big")))
        point = decompress_G1(int.from_bytes(signature, "big"))
    except ValueError:
        return False
    if is_inf(point) or not is_inf(multiply(point, curve_order)) or not is_inf(multiply(public, curve_order)):
        return False
    hashed = hash_to_G1(message, DST, hashlib.sha256)
    product = pairing(public, hashed, final_exponentiate=False) * pairing(G2, neg(point), final_exponentiate=False)
    return bool(final_exponentiate(product) == FQ12.one())
