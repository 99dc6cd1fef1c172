# The browser's program, and one for node that writes down what the engine says.
set(page ${CMAKE_SOURCE_DIR}/web)

add_executable(page page/main.cpp page/glfw.cpp)
target_link_libraries(page PRIVATE window)
tilescope_sees(page base kernel source compile session analysis clock emulator sass machine arch ptx trace run window)
target_link_options(page PRIVATE -lhtml5 -lidbfs.js --js-library ${page}/library.js -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
  -sENVIRONMENT=web -sFORCE_FILESYSTEM=1 -sEXIT_RUNTIME=0 -sINITIAL_MEMORY=134217728 -sMEMORY_GROWTH_LINEAR_STEP=16777216
  "-sEXPORTED_FUNCTIONS=[_main,_page_turn,_malloc,_free]")
set_target_properties(page PROPERTIES OUTPUT_NAME tilescope RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin
  LINK_DEPENDS ${page}/library.js)

add_executable(engine EXCLUDE_FROM_ALL node/main.cpp)
target_link_libraries(engine PRIVATE lesson)
tilescope_sees(engine base arch ptx trace emulator sass machine analysis clock predict source kernel compile run session wording statistics store lesson)
target_link_options(engine PRIVATE -sENVIRONMENT=node -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sINITIAL_MEMORY=134217728
  --js-library ${page}/library.js --pre-js ${page}/node_environment.js)
set_target_properties(engine PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
