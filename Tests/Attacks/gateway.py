"""Clients of the victim's IRC gateway, on its own machine: strangers, and one that has the token."""

import socket


class Strangers:
    """Clients with long tags, half lines and a wrong token, of which each fifth one stays and says nothing."""

    def __init__(self, stage):
        self.stage = stage
        self.kinds = (b"@a=" + b"x" * 4000 + b" CAP LS 302\r\n", b"NICK a\r\nPASS 0\r\n", b"NICK a", b"y" * 9000 + b"\r\n", b"")

    def run(self):
        kept = []
        for number in self.stage.paced(200):
            client = socket.create_connection(("127.0.0.1", self.stage.irc_port), timeout=10)
            self.stage.count("connections")
            try:
                client.sendall(self.kinds[number % len(self.kinds)])
            except OSError:
                self.stage.count("closed_by_victim")
            if number % len(self.kinds) == 4:
                kept.append(client)
            else:
                client.close()
        for client in kept:
            client.close()


class Asker:
    """A client that asks as fast as it is answered, and asks for rooms by the thousand."""

    def __init__(self, stage):
        self.stage = stage

    def run(self):
        with socket.create_connection(("127.0.0.1", self.stage.irc_port), timeout=30) as client:
            self.stage.count("connections")
            client.sendall(f"PASS {self.stage.irc_token}\r\nNICK a\r\nUSER a 0 * :a\r\n".encode())
            number = 0
            while self.stage.running.is_set():
                mark = b"%d" % number
                client.sendall(b"WHO #lobby\r\nNAMES #lobby\r\nLIST\r\nCHATHISTORY LATEST #lobby * 100\r\nMODE #lobby\r\nNICK 1\r\n"
                               b"JOIN #" + b"r" * 65 + mark + b"\r\nNONSENSE\r\nPING m" + mark + b"\r\n")
                self.stage.count("lines_sent", 9)
                received = b""
                while b" m" + mark + b"\r\n" not in received and b":m" + mark + b"\r\n" not in received:
                    piece = client.recv(65536)
                    if not piece:
                        return self.stage.count("closed_by_victim")
                    received = received[-100:] + piece
                number += 1
        return None


ATTACKS = {"irc-strangers": Strangers, "irc-client": Asker}
