"""Speaks to our server with the `websockets` library, by other hands. Prints "ok NAME" for each check that passes.

websocket_client.py URL [AUTHORITY]: the server echoes, and closes with 3000 when it reads "close".
"""

import asyncio
import ssl
import sys

import websockets
from websockets.legacy.framing import Frame

URL = sys.argv[1]
CONTEXT = ssl.create_default_context(cafile=sys.argv[2]) if len(sys.argv) > 2 else None
TEXT = 1
CHECKS = {}


def check(body):
    CHECKS[body.__name__] = body
    return body


def connect():
    return websockets.connect(URL, ssl=CONTEXT, max_size=1 << 25, compression=None, open_timeout=10, close_timeout=10)


async def echo(socket, message):
    await socket.send(message)
    assert await socket.recv() == message


@check
async def echoes(socket):
    for message in ["", "a", "h\u00e9llo \u20ac \U0001f600", b"", b"\x00\xff" * 100]:
        await echo(socket, message)


@check
async def fragments(socket):
    await socket.send(["h\u00e9", "", "llo", " w\u00f6rld"])
    assert await socket.recv() == "h\u00e9llo w\u00f6rld"
    await socket.send([b"a"] * 1000)
    assert await socket.recv() == b"a" * 1000


@check
async def a_ping_between_fragments(socket):
    async def parts():
        yield "before"
        await (await socket.ping(b"between"))
        yield "behind"

    await socket.send(parts())
    assert await socket.recv() == "beforebehind"


@check
async def pings(socket):
    waiting = [await socket.ping(bytes([number]) * 125) for number in range(20)]
    await asyncio.gather(*waiting)
    await socket.pong(b"nobody asked")
    await echo(socket, "still open")


@check
async def seventy_thousand_bytes(socket):
    await echo(socket, b"\x07" * 70_000)
    await echo(socket, "\u20ac" * 70_000)


@check
async def sixteen_megabytes(socket):
    await echo(socket, bytes(range(256)) * (1 << 16))


@check
async def lengths_around_every_form(socket):
    for length in [125, 126, 127, 65_535, 65_536]:
        await echo(socket, b"x" * length)


@check
async def our_close_codes_come_back(socket):
    await socket.close(4999, "enough")
    assert socket.close_code == 4999, socket.close_code


@check
async def its_close_code_arrives(socket):
    await socket.send("close")
    await socket.wait_closed()
    assert (socket.close_code, socket.close_reason) == (3000, "as asked")


def refused(name, code, *frames, mask=True):
    async def body(socket):
        for frame in frames:
            frame.write(socket.transport.write, mask=mask)
        await asyncio.wait_for(socket.wait_closed(), 10)
        assert socket.close_code == code, socket.close_code

    CHECKS[name] = body


class Raw(bytes):
    """Bytes that are a frame already."""

    def write(self, write, mask):
        write(self)


refused("invalid_utf8", 1007, Frame(True, TEXT, b"\xff"))
refused("invalid_utf8_over_fragments", 1007, Frame(False, TEXT, b"\xe2"), Frame(True, 0, b"\x28\xa1"))
refused("no_mask", 1002, Frame(True, TEXT, b"a"), mask=False)
refused("first_reserved_bit", 1002, Raw(b"\xc1\x80\0\0\0\0"))
refused("second_reserved_bit", 1002, Raw(b"\xa1\x80\0\0\0\0"))
refused("third_reserved_bit", 1002, Raw(b"\x91\x80\0\0\0\0"))
refused("continuation_of_nothing", 1002, Frame(True, 0, b"a"))
refused("text_inside_text", 1002, Frame(False, TEXT, b"a"), Frame(True, TEXT, b"b"))
refused("unknown_opcode", 1002, Raw(b"\x83\x80\0\0\0\0"))
refused("long_ping", 1002, Raw(b"\x89\xfe\0\x7e\0\0\0\0"))
refused("too_large", 1009, Raw(b"\x82\xff\0\0\0\0\x7f\0\0\0\0\0\0\0"))
refused("close_code_1005", 1002, Frame(True, 8, b"\x03\xed"))


async def main():
    for name, body in CHECKS.items():
        async with connect() as socket:
            await asyncio.wait_for(body(socket), 30)
        print("ok", name, flush=True)
    print("all", len(CHECKS))


asyncio.run(main())
