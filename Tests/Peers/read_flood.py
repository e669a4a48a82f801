"""One account that asks for more than can be read in time, in one of several ways.

Standard input is a JSON object: the relay's port, the room and the token, the address to come from, and the way:
"closed" closes each connection once it has asked, "kept" asks over 16 connections without waiting for answers, "long" sends
bodies as long as may be, which are refused once they were read. It floods until SIGTERM; then it prints how many requests it
sent, as a JSON object.
"""

import itertools
import json
import selectors
import signal
import socket
import sys

CONNECTIONS = 16
AT_ONCE = 32

order = json.load(sys.stdin)
place = f"/v1/rooms/{order['room']}/messages"
fields = f"Host: relay\r\nAuthorization: Bearer {order['token']}\r\n"
READ = f"GET {place}?from=1 HTTP/1.1\r\n{fields}\r\n".encode()
# Read as JSON from its beginning to its end; then a field is missing.
body = json.dumps({"generation": 1, "epoch": 0, "body": "A" * 1_000_000})
LONG = f"POST {place} HTTP/1.1\r\n{fields}Content-Length: {len(body)}\r\n\r\n{body}".encode()

running = True


def stop(*_):
    global running
    running = False


def connect():
    return socket.create_connection(("127.0.0.1", order["port"]), source_address=(order["source"], 0))


def closed():
    for sent in itertools.count():
        if not running:
            return sent
        try:
            with connect() as connection:
                connection.sendall(READ)
        except OSError:
            # Hung up on: too many connections at once.
            continue


class Pipeline:
    def __init__(self, request, at_once):
        self.request = request
        self.at_once = at_once
        self.socket = connect()
        self.socket.setblocking(False)
        self.output = b""
        self.unanswered = 0
        self.sent = 0

    def turn(self, mask):
        if mask & selectors.EVENT_READ:
            answers = self.socket.recv(1 << 20)
            if not answers:
                raise EOFError
            self.unanswered = max(0, self.unanswered - answers.count(b"HTTP/1.1 "))
        if mask & selectors.EVENT_WRITE:
            if not self.output and self.unanswered < self.at_once:
                self.output = self.request
                self.unanswered += 1
                self.sent += 1
            self.output = self.output[self.socket.send(self.output) :] if self.output else b""

    @property
    def events(self):
        wants_write = self.output or self.unanswered < self.at_once
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if wants_write else 0)


def pipelined(request, at_once):
    selector = selectors.DefaultSelector()
    sent = 0

    def begin():
        pipeline = Pipeline(request, at_once)
        selector.register(pipeline.socket, pipeline.events, pipeline)

    for _ in range(CONNECTIONS):
        begin()
    while running:
        for key, mask in selector.select(0.1):
            try:
                key.data.turn(mask)
                if key.data.events != key.events:
                    selector.modify(key.fileobj, key.data.events, key.data)
            except BlockingIOError:
                pass
            except (OSError, EOFError):
                # Cut off: comes again.
                sent += key.data.sent
                selector.unregister(key.fileobj)
                key.fileobj.close()
                begin()
    return sent + sum(key.data.sent for key in selector.get_map().values())


signal.signal(signal.SIGTERM, stop)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
print("flooding", flush=True)
match order["way"]:
    case "closed":
        sent = closed()
    case "kept":
        sent = pipelined(READ, AT_ONCE)
    case "long":
        sent = pipelined(LONG, 2)
print(json.dumps({"sent": sent}), flush=True)
