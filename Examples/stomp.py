"""Says hello over STOMP 1.2 and prints what is said in the room (Docs/Web.md, section 5), with Python's own library alone.

    earshot --stomp &
    python3 stomp.py [PORT [ROOM]]
"""

import json
import os
import socket
import sys


def frame(command, body="", **headers):
    head = "".join(f"{name.replace('_', '-')}:{value}\n" for name, value in headers.items())
    return f"{command}\n{head}\n{body}\0".encode()


def frames(lines):
    """(command, headers, body) of each frame; a body without its length ends at its NUL, and has none in it."""
    unread = b""
    while part := lines.recv(65_536):
        unread += part
        while b"\0" in unread:
            text, unread = unread.split(b"\0", 1)
            head, _, body = text.decode().lstrip("\n").partition("\n\n")
            command, *headers = head.split("\n")
            yield command, dict(line.split(":", 1) for line in headers), body


def main(port="61613", room="lobby"):
    folder = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}") + "/earshot"
    with open(folder + "/control.web") as file:
        token = file.read().split()[-1]
    server = socket.create_connection(("127.0.0.1", int(port)))
    server.sendall(frame("CONNECT", accept_version="1.2", host="localhost", passcode=token))
    server.sendall(frame("SUBSCRIBE", id="1", destination=f"/channel/{room}"))
    server.sendall(frame("SEND", json.dumps({"messageContent": "hello", "messageType": "TEXT"}),
                         destination=f"/app/channel/{room}", content_type="application/json"))
    for command, headers, body in frames(server):
        if command == "ERROR":
            sys.exit(headers.get("message", body))
        if command == "MESSAGE":
            message = json.loads(body)
            print(message["from"]["displayName"], message["content"]["text"], flush=True)


if __name__ == "__main__":
    # This file has the name of a module of PyPI, which it does not use.
    main(*sys.argv[1:])
