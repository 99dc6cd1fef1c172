# The libraries of the browser's program: Debian's sources as web/toolchain.sh unpacked and compiled them (with
# web/CMakeLists.txt, which sets MAKE_LIBRARIES), and headers of Debian's packages. The targets have the names that they
# have on a desktop, see app/libraries.cmake.
get_filename_component(TOOLCHAIN "${CMAKE_TOOLCHAIN_FILE}/../../../../.." ABSOLUTE)
set(from ${TOOLCHAIN}/sources)

# What binaryen of Debian 12 knows of WebAssembly, and vectors.
set(features -mcpu=mvp -mbulk-memory -msign-ext -mnontrapping-fptoint -mmutable-globals -msimd128)
add_compile_options(-fwasm-exceptions ${features} $<$<COMPILE_LANGUAGE:CXX>:-fexperimental-library>)
# The main functions have no arguments: clang 19 names others as this emscripten does not know.
# Functions with one caller stay functions: to inline them takes half of binaryen's time and makes nothing faster.
add_link_options(-fwasm-exceptions -O2 -sBINARYEN_EXTRA_PASSES=--one-caller-inline-max-function-size=0
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2147483648 -sTOTAL_STACK=2097152 -sDYNAMIC_EXECUTION=0)

# Headers alone lie in a folder of their own: /usr/include has those of the desktop's C library, too.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(name nlohmann toml++ stb GLFW)
  file(CREATE_LINK /usr/include/${name} ${headers}/${name} SYMBOLIC)
endforeach()
function(web_library target)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDE;DEFINE" ${ARGN})
  string(REGEX REPLACE "[^a-zA-Z0-9]+" "_" name "web_${target}")
  set(visibility INTERFACE)
  if(ARG_SOURCES AND MAKE_LIBRARIES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_compile_options(${name} PRIVATE -w)
    set(visibility PUBLIC)
  elseif(ARG_SOURCES)
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${TOOLCHAIN}/libraries/lib${name}.a)
  else()
    add_library(${name} INTERFACE)
  endif()
  target_include_directories(${name} SYSTEM ${visibility} ${ARG_INCLUDE})
  target_compile_definitions(${name} ${visibility} ${ARG_DEFINE})
  add_library(${target} ALIAS ${name})
endfunction()

web_library(fmt::fmt SOURCES ${from}/fmtlib/src/format.cc INCLUDE ${from}/fmtlib/include)
web_library(nlohmann_json::nlohmann_json INCLUDE ${headers})
web_library(tomlplusplus::tomlplusplus INCLUDE ${headers})
web_library(Threads::Threads)
file(GLOB zstd ${from}/libzstd/lib/common/*.c ${from}/libzstd/lib/compress/*.c ${from}/libzstd/lib/decompress/*.c)
web_library(PkgConfig::ZSTD SOURCES ${zstd} INCLUDE ${from}/libzstd/lib DEFINE ZSTD_DISABLE_ASM)
web_library(PkgConfig::MD4C SOURCES ${from}/md4c/src/md4c.c INCLUDE ${from}/md4c/src)
file(GLOB sqlitecpp ${from}/sqlitecpp/src/*.cpp)
web_library(SQLiteCpp SOURCES ${sqlitecpp} ${from}/sqlite3/made/sqlite3.c INCLUDE ${from}/sqlitecpp/include ${from}/sqlite3/made
  DEFINE SQLITE_OMIT_LOAD_EXTENSION SQLITE_THREADSAFE=0)
web_library(PkgConfig::STB SOURCES ${CMAKE_CURRENT_LIST_DIR}/stb.c INCLUDE ${headers}/stb)
set(imgui ${from}/imgui)
web_library(PkgConfig::IMGUI
  SOURCES ${imgui}/imgui.cpp ${imgui}/imgui_draw.cpp ${imgui}/imgui_tables.cpp ${imgui}/imgui_widgets.cpp
    ${imgui}/misc/cpp/imgui_stdlib.cpp ${imgui}/backends/imgui_impl_glfw.cpp ${imgui}/backends/imgui_impl_opengl3.cpp
  INCLUDE ${imgui} ${imgui}/misc/cpp ${imgui}/backends ${headers} DEFINE IMGUI_IMPL_OPENGL_ES3)
web_library(glad)
web_library(glfw INCLUDE ${headers})
web_library(PkgConfig::FONTCONFIG)
web_library(GIF::GIF)
