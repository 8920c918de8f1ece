"""A time-stamp authority made with openssl: its root, its certificate, and its replies, each good but for one thing."""

import datetime as dt
import hashlib
import subprocess
import time
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from agzamov_verify.registration.trust_policy import Authority

OID: Final = "1.2.3.4.1"
CONFIGURATION: Final = f"""[tsa]
default_tsa = one
[one]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = {OID}
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
"""
GRANTED: Final = bytes.fromhex("3003020100")
"""PKIStatusInfo: granted (RFC 3161, 2.4.2)."""
TST_INFO: Final = "1.2.840.113549.1.9.16.1.4"
NOW: Final = dt.datetime.fromtimestamp(time.time_ns() // 10**9, dt.UTC)
DAY: Final = dt.timedelta(days=1)


class Tsa:
    """One authority in a folder. `days`: from when to when its certificate counts, from now."""

    def __init__(self, folder: Path, days: tuple[int, int] = (-1, 30), purpose: str = "timeStamping") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, root_key, key = (
            folder,
            ec.generate_private_key(ec.SECP256R1()),
            ec.generate_private_key(ec.SECP256R1()),
        )
        root = _name(f"Root of {folder.name}")
        purposes = {"timeStamping": ExtendedKeyUsageOID.TIME_STAMPING, "codeSigning": ExtendedKeyUsageOID.CODE_SIGNING}
        use = x509.ExtendedKeyUsage([purposes[purpose]])
        own = _builder(root, root, root_key, (-4000, 4000))
        own = own.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        signer = _builder(_name("TSA"), root, key, days).add_extension(use, critical=True)
        _pem(folder / "root.pem", own.sign(root_key, hashes.SHA256()))
        _pem(folder / "tsa.pem", signer.sign(root_key, hashes.SHA256()))
        pkcs8 = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (folder / "tsa.key").write_bytes(key.private_bytes(*pkcs8))
        (folder / "tsa.cnf").write_text(CONFIGURATION)
        (folder / "serial").write_text("01\n")

    @property
    def root(self) -> bytes:
        return (self.folder / "root.pem").read_bytes()

    @property
    def authority(self) -> Authority:
        return Authority("root.pem", hashlib.sha256(self.root).hexdigest())

    def reply(self, query: bytes) -> bytes:
        """What `openssl ts` answers."""
        (self.folder / "q.tsq").write_bytes(query)
        self._openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "q.tsq", "-out", "r.tsr")
        return (self.folder / "r.tsr").read_bytes()

    def of_no_authority(self) -> None:
        """Give this authority a certificate that its own one issued, which may issue none."""
        issuer = x509.load_pem_x509_certificate((self.folder / "tsa.pem").read_bytes())
        issuer_key = serialization.load_pem_private_key((self.folder / "tsa.key").read_bytes(), None)
        assert isinstance(issuer_key, ec.EllipticCurvePrivateKey)
        use = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        made = _builder(_name("Anybody"), issuer.subject, issuer_key, (-1, 30)).add_extension(use, critical=True)
        (self.folder / "chain.pem").write_bytes((self.folder / "tsa.pem").read_bytes())
        _pem(self.folder / "tsa.pem", made.sign(issuer_key, hashes.SHA256()))

    def signed_again(self, reply: bytes) -> bytes:
        """The same stamp, signed by this authority's key without asking what its certificate is for (`openssl cms`)."""
        (self.folder / "other.tsr").write_bytes(reply)
        self._openssl("ts", "-reply", "-in", "other.tsr", "-token_out", "-out", "token")
        der = ("-inform", "DER", "-outform", "DER")
        self._openssl("cms", "-verify", "-noverify", "-nosigs", *der[:2], "-in", "token", "-out", "info")
        signer = ("-signer", "tsa.pem", "-inkey", "tsa.key", "-md", "sha256", "-econtent_type", TST_INFO)
        plain = ("-binary", "-nodetach", "-nosmimecap", "-outform", "DER")
        chain = ("-certfile", "chain.pem") if (self.folder / "chain.pem").exists() else ()
        self._openssl("cms", "-sign", "-in", "info", *signer, *chain, *plain, "-out", "token")
        body = GRANTED + (self.folder / "token").read_bytes()
        return b"\x30\x82" + len(body).to_bytes(2, "big") + body

    def _openssl(self, *words: str) -> None:
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True, timeout=60)


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: tuple[int, int]
) -> x509.CertificateBuilder:
    return x509.CertificateBuilder(
        issuer, subject, key.public_key(), x509.random_serial_number(), NOW + days[0] * DAY, NOW + days[1] * DAY
    )


def _pem(path: Path, certificate: x509.Certificate) -> None:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
