"""The one name that py_ecc takes from the package eth-utils, for signature schemes that the page never uses."""


class ValidationError(Exception):
    """What a wrong argument of those schemes would raise."""
