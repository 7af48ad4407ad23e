#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "tests/support/catch_session.hpp"

namespace stallcast::testing {

int run_tests(int argc, char** argv) { return Catch::Session().run(argc, argv); }

}  // namespace stallcast::testing
