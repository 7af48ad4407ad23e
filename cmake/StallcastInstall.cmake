# What `cmake --install` and the packages put where. Components: cli, explorer, dev, docs, python.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The archives that make up TARGET and all that it links, as one list in OUT.
function(stallcast_archives TARGET OUT)
  set(found "")
  set(open ${TARGET})
  set(seen "")
  while(open)
    list(POP_FRONT open target)
    if(NOT TARGET ${target} OR target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${target})
    get_target_property(imported ${target} IMPORTED)
    if(imported)
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND found ${target})
    endif()
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(links ${target} ${property})
      if(links)
        list(TRANSFORM links REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1")
        list(APPEND open ${links})
      endif()
    endforeach()
  endwhile()
  set(${OUT} ${found} PARENT_SCOPE)
endfunction()

set(STALLCAST_SHARE ${CMAKE_INSTALL_DATADIR}/stallcast)

# The command line, its simulator, which users never call, and what shells and editors read of them.
if(TARGET stallcast-sim)
  install(TARGETS stallcast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
  # What only these programs start and load: they look for it there, next to the folder they are in.
  get_property(no_ns3 GLOBAL PROPERTY STALLCAST_NO_NS3)
  install(TARGETS stallcast-sim stallcast-http ${no_ns3} COMPONENT cli
          RUNTIME DESTINATION libexec/stallcast LIBRARY DESTINATION libexec/stallcast)

  # Manual pages, completions and the schema are made by the program itself.
  set(made ${CMAKE_BINARY_DIR}/made)
  execute_process(COMMAND sed -n "s/^ *Verb{\"\\([a-z]*\\)\".*/\\1/p" ${CMAKE_SOURCE_DIR}/ui/cli/verbs.cpp
                  OUTPUT_VARIABLE verbs OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" verbs "${verbs}")
  set(commands COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
               COMMAND stallcast man -o ${made}/stallcast.1
               COMMAND stallcast schema -o ${made}/scenario.json)
  set(pages ${made}/stallcast.1)
  foreach(verb ${verbs})
    list(APPEND commands COMMAND stallcast man ${verb} -o ${made}/stallcast-${verb}.1)
    list(APPEND pages ${made}/stallcast-${verb}.1)
  endforeach()
  list(APPEND commands COMMAND gzip -9nf ${pages})
  list(TRANSFORM pages APPEND .gz)
  foreach(shell bash zsh fish)
    list(APPEND commands COMMAND stallcast completion ${shell} -o ${made}/completion.${shell})
  endforeach()
  add_custom_command(OUTPUT ${made}/stamp ${commands} COMMAND ${CMAKE_COMMAND} -E touch ${made}/stamp
                     DEPENDS stallcast VERBATIM)
  add_custom_target(stallcast_made ALL DEPENDS ${made}/stamp)
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cli)
  install(FILES ${made}/completion.bash RENAME stallcast COMPONENT cli
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${made}/completion.zsh RENAME _stallcast COMPONENT cli
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${made}/completion.fish RENAME stallcast.fish COMPONENT cli
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${made}/scenario.json COMPONENT cli
          DESTINATION ${STALLCAST_SHARE}/schema/${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(PROGRAMS ci/check.sh ci/install.sh DESTINATION ${STALLCAST_SHARE}/ci COMPONENT cli)
  install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT cli)
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT cli)
endif()

if(TARGET stallcast-explorer)
  install(TARGETS stallcast-explorer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT explorer)
  set(page ${CMAKE_BINARY_DIR}/made/stallcast-explorer.1.gz)
  add_custom_command(OUTPUT ${page} DEPENDS packaging/stallcast-explorer.1 VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/made
                     COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/packaging/stallcast-explorer.1 > ${page})
  add_custom_target(stallcast_explorer_made ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT explorer)
  install(FILES packaging/stallcast-explorer.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT explorer)
  install(FILES packaging/stallcast-explorer.svg COMPONENT explorer
          DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
  install(FILES packaging/stallcast.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT explorer)
endif()

# One archive for programs of others, whatever layers it is made of here.
if(TARGET stallcast_app)
  stallcast_archives(stallcast_app archives)
  set(merged ${CMAKE_BINARY_DIR}/lib/libstallcast.a)
  set(script "CREATE ${merged}\n")
  foreach(archive ${archives})
    string(APPEND script "ADDLIB $<TARGET_FILE:${archive}>\n")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/libstallcast.mri CONTENT "${script}SAVE\nEND\n")
  add_custom_command(OUTPUT ${merged} COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/lib
                     COMMAND ${CMAKE_AR} -M < ${CMAKE_BINARY_DIR}/libstallcast.mri
                     DEPENDS ${archives} ${CMAKE_BINARY_DIR}/libstallcast.mri VERBATIM)
  add_custom_target(stallcast_merged ALL DEPENDS ${merged})
  install(FILES ${merged} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  install(DIRECTORY include/stallcast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
  configure_package_config_file(packaging/StallcastConfig.cmake.in ${CMAKE_BINARY_DIR}/StallcastConfig.cmake
                                INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Stallcast
                                PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/StallcastConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/StallcastConfig.cmake ${CMAKE_BINARY_DIR}/StallcastConfigVersion.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Stallcast COMPONENT dev)
endif()

install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs PATTERN "*.py" EXCLUDE)

# The Python package, with what tells pip that it is there.
string(REPLACE "-" "" python_version ${STALLCAST_VERSION})
set(python_info ${CMAKE_BINARY_DIR}/made/stallcast-${python_version}.dist-info)
file(WRITE ${python_info}/METADATA "Metadata-Version: 2.1
Name: stallcast
Version: ${python_version}
Summary: Forecast how long the GPUs of a training cluster wait for storage
License: Apache-2.0
Requires-Python: >=3.9
")
install(DIRECTORY python/stallcast ${python_info} DESTINATION lib/python3/dist-packages COMPONENT python
        PATTERN __pycache__ EXCLUDE)
