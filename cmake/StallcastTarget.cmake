# Targets of this project. Flags are properties of targets, never global; sources are listed, never globbed.
#
#   stallcast_library(NAME SOURCES ... [LINKS ...] [PRIVATE_LINKS ...] [FOLDERS ...] [WARM])
#   stallcast_room(NAME ...the same...)       objects of one folder of a layer
#   stallcast_layer(NAME ROOMS ...)           the library of several rooms
#   stallcast_program(NAME SOURCES ... [LINKS ...])
#   stallcast_embed(CPP NAMESPACE FUNCTION FILE...)    files built in as text, as a source of a target
#   stallcast_texts(NAME NAMESPACE FUNCTION FILE...)   the same as a target
#
# A target sees the headers of the folders of those it links, and of nobody else (ADR 0002): there is no include path to
# the whole tree. LINKS are what may show in its headers. FOLDERS are those below the present one whose headers are its
# own, too. WARM: what it does takes no time that anybody would notice; compiled with -O1. Tests themselves are compiled with
# -O0 in release: most of them wait for the product.
#
# With CMAKE_UNITY_BUILD (preset release) a target's sources are compiled in batches, since most of the time of one file
# goes into the headers it includes. Names in unnamed namespaces then differ within a folder. Preset dev compiles each
# file by itself, which reveals a missing include.
set(STALLCAST_BATCH 16)  # about as many files in each; a touched file rebuilds its batch
set(STALLCAST_TEST_BATCH 24)  # of tests, which take less each at -O0

add_library(stallcast_flags INTERFACE)
target_compile_options(stallcast_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 at -O2 takes the unused half of a std::variant for uninitialised: the warning stays off.
  target_compile_options(stallcast_flags INTERFACE -Wno-maybe-uninitialized)
  # The compiler's memory is collected every 30 % of growth by default, which takes a tenth of its time.
  target_compile_options(stallcast_flags INTERFACE --param=ggc-min-expand=100 --param=ggc-min-heapsize=1048576)
  if(CMAKE_UNITY_BUILD)
    # A batch includes its sources: what is unnamed in one of them is not in a header.
    target_compile_options(stallcast_flags INTERFACE -Wno-subobject-linkage)
  endif()
else()
  # The warnings of one compiler are kept to; another one builds for its tools only.
  target_compile_options(stallcast_flags INTERFACE -Wno-error)
endif()
if(STALLCAST_SANITIZE)
  target_compile_options(stallcast_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer)
  target_link_options(stallcast_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(stallcast_flags INTERFACE STALLCAST_SANITIZED)  # clang has no name of its own for it
endif()
if(STALLCAST_FUZZ)
  # clang 14 cannot put the check of function types into coroutines.
  target_compile_options(stallcast_flags INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize=function)
endif()
if(STALLCAST_COVERAGE)
  # Simulations leave by _exit, which writes no counters: they are written before.
  add_library(stallcast_counters STATIC ${PROJECT_SOURCE_DIR}/tests/support/counters.cpp)
  target_link_libraries(stallcast_flags INTERFACE stallcast_counters)
  target_compile_options(stallcast_flags INTERFACE --coverage)
  target_link_options(stallcast_flags INTERFACE --coverage -Wl,--wrap=_exit)
endif()

# Links to the headers of the present folder, and of FOLDERS below it, in a folder of the build tree which is the include
# path of those who link TARGET: "models/plant/plant.hpp" is found there as it is from the root of the tree.
function(stallcast_headers TARGET)
  set(view ${PROJECT_BINARY_DIR}/headers/${TARGET})
  file(REMOVE_RECURSE ${view})
  foreach(folder . ${ARGN})
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.hpp)
    foreach(header ${headers})
      cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
      cmake_path(GET name PARENT_PATH parent)
      file(MAKE_DIRECTORY ${view}/${parent})
      file(CREATE_LINK ${header} ${view}/${name} SYMBOLIC)
    endforeach()
  endforeach()
  target_include_directories(${TARGET} PUBLIC ${view})
endfunction()

macro(stallcast_target NAME TYPE)
  cmake_parse_arguments(ARG "WARM" "" "SOURCES;LINKS;PRIVATE_LINKS;FOLDERS" ${ARGN})
  add_library(${NAME} ${TYPE} ${ARG_SOURCES})
  target_link_libraries(${NAME} PUBLIC stallcast_include ${ARG_LINKS} PRIVATE stallcast_flags ${ARG_PRIVATE_LINKS})
  stallcast_headers(${NAME} ${ARG_FOLDERS})
  stallcast_compile(${NAME} "${ARG_WARM}")
endmacro()

function(stallcast_compile TARGET WARM)
  set(most ${STALLCAST_BATCH})
  if(WARM STREQUAL "TEST")
    set(most ${STALLCAST_TEST_BATCH})
  endif()
  # Batches of one size: seventeen files are one batch, not one of sixteen and another that reads all headers for one file.
  get_target_property(sources ${TARGET} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${most} / 2 - 1) / ${most}")
  if(batches GREATER 0)
    math(EXPR count "(${count} + ${batches} - 1) / ${batches}")
  endif()
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD_BATCH_SIZE ${count})
  if(WARM STREQUAL "TEST")
    target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release>:-O0>)
  elseif(WARM)
    target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# Sets CPP to a source with the function NAMESPACE::FUNCTION, which gives files as text.
function(stallcast_embed CPP NAMESPACE FUNCTION)
  set(cpp ${CMAKE_CURRENT_BINARY_DIR}/${FUNCTION}.cpp)
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${cpp}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${cpp} -DNAMESPACE=${NAMESPACE} -DFUNCTION=${FUNCTION} "-DFILES=${files}"
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake
    VERBATIM)
  set(${CPP} ${cpp} PARENT_SCOPE)
endfunction()

# The object library NAME of such a source. Apart from the target that uses it, whose sources would wait until all that it
# links is built.
function(stallcast_texts NAME NAMESPACE FUNCTION)
  stallcast_embed(cpp ${NAMESPACE} ${FUNCTION} ${ARGN})
  add_library(${NAME} OBJECT ${cpp})
  target_link_libraries(${NAME} PRIVATE stallcast_flags)
endfunction()

function(stallcast_library NAME)
  stallcast_target(${NAME} STATIC ${ARGN})
endfunction()

function(stallcast_room NAME)
  stallcast_target(${NAME} OBJECT ${ARGN})
endfunction()

function(stallcast_layer NAME)
  cmake_parse_arguments(ARG "" "" "ROOMS" ${ARGN})
  add_library(${NAME} STATIC)
  target_link_libraries(${NAME} PUBLIC ${ARG_ROOMS})
endfunction()

function(stallcast_program NAME)
  cmake_parse_arguments(ARG "WARM" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE stallcast_flags ${ARG_LINKS})
  stallcast_headers(${NAME})
  stallcast_compile(${NAME} "${ARG_WARM}")
endfunction()
