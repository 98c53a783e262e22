"""Causes faults in a running process, as its own bugs would: with ptrace(2), on x86-64."""

import ctypes
import os
import pathlib
import platform
import subprocess
import sys

GETREGS, SETREGS, POKETEXT, DETACH, SEIZE, INTERRUPT = 12, 13, 4, 17, 0x4206, 0x4207
# Indices of registers among the 27 of user_regs_struct.
COUNT, ORIG_RAX, RIP, RSP = 27, 15, 16, 19
# Swift's traps execute ud2.
UD2 = 0x0B0F


def call(request, thread, address=0, data=0):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(request, thread, address, data) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def can_be_caused():
    if platform.machine() != "x86_64":
        return False
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            call(SEIZE, child.pid)
            # Only root may trace a process that forbids core dumps.
            return os.geteuid() == 0
        except OSError:
            return False
        finally:
            child.kill()


def thread(process, name):
    """The thread of a process with this name; the first one if that is None."""
    if name is None:
        return process
    threads = pathlib.Path(f"/proc/{process}/task").iterdir()
    return next(int(path.name) for path in threads if (path / "comm").read_text().strip() == name)


class Stopped:
    """A stopped thread; it continues with other registers at the end."""

    def __init__(self, thread):
        self.thread = thread
        self.registers = (ctypes.c_ulonglong * COUNT)()

    def __enter__(self):
        call(SEIZE, self.thread)
        call(INTERRUPT, self.thread)
        os.waitpid(self.thread, 0x40000000)  # __WALL waits for threads too.
        call(GETREGS, self.thread, 0, ctypes.addressof(self.registers))
        # Prevents the kernel from restarting an interrupted system call.
        self.registers[ORIG_RAX] = 0xFFFFFFFFFFFFFFFF
        return self

    def __exit__(self, *_):
        call(SETREGS, self.thread, 0, ctypes.addressof(self.registers))
        call(DETACH, self.thread)


def trap(process, thread):
    """The thread executes an invalid instruction, as a Swift trap does."""
    with Stopped(thread) as stopped:
        call(POKETEXT, thread, stopped.registers[RIP], UD2)


def lose_stack(process, thread):
    """The thread's stack pointer leaves its memory, as after too deep a recursion."""
    with Stopped(thread) as stopped:
        stopped.registers[RSP] = 4_096


if __name__ == "__main__":
    sys.exit(0 if can_be_caused() else 1)
