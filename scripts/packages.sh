#!/bin/bash
# Sourced by scripts/run and scripts/test. Everything it prints goes to stderr.

# shellcheck disable=SC2034  # used by the scripts that source this one
build_packages=(cmake ninja-build g++ libfmt-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev liblz4-dev libzstd-dev
  libsqlitecpp-dev libsqlite3-dev pkg-config libimgui-dev libglfw3-dev libgl-dev python3-glad
  libfontconfig-dev libstb-dev fonts-inter fonts-jetbrains-mono fonts-droid-fallback libmd4c-dev libgl1-mesa-dri libegl1)
# shellcheck disable=SC2034
test_packages=(clang-16 libgtest-dev libgmock-dev libbenchmark-dev libmpfr-dev xvfb xauth xdotool)

# Installs the missing ones of the named Debian packages; lists them if it may not.
ensure_packages() {
  command -v dpkg-query >/dev/null || return 0
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "These packages are missing; install them as root: apt-get install ${missing[*]}" >&2
    exit 2
  fi
  echo "Installing ${missing[*]}" >&2
  export DEBIAN_FRONTEND=noninteractive
  if ! { apt-get -qq update && apt-get -qq install --no-install-recommends --yes "${missing[@]}"; } >&2 2>&1; then
    echo "apt-get could not install ${missing[*]}; see its message above." >&2
    exit 2
  fi
}

# Configures and builds a preset of CMakePresets.json; further arguments go to the build.
build_preset() {
  mkdir -p build
  local preset=$1
  shift
  cmake --preset "$preset" -Wno-dev >/dev/null 2>build/configure.log || { cat build/configure.log >&2; exit 2; }
  cmake --build --preset "$preset" "$@" >&2
}
