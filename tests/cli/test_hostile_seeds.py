"""What a program under audit learns from its random numbers: they come from the seed of the run, so
that a seed which can be guessed says which start it is, and one that was drawn does not."""

import json

import tiny
from auditing import people
from exec_programs import SCALE, VERBATIM, group, prepare, write_program

# Which run and trial gives the key of this request: what it is drawn from stands in the scenario,
# which a program may read (docs/security.md), and in the sources (core/base/rng.h).
GUESS = '''
import hashlib

UPSTREAM = ("vectors\\nprivate=private.fvecs\\npublic=public.npy\\ndatabase=database.fvecs\\ngroups=\\n"
            "exec\\ncommand={command}\\ntime_limit=600\\nmemory_limit=0\\nfile_limit=4096\\nsettings=\\n"
            "produces=vectors\\nuses=nothing\\n")

def philox(key, counter):
    c = list(counter)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(second >> 32) ^ c[1] ^ key[0], second & 0xffffffff,
             (first >> 32) ^ c[3] ^ key[1], first & 0xffffffff]
        key = (key[0] + 0x9E3779B9) & 0xffffffff, (key[1] + 0xBB67AE85) & 0xffffffff
    return c

def find():
    for seed in range(1000):
        for trial in range(2):
            stream = f"assay-stream/1\\n{{seed}}\\n{{trial}}\\ndefense\\n{{UPSTREAM}}"
            digest = hashlib.sha256(stream.encode()).digest()
            key = [int.from_bytes(digest[i:i + 4], "little") for i in (0, 4)]
            words = philox(key, (0, 0, 0xffffffff, 0xffffffff))
            if (words[0] | words[1] << 32) % (1 << 53) == REQUEST["key"]:
                return f"seed {{seed}} trial {{trial}}"
    return "nothing"

sys.exit("found: " + find())
'''


def what_it_found(sandbox, out, *words):
    sandbox.run_ok("exec.scenario", "--out", out, "--quiet", *words, code=3)
    cells = json.loads(sandbox.read(f"{out}/results.json"))["cells"]
    return [cell["message"].rpartition("found: ")[2] for cell in cells]


def write_scenario(sandbox, parts):
    sandbox.write("exec.scenario", tiny.SCENARIO.split("[defense plain]", maxsplit=1)[0] + parts)


def test_seed_is_guessed(sandbox):
    """From the numbers of one request, where the seed is one that people choose."""
    prepare(sandbox)
    command = write_program(sandbox, "guess.py", "")
    write_program(sandbox, "guess.py", GUESS.format(command=command))
    write_scenario(sandbox, VERBATIM + group("defense", "a", command))
    assert what_it_found(sandbox, "chosen", "--seed", "471") == [
        "seed 471 trial 0", "seed 471 trial 1"]
    assert what_it_found(sandbox, "drawn", "--seed", "fresh") == ["nothing"] * 2


def test_fresh_seed_can_be_repeated(sandbox):
    """It stands in the results, and gives the same bytes again; with workers, too."""
    prepare(sandbox)
    command = write_program(sandbox, "noise.py", """
noise = random.Random(REQUEST["seed"])
answer("release", vectors=npy([[value + noise.gauss(0, 1) for value in row]
                               for row in load("secrets.npy")]))
""")
    write_scenario(sandbox, VERBATIM + group("defense", "a", command))
    seeds = []
    for out, words in (("a", ["--seed", "fresh"]), ("b", ["--seed=fresh", "--workers=2"])):
        said = sandbox.run_ok("exec.scenario", "--out", out, "--quiet", *words)
        seeds.append(json.loads(sandbox.read(f"{out}/results.json"))["scenario"]["seed"])
        assert f"seed {seeds[-1]}, 2 trials" in said.out, str(said)
        sandbox.run_ok("exec.scenario", "--out", f"{out}-again", "--quiet", "--seed", seeds[-1])
        assert sandbox.read(f"{out}-again/results.json") == sandbox.read(f"{out}/results.json")
    assert len(set(seeds)) == 2 and min(seeds) > 2**40, seeds
    part = sandbox.assay("run", "exec.scenario", "--quiet", "--cells", "none-of-them", "--seed=fresh")
    assert part.code == 2, str(part)
    sandbox.refuses(sandbox.assay("run", "exec.scenario", "--resume", "--seed", "fresh"),
                    "--seed fresh: expected a number with --resume, --witness and MPI: that of the "
                    "run, which its report has")
    sandbox.write("two.scenario", sandbox.read("exec.scenario") + VERBATIM.replace("verbatim]", "b]"))
    part = sandbox.run_ok("two.scenario", "--quiet", "--cells", "verbatim", "--seed", "fresh", code=3)
    again = part.out.rpartition("All of them:\n")[2].strip()
    assert "fresh" not in again and "--seed" in again, str(part)
    sandbox.expect(sandbox.shell(again), 0)


def test_auditor_is_told(sandbox):
    """That the seed is the scenario's, or short; and nothing where no program is started."""
    prepare(sandbox)
    scale = write_program(sandbox, "scale.py", SCALE)
    says = ("seed {} can be guessed: a program could tell from its random numbers which trial, and "
            "which side of a comparison, it is started for; expected a run with --seed fresh")
    write_scenario(sandbox, VERBATIM + group("defense", "a", scale))
    for words, seed in (([], 3), (["--seed", "918273645"], 918273645),
                        (["--set", f"scenario.seed={2**50}"], 2**50)):
        told = sandbox.assay("check", "--auditor", "exec.scenario", *words)
        assert says.format(seed) in told.err, str(told)
    for words in (["--seed", "fresh"], ["--seed", str(2**50)]):
        told = sandbox.assay("check", "--auditor", "exec.scenario", *words)
        assert "can be guessed" not in told.err, str(told)
    write_scenario(sandbox, VERBATIM + "[defense plain]\nplugin = none\n")
    told = sandbox.assay("check", "--auditor", "exec.scenario")
    assert "can be guessed" not in told.err, str(told)


def test_audit_with_a_fresh_seed(sandbox):
    """`assay audit` writes it into the scenario."""
    people(sandbox)
    sandbox.assay("audit", "--defense", "none", "--data", "people.npy", "--out", "out", "--seed",
                  "fresh", "--time", "1s")
    text = sandbox.read("out/audit.scenario")
    seed = int(text.partition("seed = ")[2].split()[0])
    assert seed > 2**40, text
    sandbox.expect(sandbox.assay("audit", "--defense", "none", "--data", "people.npy", "--seed", "new"),
                   2, "", "assay audit: --seed: expected a whole number, 0 or more, or fresh\n")
