"""Users that run the program on this machine, without mDNS."""

import subprocess
import unittest

from earshot_node import Node


def is_from(who):
    """A function that returns true for an event about this node, in any of its fields."""
    return lambda event: any(event.get(name, {}).get("key") == who.key for name in ("who", "from", "with"))


class People(unittest.TestCase):
    def person(self, name, *options, meets=None, launch=subprocess.Popen, json_mode=True):
        """A node that is ready, and has a link with `meets` unless that is None."""
        if meets:
            options = ("--peer", f"127.0.0.1:{meets.ready()['port']}", *options)
        node = Node(launch, name, "--discovery", "none", *options, json_mode=json_mode)
        self.addCleanup(self.end, node)
        if json_mode:
            node.ready()
        if meets:
            node.sees(meets)
            meets.sees(node)
        return node

    def end(self, node):
        node.kill()
        for stream in (node.process.stdin, node.process.stdout, node.process.stderr):
            if stream and stream is not node.process.stdout:
                self.close(stream)

    def close(self, stream):
        try:
            stream.close()
        except BrokenPipeError:
            pass

    def pair(self, *options):
        alice = self.person("alice", *options)
        return alice, self.person("bob", *options, meets=alice)

    def friends(self, *options):
        """Two nodes with an accepted direct conversation and nothing unread."""
        alice, bob = self.pair(*options)
        alice.say(f"/msg {bob.number} may I?")
        self.next(bob, "request")
        bob.say(f"/accept {alice.number}")
        self.next(bob, "direct", state="accepted")
        self.next(alice, "direct", state="accepted")
        return alice, bob

    def next(self, node, event, **fields):
        """The next event of that kind with these values in its fields; it skips other events."""
        return node.wait(
            lambda told: told["event"] == event and all(told.get(name) == value for name, value in fields.items()),
            f"{event} {fields}", from_start=False)

    def error(self, node, code):
        return self.next(node, "error", code=code)
