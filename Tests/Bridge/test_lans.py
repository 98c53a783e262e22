"""Two local networks in network namespaces that do not see each other, and a broker that both reach."""

import pathlib
import shutil
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import lans  # noqa: E402
from bridged import percentiles  # noqa: E402
from lans import Lans, Talk, broker_times  # noqa: E402


def setUpModule():
    global broker
    broker = lans.single_broker()


def tearDownModule():
    broker.close()
    shutil.rmtree(broker.certificates.folder)


class LocalNetworks(unittest.TestCase):
    def lans(self, **choices):
        networks = Lans()
        self.addCleanup(networks.__exit__)
        networks.__enter__()
        networks.prepare(f"broker:{broker.secure}", broker.certificates.authority)
        networks.start(**choices)
        return networks

    def check(self, account):
        self.assertEqual((account.missing, account.doubled, account.disordered), ([], [], []))

    def test_a_line_said_in_one_network_is_heard_by_all_in_the_other_once_and_in_order(self):
        networks = self.lans()
        self.assertFalse(networks.see_each_other())
        speakers = [networks.nodes[2], networks.nodes[5], networks.nodes[1]]
        # The first lines of a node wait until it has met all peers.
        for speaker in speakers:
            speaker.say(f"first of {speaker.name}")
            for node in networks.nodes:
                node.hears(f"first of {speaker.name}")
        talk = Talk(speakers, networks.nodes)
        talk.go_on(6, 20)
        talk.settle(20)
        account = talk.account()
        self.check(account)
        self.assertEqual(account.history, 0)
        print(f"two networks of three: {account}\n  broker alone: {percentiles(broker_times(broker.plain))}\n"
              f"  within a network: {percentiles(account.near)}\n  to the other network: {percentiles(account.far)}")

    def test_of_two_bridges_in_each_network_one_is_killed_and_nothing_is_doubled_or_lost(self):
        networks = self.lans(bridges=2)
        talk = Talk([networks.nodes[2], networks.nodes[5]], networks.nodes)
        talk.go_on(3, 10)
        talk.settle(20)
        self.check(talk.account())
        victim = networks.nodes[0]
        killed_at = []

        def kill(elapsed):
            if elapsed > 2 and not killed_at:
                victim.kill()
                killed_at.append(time.monotonic())

        talk.listeners = [node for node in networks.nodes if node is not victim]
        talk.go_on(6, 10, kill)
        talk.settle(20, since=killed_at[0] + 1)
        everything = talk.account()
        self.check(talk.account(since=killed_at[0] + 1))
        self.assertEqual((everything.doubled, everything.disordered), ([], []))
        print(f"two bridges in each network, one killed: {everything}; to the other network: {percentiles(everything.far)}")
