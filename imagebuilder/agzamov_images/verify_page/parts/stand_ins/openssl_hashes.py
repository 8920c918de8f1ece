"""OpenSSL's part of `hashlib`, which a browser's Python lacks: py_ecc takes the name of a type from it."""

import hashlib
import hmac
import importlib.util
import sys
from types import ModuleType

LOOKED_FOR_IT = (hashlib, hmac)
"""They take `_hashlib` for the real one where they find it, so they are imported first."""


def stand_in() -> None:
    """Put a module of that one name in its place, where there is none."""
    if "_hashlib" not in sys.modules and importlib.util.find_spec("_hashlib") is None:
        sys.modules["_hashlib"] = ModuleType("_hashlib")
        vars(sys.modules["_hashlib"])["HASH"] = object
