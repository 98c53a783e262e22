"""A screen for browsers that show windows: a page behind another one has no animation frames there, as on a desk."""

import os
import subprocess


class Display:
    def __init__(self):
        reading, writing = os.pipe()
        self.process = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp", "-screen", "0", "1280x800x24"],
                                        pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        # The server writes its number when clients can connect.
        with os.fdopen(reading) as lines:
            self.name = f":{lines.readline().strip()}"

    @property
    def environment(self):
        return {**os.environ, "DISPLAY": self.name}

    def close(self):
        self.process.terminate()
        self.process.wait()
