"""Two machines for ranks of MPI: network namespaces of their own, joined by a pair of interfaces.

All of it lives in namespaces of a process that takes everything along when it ends: processes,
interfaces and mounts. Nothing of the machine itself is changed, and nothing is left to clear."""

import os
import shutil
import subprocess

import pytest


PEER = "10.77.0.2"
NOT_PERMITTED = 77

# The second machine's namespaces are held by a process that sleeps; the launcher starts on the
# first, and reaches the second by the agent in the place of ssh.
CLUSTER = f"""\
#!/bin/sh
hostname here && ip link set lo up || exit {NOT_PERMITTED}
unshare -n -u sh -c 'hostname there && ip link set lo up && : > peer-is-up && exec sleep 200' &
export PEER=$!
while [ ! -e peer-is-up ]; do kill -0 $PEER || exit {NOT_PERMITTED}; sleep 0.02; done
ip link add near type veth peer name far netns $PEER || exit {NOT_PERMITTED}
ip addr add 10.77.0.1/24 dev near && ip link set near up || exit {NOT_PERMITTED}
nsenter -t $PEER -n ip addr add {PEER}/24 dev far || exit {NOT_PERMITTED}
nsenter -t $PEER -n ip link set far up || exit {NOT_PERMITTED}
"$@"
code=$?
nsenter -t $PEER -n cat /proc/net/dev > traffic
exit $code
"""
AGENT = """\
#!/bin/sh
[ "$1" = 10.77.0.2 ] || exit 1
shift
exec nsenter -t "$PEER" -n -u sh -c "$*"
"""
# Where each rank is.
RANK = """\
#!/bin/sh
echo "$OMPI_COMM_WORLD_RANK $(hostname) $(readlink /proc/self/ns/net)" >> places
exec "$@"
"""

UNSHARE = ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child",
           "--mount-proc", *([] if os.geteuid() == 0 else ["--map-root-user"])]


class TwoMachines:
    """Rank 0 is on one, all others are on the other."""

    def __init__(self, sandbox, n):
        for name in ("unshare", "nsenter", "ip"):
            if shutil.which(name) is None:
                pytest.skip(f"{name} is not installed, which network namespaces are made with")
        tried = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            pytest.skip(f"network namespaces are not permitted here: {tried.stderr.strip()}")
        self.path = sandbox.path
        for name, text in (("cluster.sh", CLUSTER), ("agent.sh", AGENT), ("rank.sh", RANK)):
            sandbox.write(name, text).chmod(0o755)
        self.before = [*UNSHARE, "./cluster.sh"]
        # Neither memory that is shared nor another network: messages go through the interfaces.
        self.options = ["--mca", "plm", "rsh", "--mca", "plm_rsh_agent", str(self.path / "agent.sh"),
                        "--mca", "pml", "ob1", "--mca", "btl", "tcp,self",
                        "--host", f"here:1,{PEER}:{n - 1}"]

    def check_permitted(self, result):
        if result.returncode == NOT_PERMITTED:
            pytest.skip(f"namespaces cannot be joined here: {result.stderr.strip()}")

    def places(self):
        """By rank: the machine and its network."""
        lines = (line.split() for line in (self.path / "places").read_text().splitlines())
        return {int(rank): (host, network) for rank, host, network in lines}

    def sent(self):
        """Bytes that the second machine sent to the first."""
        for line in (self.path / "traffic").read_text().splitlines():
            name, _, numbers = line.strip().partition(":")
            if name == "far":
                return int(numbers.split()[8])
        return 0
