#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run rdma-core's run_tests.py, as it is, and say in TAP what becomes of its tests.

	run.py SUITE ABSENT [ARGUMENTS OF run_tests.py]

SUITE is the folder of run_tests.py. A test that is skipped passes only if ABSENT has a line for
it: PATTERN | REASON | FEATURE, where REASON is a regular expression that finds the words of the
suite. A test that runs although there is such a line fails too: the list is to be true. Tests of
other vendors' devices, named in VENDORS, are left out. Whatever a test prints is shown when it
fails.

One test may take two minutes, SORO_SLOW times that on a busy machine: then all ends, with the
place where it stood."""
import faulthandler
import fnmatch
import functools
import os
import re
import runpy
import sys
import tempfile
import time
import traceback
import unittest

VENDORS = ("tests.test_mlx5_*", "tests.test_efa*", "tests.test_cuda_*")
LIMIT = 120 * int(os.environ.get("SORO_SLOW", "1"))
SLOW = 20
NOISE = 1 << 20  # bytes that are looked at
FAILED = 3  # exit status of a process that came to its end


def read_absent(path):
    """lines of the list as (pattern, reason, feature)"""
    with open(path, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split(" | ") for line in lines if not re.match(r"#|\s*$", line)]
    return [(pattern.strip(), re.compile(reason.strip()), feature.strip())
            for pattern, reason, feature in rows]


def flat(suite):
    """the tests of a suite of suites"""
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from flat(entry)
        else:
            yield entry


class Tap(unittest.TestResult):
    """one line of TAP for each test"""

    def __init__(self, absent, out, noise):
        super().__init__()
        self.absent, self.out, self.noise = absent, out, noise
        self.count = self.bad = 0
        self.began = None
        self.reset()

    def reset(self):
        self.problems, self.skip = [], None
        self.seen = os.fstat(self.noise.fileno()).st_size

    def startTest(self, test):
        super().startTest(test)
        self.reset()
        self.began = time.monotonic()
        faulthandler.dump_traceback_later(LIMIT, exit=True, file=self.noise)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        self.verdict(test.id())
        super().stopTest(test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.skip = reason

    def addError(self, test, err):
        super().addError(test, err)
        self.problems.append(self._exc_info_to_string(err, test))
        if not isinstance(test, unittest.TestCase):
            # Not a test but what precedes the tests of a class.
            self.verdict(test.id())

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.problems.append(self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.problems.append(self._exc_info_to_string(err, test))

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.problems.append("an unexpected success")

    def features(self, name):
        return [row for row in self.absent if fnmatch.fnmatchcase(name, "tests." + row[0])]

    def verdict(self, name):
        """the line of a test, after what is to be said of it"""
        rows = self.features(name)
        known = [feature for _, reason, feature in rows if self.skip and reason.search(self.skip)]
        skipped = ""
        if self.skip and known:
            skipped = f" # SKIP {known[0]}: {self.skip}"
        elif self.skip:
            self.problems.append(f"skipped, and no absent feature explains it: {self.skip}")
        elif rows and not self.problems:
            self.problems.append(f"it runs, although absent: {rows[0][2]}")
        taken = time.monotonic() - self.began if self.began else 0
        if taken > SLOW:
            self.say(f"# {taken:.0f} s")
        for problem in self.problems:
            self.comment(problem)
        if self.problems:
            self.comment(self.noise_since())
        self.count += 1
        self.bad += bool(self.problems)
        name = name.removeprefix("tests.")
        self.say(f"{'not ok' if self.problems else 'ok'} {self.count} - {name}"
                 f"{skipped}".replace("\n", " "))

    def noise_since(self):
        return os.pread(self.noise.fileno(), NOISE, self.seen).decode(errors="replace")

    def comment(self, text):
        for line in text.splitlines()[-40:]:
            self.say("# " + line)

    def say(self, line):
        print(line, file=self.out, flush=True)


class Runner:
    """what run_tests.py is given in the place of unittest's own"""

    def __init__(self, tap):
        self.tap = tap

    def run(self, suite):
        tests = list(flat(suite))
        ours = [test for test in tests
                if not any(fnmatch.fnmatchcase(test.id(), vendor) for vendor in VENDORS)]
        self.tap.say(f"# {len(tests)} tests, of which {len(tests) - len(ours)} are for other "
                     f"vendors' devices: {' '.join(VENDORS)}")
        unittest.TestSuite(ours).run(self.tap)
        self.tap.say(f"1..{self.tap.count}")
        return self.tap


def run_suite(suite, arguments, tap):
    """run_tests.py in a process of its own; 0 if all is well"""
    try:
        os.dup2(tap.noise.fileno(), 1)
        os.dup2(tap.noise.fileno(), 2)
        sys.path.insert(0, suite)
        sys.argv = [os.path.join(suite, "run_tests.py")] + arguments
        unittest.main = functools.partial(unittest.main, testRunner=Runner(tap), exit=False)
        runpy.run_path(sys.argv[0], run_name="__main__")
        os._exit(FAILED if tap.bad else 0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    # Tests and their children print where they like; the lines of TAP have an output of their own.
    with os.fdopen(os.dup(1), "w") as out, tempfile.TemporaryFile() as noise:
        tap = Tap(read_absent(sys.argv[2]), out, noise)
        child = os.fork()
        if not child:
            run_suite(sys.argv[1], sys.argv[3:], tap)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status not in (0, FAILED):
            tap.comment(tap.noise_since())
            tap.say(f"# died: exit status {status}")
    sys.exit({0: 0, FAILED: 1}.get(status, 2))


main()
