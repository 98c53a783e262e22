"""Writes the packets of a network interface to a pcap file. Unlike tcpdump, it also works within a user namespace."""

import socket
import struct
import threading
import time

ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP = 1
PACKET_STATISTICS = 6
PACKET_MR_PROMISC = 1
SO_TIMESTAMPNS = 35


class Capture:
    def __init__(self, path, interface):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 25)
        # The kernel's times are those of the packets, also when this thread runs late.
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((interface, 0))
        # A bridge shows packets between its ports only in promiscuous mode.
        everything = struct.pack("iHH8s", socket.if_nametoindex(interface), PACKET_MR_PROMISC, 0, b"")
        self.socket.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, everything)
        self.socket.settimeout(0.05)
        self.file = open(path, "wb", buffering=0)
        self.file.write(struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        self.is_over = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def end(self, settle=0.3):
        """Ends the capture `settle` seconds from now; raises if it missed packets."""
        time.sleep(settle)
        self.close()
        packets, drops = struct.unpack("II", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        self.socket.close()
        if drops:
            raise RuntimeError(f"{drops} of {packets} packets were not captured")

    def close(self):
        self.is_over = True
        self.thread.join()
        self.file.close()

    def _run(self):
        while not self.is_over:
            try:
                packet, about, _, _ = self.socket.recvmsg(65535, 64)
            except TimeoutError:
                continue
            second, nanosecond = struct.unpack("qq", about[0][2])
            header = struct.pack("=IIII", second, nanosecond // 1000, len(packet), len(packet))
            self.file.write(header + packet)
