# Debian packages by CPack: stallcast, stallcast-explorer, libstallcast-dev, python3-stallcast. `./stallcast.sh package` makes them.
# Dependencies come from the programs themselves (dpkg-shlibdeps).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stallcast)
string(REPLACE "-" "~" CPACK_PACKAGE_VERSION ${STALLCAST_VERSION})  # before the release, to Debian
set(CPACK_PACKAGE_CONTACT "Stallcast maintainers <maintainers@users.noreply.stallcast.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL cli explorer dev python)
if(NOT TARGET stallcast-explorer)
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL explorer)
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE 0deb12)  # not of the archive of Debian
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib/stallcast)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_CLI_PACKAGE_NAME stallcast)
set(CPACK_DEBIAN_CLI_DESCRIPTION "forecasts how long GPUs of a training cluster wait for storage
An architect describes a GPU cluster, its storage and its training jobs in
one file. A discrete-event simulation predicts GPU utilization and what it
is lost to, says what limits, and finds the fewest storage targets that
meet what is expected.

This package has the command line and the HTTP server.")
set(CPACK_DEBIAN_CLI_PACKAGE_SUGGESTS "stallcast-explorer, strace")

set(CPACK_DEBIAN_EXPLORER_PACKAGE_NAME stallcast-explorer)
set(CPACK_DEBIAN_EXPLORER_PACKAGE_DEPENDS "stallcast (= ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_EXPLORER_DESCRIPTION "shows what storage does to GPU training, with sliders
A window on a Stallcast scenario: each change is estimated at once and
simulated after a moment of rest; results next to pinned designs, sweeps,
timelines, and the report to hand on.

It is a package of its own since Qt Charts is under the GPL.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libstallcast-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "stallcast (= ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libssl-dev, zlib1g-dev, libsqlite3-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "predictions of GPU training on storage, from a C++ program
Headers, a static library and CMake files to read scenarios, predict, plan,
explain and compare designs as the command line of Stallcast does.")

# What is compiled at its installation goes with it.
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-stallcast)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.9), python3:any, stallcast (= ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${CMAKE_SOURCE_DIR}/packaging/python/postinst;${CMAKE_SOURCE_DIR}/packaging/python/prerm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "predictions of GPU training on storage, from Python
Scenarios, predictions, plans, sweeps, explanations and comparisons as
Python values, with data frames and pages in notebooks. It asks the command
line of Stallcast.")

# The names that releases have, and CI jobs ask for (ci/install.sh): without a tilde, which not every host keeps.
foreach(component cli explorer dev python)
  string(TOUPPER ${component} upper)
  set(architecture ${CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE})
  if(NOT architecture)
    execute_process(COMMAND dpkg --print-architecture OUTPUT_VARIABLE architecture OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  set(CPACK_DEBIAN_${upper}_FILE_NAME ${CPACK_DEBIAN_${upper}_PACKAGE_NAME}_${STALLCAST_VERSION}_${architecture}.deb)
endforeach()

# What Debian wants to be in each package: who may copy it, and what changed, here and in the packaging.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH where that is set
file(WRITE ${CMAKE_BINARY_DIR}/made/changelog.Debian
"stallcast (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) bookworm; urgency=medium

  * This version; what changed in it is in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
foreach(component cli explorer dev python)
  string(TOUPPER ${component} upper)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  install(FILES packaging/copyright DESTINATION ${folder} COMPONENT ${component})
  install(FILES ${CMAKE_BINARY_DIR}/made/changelog.gz ${CMAKE_BINARY_DIR}/made/changelog.Debian.gz
          DESTINATION ${folder} COMPONENT ${component})
endforeach()
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/made/changelog.gz ${CMAKE_BINARY_DIR}/made/changelog.Debian.gz
                   COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/CHANGELOG.md > ${CMAKE_BINARY_DIR}/made/changelog.gz
                   COMMAND gzip -9nc ${CMAKE_BINARY_DIR}/made/changelog.Debian
                           > ${CMAKE_BINARY_DIR}/made/changelog.Debian.gz
                   DEPENDS CHANGELOG.md ${CMAKE_BINARY_DIR}/made/changelog.Debian VERBATIM)
add_custom_target(stallcast_changelogs ALL DEPENDS ${CMAKE_BINARY_DIR}/made/changelog.gz)
include(CPack)
