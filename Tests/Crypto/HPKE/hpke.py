#!/usr/bin/env python3
"""A second implementation of HPKE (RFC 9180), on Python's `cryptography`, from the RFC alone.

    hpke.py check < VECTORS    opens the published vectors, to show that it knows the RFC
    hpke.py open < REQUEST     opens what Swift sealed, and exports what Swift exported
    hpke.py seal < REQUEST     seals for Swift to open

Needs `cryptography` (Debian: python3-cryptography); status 77 without it.
"""
import hashlib
import hmac
import json
import sys

try:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey, X448PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

ORDERS = {
    0x10: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551,
    0x11: int("f" * 48 + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973", 16),
    0x12: int("01" + "f" * 65 + "a51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409", 16),
}
CURVES = {0x10: ec.SECP256R1(), 0x11: ec.SECP384R1(), 0x12: ec.SECP521R1()}
MONTGOMERY = {0x20: (X25519PrivateKey, X25519PublicKey), 0x21: (X448PrivateKey, X448PublicKey)}
KEM_HASHES = {0x10: "sha256", 0x11: "sha384", 0x12: "sha512", 0x20: "sha256", 0x21: "sha512"}
KEY_SIZES = {0x10: 32, 0x11: 48, 0x12: 66, 0x20: 32, 0x21: 56}
KDF_HASHES = {1: "sha256", 2: "sha384", 3: "sha512"}
AEADS = {1: (AESGCM, 16), 2: (AESGCM, 32), 3: (ChaCha20Poly1305, 32)}


def number(value, size=2):
    return value.to_bytes(size, "big")


class KDF:
    def __init__(self, name, suite):
        self.name, self.suite, self.size = name, suite, hashlib.new(name).digest_size

    def extract(self, salt, label, ikm):
        return hmac.new(salt, b"HPKE-v1" + self.suite + label + ikm, self.name).digest()

    def expand(self, key, label, info, size):
        info = number(size) + b"HPKE-v1" + self.suite + label + info
        output, block = b"", b""
        for counter in range(1, 2 + size // self.size):
            block = hmac.new(key, block + info + bytes([counter]), self.name).digest()
            output += block
        return output[:size]


class KEM:
    def __init__(self, identifier):
        self.id = identifier
        self.kdf = KDF(KEM_HASHES[identifier], b"KEM" + number(identifier))

    def private(self, raw):
        if self.id in CURVES:
            return ec.derive_private_key(int.from_bytes(raw, "big"), CURVES[self.id])
        return MONTGOMERY[self.id][0].from_private_bytes(raw)

    def derive(self, ikm):
        key, size = self.kdf.extract(b"", b"dkp_prk", ikm), KEY_SIZES[self.id]
        if self.id not in CURVES:
            return self.private(self.kdf.expand(key, b"sk", b"", size))
        for counter in range(256):
            candidate = bytearray(self.kdf.expand(key, b"candidate", bytes([counter]), size))
            candidate[0] &= 1 if self.id == 0x12 else 255
            if 0 < int.from_bytes(candidate, "big") < ORDERS[self.id]:
                return self.private(bytes(candidate))
        raise ValueError("no key")

    def public(self, key):
        if self.id in CURVES:
            return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def agree(self, key, raw):
        if self.id in CURVES:
            return key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVES[self.id], raw))
        return key.exchange(MONTGOMERY[self.id][1].from_public_bytes(raw))

    def shared(self, agreed, context):
        key = self.kdf.extract(b"", b"eae_prk", agreed)
        return self.kdf.expand(key, b"shared_secret", context, self.kdf.size)


def field(form, name):
    return bytes.fromhex(form.get(name) or "")


class Context:
    """What the key schedule gives of a shared secret."""

    def __init__(self, form, shared):
        suite = b"HPKE" + b"".join(number(form[name]) for name in ("kem_id", "kdf_id", "aead_id"))
        self.kdf, self.aead = KDF(KDF_HASHES[form["kdf_id"]], suite), AEADS.get(form["aead_id"])
        context = bytes([form["mode"]]) + self.kdf.extract(b"", b"psk_id_hash", field(form, "psk_id"))
        context += self.kdf.extract(b"", b"info_hash", field(form, "info"))
        secret = self.kdf.extract(shared, b"secret", field(form, "psk"))
        self.exporter = self.kdf.expand(secret, b"exp", context, self.kdf.size)
        if self.aead:
            self.key = self.kdf.expand(secret, b"key", context, self.aead[1])
            self.nonce = int.from_bytes(self.kdf.expand(secret, b"base_nonce", context, 12), "big")

    def cipher(self, sequence):
        return self.aead[0](self.key), number(self.nonce ^ sequence, 12)

    def export(self, context, size):
        return self.kdf.expand(self.exporter, b"sec", context, size)


def receive(form):
    """The recipient's context, its key derived from ikmR and the sender's from ikmS."""
    kem = KEM(form["kem_id"])
    own, enc = kem.derive(field(form, "ikmR")), field(form, "enc")
    agreed, context = kem.agree(own, enc), enc + kem.public(own)
    if form["mode"] >= 2:
        sender = kem.public(kem.derive(field(form, "ikmS")))
        agreed, context = agreed + kem.agree(own, sender), context + sender
    return Context(form, kem.shared(agreed, context))


def send(form):
    """What is sent, and the sender's context, the ephemeral key derived from ikmE."""
    kem = KEM(form["kem_id"])
    own, other = kem.derive(field(form, "ikmE")), kem.public(kem.derive(field(form, "ikmR")))
    enc, agreed = kem.public(own), kem.agree(own, other)
    context = enc + other
    if form["mode"] >= 2:
        sender = kem.derive(field(form, "ikmS"))
        agreed, context = agreed + kem.agree(sender, other), context + kem.public(sender)
    return enc, Context(form, kem.shared(agreed, context))


def check(vectors):
    assert len(vectors) == 128, "published vectors are missing"
    for form in vectors:
        context = receive(form)
        for sequence, message in enumerate(form["encryptions"]):
            cipher, nonce = context.cipher(sequence)
            assert cipher.decrypt(nonce, field(message, "ct"), field(message, "aad")) == field(message, "pt")
        for export in form["exports"]:
            exported = context.export(field(export, "exporter_context"), export["L"])
            assert exported == field(export, "exported_value")
    return {"checked": len(vectors)}


def open_all(forms):
    answer = []
    for form in forms:
        context, opened = receive(form), []
        for sequence, ciphertext in enumerate(form["ciphertexts"]):
            cipher, nonce = context.cipher(sequence)
            opened.append(cipher.decrypt(nonce, bytes.fromhex(ciphertext), field(form, "aad")).hex())
        answer.append({"texts": opened, "exported": context.export(b"context", 100).hex()})
    return answer


def seal_all(forms):
    answer = []
    for form in forms:
        (enc, context), sealed = send(form), []
        for sequence, text in enumerate(form["texts"]):
            cipher, nonce = context.cipher(sequence)
            sealed.append(cipher.encrypt(nonce, bytes.fromhex(text), field(form, "aad")).hex())
        exported = context.export(b"context", 100).hex()
        answer.append({"enc": enc.hex(), "texts": sealed, "exported": exported})
    return answer


if __name__ == "__main__":
    work = {"check": check, "open": open_all, "seal": seal_all}
    if len(sys.argv) != 2 or sys.argv[1] not in work:
        sys.exit(__doc__)
    json.dump(work[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
