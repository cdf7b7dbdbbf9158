#!/usr/bin/env bash
# Installs the system packages that some tests use. Neither `make demo` nor `make test` needs them.
set -euo pipefail
packages=(python3-venv chromium fonts-dejavu-core bubblewrap libseccomp2 slurm-wlm munge postgresql
  libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-noto-core fonts-sil-charis fonts-wqy-microhei)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && { echo "All system packages are installed: ${packages[*]}"; exit 0; }

command -v apt-get >/dev/null || { echo "apt-get is not here: install these by your system's means: ${missing[*]}" >&2; exit 1; }
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
