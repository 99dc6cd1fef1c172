# The libraries of a desktop, as Debian 12 has them.
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
get_target_property(TOMLPLUSPLUS_KIND tomlplusplus::tomlplusplus TYPE)
if(NOT TOMLPLUSPLUS_KIND STREQUAL INTERFACE_LIBRARY)
  # Debian's CMake file leaves these out, its pkg-config file does not. Compiled from its headers, toml++ aborts on
  # some malformed input in a build with assertions; the library does not.
  set_property(TARGET tomlplusplus::tomlplusplus APPEND PROPERTY
    INTERFACE_COMPILE_DEFINITIONS TOML_HEADER_ONLY=0 TOML_SHARED_LIB=1)
endif()
find_package(PkgConfig REQUIRED)
find_package(SQLiteCpp REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET GLOBAL libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET GLOBAL liblz4)
pkg_check_modules(STB REQUIRED IMPORTED_TARGET stb)
# Its input and its fonts differ in each later release.
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui<1.87)
find_package(glfw3 REQUIRED)
pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
find_package(GIF REQUIRED)

# OpenGL through a loader that glad writes from the specification that it brings along: no network.
find_program(GLAD glad REQUIRED)
set(GLAD_FOLDER ${CMAKE_BINARY_DIR}/glad)
add_custom_command(OUTPUT ${GLAD_FOLDER}/src/gl.c ${GLAD_FOLDER}/include/glad/gl.h
  COMMAND ${GLAD} --quiet --reproducible --api gl:core=3.3 --extensions= --out-path ${GLAD_FOLDER} c --loader
  VERBATIM)
set_source_files_properties(${GLAD_FOLDER}/src/gl.c PROPERTIES COMPILE_OPTIONS "-w")
add_library(glad STATIC ${GLAD_FOLDER}/src/gl.c)
target_include_directories(glad SYSTEM PUBLIC ${GLAD_FOLDER}/include)
target_link_libraries(glad PRIVATE ${CMAKE_DL_LIBS})
