#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenarios/library/templates.hpp"
#include "tests/scenarios/support.hpp"

namespace library_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("every template loads without a remark and carries its summary") {
  REQUIRE(scenarios::templates().size() >= 75);
  for (const scenarios::Template& t : scenarios::templates()) {
    INFO(t.name);
    const auto loaded = load_text(std::string(t.text), std::string(t.name) + ".json");
    const Design design = design_of(loaded);
    CHECK(loaded.diagnostics().items().empty());
    CHECK(design.id == t.name);
    CHECK(t.summary.size() > 20);
    CHECK(t.summary.find('{') == std::string_view::npos);
    CHECK_FALSE(design.expect.empty());
    CHECK(t.text.find("\n// Source: ") != std::string_view::npos);
  }
}

TEST_CASE("templates are sorted, and are the files of the library") {
  const auto all = scenarios::templates();
  CHECK(std::is_sorted(all.begin(), all.end(),
                       [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const scenarios::Template& t : all) {
    std::ifstream in("scenarios/library/" + std::string(t.name) + ".json");
    std::stringstream text;
    text << in.rdbuf();
    CHECK(text.str() == t.text);
  }
}

}  // namespace library_test
