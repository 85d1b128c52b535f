"""Certificates for TLS servers on the loopback interface, trusted only on request."""

from __future__ import annotations

import ssl
from copy import copy
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

_SIGNING = x509.KeyUsage(
    digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
    key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
)  # fmt: skip


class Authority:
    """Signs certificates of servers; clients that trust ``certificate``, a PEM file, trust them.

    Args:
        directory: where to keep files.
        is_proper: whether its own certificate states its key usage, as RFC 5280 (4.2.1.3) requires.
    """

    def __init__(self, directory: Path, *, is_proper: bool = True) -> None:
        self.directory = directory
        self.certificate = directory / "authority.pem"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("zarrscope's tests")
        usage = [_SIGNING] if is_proper else []
        signed = self._signed(
            self._name, self._key, timedelta(days=1), x509.BasicConstraints(True, None), *usage
        )
        self.certificate.write_bytes(signed)

    def server_context(
        self, host: str = "127.0.0.1", lasting: timedelta = timedelta(days=1)
    ) -> ssl.SSLContext:
        """A TLS context for ``host``, with a certificate of this lifetime from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.IPAddress(ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
        file = self.directory / f"{host}-{lasting.days}.pem"
        signed = self._signed(_name(host), key, lasting, x509.SubjectAlternativeName([name]))
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file.write_bytes(signed + secret)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def own_certificate(self, kind: str, host: str = "127.0.0.1") -> tuple[Path, ssl.SSLContext]:
        """The certificate of a server, without its key, and a TLS context with it.

        It is signed by itself: ``self-signed CA``, as ``openssl req -x509`` makes it, ``self-signed``, or ``self-signed bare``,
        without saying what it is; or by this authority: ``signed``.
        """
        extensions: list[x509.ExtensionType] = [
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))])
        ]
        if kind in ("self-signed CA", "self-signed"):
            extensions.append(x509.BasicConstraints(kind == "self-signed CA", None))
        key = ec.generate_private_key(ec.SECP256R1())
        signer = self
        if kind != "signed":
            signer = copy(self)
            signer._key, signer._name = key, _name(host)
        signed = signer._signed(_name(host), key, timedelta(days=1), *extensions)
        file = self.directory / f"{host} {kind}.pem"
        file.write_bytes(signed)
        return file, self._context(file, signed, key)

    def _context(self, file: Path, signed: bytes, key: ec.EllipticCurvePrivateKey) -> ssl.SSLContext:
        both = file.with_suffix(".key.pem")
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        both.write_bytes(signed + secret)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(both)
        return context

    def _signed(
        self,
        name: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        lasting: timedelta,
        *extensions: x509.ExtensionType,
    ) -> bytes:
        now = datetime.now(UTC)
        own = key.public_key()
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(own)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=10))
            .not_valid_after(now + lasting)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(own), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
            )
        )
        for extension in extensions:
            critical = not isinstance(extension, x509.SubjectAlternativeName)
            builder = builder.add_extension(extension, critical=critical)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
