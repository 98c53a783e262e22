"""Our entries in the scoreboard. They start the programs of Scripts/bench and Scripts/run, or those of the environment."""

import os
from pathlib import Path

BUILT = Path(__file__).resolve().parents[2] / ".build" / "program"
BENCHMARKS = os.environ.get("EARSHOT_BENCHMARKS", str(BUILT / "benchmarks"))
PROGRAM = os.environ.get("EARSHOT_BINARY", str(BUILT / "earshot"))


def add(cand):
    """Adds our candidates with the scoreboard's own function."""
    cand("earshot", [BENCHMARKS, "node", "{id}"], "earshot, the node of the program as a driver", enc="always")
    cand("earshot-program", ["{here}/bin/line"], "earshot chat, through a pipe", enc="always",
         env={"PB_CMD": f"exec {PROGRAM} --rate 1000000 --plain --room bench --nick n$PB_ID --no-config",
              "PB_READY": "you are "})
