"""How many processes and how much memory a program of others may take, all together: each limit is
held against the same program without it, which then does what it wants."""

from exec_programs import SCALE, prepare, protect, write_program
from test_programs import need_bubblewrap

# What is done must last until the next look at the processes, which may be late on a busy machine.
HELD_S = 100

MANY = """
import subprocess, threading, time
for _ in range(60):
    {start}
"""

PROCESSES = MANY.format(start='subprocess.Popen(["sleep", "300.00081"])')
GRANDCHILDREN = MANY.format(start='subprocess.run(["sh", "-c", "setsid sleep 300.00082 &"])')
THREADS = MANY.format(start="threading.Thread(target=time.sleep, args=(300,), daemon=True).start()")

# Each process is far below the limit: what counts is all of them.
HOLDERS = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        held = b"x" * (60 << 20)
        time.sleep(HOLD)
        os._exit(0)
"""

# RLIMIT_DATA counts neither of them.
SHARED = """
import mmap, time
held = mmap.mmap(-1, 400 << 20)
for at in range(0, len(held), 4096):
    held[at] = 1
"""
# Pages that six processes share count once.
ONCE = """
import mmap, os, time
held = mmap.mmap(-1, 60 << 20)
for at in range(0, len(held), 4096):
    held[at] = 1
for _ in range(6):
    if os.fork() == 0:
        sum(held[at] for at in range(0, len(held), 4096))
        time.sleep(1)
        os._exit(0)
time.sleep(1)
"""


def limited(sandbox, body, *settings, held_s=0.3):
    """After @body and its answer the program waits, as it does where it is not to be ended."""
    words = [word for setting in settings for word in ("--set", setting)]
    body = f"HOLD = {held_s}\n{body}{SCALE}time.sleep(HOLD)\n"
    return protect(sandbox, write_program(sandbox, "many.py", body), *words)


def is_ended(sandbox, body, said, *settings):
    sandbox.refuses(limited(sandbox, body, *settings, held_s=HELD_S), said)


def test_number_of_processes(sandbox):
    """Children, threads, and grandchildren whose parents ended."""
    prepare(sandbox)
    said = ("defense exec: the program had more than process_limit = 40 processes and threads and "
            "was killed")
    for body in (PROCESSES, THREADS):
        for confine in ("auto", "never"):
            is_ended(sandbox, body, said, "process_limit=40", f"confine={confine}")
        sandbox.expect(limited(sandbox, body), out="", err="")


def test_orphans_count(sandbox):
    """They belong to the first process of a confined program."""
    need_bubblewrap()
    prepare(sandbox)
    is_ended(sandbox, GRANDCHILDREN, "defense exec: the program had more than process_limit = 40 "
             "processes and threads and was killed", "process_limit=40", "confine=required")
    sandbox.expect(limited(sandbox, GRANDCHILDREN), out="", err="")


def test_memory_of_all_processes(sandbox):
    """Of many processes, and shared memory that belongs to none."""
    prepare(sandbox)
    said = ("defense exec: the processes of the program held more than memory_limit = 200 MiB "
            "together and were killed")
    for body in (HOLDERS, SHARED):
        for confine in ("auto", "never"):
            is_ended(sandbox, body, said, "memory_limit=200", f"confine={confine}")
        sandbox.expect(limited(sandbox, body), out="", err="")
    sandbox.expect(limited(sandbox, ONCE, "memory_limit=200"), out="", err="")


def test_shared_memory_counts_as_disk(sandbox):
    """/dev/shm of a confined program is limited like its folders, not by half of the machine."""
    need_bubblewrap()
    prepare(sandbox)
    body = "import time\nopen('/dev/shm/held', 'wb').write(b'x' * (40 << 20))\n"
    sandbox.expect(limited(sandbox, body, "file_limit=64", "confine=required"), out="", err="")
    twice = body + "open('/dev/shm/other', 'wb').write(b'x' * (40 << 20))\n"
    sandbox.refuses(limited(sandbox, twice, "file_limit=64", "confine=required"),
                    "defense exec: the program wrote more than file_limit = 64 MiB into its folder "
                    "and was killed")


# Files that have no name any more, or never had one, and that no path leads to.
REMOVED = """
import os, time
held = []
for i in range(60):
    path = str(FOLDER / f"removed-{i}")
    held.append(os.open(path, os.O_RDWR | os.O_CREAT))
    os.unlink(path)
    os.write(held[-1], bytes(1 << 20))
"""
NAMELESS = """
import os, time
held = [os.memfd_create("held") for _ in range(60)]
for file in held:
    os.write(file, bytes(1 << 20))
"""
# What is mapped, too, is there once.
MAPPED = NAMELESS + """
import mmap
maps = [mmap.mmap(file, 1 << 20) for file in held]
for memory in maps:
    sum(memory[at] for at in range(0, len(memory), 4096))
"""


def test_files_without_a_name(sandbox):
    """Their bytes count as those of files in the program's folder; in memory as memory, too."""
    prepare(sandbox)
    disk = ("defense exec: the program wrote more than file_limit = 20 MiB into its folder and was "
            "killed")
    memory = ("defense exec: the processes of the program held more than memory_limit = 40 MiB "
              "together and were killed")
    for confine in ("auto", "never"):
        for body, limit, said in ((REMOVED, "file_limit=20", disk), (NAMELESS, "file_limit=20", disk),
                                  (NAMELESS, "memory_limit=40", memory)):
            is_ended(sandbox, body, said, limit, f"confine={confine}")
    for body in (REMOVED, MAPPED):
        sandbox.expect(limited(sandbox, body, "file_limit=100", "memory_limit=100"), out="", err="")
