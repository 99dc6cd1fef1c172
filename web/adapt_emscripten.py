"""Adapts a copy of emscripten 3.1.6 to clang 19 and LLVM 19's C++ library: adapt_emscripten.py FOLDER.

Each change must find what it changes, so that another emscripten is noticed here and not by a strange error later.
"""
import pathlib
import sys

root = pathlib.Path(sys.argv[1])


def change(file, *pairs):
    path = root / file
    text = path.read_text()
    for old, new in pairs:
        if old not in text:
            sys.exit(f'{path}: there is no {old!r}; this is not the emscripten that web/toolchain.sh knows.')
        text = text.replace(old, new)
    path.write_text(text)


# The tools of the copy, not those of the system's.
change('tools/shared.py', ("bat_suffix('em", f"bat_suffix('{root}/em"))
change('tools/system_libs.py',
       # clang 19 warns of more in these libraries than the compiler they were written with.
       ("'-O2', '-Werror', ", "'-O2', '-Wno-everything', "),
       # LLVM 19's libraries are C++23, see their own headers, and keep std::jthread behind a switch.
       ("'-DLIBCXX_BUILDING_LIBCXXABI=1', '-D_LIBCPP_BUILDING_LIBRARY', '-Oz'",
        "'-std=c++2b', '-fexperimental-library', '-DLIBCXX_BUILDING_LIBCXXABI=1', '-D_LIBCPP_BUILDING_LIBRARY', '-O2'"),
       ("  src_dir = 'system/lib/libcxx/src'\n",
        "  includes = ['system/lib/libcxx/src']\n  src_dir = 'system/lib/libcxx/src'\n"),
       ("      '-D_LIBCXXABI_BUILDING_LIBRARY',",
        "      '-std=c++2b', '-D_LIBCPP_BUILDING_LIBRARY', '-D_LIBCXXABI_BUILDING_LIBRARY',"),
       ("  includes = ['system/lib/libcxx']", "  includes = ['system/lib/libcxx', 'system/lib/libcxx/src']"),
       ("'-D_LIBUNWIND_DISABLE_VISIBILITY_ANNOTATIONS'", "'-D_LIBUNWIND_HIDE_SYMBOLS'"))
# In C of today f() is f(void); these two are called with arguments.
change('system/lib/pthread/library_pthread_stub.c',
       ('pthread_setcancelstate()', 'pthread_setcancelstate(int, int *)'),
       ('pthread_setcanceltype()', 'pthread_setcanceltype(int, int *)'))
# emscripten measures the fields of its old library's exception, for exceptions through JavaScript, which are not used.
change('src/struct_info_cxx.json', ('"cxa_exception.h"', '"emscripten_exception.h"'))
(root / 'system/lib/libcxxabi/src/emscripten_exception.h').write_text('''#include <stddef.h>
#include <stdint.h>
#include <typeinfo>
namespace __cxxabiv1 {
struct __cxa_exception {
  size_t referenceCount;
  std::type_info *exceptionType;
  void (*exceptionDestructor)(void *);
  uint8_t caught, rethrown;
};
}
''')
