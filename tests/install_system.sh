#!/bin/sh
# Gets what tests need from the system's packages: install_system.sh [chromium] [fonts-noto-cjk] [gettext]
# Asks for nothing that is there already; without the right to install it says so and fails.
set -eu

have() {
    case $1 in
    chromium) command -v chromium || command -v chromium-browser || command -v google-chrome ;;
    gettext) command -v msgfmt && command -v xgettext && command -v msgmerge ;;
    fonts-noto-cjk) test "$(uname)" = Darwin || { command -v fc-list && fc-list :lang=ja family | grep -q .; } ;;
    *) false ;;
    esac >/dev/null 2>&1
}

missing=
for package in "$@"; do
    have "$package" || missing="$missing $package"
done
test -n "$missing" || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "Tests need$missing: install them with this system's package manager (on macOS: brew install --cask chromium; brew install gettext)." >&2
    exit 1
fi
if test "$(id -u)" = 0; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "Tests need$missing and this account may not install them: run 'sudo apt-get install$missing' first." >&2
    exit 1
fi

echo "Installing$missing from the system's packages"
export DEBIAN_FRONTEND=noninteractive
# Every word of $missing is a package.
# shellcheck disable=SC2086
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing; } >/dev/null; then
    echo "The packages$missing cannot be installed: see the lines above." >&2
    exit 1
fi
for package in $missing; do
    have "$package" || { echo "$package was installed and still cannot be found." >&2; exit 1; }
done
