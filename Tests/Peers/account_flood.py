"""One account that sends as fast as it can, over many connections, and waits for no answer before the next request.

Standard input is a JSON object: the relay's port, the room and the token, and the address to come from. It floods until
SIGTERM; then it prints how often it was answered what, as a JSON object.
"""

import collections
import json
import os
import re
import selectors
import signal
import socket
import struct
import sys

CONNECTIONS = 16
AT_ONCE = 32

order = json.load(sys.stdin)
head = (
    f"POST /v1/rooms/{order['room']}/group/messages HTTP/1.1\r\nHost: relay\r\n"
    f"Authorization: Bearer {order['token']}\r\nContent-Type: application/vnd.mildam+tls\r\n"
)


def vector(content):
    """Bytes behind their length, which takes two of them from 64 on (RFC 9420, section 2.1.2)."""
    count = len(content)
    return (bytes([count]) if count < 1 << 6 else struct.pack(">H", 1 << 14 | count)) + content


def request():
    # A PrivateMessage of the first epoch, which only members could open, with a fresh id.
    message = struct.pack(">HH", 1, 2) + vector(bytes(32)) + struct.pack(">QB", 0, 1) + vector(b"")
    message += vector(os.urandom(28)) + vector(os.urandom(200))
    body = b"\x01" + os.urandom(16) + struct.pack(">IQQB", 0, 0, 0, 1) + vector(message) + vector(b"")
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Connection:
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", order["port"]), source_address=(order["source"], 0))
        self.socket.setblocking(False)
        self.input = b""
        self.output = b""
        self.unanswered = 0

    def read(self, answers):
        self.input += self.socket.recv(1 << 16) or b"HTTP/1.1 cut"
        end = 0
        for match in re.finditer(rb"HTTP/1\.1 (\d{3}|cut)", self.input):
            answers[match[1].decode()] += 1
            self.unanswered -= 1
            end = match.end()
        # A status line may have come in part.
        self.input = self.input[end:][-16:]

    def write(self):
        while self.unanswered < AT_ONCE:
            self.output += request()
            self.unanswered += 1
        self.output = self.output[self.socket.send(self.output) :]


running = True


def stop(*_):
    global running
    running = False


signal.signal(signal.SIGTERM, stop)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
answers = collections.Counter()
selector = selectors.DefaultSelector()
for _ in range(CONNECTIONS):
    connection = Connection()
    connection.write()
    selector.register(connection.socket, selectors.EVENT_READ, connection)
print("flooding", flush=True)
while running and "cut" not in answers:
    for key, _ in selector.select(0.1):
        try:
            key.data.read(answers)
            key.data.write()
        except BlockingIOError:
            pass
print(json.dumps(answers), flush=True)
