"""The two names that py_ecc takes from the package eth-typing, for signature schemes that the page never uses."""

BLSPubkey = BLSSignature = bytes
