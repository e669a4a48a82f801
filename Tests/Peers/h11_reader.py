"""Reads HTTP/1.1 requests with h11, a parser by other hands, and says what it read.

Standard input brings batches: a count, then as many byte streams; each answer is a batch of as many readings. A reading
is the count of its messages, the messages in one fixed form, and why it stopped. Counts and lengths are four bytes.
"""

import re
import struct
import sys

import h11

LIMIT = 1 << 24


def number(value):
    return struct.pack(">I", value)


def blob(data):
    return number(len(data)) + data


def take(count):
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        sys.exit(0)
    return data


def take_number():
    return struct.unpack(">I", take(4))[0]


def origin_form(target):
    """RFC 9112, section 3.2.2: of a target in absolute form, the path and query count."""
    match = re.fullmatch(rb"(?i:https?)://[^/?]+(.*)", target, re.DOTALL)
    if match is None:
        return target
    return match[1] if match[1].startswith(b"/") else b"/" + match[1]


def read_message(stream):
    """The first message in `stream`, in one form, and what stands behind it; None where it is not whole."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=LIMIT)
    connection.receive_data(stream)
    request, body = None, b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            return None
        if isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            break
    lines = [request.method + b" " + origin_form(request.target) + b" HTTP/" + request.http_version]
    lines += [name + b": " + value for name, value in request.headers]
    rest = connection.trailing_data[0]
    return b"\n".join(lines) + b"\n\n" + body, rest


def read_stream(stream):
    messages, rest = [], stream
    try:
        while True:
            # RFC 9112, section 2.2: a server should ignore at least one empty line before a request. h11 refuses it.
            if rest.startswith(b"\r\n"):
                rest = rest[2:]
            # To h11, no bytes are the end of the connection.
            if not rest:
                return messages, b""
            found = read_message(rest)
            if found is None:
                return messages, b"more is needed"
            message, rest = found
            messages.append(number(len(stream) - len(rest)) + message)
    except h11.RemoteProtocolError as error:
        return messages, str(error).encode()


while True:
    streams = [take(take_number()) for _ in range(take_number())]
    for stream in streams:
        messages, reason = read_stream(stream)
        sys.stdout.buffer.write(number(len(messages)) + b"".join(map(blob, messages)) + blob(reason))
    sys.stdout.buffer.flush()
