"""One who attacks a client: what it believes, and what it spends on mail and messages.

Standard input is a JSON object: "relay" with "port" and "tls"; the address of loopback to come from ("source");
"attack"; the "seconds" that it lasts, and the most things that it asks for ("most"); the "victim", the victim's
"friend", and the names of the victim's "rooms". An attacker who has to be a member of one of them prints "ready" with a
handle, and waits until the victim brings it in. It prints "attacking", attacks for so long, and prints how often it was
answered what, as a JSON object. With the argument `list` it prints the attacks, a line each: the first of each family is
the attack as it was found.
"""

import json
import sys

import consent_mail  # noqa: F401
import consent_talk  # noqa: F401
import consent_told  # noqa: F401
from consent_order import ATTACKS, Order, carry_out


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(ATTACKS))
        return
    order = json.load(sys.stdin)
    carry_out(ATTACKS[order["attack"]](Order(order)), order["seconds"], order["most"])


main()
