"""bridge_rate.py [MESSAGES]: messages a second through one bridge and the processor time of each, next to mosquitto's bridge.

Scripts/bridge_rate calls it. All of it is on loopback, and without TLS.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "Support")]

from broker import Broker, await_port, free_port  # noqa: E402
from earshot_node import BINARY, Node  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
EVERYTHING = ("^earshot", "^earshot", "^earshot")


def processor_time(pid):
    """The seconds of user and system time of a process and its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Meter:
    """Time and processor time between two moments."""

    def __init__(self, **processes):
        self.processes = processes
        self.before = {name: processor_time(pid) for name, pid in processes.items()}
        self.began = time.monotonic()

    def report(self, title, count):
        seconds = time.monotonic() - self.began
        parts = [f"{name} {(processor_time(pid) - self.before[name]) / count * 1e6:.0f}" for name, pid in self.processes.items()]
        print(f"{title}: {count} messages in {seconds:.1f} s, {count / seconds:.0f} a second; µs of processor time per message: {', '.join(parts)}", flush=True)


def beam(broker):
    """The process of Erlang, below the shell that started it."""
    return max(broker._children(broker.process.pid), key=processor_time)


def earshot(count, folder):
    broker = Broker(users=(("guest", "guest", "/", EVERYTHING),))
    broker.start()
    nodes = []
    try:
        key = f"{folder}/key"
        subprocess.run([BINARY, "bridge", "new", key], check=True, capture_output=True)
        for name in ("sends", "receives"):
            nodes.append(Node(subprocess.Popen, name, "--discovery", "none", "--no-control", "--bridgeable", "on", "--rate", "1000000",
                              "--bridge", f"amqp://guest@127.0.0.1:{broker.plain}", "--bridge-key", key))
            nodes[-1].wait(lambda e: e["event"] == "notice" and e["code"] == "bridge_connected", "broker", 30)
        one, other = nodes
        for text in ("first", "second"):
            one.say(text)
            other.hears(text)
        meter = Meter(**{"sending bridge": one.process.pid, "receiving bridge": other.process.pid, "RabbitMQ": beam(broker)})
        one.write(b"".join(b"message %d of a usual length\n" % number for number in range(count)))
        heard = 0
        while heard < count:
            item = other.lines.next(time.monotonic() + 60)
            if item is None:
                raise SystemExit(f"only {heard} of {count} messages arrived")
            heard += '"event":"message"' in item[1]
        meter.report("Earshot, sealed, confirmed by a quorum queue", count)
    finally:
        for node in nodes:
            node.kill()
        broker.close()


def mosquitto(count, folder):
    near, far = free_port(), free_port()
    texts = {"near": f"listener {near} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n",
             "far": f"listener {far} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nconnection bridge\naddress 127.0.0.1:{near}\ntopic # in 1\n"}
    processes = {}
    try:
        for name, text in texts.items():
            path = pathlib.Path(folder) / f"{name}.conf"
            path.write_text(text)
            processes[name] = subprocess.Popen(["/usr/sbin/mosquitto", "-c", path], stderr=subprocess.DEVNULL)
            await_port(near if name == "near" else far)
        listen = ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(far), "-q", "1", "-t", "room", "-c", "-i", "listener"]
        publish = ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(near), "-q", "1", "-t", "room"]
        # Until one arrives, the bridge is not connected. The session stays, so that the listener gets all that follow.
        first = subprocess.Popen([*listen, "-C", "1"], stdout=subprocess.DEVNULL)
        while first.poll() is None:
            subprocess.run([*publish, "-m", "first"], check=True)
            time.sleep(0.2)
        listener = subprocess.Popen(listen, stdout=subprocess.PIPE)
        processes["listener"] = listener
        lines = b"".join((b"message %d " % number).ljust(552, b"x") + b"\n" for number in range(count))
        meter = Meter(**{"sending broker": processes["near"].pid, "broker with the bridge": processes["far"].pid})
        speaker = subprocess.Popen([*publish, "-l"], stdin=subprocess.PIPE)
        speaker.communicate(lines)
        heard = 0
        while heard < count:
            heard += listener.stdout.readline().startswith(b"message")
        meter.report("mosquitto, not sealed, QoS 1 from client to client", count)
    finally:
        for process in processes.values():
            process.kill()
            process.wait()


def main(count):
    with tempfile.TemporaryDirectory(prefix="earshot-rate.") as folder:
        mosquitto(count, folder)
        earshot(count, folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
