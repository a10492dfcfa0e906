#!/usr/bin/env bash
# Clone the last commit somewhere else and do there what a new user does, with pip alone.
#
# The folder's name has a space, make runs jobs in parallel, no key is set, and the second
# run must not install again. Uncommitted changes are not in the clone.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT

for name in $(compgen -e); do
    case $name in
        CRAG_* | OPENAI_* | TAVILY_* | LANG*_* | MAKE* | MFLAGS | VIRTUAL_ENV) unset "$name" ;;
    esac
done
export UV=

say() { printf '\n== fresh clone: %s\n' "$*"; }
fail() {
    printf 'fresh clone: %s\n' "$*" >&2
    exit 1
}

git clone --quiet "$root" "$there/a fresh clone"
cd "$there/a fresh clone"

say 'make demo'
make -j4 demo

say 'make demo, again'
make demo >"$there/second.log" 2>&1 || { cat "$there/second.log"; fail 'the second demo failed.'; }
if grep -q '^Installing' "$there/second.log"; then fail 'the second demo installed again.'; fi

say 'make test'
make -j4 test

say 'what git sees'
[ -z "$(git status --porcelain)" ] || { git status --short; fail 'files were left behind.'; }

say 'the wheel has every file of its packages'
.venv/bin/python -m pip wheel --quiet --no-deps --wheel-dir "$there" .
.venv/bin/python - "$there" <<'PYTHON'
import pathlib, subprocess, sys, tomllib, zipfile

packages = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["tool"]["hatch"]["build"][
    "targets"]["wheel"]["packages"]
tracked = subprocess.run(["git", "ls-files", *packages], check=True, capture_output=True, text=True)
[wheel] = pathlib.Path(sys.argv[1]).glob("*.whl")
missing = set(tracked.stdout.split("\n")) - {""} - set(zipfile.ZipFile(wheel).namelist())
sys.exit(f"fresh clone: not in the wheel: {sorted(missing)}" if missing else 0)
PYTHON
say 'good'
