"""Run every benchmark of this folder, one after the other: ``make bench``.

Each prints ratios against a peer, or against the bare forward pass, measured in the same run. A
benchmark that lacks its peer or its model says so and goes on.
"""

import runpy
import sys
from pathlib import Path


def main() -> None:
    here = Path(__file__).parent
    for script in sorted(here.glob("[a-z]*.py")):
        print(f"\n== {script.stem} ==", flush=True)
        sys.argv = [str(script)]
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as stop:
            if stop.code not in (None, 0):
                print(f"{script.stem} stopped: {stop.code}", flush=True)


if __name__ == "__main__":
    main()
