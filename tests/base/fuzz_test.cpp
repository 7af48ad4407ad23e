#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/expression.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::base {
namespace {

constexpr int kMutations = 20000;

/// Changes a few places of a text; the same seed gives the same texts.
class Mutator {
 public:
  std::string operator()(std::string text, std::string_view alphabet) {
    for (std::size_t left = 1 + below(6); left > 0; --left) {
      const std::size_t at = below(text.size() + 1);
      switch (below(5)) {
        case 0:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 1:
          text.erase(at, 1 + below(4));
          break;
        case 2:
          if (at < text.size()) text[at] = static_cast<char>(below(256));
          break;
        case 3:
          text.insert(at, text.substr(below(text.size() + 1), below(20)));
          break;
        default:
          text.resize(at);
      }
    }
    return text;
  }

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

 private:
  std::mt19937_64 random_{20240601};
};

}  // namespace

TEST_CASE("no mutation of a scenario makes the reader throw, and it always gives a reason") {
  const std::string text = R"({ // comment
  "id": "llama\u00e9", /* a */ "n": [1, -2.5e3, 0, true, null, ],
  "cluster": { "hosts": [ { "id": "gpu", "count": 64, "rate": "25 GB/s" } ] },
  "nested": [[[{"a": {"b": [{}]}}]]], "text": "\"\\\/\b\ud83d\ude00",
})";
  Mutator mutate;
  int accepted = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string mutated = mutate(text, "{}[]\",:/*\\tfn0123456789.eE+- \n#'");
    Diagnostics diags;
    JsonDocument document;
    REQUIRE_NOTHROW(document = parse_jsonc(mutated, "f", diags));
    if (diags.items().empty()) {
      ++accepted;
      // What the reader takes without a word is strict JSON once written.
      if (Json::parse(document.root.dump()) != document.root) FAIL("changed by a round trip");
    } else {
      for (const Diagnostic& d : diags.items())
        if (d.message.empty() || d.position.line < 1 || d.position.column < 1) FAIL(mutated);
    }
    REQUIRE_NOTHROW(locate(document, "/cluster/hosts/0/rate", PointAt::key));
  }
  CHECK(accepted > kMutations / 100);
}

TEST_CASE("no mutation of a quantity makes the reader throw, and it always gives a reason") {
  const std::vector<std::string> texts = {"25 GB/s", "400 Gbit/s", "4 MiB",     "200 ms", "95 %",
                                          "3 USD/h", "80 kops/s",  "1e3 EFLOP", "$120",   "70B"};
  Mutator mutate;
  for (int i = 0; i < kMutations; ++i) {
    const std::string mutated =
        mutate(texts[mutate.below(texts.size())], "0123456789.eE+-kKMGTPEiBbs/ %$_,nfan");
    const auto dimension = static_cast<Dimension>(mutate.below(14));
    ParsedQuantity got;
    REQUIRE_NOTHROW(got = parse_quantity(mutated, dimension));
    if (got.value.has_value() != got.message.empty()) FAIL(mutated);
  }
}

TEST_CASE("no mutation of an expression makes the evaluator throw") {
  Mutator mutate;
  for (int i = 0; i < kMutations; ++i) {
    const std::string mutated =
        mutate("ceil(n_ost * 8) / min(2, n - 1.5e2) + round(-n)", "()+-*/,. nminaxceil0123456789");
    ExpressionResult got;
    REQUIRE_NOTHROW(got = evaluate(mutated, {{"n", 2.0}, {"n_ost", 40.0}}));
    if (got.value.has_value() != got.message.empty()) FAIL(mutated);
  }
}

}  // namespace stallcast::base
