"""RNCryptor's files, written and read with the openssl program and Python's own hashes.

    rncryptor_openssl.py write LAYOUT SECRET IN OUT
    rncryptor_openssl.py read LAYOUT SECRET IN OUT

LAYOUT: 3, 2, 1, counter-sha1, counter-sha256, chaining-sha256; with "unmarked-" before it, without the first two bytes.
SECRET: "password:TEXT", "truncated:TEXT" (as many bytes of it as it has UTF-16 code units), or "keys:HEX:HEX".
Reading ends with status 1 when the HMAC is wrong.
"""
import hashlib
import hmac
import os
import subprocess
import sys


def openssl(arguments, data):
    return subprocess.run(["openssl", "enc"] + arguments, input=data, stdout=subprocess.PIPE, check=True).stdout


def count_up(key, iv, data):
    """AES-256-CTR in which only the first byte counts, and carries nothing."""
    blocks = b"".join(bytes([(iv[0] + i) % 256]) + iv[1:] for i in range((len(data) + 15) // 16))
    stream = openssl(["-aes-256-ecb", "-nopad", "-K", key.hex()], blocks)
    return bytes(a ^ b for a, b in zip(data, stream))


def chain(key, iv, data, decrypt):
    return openssl((["-d"] if decrypt else []) + ["-aes-256-cbc", "-K", key.hex(), "-iv", iv.hex()], data)


def derive(kind, text, salt):
    password = text.encode()
    if kind == "truncated":
        password = password[: len(text.encode("utf-16-le")) // 2]
    return hashlib.pbkdf2_hmac("sha1", password, salt, 10000, 32)


def main():
    action, layout, secret, source, target = sys.argv[1:]
    marked = not layout.startswith("unmarked-")
    layout = layout.removeprefix("unmarked-")
    kind, text = secret.split(":", 1)
    number = int(layout) if layout.isdigit() else 0
    with open(source, "rb") as file:
        data = file.read()

    mark = bytes([number, 1 if number and kind != "keys" else 0]) if marked else b""
    size = len(mark) + (0 if kind == "keys" else 16) + 16
    header = data[:size] if action == "read" else mark + os.urandom(size - len(mark))
    assert header.startswith(mark), "another mark"
    iv = header[-16:]
    if kind == "keys":
        key, hmac_key = (bytes.fromhex(part) for part in text.split(":"))
    else:
        salts = header[len(mark):-16]
        key, hmac_key = derive(kind, text, salts[:8]), derive(kind, text, salts[8:])

    def field(ciphertext):
        covered = (header if number >= 2 else b"") + ciphertext
        return hmac.new(hmac_key, covered, "sha1" if layout == "counter-sha1" else "sha256").digest().ljust(32, b"\0")

    if action == "read":
        ciphertext = data[size:-32]
        if not hmac.compare_digest(field(ciphertext), data[-32:]):
            sys.exit(1)
    counts = layout.startswith("counter")
    if action == "write":
        ciphertext = count_up(key, iv, data) if counts else chain(key, iv, data, False)
        result = header + ciphertext + field(ciphertext)
    else:
        result = count_up(key, iv, ciphertext) if counts else chain(key, iv, ciphertext, True)
    with open(target, "wb") as file:
        file.write(result)


main()
