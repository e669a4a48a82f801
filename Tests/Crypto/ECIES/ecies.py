#!/usr/bin/env python3
"""A second implementation of Apple's ECIES, on Python's `cryptography`, from the format alone.

    ecies.py open < REQUEST    opens packets that Apple's systems made, to show that it knows the format; then Swift's
    ecies.py seal < REQUEST    seals messages for Swift to open

Needs `cryptography` (Debian: python3-cryptography); status 77 without it.
"""
import json
import sys

try:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

CURVES = {"secp256r1": ec.SECP256R1(), "secp384r1": ec.SECP384R1(), "secp521r1": ec.SECP521R1()}
HASHES = {"SHA224": hashes.SHA224(), "SHA256": hashes.SHA256(), "SHA384": hashes.SHA384(), "SHA512": hashes.SHA512()}


def key_and_iv(form, secret, point):
    key = 16 if form["curve"] == "secp256r1" else 32
    size = key + 16 if form["variable_iv"] else key
    derived = X963KDF(HASHES[form["hash"]], size, sharedinfo=point).derive(secret)
    return derived[:key], derived[key:] or bytes(16)


def open_packet(form):
    curve = CURVES[form["curve"]]
    packet = bytes.fromhex(form["ciphertext_hex"])
    point = packet[:1 + 2 * ((curve.key_size + 7) // 8)]
    own = ec.derive_private_key(int(form["private_key_hex"], 16), curve)
    secret = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(curve, point))
    key, iv = key_and_iv(form, secret, point)
    return AESGCM(key).decrypt(iv, packet[len(point):], None)


def seal_packet(form):
    curve = CURVES[form["curve"]]
    other = ec.EllipticCurvePublicKey.from_encoded_point(curve, bytes.fromhex(form["public_key_hex"]))
    own = ec.generate_private_key(curve)
    point = own.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    key, iv = key_and_iv(form, own.exchange(ec.ECDH(), other), point)
    return point + AESGCM(key).encrypt(iv, bytes.fromhex(form["message_hex"]), None)


def open_packets(request):
    known = request["known"]
    assert len(known) >= 9, "packets of Apple's are missing"
    for form in known:
        assert open_packet(form).decode() == form["plaintext_utf8"], form["name"]
    return {"messages": [open_packet(form).hex() for form in request["packets"]]}


def seal_packets(request):
    return {"packets": [seal_packet(form).hex() for form in request["messages"]]}


if __name__ == "__main__":
    work = {"open": open_packets, "seal": seal_packets}
    if len(sys.argv) != 2 or sys.argv[1] not in work:
        sys.exit(__doc__)
    json.dump(work[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
