#include "tests/support/catch_session.hpp"

int main(int argc, char** argv) { return stallcast::testing::run_tests(argc, argv); }
