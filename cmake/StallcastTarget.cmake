# stallcast_library(NAME SOURCES ... [LINKS ...] [PRIVATE_LINKS ...])
# One library per layer; LINKS are the layers it may include (ADR 0002). Flags live on targets.
add_library(stallcast_flags INTERFACE)
# g++ 12 at -O2 takes the unused half of a std::variant for uninitialised: the warning stays off.
target_compile_options(stallcast_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror -Wno-maybe-uninitialized)
if(STALLCAST_SANITIZE)
  target_compile_options(stallcast_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer)
  target_link_options(stallcast_flags INTERFACE -fsanitize=address,undefined)
endif()

function(stallcast_library NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${NAME} STATIC ${ARG_SOURCES})
  target_link_libraries(${NAME} PUBLIC stallcast_include ${ARG_LINKS}
                                PRIVATE stallcast_flags ${ARG_PRIVATE_LINKS})
endfunction()

function(stallcast_program NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE stallcast_flags ${ARG_LINKS})
endfunction()
