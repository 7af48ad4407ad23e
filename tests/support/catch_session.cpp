#define CATCH_CONFIG_RUNNER
#include <malloc.h>

#include <catch2/catch.hpp>

#include "tests/support/catch_session.hpp"

namespace stallcast::testing {

namespace {

/// Cases that read thousands of small inputs would give half a megabyte back to the system after
/// each, and take it again page by page.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace

int run_tests(int argc, char** argv) {
  keep_freed_memory();
  return Catch::Session().run(argc, argv);
}

}  // namespace stallcast::testing
