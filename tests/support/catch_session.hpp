#pragma once

namespace stallcast::testing {

/// Runs the tests of this program as its command line says; the exit code.
int run_tests(int argc, char** argv);

}  // namespace stallcast::testing
