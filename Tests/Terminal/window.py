"""A window of tmux with a server of its own, in whose shell the program runs."""

import itertools
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))

from earshot_node import BINARY, Lines  # noqa: E402

PATIENCE = 30
NUMBERS = itertools.count()


def sanitizers():
    """Environment variables that leave fatal signals to a program built with a sanitizer."""
    off = ":".join(f"handle_{name}=0" for name in ("segv", "sigbus", "sigfpe", "sigill", "abort"))
    return {name: f"{os.environ[name]}:{off}" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS") if os.environ.get(name)}


def free_port():
    """A TCP port that no process listens to. The tests have the network to themselves, so it stays free."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Window:
    def __init__(self, columns=80, rows=24, shell=("sh",), **environment):
        self.socket = f"earshot-test-{os.getpid()}-{next(NUMBERS)}"
        variables = {"TERM": "tmux-256color", "PS1": "$ ", "LC_ALL": "C.UTF-8", "TZ": "UTC", "EARSHOT_ALLOW_ROOT": "true",
                     **sanitizers(), **environment}
        assignments = [f"{name}={value}" for name, value in variables.items()]
        self.tmux("new-session", "-d", "-x", "120", "-y", "24", "env", "-u", "NO_COLOR", *assignments, *shell)
        self.tmux("set-option", "-g", "window-size", "manual")
        # A client that receives every change, so that a test waits for events.
        self.client = subprocess.Popen(self.command("-C", "attach-session"), stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.changes = Lines(self.client.stdout)
        self.wait_for("$ ")
        self.before = self.settings()
        self.resize(columns, rows)

    def close(self):
        subprocess.run(self.command("kill-server"), capture_output=True, check=False)
        self.client.stdin.close()
        self.client.wait(timeout=PATIENCE)

    def command(self, *words):
        # Without TMUX, tmux does not refuse to run within another tmux.
        return ["env", "-u", "TMUX", "LC_ALL=C.UTF-8", "tmux", "-u", "-L", self.socket, "-f", "/dev/null", *words]

    def tmux(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, check=True, timeout=PATIENCE).stdout.decode()

    def type(self, *keys):
        """Sends keys: each is the name of a key, such as `Left`, or a text that is no name of a key."""
        for key in keys:
            self.tmux("send-keys", key)

    @property
    def words(self):
        """The screen as one line of words, however they are cut into rows."""
        return " ".join(" ".join(self.screen).split())

    @property
    def styled(self):
        """The rows of the screen with their SGR sequences."""
        return self.tmux("capture-pane", "-p", "-e").rstrip("\n").split("\n")

    def text(self, text):
        self.tmux("send-keys", "-l", text)

    def enter(self, text):
        self.text(text)
        self.type("Enter")

    def paste(self, text):
        self.tmux("set-buffer", text)
        # Uses bracketed paste if the program enabled it, and keeps line feeds.
        self.tmux("paste-buffer", "-p", "-r")

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    @property
    def size(self):
        """The columns and rows that the program sees; tmux sets them some time after a change."""
        descriptor = os.open(self.tmux("display-message", "-p", "#{pane_tty}").strip(), os.O_RDWR | os.O_NOCTTY)
        try:
            return tuple(os.get_terminal_size(descriptor))
        finally:
            os.close(descriptor)

    @property
    def screen(self):
        """The rows of the screen without trailing blanks and trailing empty rows."""
        return self.tmux("capture-pane", "-p").rstrip("\n").split("\n")

    @property
    def everything(self):
        """The scrollback and the screen, with wrapped lines joined."""
        rows = self.tmux("capture-pane", "-p", "-J", "-S", "-").rstrip("\n").split("\n")
        return [row.rstrip() for row in rows]

    @property
    def cursor(self):
        column, row = self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
        return int(column), int(row)

    @property
    def written(self):
        """The output to the terminal so far, in tmux's form: control characters in octal."""
        while self.changes.next(time.monotonic()):
            pass
        return "".join(line.split(" ", 2)[2] for line in self.changes.seen if line.startswith("%output "))

    def wait(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while True:
            if condition():
                return
            if self.changes.next(deadline) is None:
                raise AssertionError(f"no {what} within {PATIENCE} s; the screen is\n" + "\n".join(self.screen))

    def wait_for(self, text):
        """Waits until `text` is on the screen."""
        self.wait(lambda: text.rstrip() in "\n".join(self.screen), repr(text))

    def wait_for_last(self, row):
        """Waits until the last row of the screen is `row`."""
        self.wait(lambda: self.screen[-1].rstrip() == row.rstrip(), f"last row {row!r}")

    def written_since_start(self):
        """The output since the program was started by the command line on the screen."""
        return self.written.rpartition("echo code $?")[2]

    def start(self, *options, prompt="lobby", variables="", tail="; echo code $?"):
        """Runs the program, and what is behind it in the command line; returns its port once it is ready."""
        port = free_port()
        self.enter(f"{variables} {BINARY} --discovery none --port {port} {' '.join(options)}{tail}".strip())
        if prompt:
            self.wait(lambda: self.screen[-1].startswith(prompt), "prompt")
        else:
            self.wait_for(f"port {port}")
        return port

    @property
    def program(self):
        """The program's process id."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])

    def settings(self):
        """The output of `stty`; the shell must be in the foreground."""
        mark = f"settings{next(NUMBERS)}"
        with tempfile.NamedTemporaryFile("r") as file:
            # The screen would lose a space at which a line wraps. The command line itself has no `-1`.
            self.enter(f"clear; stty -g > {file.name}; echo {mark}-$((0 + 1))")
            self.wait_for(f"{mark}-1")
            return file.read()

    def code(self):
        """The exit code of the program."""
        found = []
        self.wait(lambda: found.extend(re.findall(r"code (\d+)", "\n".join(self.screen))) or found, "exit code")
        return int(found[-1])
