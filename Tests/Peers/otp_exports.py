"""Exports of authenticator programs, written with hashlib, python3-cryptography and python3-nacl.

    otp_exports.py <REQUEST >EXPORT

REQUEST is JSON: format (aegis, 2fas, andotp, andotp-old, ente; with "plain-" before it, not encrypted), password, tokens
(type, secret in base32, issuer, account, algorithm, digits, period, counter) and, where the format has any, costs. EXPORT
is the file in base64.
"""
import base64
import hashlib
import json
import os
import sys
from urllib.parse import quote


def gcm(key, nonce, data):
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key).encrypt(nonce, data, None)


def numbers(token):
    key = "counter" if token["type"] == "hotp" else "period"
    return {"digits": token["digits"], key: token[key]}


def aegis_content(tokens):
    return {
        "version": 3,
        "entries": [
            {
                "type": token["type"],
                "uuid": "3ae6f1ad-2e65-4ed2-a953-1ec0dff2386d",
                "name": token["account"],
                "issuer": token["issuer"],
                "icon": None,
                "info": {"secret": token["secret"], "algo": token["algorithm"], **numbers(token)},
            }
            for token in tokens
        ],
        "groups": [],
    }


def aegis(request):
    content = aegis_content(request["tokens"])
    if request["plain"]:
        return {"version": 1, "header": {"slots": None, "params": None}, "db": content}
    master = os.urandom(32)
    slots = [{"type": 2, "uuid": "a", "key": "00" * 32, "key_params": {"nonce": "00" * 12, "tag": "00" * 16}}]
    for password in ["another " + request["password"], request["password"]]:
        salt, nonce = os.urandom(32), os.urandom(12)
        n, r, p = request["costs"]
        key = hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, maxmem=1 << 30, dklen=32)
        box = gcm(key, nonce, master)
        slots.append({
            "type": 1,
            "uuid": "b",
            "key": box[:-16].hex(),
            "key_params": {"nonce": nonce.hex(), "tag": box[-16:].hex()},
            "n": n,
            "r": r,
            "p": p,
            "salt": salt.hex(),
            "repaired": True,
        })
    nonce = os.urandom(12)
    box = gcm(master, nonce, json.dumps(content).encode())
    params = {"nonce": nonce.hex(), "tag": box[-16:].hex()}
    return {"version": 1, "header": {"slots": slots, "params": params}, "db": base64.b64encode(box[:-16]).decode()}


def two_fas(request):
    services = [
        {
            "name": token["issuer"],
            "secret": token["secret"],
            "otp": {
                "account": token["account"],
                "issuer": token["issuer"],
                "algorithm": token["algorithm"],
                "tokenType": token["type"].upper(),
                **numbers(token),
            },
        }
        for token in request["tokens"]
    ]
    backup = {"services": services, "groups": [], "schemaVersion": 4, "appOrigin": "android"}
    if request["plain"]:
        return backup

    def box(text):
        salt, nonce = os.urandom(256), os.urandom(12)
        key = hashlib.pbkdf2_hmac("sha256", request["password"].encode(), salt, 10000, 32)
        return ":".join(base64.b64encode(part).decode() for part in (gcm(key, nonce, text.encode()), salt, nonce))

    return {**backup, "services": [], "servicesEncrypted": box(json.dumps(services)), "reference": box("known")}


def and_otp(request):
    entries = [
        {
            "secret": token["secret"],
            "issuer": token["issuer"],
            "label": token["account"],
            "type": token["type"].upper(),
            "algorithm": token["algorithm"],
            "thumbnail": "Default",
            "last_used": 0,
            "tags": [],
            **numbers(token),
        }
        for token in request["tokens"]
    ]
    if request["plain"]:
        return entries
    content, nonce = json.dumps(entries).encode(), os.urandom(12)
    password = request["password"].encode()
    if request["format"] == "andotp-old":
        return nonce + gcm(hashlib.sha256(password).digest(), nonce, content)
    salt, rounds = os.urandom(12), request["costs"][0]
    key = hashlib.pbkdf2_hmac("sha1", password, salt, rounds, 32)
    return rounds.to_bytes(4, "big") + salt + nonce + gcm(key, nonce, content)


def ente(request):
    # ente percent-encodes nothing but what would end the part.
    def line(token):
        name = lambda text: quote(text, safe=" @#'!+")
        text = f"otpauth://{token['type']}/{name(token['issuer'])}:{name(token['account'])}"
        text += f"?algorithm={token['algorithm'].lower()}&digits={token['digits']}&issuer={quote(token['issuer'])}"
        text += f"&period={token.get('period', 30)}&secret={token['secret']}"
        return text + (f"&counter={token['counter']}" if token["type"] == "hotp" else "")

    text = "".join(line(token) + "\n" for token in request["tokens"]).encode()
    if request["plain"]:
        return text
    import nacl.bindings
    import nacl.pwhash

    memory, passes = request["costs"]
    salt = os.urandom(16)
    key = nacl.pwhash.argon2id.kdf(32, request["password"].encode(), salt, passes, memory)
    state = nacl.bindings.crypto_secretstream_xchacha20poly1305_state()
    header = nacl.bindings.crypto_secretstream_xchacha20poly1305_init_push(state, key)
    tag = nacl.bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL
    if request.get("unfinished"):
        tag = nacl.bindings.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
    box = nacl.bindings.crypto_secretstream_xchacha20poly1305_push(state, text, None, tag)
    return {
        "version": 1,
        "kdfParams": {"memLimit": memory, "opsLimit": passes, "salt": base64.b64encode(salt).decode()},
        "encryptedData": base64.b64encode(box).decode(),
        "encryptionNonce": base64.b64encode(header).decode(),
    }


def main():
    request = json.load(sys.stdin)
    request["plain"] = request["format"].startswith("plain-")
    name = request["format"].removeprefix("plain-").removesuffix("-old")
    export = {"aegis": aegis, "2fas": two_fas, "andotp": and_otp, "ente": ente}[name](request)
    data = export if isinstance(export, bytes) else json.dumps(export).encode()
    print(base64.b64encode(data).decode())


main()
