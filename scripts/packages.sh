#!/bin/bash
# Sourced by scripts/run and scripts/test. Everything it prints goes to stderr.

# shellcheck disable=SC2034  # used by the scripts that source this one
build_packages=(cmake ninja-build g++ libfmt-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev liblz4-dev libzstd-dev
  libsqlitecpp-dev libsqlite3-dev pkg-config libimgui-dev libglfw3-dev libgl-dev python3-glad
  libfontconfig-dev libgif-dev libstb-dev fonts-inter fonts-jetbrains-mono fonts-droid-fallback libmd4c-dev libgl1-mesa-dri libegl1)
# shellcheck disable=SC2034
test_packages=(clang-16 libgtest-dev libgmock-dev libbenchmark-dev libmpfr-dev xvfb xauth xdotool)

# shellcheck disable=SC2034
web_packages=(cmake ninja-build emscripten clang-19 lld-19 llvm-19 nodejs tcl make python3-fonttools xz-utils libglfw3-dev
  nlohmann-json3-dev libtomlplusplus-dev libstb-dev fonts-inter fonts-jetbrains-mono fonts-dejavu-core fonts-noto-cjk)

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

# Downloads the named source packages into a folder, whatever the system's own lists say about sources. Of a package
# the newest version that the servers still have.
#   fetch_sources FOLDER PACKAGE...
fetch_sources() {
  local folder=$1 package version list archive
  shift
  mkdir -p "$folder" "$folder/apt/lists/partial" "$folder/apt/sources"
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >>"$folder/apt/sources/all.list"
  done
  for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$folder/apt/sources/$(basename "$list")"
  done
  local lists=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/apt/sources"
    -o "Dir::State::Lists=$folder/apt/lists")
  apt-get -qq "${lists[@]}" update >&2
  for package in "$@"; do
    archive="$folder/${package}_*.orig.tar.*[!c]"  # Not its .asc.
    for version in $(apt-cache "${lists[@]}" showsrc "$package" | sed -n 's/^Version: //p' | sort -rVu); do
      # A package's own patches are not used: that one of its files cannot be had is no reason to stop.
      (cd "$folder" && apt-get -qq "${lists[@]}" source --download-only "$package=$version") >&2 || true
      ! compgen -G "$archive" >/dev/null || break
    done
    compgen -G "$archive" >/dev/null ||
      { echo "The source package $package could not be downloaded; see apt-get's message above." >&2; exit 2; }
  done
}
