"""An AMQP client that does what a hostile operator of a broker can: listen, repeat, alter, inject and flood.

amqp_attack.py PORT SECONDS RATE: floods with the publications of its input, pairs of key and hexadecimal body in JSON, and prints
how many it sent once the queues have had them all. In a process of its own it does not delay the test that measures.
"""

import json
import os
import sys
import time

from amqp import Client


class Attack(Client):
    sent = 0

    def listen(self, provoke, at_least):
        """All publications that the broker has after `provoke`, as (routing key, body), up to `at_least` of them."""
        self.queue("earshot.attacker", "earshot", "#")
        self.consume("earshot.attacker")
        provoke()
        return [self.delivery() for _ in range(at_least)]

    def flood(self, boxes, seconds, per_second=None):
        """Repeats, alters and invents publications for some seconds, and counts them; as fast as it can unless told otherwise."""
        began = time.monotonic()
        while (elapsed := time.monotonic() - began) < seconds:
            if per_second and self.sent > elapsed * per_second:
                time.sleep(0.002)
                continue
            batch = b""
            for number in range(200):
                key, body = boxes[number % len(boxes)]
                topic = key.rsplit(".", 1)[0] + "." + os.urandom(8).hex()
                kind = number % 3
                if kind == 1:
                    place = number % len(body)
                    body = body[:place] + bytes([body[place] ^ 1]) + body[place + 1:]
                elif kind == 2:
                    body = os.urandom(len(body))
                batch += self.publication(topic, body)
            self.socket.sendall(batch)
            self.sent += 200

    def await_queues(self, boxes):
        """Returns when all that was published is in the queues: one more publication, behind it in each of them, is confirmed."""
        # Sockets and the broker hold more than a queue does.
        self.socket.settimeout(120)
        self.confirm()
        self.publish(*boxes[0])
        self.sent += 1
        self.confirmation()


def main(port, seconds, rate):
    boxes = [(key, bytes.fromhex(body)) for key, body in json.load(sys.stdin)]
    with Attack(int(port)) as attack:
        attack.flood(boxes, float(seconds), float(rate))
        attack.await_queues(boxes)
        print(attack.sent)


if __name__ == "__main__":
    main(*sys.argv[1:])
