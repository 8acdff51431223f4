"""What failed in a run of "meson test": names and the ends of their output.

usage: failures.py TESTLOG.json...

A program of Criterion that ran no test, and skipped none either, counts as failed: it was linked
without its own tests. The exit code is 1 if anything failed.
"""

import json
import re
import sys

LINES = 40  # of each output
PASSED = ('OK', 'EXPECTEDFAIL', 'SKIP')


def without_colors(text):
    return re.sub(r'\x1b\[[0-9;]*m', '', text)


def output(test):
    return without_colors(test.get('stdout', '') + test.get('stderr', ''))


def ran_nothing(test):
    return 'Synthesis: Tested: 0 ' in output(test) and '[SKIP]' not in output(test)


def main(paths):
    failed = []
    tests = [json.loads(line) for path in paths for line in open(path, encoding='utf-8')]
    for test in tests:
        reason = test['result'] if test['result'] not in PASSED else ''
        if not reason and ran_nothing(test):
            reason = 'ran no test'
        if reason:
            failed.append((test['name'], reason))
            print(f'\n--- {test["name"]}: {reason} after {test["duration"]:.1f} s')
            print('\n'.join(output(test).splitlines()[-LINES:]))
    for test in tests:
        for line in output(test).splitlines():
            if line.startswith('[SKIP]'):
                print(f'skipped within {test["name"]}: {line.removeprefix("[SKIP] ")}')
    skipped = sum(test['result'] == 'SKIP' for test in tests)
    print(f'\n{len(tests)} tests, {skipped} skipped, {len(failed)} failed')
    for name, reason in failed:
        print(f'  {name}: {reason}')
    return 1 if failed or not tests else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
