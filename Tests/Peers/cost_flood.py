"""Ways of asking at full rate: over connections that are kept, over connections that are closed at once, and with TLS
handshakes that lead to nothing. Each has `turn`, which does a bounded piece of work, and `answers`, which counts.
"""

import collections
import os
import re
import selectors
import ssl
import struct
import threading

# What a socket says that has nothing to be read, or no room to be written to.
LATER = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Kept:
    """Connections that stay open. Each has a talker: a function that is given the last answer's status and content, or
    `None` and nothing at first, and returns the next request."""

    def __init__(self, place, talkers, at_once=1):
        self.place, self.at_once = place, at_once
        self.answers = collections.Counter()
        self.selector = selectors.DefaultSelector()
        for talker in talkers:
            self.open(talker)

    def open(self, talker):
        line = Line(self.place.connect(), talker, self.at_once)
        self.answers["connections"] += 1
        self.selector.register(line.socket, selectors.EVENT_READ, line)
        line.write()

    def turn(self):
        for key, _ in self.selector.select(0.05):
            line = key.data
            try:
                line.read(self.answers)
                line.write()
            except LATER:
                pass
            except OSError:
                self.answers["cut"] += 1
                self.selector.unregister(line.socket)
                line.socket.close()
                try:
                    self.open(line.talker)
                except OSError:
                    pass
        # What the kernel did not take at once.
        for key in list(self.selector.get_map().values()):
            if key.data.output:
                try:
                    key.data.write()
                except OSError:
                    pass


class Line:
    def __init__(self, bare, talker, at_once):
        self.socket, self.talker = bare, talker
        bare.setblocking(False)
        self.input = b""
        self.output = b"".join(talker(None, b"") for _ in range(at_once))

    def write(self):
        output, sent = memoryview(self.output), 0
        try:
            while sent < len(output):
                sent += self.socket.send(output[sent:])
        except LATER:
            pass
        self.output = self.output[sent:]

    def read(self, answers):
        # All that is there: over TLS more may have come than the selector knows of.
        try:
            while part := self.socket.recv(1 << 18):
                self.input += part
            raise ConnectionResetError
        except LATER:
            self.take(answers)

    def take(self, answers):
        while (end := self.input.find(b"\r\n\r\n")) >= 0:
            length = LENGTH.search(self.input, 0, end + 2)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self.input) < whole:
                return
            status, content = self.input[9:12].decode(), self.input[end + 4 : whole]
            self.input = self.input[whole:]
            answers[status] += 1
            self.output += self.talker(status, content)


class Closed:
    """A connection for each request, closed as soon as the request is sent.

    `pause` is the seconds between two, for those who are slow.
    """

    def __init__(self, place, requests, pause=0.0):
        self.place, self.requests, self.pause = place, requests, pause
        self.answers = collections.Counter()
        self.idle = threading.Event()

    def turn(self):
        if self.pause:
            self.idle.wait(self.pause)
        try:
            bare = self.place.connect()
        except OSError:
            self.answers["refused"] += 1
            return
        try:
            bare.sendall(next(self.requests))
            self.answers["sent"] += 1
        except OSError:
            self.answers["cut"] += 1
        finally:
            bare.close()


class Hellos:
    """The first message of a handshake, over and over.

    `patience` says what is done after it: nothing ("closed"), the wait for an answer that is not read ("answered"), or
    nothing for as long as the relay bears it ("kept").
    """

    def __init__(self, place, hello, connections, patience):
        self.place, self.hello, self.patience = place, hello, patience
        self.answers = collections.Counter()
        self.selector = selectors.DefaultSelector()
        self.wanted = connections

    def turn(self):
        for _ in range(min(8, self.wanted - len(self.selector.get_map()))):
            try:
                bare = self.place.plain()
                bare.sendall(self.hello)
            except OSError:
                self.answers["refused"] += 1
                return
            self.answers["sent"] += 1
            if self.patience == "closed":
                bare.close()
            else:
                self.selector.register(bare, selectors.EVENT_READ)
        for key, _ in self.selector.select(0.01):
            try:
                # 22 is a handshake's record, 21 an alert's.
                first = key.fileobj.recv(1)
                self.answers[{b"\x16": "went on", b"\x15": "alert", b"": "closed"}.get(first, "other")] += 1
            except OSError:
                self.answers["cut"] += 1
            self.selector.unregister(key.fileobj)
            key.fileobj.close()


class Handshakes:
    """Handshakes that are carried out to the end, and connections that are dropped then."""

    def __init__(self, place, connections):
        self.place = place
        self.answers = collections.Counter()
        self.running = True
        self.idle = threading.Event()
        for _ in range(connections):
            threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while self.running:
            try:
                self.place.connect().close()
                self.answers["done"] += 1
            except OSError:
                self.answers["refused"] += 1
                self.idle.wait(0.01)

    def turn(self):
        self.idle.wait(0.05)


def client_hello(group, share):
    """A ClientHello of TLS 1.3 that knows one group (RFC 8446, section 4.1.2)."""

    def extension(kind, content):
        return struct.pack(">HH", kind, len(content)) + content

    entry = struct.pack(">HH", group, len(share)) + share
    extensions = (
        extension(43, b"\x02\x03\x04")
        + extension(10, struct.pack(">HH", 2, group))
        + extension(13, b"\x00\x06\x04\x03\x08\x07\x08\x04")
        + extension(51, struct.pack(">H", len(entry)) + entry)
    )
    suites = b"\x13\x01\x13\x02\x13\x03"
    body = b"\x03\x03" + os.urandom(32) + b"\x20" + os.urandom(32)
    body += struct.pack(">H", len(suites)) + suites + b"\x01\x00" + struct.pack(">H", len(extensions)) + extensions
    handshake = b"\x01" + struct.pack(">I", len(body))[1:] + body
    return b"\x16\x03\x01" + struct.pack(">H", len(handshake)) + handshake


# A public value of ffdhe8192, below its prime; and one of X25519, for which any bytes do.
FFDHE8192 = client_hello(0x0104, b"\x7f" + os.urandom(1023))
X25519 = client_hello(0x001D, os.urandom(32))
