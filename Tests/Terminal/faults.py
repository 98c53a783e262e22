"""Faults in a running process, as its own bugs would cause them: by ptrace(2), on x86-64."""

import ctypes
import os
import pathlib
import platform
import subprocess
import sys

GETREGS, SETREGS, POKETEXT, DETACH, SEIZE, INTERRUPT = 12, 13, 4, 17, 0x4206, 0x4207
# user_regs_struct: 27 registers, of which these are wanted.
COUNT, ORIG_RAX, RIP, RSP = 27, 15, 16, 19
# The instruction that Swift's traps end in: ud2.
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
            # What may be traced here may still not be so with dumps forbidden, but to root.
            return os.geteuid() == 0
        except OSError:
            return False
        finally:
            child.kill()


def thread(process, name):
    """The thread of a process that bears a name; the first one if that is None."""
    if name is None:
        return process
    threads = pathlib.Path(f"/proc/{process}/task").iterdir()
    return next(int(path.name) for path in threads if (path / "comm").read_text().strip() == name)


class Stopped:
    """A thread that stands still, and goes on at the end with other registers."""

    def __init__(self, thread):
        self.thread = thread
        self.registers = (ctypes.c_ulonglong * COUNT)()

    def __enter__(self):
        call(SEIZE, self.thread)
        call(INTERRUPT, self.thread)
        os.waitpid(self.thread, 0x40000000)  # __WALL: threads too
        call(GETREGS, self.thread, 0, ctypes.addressof(self.registers))
        # A system call that was interrupted is not begun again.
        self.registers[ORIG_RAX] = 0xFFFFFFFFFFFFFFFF
        return self

    def __exit__(self, *_):
        call(SETREGS, self.thread, 0, ctypes.addressof(self.registers))
        call(DETACH, self.thread)


def trap(process, thread):
    """The thread meets an instruction that is none, which is how Swift stops what must not go on."""
    with Stopped(thread) as stopped:
        call(POKETEXT, thread, stopped.registers[RIP], UD2)


def lose_stack(process, thread):
    """The thread's stack is no memory any more, as after one recursion too many."""
    with Stopped(thread) as stopped:
        stopped.registers[RSP] = 4_096


if __name__ == "__main__":
    sys.exit(0 if can_be_caused() else 1)
