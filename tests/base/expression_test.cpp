#include "engine/base/expression.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace stallcast::base {
namespace {

const std::map<std::string, double> kParameters = {{"n_ost", 40}, {"n", 3}, {"zero", 0}};

}  // namespace

TEST_CASE("expressions follow the usual precedence") {
  struct Row {
    std::string text;
    double value;
  };
  const std::vector<Row> rows = {
      {"n_ost", 40},
      {" n * 8 ", 24},
      {"2+3*4", 14},
      {"(2+3)*4", 20},
      {"10-4-3", 3},
      {"24/4/2", 3},
      {"-n+1", -2},
      {"2--3", 5},
      {"1.5e2", 150},
      {"min(n, 2, 7)", 2},
      {"max(n, n_ost / 8)", 5},
      {"ceil(n_ost / 7)", 6},
      {"floor(n/2) + round(2.5)", 4},
      {"zero / 4", 0},
      {"sqrt(n_ost * 10)", 20},
      {"exp(log(n)) - n", std::exp(std::log(3.0)) - 3.0},
      {"log2(8) + pow(n, 2)", 12},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const ExpressionResult got = evaluate(row.text, kParameters);
    CAPTURE(got.message);
    REQUIRE(got.value.has_value());
    CHECK(*got.value == row.value);
  }
}

TEST_CASE("wrong expressions say what is wrong") {
  struct Row {
    std::string text;
    std::string message;
    std::string hint;
  };
  const std::vector<Row> rows = {
      {"", "the expression is empty", "write for example \"=2 * n\""},
      {"n_osts", "unknown parameter \"n_osts\"", "did you mean \"n_ost\"?"},
      {"something", "unknown parameter \"something\"", "parameters are n, n_ost, zero"},
      {"ciel(n)", "unknown function \"ciel\"", "did you mean \"ceil\"?"},
      {"sin(n)", "unknown function \"sin\"", ""},
      {"ceil(1, 2)", "ceil takes one argument", ""},
      {"pow(2)", "pow takes two arguments", ""},
      {"sqrt(-1)", "the result of sqrt is not a number", ""},
      {"log(zero)", "the result of log is not a number", ""},
      {"1 / zero", "division by zero", "what stands behind the / must not become 0"},
      {"1e308 * 10", "the result is too large", ""},
      {"1e999", "number 1e999 is too large", ""},
      {"(1", "expected ')', found end", "each ( needs a )"},
      {"1 2", "unexpected '2' in the expression", "an operator is missing"},
      {"2 *", "expected a number, a parameter or '(', found end", ""},
      {"2n", "a number is followed by 'n'", "expressions have no units; write * between factors"},
      {"n ** 2", "expected a number, a parameter or '(', found '*'", ""},
      {"min()", "expected a number, a parameter or '(', found ')'", ""},
      {std::string("1\0", 2), std::string("unexpected '\0' in the expression", 32),
       "an operator is missing"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const ExpressionResult got = evaluate(row.text, kParameters);
    CHECK_FALSE(got.value.has_value());
    CHECK(got.message == row.message);
    if (row.text != "sin(n)") CHECK(got.hint == row.hint);
  }
}

TEST_CASE("the names of an expression are known also when it is wrong") {
  CHECK(evaluate("n + min(other, n_ost) * 2e3 +", kParameters).names ==
        std::set<std::string>{"n", "n_ost", "other"});
}

TEST_CASE("a deeply nested expression is an error, not a crash") {
  for (const char* piece : {"(", "-", "min(", "1+("}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += piece;
    CHECK(evaluate(text, {}).message == "the expression is nested too deeply");
  }
}

}  // namespace stallcast::base
