"""A window of a terminal: tmux, with a server of its own, whose shell runs the program."""

import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))

from earshot_node import BINARY, Lines  # noqa: E402

PATIENCE = 30
NUMBERS = itertools.count()


def sanitizers():
    """Options that leave fatal signals to the program, where it was built with a sanitizer."""
    off = ":".join(f"handle_{name}=0" for name in ("segv", "sigbus", "sigfpe", "sigill", "abort"))
    return {name: f"{os.environ[name]}:{off}" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS") if os.environ.get(name)}


class Window:
    def __init__(self, columns=80, rows=24, **environment):
        self.socket = f"earshot-test-{os.getpid()}-{next(NUMBERS)}"
        variables = {"TERM": "tmux-256color", "PS1": "$ ", "LC_ALL": "C.UTF-8", "TZ": "UTC", "EARSHOT_ALLOW_ROOT": "true",
                     **sanitizers(), **environment}
        assignments = [f"{name}={value}" for name, value in variables.items()]
        self.tmux("new-session", "-d", "-x", "120", "-y", "24", "env", "-u", "NO_COLOR", *assignments, "sh")
        self.tmux("set-option", "-g", "window-size", "manual")
        # A client that is told of every change, so that waiting is for something.
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
        # tmux must not think that it runs inside of another one.
        return ["env", "-u", "TMUX", "LC_ALL=C.UTF-8", "tmux", "-u", "-L", self.socket, "-f", "/dev/null", *words]

    def tmux(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, check=True, timeout=PATIENCE).stdout.decode()

    def type(self, *keys):
        """Each is the name of a key, such as `Left`, or a text of more than one character that is no such name."""
        for key in keys:
            self.tmux("send-keys", key)

    def text(self, text):
        self.tmux("send-keys", "-l", text)

    def enter(self, text):
        self.text(text)
        self.type("Enter")

    def paste(self, text):
        self.tmux("set-buffer", text)
        # With the marks that the program has asked for, and line feeds as they are.
        self.tmux("paste-buffer", "-p", "-r")

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    @property
    def size(self):
        """Columns and rows as the program can know them; tmux tells them some time after a change."""
        descriptor = os.open(self.tmux("display-message", "-p", "#{pane_tty}").strip(), os.O_RDWR | os.O_NOCTTY)
        try:
            return tuple(os.get_terminal_size(descriptor))
        finally:
            os.close(descriptor)

    @property
    def screen(self):
        """The rows of the screen, without the blanks at their ends and the empty rows at the end."""
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
        """All that was written to the terminal so far, as tmux tells it: control characters in octal."""
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
        """Until `text` stands somewhere on the screen."""
        self.wait(lambda: text.rstrip() in "\n".join(self.screen), repr(text))

    def wait_for_last(self, row):
        """Until the last row of the screen is `row`."""
        self.wait(lambda: self.screen[-1].rstrip() == row.rstrip(), f"last row {row!r}")

    def written_since_start(self):
        """What was written since the program was started with the command line in front of it."""
        return self.written.rpartition("echo code $?")[2]

    def start(self, *options, prompt="public", variables=""):
        """Runs the program; returns its port once it is ready."""
        self.enter(f"{variables} {BINARY} --discovery none {' '.join(options)}; echo code $?".strip())
        found = []
        self.wait(lambda: found.extend(re.findall(r"port (\d+),", "".join(self.screen))) or found, "port")
        if prompt:
            self.wait(lambda: self.screen[-1].startswith(prompt), "prompt")
        return int(found[0])

    @property
    def program(self):
        """The program's process id."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])

    def settings(self):
        """What `stty` says of the terminal; the shell must have it."""
        mark = f"settings{next(NUMBERS)}"
        with tempfile.NamedTemporaryFile("r") as file:
            # Not by the screen, where the line may wrap at a space, and that is lost. The command itself does not say `-1`.
            self.enter(f"clear; stty -g > {file.name}; echo {mark}-$((0 + 1))")
            self.wait_for(f"{mark}-1")
            return file.read()

    def code(self):
        """What the program left with."""
        found = []
        self.wait(lambda: found.extend(re.findall(r"code (\d+)", "\n".join(self.screen))) or found, "exit code")
        return int(found[-1])
