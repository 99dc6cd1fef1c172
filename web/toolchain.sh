#!/bin/bash
# Makes the compiler of the browser's program in a folder, once: Debian's emscripten with Debian's clang 19 and, from
# that compiler's source package, its C++ library. emscripten of Debian 12 brings a library of C++17.
#   web/toolchain.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../scripts/packages.sh"
folder=$1
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
rm -rf "${folder:?}"/*

sources=(llvm-toolchain-19 imgui fmtlib sqlite3 sqlitecpp md4c libzstd)
fetch_sources "$folder/packages" "${sources[@]}"
unpack() { # package, folder, further arguments of tar
  local package=$1 to=$2
  shift 2
  mkdir -p "$to"
  tar -C "$to" --strip-components=1 -xf "$(find "$folder/packages" -name "${package}_*.orig.tar.*" ! -name '*.asc' | head -1)" "$@"
}
unpack llvm-toolchain-19 "$folder/llvm" --wildcards '*/libcxx/src' '*/libcxx/include' '*/libcxx/vendor/llvm' \
  '*/libcxxabi/src' '*/libcxxabi/include' '*/libunwind/src' '*/libunwind/include'
for package in imgui fmtlib sqlite3 sqlitecpp md4c libzstd; do unpack "$package" "$folder/sources/$package"; done
rm -rf "$folder/packages"

# A copy of emscripten that may be changed; its own tests and examples stay behind.
emscripten=$folder/emscripten
mkdir "$emscripten"
tar -C /usr/share/emscripten --exclude=./tests --exclude=./docs --exclude=./cache -c . | tar -C "$emscripten" -x
libraries=$emscripten/system/lib
for library in libcxx libcxxabi libunwind; do
  rm -rf "${libraries:?}/$library"/{include,src}
  cp -r "$folder/llvm/$library"/{include,src} "$libraries/$library/"
done
cp "$folder/llvm/libcxx/vendor/llvm/default_assertion_handler.in" "$libraries/libcxx/include/__assertion_handler"
cp "$here/config_site.h" "$libraries/libcxx/include/__config_site"
rm -rf "$folder/llvm" "$libraries/libcxx/src"/{pstl,experimental,support/win32,support/ibm}
for tool in emcc em++ emar emranlib; do
  printf '#!/bin/sh\nexec /usr/bin/python3 %s/%s.py "$@"\n' "$emscripten" "$tool" >"$emscripten/$tool"
  chmod +x "$emscripten/$tool"
done
cat >"$folder/config" <<END
EMSCRIPTEN_ROOT = '$emscripten'
LLVM_ROOT = '/usr/lib/llvm-19/bin'
BINARYEN_ROOT = '/usr'
NODE_JS = '/usr/bin/node'
CACHE = '$folder/cache'
END
cat >"$folder/environment" <<END
export NODE_PATH=/usr/share/nodejs EM_CONFIG=$folder/config PATH=$emscripten:\$PATH
END
/usr/bin/python3 "$here/adapt_emscripten.py" "$emscripten"

# The libraries of C and C++ compile at the first use.
. "$folder/environment"
cat >"$folder/first.cpp" <<'END'
#include <iostream>
#include <stdexcept>
int main() {
  try {
    throw std::runtime_error("fine");
  } catch (const std::exception& problem) {
    std::cout << problem.what() << '\n';
  }
}
END
flags=(-O2 -std=c++20 -fwasm-exceptions -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -lhtml5 -lGL)
em++ "${flags[@]}" "$folder/first.cpp" -o "$folder/first.js"
[ "$(node --no-experimental-fetch "$folder/first.js")" = fine ] || { echo "The compiler makes programs that do not run." >&2; exit 1; }
(mkdir "$folder/sources/sqlite3/made" && cd "$folder/sources/sqlite3/made" && ../configure --disable-tcl && make sqlite3.c sqlite3.h) >"$folder/sqlite.log" 2>&1
compiled=$folder/libraries
{ cmake -G Ninja -S "$here" -B "$compiled" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -DCMAKE_TOOLCHAIN_FILE="$emscripten/cmake/Modules/Platform/Emscripten.cmake" && ninja -C "$compiled"; } \
  >"$folder/libraries.log" 2>&1 || { tail -20 "$folder/libraries.log" >&2; exit 1; }
rm -rf "$folder"/first.* "$compiled"/CMakeFiles
touch "$folder/made"
