"""bridge_faults.py [CASE...]: faults of a cluster of three RabbitMQ nodes, while 50 messages a second cross it.

Scripts/bridge_faults calls it. For each case it prints a line; it ends with 1 if a message was lost or shown twice.
"""

import re
import sys
import time

from bridged import percentiles
from cluster import NAMES, URL, Cluster
from lans import LAN_SIZE, Lans, Talk

PER_SECOND = 50
# For what was said while there was no broker.
PATIENCE = 180


class Faults:
    def __init__(self, networks, cluster):
        self.networks, self.cluster = networks, cluster

    def calm(self):
        """nothing fails"""
        return 10, []

    def one_killed(self):
        """a broker node that a bridge uses is killed, and started again after 20 s"""
        return 30, [(5, lambda: self.cluster.kill(self.used)), (25, lambda: self.cluster.restart(self.used))]

    def all_killed(self):
        """all three broker nodes are killed, and started again after 60 s"""
        return 80, [(5, lambda: [self.cluster.kill(number) for number in (1, 2, 3)]), (65, lambda: self.cluster.restart(1, 2, 3))]

    def partition(self):
        """netfilter parts a broker node that a bridge uses from the others for 30 s, with pause_minority"""
        return 50, [(5, lambda: self.cluster.part(self.used)), (35, lambda: self.cluster.heal(self.used))]

    def run(self, name):
        case = getattr(self, name)
        self.gather()
        seconds, acts = case()
        talk = Talk(self.networks.nodes, self.networks.nodes, name)
        began = time.monotonic()

        def act(elapsed):
            while acts and elapsed > acts[0][0]:
                acts.pop(0)[1]()

        talk.go_on(seconds, PER_SECOND, act)
        settled = talk.settle(PATIENCE)
        account = talk.account()
        lost = account.missing or account.doubled or account.disordered
        print(f"{name}: {case.__doc__}: {account}; to the other network {percentiles(account.far)}, longest {max(account.far) / 1000:.1f} s; "
              f"all there {settled:.1f} s after the last was said; {time.monotonic() - began:.0f} s", flush=True)
        if lost:
            print(f"  missing {account.missing[:6]}\n  doubled {account.doubled[:6]}\n  out of order {account.disordered[:6]}", flush=True)
        return not lost

    def gather(self):
        """All brokers are there, and both bridges are connected; notes the number of the broker of the first."""
        self.cluster.await_all()
        for bridge in [node for node in self.networks.nodes if node.is_bridge]:
            for _ in range(100):
                state = bridge.result("bridge")["state"]
                found = re.search(r"connected .*broker-(\d)", state)
                if found:
                    break
                time.sleep(0.3)
            self.used = int(found[1])


def main(wanted):
    began = time.monotonic()
    with Lans(NAMES) as networks:
        cluster = Cluster(networks)
        try:
            cluster.start()
            print(f"three brokers in a cluster after {time.monotonic() - began:.0f} s", flush=True)
            networks.prepare(URL, cluster.certificates.authority)
            networks.start()
            print(f"two networks of {LAN_SIZE} nodes, one bridge each, after {time.monotonic() - began:.0f} s", flush=True)
            faults = Faults(networks, cluster)
            cases = wanted or ["calm", "one_killed", "partition", "all_killed"]
            failed = [name for name in cases if not faults.run(name)]
        finally:
            cluster.close()
    print(f"{len(cases) - len(failed)} of {len(cases)} cases held, in {time.monotonic() - began:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
