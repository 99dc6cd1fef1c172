# What `cmake --install` copies, and the Debian package that `cpack` makes of it. base/file.h finds the data in
# share/tilescope.
include(GNUInstallDirs)

set(texts ${CMAKE_BINARY_DIR}/package)
file(MAKE_DIRECTORY ${texts})
add_custom_command(OUTPUT ${texts}/tilescope.1 ${texts}/tilescope.bash ${texts}/_tilescope ${texts}/tilescope.fish
  COMMAND tilescope manual > ${texts}/tilescope.1
  COMMAND tilescope completion bash > ${texts}/tilescope.bash
  COMMAND tilescope completion zsh > ${texts}/_tilescope
  COMMAND tilescope completion fish > ${texts}/tilescope.fish
  DEPENDS tilescope COMMENT "Writing the manual page and the shells' completions")
add_custom_target(package_texts ALL DEPENDS ${texts}/tilescope.1)

install(TARGETS tilescope nvrtc_child confine_child RUNTIME)
if(TARGET agent)
  install(TARGETS agent RUNTIME)
endif()
install(TARGETS cudart cublas cublasLt curand LIBRARY DESTINATION lib/tilescope/cudart NAMELINK_SKIP)
foreach(folder kernels lessons assets examples)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/tilescope
    PATTERN desktop EXCLUDE)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${texts}/tilescope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${texts}/tilescope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tilescope)
install(FILES ${texts}/_tilescope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${texts}/tilescope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
set(desktop ${CMAKE_SOURCE_DIR}/assets/desktop)
install(FILES ${desktop}/tilescope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${desktop}/tilescope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES ${desktop}/tilescope.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Tilescope <tilescope@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/bin/cudart)
# Opened when it runs, so that no library names them.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "fonts-inter, fonts-jetbrains-mono, fonts-droid-fallback, libgl1, libegl1, libgl1-mesa-dri")
include(CPack)
