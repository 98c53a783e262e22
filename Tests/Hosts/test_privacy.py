"""What an observer of the network can read: a capture of everything that the hosts sent."""

import contextlib
import os
import pwd
import socket
import unittest

import capture
from earshot_node import Node, everybody_hears_everybody, everybody_sees_everybody
from hosts import Hosts

RECORDS = {530, 1298, 4114}


class Privacy(unittest.TestCase):
    def test_nothing_that_names_anybody_is_on_the_wire_and_records_have_three_lengths(self):
        with contextlib.ExitStack() as stack:
            hosts = stack.enter_context(Hosts(2, daemons=[1]))
            path = os.path.join(hosts.directory, "everything.pcap")
            with hosts.capture(path):
                nodes = []
                for host in (1, 2):
                    def launch(argv, host=host, **pipes):
                        return hosts.start(host, argv, **pipes)
                    nodes.append(Node(launch, f"nickname-{host}"))
                    stack.callback(nodes[-1].kill)
                everybody_sees_everybody(nodes)
                everybody_hears_everybody(nodes)
                nodes[0].say("x" * 240)
                nodes[1].hears("x" * 240)
                nodes[0].say("안" * 240)
                nodes[1].hears("안" * 240)
                nodes[0].say("नि" * 240)
                nodes[1].hears("नि" * 240)
                keys = [node.key for node in nodes]
                for node in nodes:
                    self.assertEqual(node.quit(), 0)
            with open(path, "rb") as file:
                everything = file.read()
            streams = [stream for _, stream in capture.streams(path) if len(stream) > 2]
        self.assert_absent(everything, hosts, keys)
        self.assertGreaterEqual(len(streams), 2, "both directions of a link")
        lengths = [length for stream in streams for length in capture.record_lengths(stream)]
        self.assertEqual(set(lengths), RECORDS)
        for stream in streams:
            self.assertEqual(sum(capture.record_lengths(stream)), len(stream), "bytes that are no record")

    def assert_absent(self, everything, hosts, keys):
        # The control: what must be there is found the same way.
        self.assertIn(b"_earshot", everything)
        secrets = {"the user name": pwd.getpwuid(os.getuid()).pw_name, "this machine's name": socket.gethostname(),
                   "a text": "hello from", "a long text": "xxxxxxxxxxxxxxxx", "a Korean text": "안안안안"}
        for host in (1, 2):
            secrets[f"nickname {host}"] = f"nickname-{host}"
        # A daemon of the machine's own publishes its host name itself; the host without one must not.
        secrets["the name of the host without a daemon"] = hosts.hostname(2)
        for what, text in secrets.items():
            self.assertNotIn(text.encode(), everything, what)
        for key in keys:
            self.assertNotIn(bytes.fromhex(key), everything, "a key")
            self.assertNotIn(key.encode(), everything, "a key in hexadecimal")


if __name__ == "__main__":
    unittest.main()
