#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
scenarios.py [options] [PATTERN...] - run the scenarios whose names contain a pattern.

Started by scenarios.sh, which makes namespaces and device. One process runs all of
them, for an interpreter takes seconds to start in an emulated guest. A file of
scenarios/ has a docstring that names the clause, and run(t); with CASES, a
dictionary, it has run(t, value) and is as many scenarios as CASES has keys. TAP, one
line per scenario; what went over the wire is shown when one fails. See scenario.py.
"""

import argparse
import importlib.util
import os
import signal
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import scenario                         # noqa: E402

LIMIT_SEC = 20


def discover():
    """(name, function) of all scenarios, in order of their names."""
    folder = os.path.join(os.path.dirname(os.path.realpath(__file__)), "scenarios")
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".py"):
            continue
        name = file[:-3]
        spec = importlib.util.spec_from_file_location("scenario_" + name.replace(".", "_"),
                                                      os.path.join(folder, file))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        cases = getattr(module, "CASES", None)
        if cases is None:
            yield name, module.run
            continue
        for case, value in cases.items():
            yield f"{name}/{case}", lambda t, run=module.run, value=value: run(t, value)


def alarm(signum, frame):
    raise scenario.Failed(f"took more than {LIMIT_SEC} s")


def run_one(lab, run, slow):
    """Return: why it was skipped, and the lines that tell what went wrong; None for not."""
    t = scenario.Scenario(lab, slow)
    signal.alarm(int(LIMIT_SEC * slow))
    try:
        run(t)
        t.finish()
        return None, None
    except scenario.Skip as reason:
        return str(reason), None
    except Exception as error:          # whatever it is, the next scenario is to run
        where = traceback.extract_tb(error.__traceback__)
        at = [f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in where[1:]]
        return None, t.log[-60:] + [f"{type(error).__name__}: {error}", "at " + " ".join(at)]
    finally:
        signal.alarm(0)
        t.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--library")
    parser.add_argument("--device")
    parser.add_argument("--index", type=int, help="of the device, as `rdma dev` prints it")
    parser.add_argument("--netns", help="file of the peer's network namespace")
    parser.add_argument("--interface", help="the peer's")
    parser.add_argument("--macs", nargs=2, metavar=("SORO", "PEER"))
    parser.add_argument("--slow", type=float, default=1.0, help="factor for time limits")
    parser.add_argument("--ip", type=int, choices=(4, 6), default=4,
                        help="version of IP, where a scenario needs no certain one")
    parser.add_argument("--times", action="store_true", help="print what each scenario took")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("patterns", nargs="*")
    args = parser.parse_args()

    picked = [(name, run) for name, run in discover()
              if not args.patterns or any(pattern in name for pattern in args.patterns)]
    picked *= args.repeat
    if args.list:
        print("\n".join(name for name, _ in picked))
        return 0
    if not picked:
        print("Bail out! no scenario has such a name")
        return 1
    lab = scenario.Lab(args.library, args.device, args.index, args.netns, args.interface,
                       *args.macs, args.ip)
    signal.signal(signal.SIGALRM, alarm)
    print(f"1..{len(picked)}", flush=True)
    failed = 0
    began = time.monotonic()
    for number, (name, run) in enumerate(picked, 1):
        start = time.monotonic()
        skipped, trouble = run_one(lab, run, args.slow)
        for line in trouble or []:
            print(f"# {line}")
        failed += trouble is not None
        took = f" # {1000 * (time.monotonic() - start):.0f} ms" if args.times else ""
        if skipped:
            took = f" # SKIP {skipped}"
        print(f"{'not ok' if trouble else 'ok'} {number} - {name}{took}", flush=True)
    print(f"# {len(picked)} scenarios, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
