"""A program at the other end of a UNIX socket: connects to PATH, and does what comes through the connection, a line each.

become WORDS  runs that program in this process, which keeps the connection
leave         ends, and leaves the connection to a child
undumpable    keeps other programs of its user from looking at it

It answers "done" before "become" and "leave", and after the others.
"""

import ctypes
import os
import socket
import sys
import time

peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
peer.connect(sys.argv[1])
for line in peer.makefile():
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "undumpable":
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    peer.sendall(b"done")
    if word == "become":
        peer.set_inheritable(True)
        os.execv(rest.split()[0], rest.split())
    elif word == "leave":
        if os.fork():
            os._exit(0)
        # The connection, and nothing by which somebody waits for the end of this program.
        os.closerange(0, peer.fileno())
        os.closerange(peer.fileno() + 1, 256)
        time.sleep(60)
