# cmake -DOUTPUT=x.cpp -DSOURCE=TREE [-DCOMMIT=HASH] -P WriteCommit.cmake
# Writes what `stallcast --version` says of the commit, and leaves the file alone when it says that already.
if(NOT COMMIT)
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE COMMIT ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changed ERROR_QUIET)
  if(COMMIT AND NOT changed STREQUAL "")
    string(APPEND COMMIT "+")
  endif()
endif()
set(text "// Written by cmake/WriteCommit.cmake. Do not edit.
#include \"ui/cli/commit.hpp\"
namespace stallcast::cli {
std::string_view commit() { return \"${COMMIT}\"; }
}  // namespace stallcast::cli
")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()
