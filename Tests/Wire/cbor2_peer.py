#!/usr/bin/env python3
"""Another implementation of CBOR, cbor2, for the tests of ours.

    cbor2_peer.py again < ITEMS    reads each item of a JSON list of hexadecimal texts, and writes it again, in the order in
                                   which it found keys; null for one that it does not read

Needs `cbor2` (Debian: python3-cbor2); status 77 without it.
"""
import json
import sys

try:
    import cbor2
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)


def again(item):
    try:
        return cbor2.dumps(cbor2.loads(bytes.fromhex(item))).hex()
    except (cbor2.CBORDecodeError, ValueError):
        return None


if sys.argv[1:] != ["again"]:
    sys.exit(__doc__)
print(json.dumps([again(item) for item in json.load(sys.stdin)]))
