#!/usr/bin/env python3
"""A second implementation of what MildamGroupKey reads and writes, from the protocol alone.

    groupkey.py article > article.json    the vectors of the old article's format, with fixed keys and nonces
    groupkey.py open < REQUEST            opens a key envelope that Swift made
    groupkey.py seal < REQUEST            makes a key envelope for Swift to open

Needs `cryptography` (Debian: python3-cryptography); status 77 without it.
"""
import base64
import hashlib
import json
import os
import struct
import sys

try:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)


def public(key):
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def hkdf(secret, salt, info):
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=salt, info=info).derive(secret)


def label(purpose):
    text = b"mildam/1 " + purpose
    return bytes([len(text)]) + text


def combined(key, nonce, plain, authenticated=None):
    return nonce + ChaCha20Poly1305(key).encrypt(nonce, plain, authenticated)


# The article's format: X25519(static, static), HKDF-SHA256 with salt "GroupKeySalt" and no info, ChaChaPoly combined.

def article():
    sender = X25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
    recipient = X25519PrivateKey.from_private_bytes(bytes(range(101, 133)))
    stranger = X25519PrivateKey.from_private_bytes(bytes(range(201, 233)))
    pairwise = hkdf(sender.exchange(recipient.public_key()), b"GroupKeySalt", b"")
    group = hashlib.sha256(b"the group's key").digest()
    texts = [
        {"id": "1", "senderID": "민수", "text": "안녕하세요", "timestamp": 760000000},
        {"id": "2", "senderID": "yuki", "text": "こんにちは 🌸", "timestamp": 760000001.5},
        {"id": "3", "senderID": "ann", "text": "", "timestamp": 760000002},
    ]

    def messages(key, first):
        made = []
        for number, text in enumerate(texts):
            plain = json.dumps(text, ensure_ascii=False, separators=(",", ":"))
            nonce = struct.pack(">IQ", first, number)
            made.append({
                "json": plain, "base64": base64.b64encode(combined(key, nonce, plain.encode())).decode()})
        return made

    json.dump({
        "comment": "Made by groupkey.py. Keys and envelope in hex; each message is base64 of the combined box.",
        "sender": {"private": bytes(range(1, 33)).hex(), "public": public(sender).hex()},
        "recipient": {"private": bytes(range(101, 133)).hex(), "public": public(recipient).hex()},
        "stranger": {"private": bytes(range(201, 233)).hex(), "public": public(stranger).hex()},
        "envelope": combined(pairwise, bytes(12), group).hex(),
        "messages": messages(group, 1),
        "pairwiseMessages": messages(pairwise, 2),
    }, sys.stdout, ensure_ascii=False, indent=2)
    print()


# The live format: the structure in the doc comment of KeyEnvelope.

def wrapping_key(secret, salt, sender, recipient, room, generation):
    info = label(b"room key") + sender + recipient + room + struct.pack(">I", generation)
    return hkdf(secret, salt, info)


def open_envelope(request):
    data = bytes.fromhex(request["envelope"])
    sender = bytes.fromhex(request["senderAgreement"])
    mine = X25519PrivateKey.from_private_bytes(bytes.fromhex(request["recipientPrivate"]))
    handle = data[53]
    end = 54 + handle + 64
    header, rest = data[:end], data[end:]
    size = struct.unpack(">H", rest[:2])[0]
    box, signature = rest[2:2 + size], rest[2 + size:]
    assert header[0] == 1 and len(signature) == 64
    signer = Ed25519PublicKey.from_public_bytes(bytes.fromhex(request["senderSigning"]))
    signer.verify(signature, label(b"key envelope") + header + rest[:2 + size])
    room, generation = header[1:17], struct.unpack(">I", header[17:21])[0]
    key = wrapping_key(
        mine.exchange(X25519PublicKey.from_public_bytes(sender)), header[-32:], sender, public(mine), room, generation)
    plain = ChaCha20Poly1305(key).decrypt(box[:12], box[12:], header)
    name = 33 + plain[32]
    return {
        "room": room.hex(), "generation": generation, "handle": header[54:54 + handle].decode(),
        "key": plain[:32].hex(), "name": plain[33:name].decode(), "rest": plain[name:].hex()}


def seal_envelope(request):
    mine = X25519PrivateKey.from_private_bytes(bytes.fromhex(request["senderPrivate"]))
    signer = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(request["senderSigningPrivate"]))
    recipient = bytes.fromhex(request["recipientAgreement"])
    room, generation = bytes.fromhex(request["room"]), request["generation"]
    salt, handle, name = os.urandom(32), request["handle"].encode(), request["name"].encode()
    ids = [bytes.fromhex(request[part]) for part in
           ("senderAccount", "senderDevice", "recipientAccount", "recipientDevice")]
    header = (b"\x01" + room + struct.pack(">I", generation) + ids[0] + ids[1]
              + bytes([len(handle)]) + handle + ids[2] + ids[3] + salt)
    key = wrapping_key(
        mine.exchange(X25519PublicKey.from_public_bytes(recipient)), salt, public(mine), recipient, room, generation)
    plain = bytes.fromhex(request["key"]) + bytes([len(name)]) + name + bytes.fromhex(request["rest"])
    box = combined(key, os.urandom(12), plain, header)
    signed = header + struct.pack(">H", len(box)) + box
    return {"envelope": (signed + signer.sign(label(b"key envelope") + signed)).hex()}


if __name__ == "__main__":
    if sys.argv[1:] == ["article"]:
        article()
    elif sys.argv[1:] in (["open"], ["seal"]):
        work = {"open": open_envelope, "seal": seal_envelope}[sys.argv[1]]
        json.dump(work(json.load(sys.stdin)), sys.stdout)
    else:
        sys.exit(__doc__)
