"""told_contacts.py HOST PORT JSON: a member from another host that tells a node of contacts, and then that it has said so.

JSON is a list of [address, port]. It shares no code with Earshot: frame 13 of Docs/Protocol.md, section 13.
"""

import ipaddress
import json
import os
import socket
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interop"))

from stranger import CONTACTS, Stranger  # noqa: E402

CONTACTS_TOLD = 9


def contact(address, port):
    packed = ipaddress.ip_address(address).packed
    return os.urandom(32) + bytes([4 if len(packed) == 4 else 6]) + packed + struct.pack(">H", port)


def main():
    host, port, told = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    member = Stranger("initiator", socket.create_connection((host, port), timeout=20))
    # A list of fewer than 9 replaces the one before, of which each contact is dialled within a second.
    for start in range(0, len(told), CONTACTS_TOLD - 1):
        part = told[start:start + CONTACTS_TOLD - 1]
        member.send(bytes([CONTACTS, len(part)]) + b"".join(contact(*each) for each in part))
        time.sleep(1.2)
    member.say_publicly("told")
    print("told", flush=True)
    sys.stdin.readline()


main()
