"""Runs a command on a terminal of its own, and types what somebody would who is asked there.

    typist.py [QUESTION=ANSWER]... -- COMMAND...

An answer is typed, with Return, when what was seen since the one before ends with its question. A question that is given
several times has its answers in turn, and the last of them from then on. Ends as the command does.
"""

import os
import pty
import select
import sys

split = sys.argv.index("--")
answers = {}
for pair in sys.argv[1:split]:
    question, answer = pair.split("=", 1)
    answers.setdefault(question.encode(), []).append(answer.encode())
command = sys.argv[split + 1 :]

child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)

seen = b""
while True:
    if not select.select([terminal], [], [], 0.1)[0]:
        # A program that it left behind may hold the terminal for ever.
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            sys.exit(os.waitstatus_to_exitcode(status))
        continue
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
    seen += part
    for question, waiting in answers.items():
        if seen.rstrip().endswith(question):
            answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            os.write(terminal, answer + b"\n")
            seen = b""
            break
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
