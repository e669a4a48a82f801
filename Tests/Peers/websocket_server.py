"""A server with the `websockets` library, by other hands, for our client. The path says what it does.

Prints "port N", then "closed PATH CODE" for every connection: the code that our client sent, 1006 for none.
"""

import asyncio

import websockets
from websockets.legacy.framing import Frame


async def serve(socket):
    path = socket.path
    if path == "/fragments":
        await socket.send(["h\u00e9", "", "llo"])
        await socket.send([b"a"] * 1000)
    elif path == "/ping":
        await asyncio.wait_for(await socket.ping(b"x" * 125), 10)
        await socket.send("pong")
    elif path == "/invalid":
        Frame(True, 1, b"\xff").write(socket.transport.write, mask=False)
    elif path == "/masked":
        Frame(True, 1, b"a").write(socket.transport.write, mask=True)
    elif path == "/reserved":
        socket.transport.write(b"\xc1\x01a")
    elif path == "/close":
        await socket.close(4001, "as asked")
    elif path == "/large":
        await socket.send(b"x" * 2_000_000)
    try:
        async for message in socket:
            await socket.send(message)
    except websockets.ConnectionClosed:
        pass
    await socket.wait_closed()
    print(f"closed {path} {socket.close_rcvd.code if socket.close_rcvd else 1006}", flush=True)


async def main():
    async with websockets.serve(serve, "127.0.0.1", 0, max_size=1 << 25, compression=None) as server:
        print(f"port {server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.sleep(120)


asyncio.run(main())
