"""A certificate authority of our own, and a server's certificate by it, for an endpoint with https."""

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

BEGIN = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
END = dt.datetime(2099, 1, 1, tzinfo=dt.UTC)


def write(folder: Path, address: str) -> tuple[Path, Path]:
    """The authority's certificate, and the server's key with its certificate, each in a PEM file."""
    authority, server = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    name, itself = _name("Authority of a test"), _name(address)
    root = (
        _certificate(name, name, authority)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority, hashes.SHA256())
    )
    leaf = (
        _certificate(itself, name, server)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
        .sign(authority, hashes.SHA256())
    )
    trusted, served = folder / "authority.pem", folder / "server.pem"
    trusted.write_bytes(root.public_bytes(Encoding.PEM))
    key = server.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    served.write_bytes(key + leaf.public_bytes(Encoding.PEM))
    return trusted, served


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _certificate(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(BEGIN)
        .not_valid_after(END)
    )
