"""Run every benchmark of this folder, one after the other: ``make bench``.

    python -m benchmarks [--smallest] [NAME ...]

Each prints ratios against a peer, or against the bare forward pass, measured in the same run. A
benchmark that lacks its peer or its data says so and goes on. ``--smallest`` shows in a minute that
each still runs; its numbers say nothing.
"""

import argparse
import runpy
import sys
import traceback
from pathlib import Path

HERE = Path(__file__).parent
#: Benchmarks, and the arguments of each that make it as small as it can be.
SMALLEST = {
    "association_speed": "--sides 3",
    "attack_model_speed": "--rows 2 --budget 8 --repeats 1 --layers 1 --width 32",
    "attack_table": "--rows 12 --budget 6 --draws 100 --group 0",
    "attacks": "--texts 3 --held-out 40 --repeats 1",
    "attention_heads": "--examples 2 --rounds 1 --sizes 1x32",
    "attention_maps": "--sentences 2 --rounds 1 --sizes 1x32",
    "crows_speed": "--pairs 2 --rounds 1 --bare 32 --sizes 1x32",
    "data_tests_speed": "--items 80 --dimensions 4 --partitions 2 --texts 60 --random 5",
    "hf_throughput": "--count 8 --rounds 1 --bare 8 --layers 1 --width 32 --device cpu",
    "language_model_speed": "--count 4 --naive 2 --rounds 1 --layers 1 --width 32 --heads 1 "
    "--words 100 --bare 32 --no-memory",
    "perturb_memory": "--most 100",
    "perturb_speed": "--texts 2 --rounds 1",
    "pretraining_speed": "--layers 1 --steps 1 --rows 4",
    "statistics_speed": "--items 200 --draws 200 --replicates 2",
    "tau_draws": "--heads 6 --frames 10 30 --draws 100",
    "workers_speed": "--model builtin:sentiment --count 8 --rounds 1",
}


def run(name, arguments):
    """Run one benchmark; whether it came to its end.

    One that lacks something leaves with a sentence about it, which is no failure.
    """
    print(f"\n== {name} ==", flush=True)
    before = sys.argv, sys.path[:]
    sys.argv = [str(HERE / f"{name}.py"), *arguments]
    sys.path.insert(0, str(HERE))
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as stop:
        if isinstance(stop.code, str):
            print(f"not run: {stop.code}", flush=True)
        return isinstance(stop.code, str) or not stop.code
    except Exception:  # the others run all the same
        traceback.print_exc()
        return False
    finally:
        sys.argv, sys.path[:] = before
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SMALLEST))
    parser.add_argument("--smallest", action="store_true", help="as little as each can do")
    given = parser.parse_args()
    unknown = set(given.names) - set(SMALLEST)
    if unknown:
        parser.error(f"there is no benchmark {unknown.pop()!r}: {', '.join(SMALLEST)}")
    failed = [
        name
        for name in given.names or SMALLEST
        if not run(name, SMALLEST[name].split() if given.smallest else [])
    ]
    return f"failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
