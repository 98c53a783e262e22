"""Says hello over Socket.IO and prints what is said in the room (Docs/Web.md, section 6).

    pip install "python-socketio[client]"
    earshot --web &
    python3 socketio.py [PORT]
"""

import os
import sys

# This file has the name of the module: its own folder is not searched for it.
sys.path.pop(0)

import socketio  # noqa: E402


def main(port="4807"):
    folder = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}") + "/earshot"
    with open(folder + "/control.web") as file:
        token = file.read().split()[-1]
    client = socketio.Client()
    client.on("newChatMessage", lambda name, text, date, offset: print(name, text, flush=True))
    client.on("refused", lambda message, code, offset: sys.exit(message))
    client.connect(f"http://127.0.0.1:{port}", auth={"token": token})
    client.emit("chatMessage", ("example", "hello"))
    client.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
