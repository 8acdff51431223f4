"""How releases are signed and checked: the lines of CONTRIBUTING.md, "Releases", in a repository and
with keys of the test's own; and that what is not so signed is refused."""

import pathlib
import re
import shutil
import subprocess

import pytest

import places

PAGE = (places.SOURCE / "CONTRIBUTING.md").read_text()


def blocks():
    """The indented lines of the section, block by block, without comments and our tools."""
    section = re.search(r"^## Releases\n(.*?)(?=^Contributions)", PAGE, re.M | re.S)[1]
    found = re.findall(r"(?:^    .*\n)+", section, re.M)
    texts = ["".join(line[4:] for line in block.splitlines(keepends=True)) for block in found]
    return [text.replace("vX.Y.Z", "v1.0.0") for text in texts if not text.startswith("tools/")]


@pytest.fixture(name="home")
def _home(sandbox):
    """A repository of one commit with packages, and a home without keys."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    home = sandbox.root / "h"  # short: sockets of gpg-agent lie below
    home.mkdir(mode=0o700)
    sandbox.environment.update(HOME=str(home), GNUPGHOME=str(home), GIT_CONFIG_NOSYSTEM="1",
                               GIT_CONFIG_GLOBAL=str(home / "gitconfig"))
    (home / "gitconfig").write_text("[user]\n name = Maintainer\n email = m@example.org\n")
    sandbox.write("packages/assay_1.0.0.deb", "a package")
    sandbox.write("packages/libassay0_1.0.0.deb", "another")
    plays(sandbox, "git init -q . && git add -A && git commit -qm first")
    plays(sandbox, "cd packages && sha256sum -- *.deb > SHA256SUMS")
    yield home
    if shutil.which("gpgconf") is not None:
        sandbox.shell("gpgconf --kill all")


def plays(sandbox, lines):
    done = sandbox.shell("set -e\n" + lines)
    assert done.code == 0, str(done)
    return done


def refuses(sandbox, line):
    done = sandbox.shell(line)
    assert done.code != 0, str(done)


def test_what_packages_signs():
    """The page's file is the one that tools/packages makes."""
    assert "sha256sum -- *.deb >SHA256SUMS" in (places.SOURCE / "tools/packages").read_text()


def test_gnupg(sandbox, home):
    if shutil.which("gpg") is None:
        pytest.skip("gpg is not installed")
    plays(sandbox, "gpg -q --batch --passphrase '' --quick-generate-key "
          "'Maintainer <m@example.org>' ed25519 sign 1d")
    sign, check, *_ = blocks()
    plays(sandbox, sign)
    plays(sandbox, check)
    verify, verify_sums, check_sums = check.splitlines()
    sandbox.write("packages/assay_1.0.0.deb", "another package")
    plays(sandbox, verify_sums)
    refuses(sandbox, check_sums)
    plays(sandbox, check_sums.replace("sha256sum --check --strict", "sha256sum -- *.deb >"))
    refuses(sandbox, verify_sums)
    plays(sandbox, "git tag -f -a v1.0.0 -m 'not signed'")
    refuses(sandbox, verify)
    # Signed, by a key that whoever checks does not have.
    plays(sandbox, sign.splitlines()[0].replace("tag", "tag -f"))
    plays(sandbox, verify)
    plays(sandbox, f"gpgconf --kill all; mv {home} {home}-of-another && mkdir -m 700 {home} && "
          f"cp {home}-of-another/gitconfig {home}")
    refuses(sandbox, verify)


def test_ssh(sandbox, home):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < (2, 34):
        pytest.skip(f"{version.strip()} signs nothing with keys of SSH")
    (home / ".ssh").mkdir(mode=0o700)
    plays(sandbox, "ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519")
    public = (home / ".ssh/id_ed25519.pub").read_text()
    pathlib.Path(sandbox.path / "allowed_signers").write_text(f"NAME {public}")
    plays(sandbox, "git config gpg.ssh.allowedSignersFile allowed_signers")
    block = blocks()[2:]
    plays(sandbox, block[0])
    plays(sandbox, block[1])
    verify, verify_sums = block[1].split("\n", maxsplit=1)
    with open(sandbox.path / "packages/SHA256SUMS", "a", encoding="ascii") as sums:
        sums.write(f"{64 * '0'}  other.deb\n")
    refuses(sandbox, verify_sums)
    plays(sandbox, "ssh-keygen -q -t ed25519 -N '' -f other && "
          "sed -i \"s|NAME .*|NAME $(cat other.pub)|\" allowed_signers")
    refuses(sandbox, verify)
