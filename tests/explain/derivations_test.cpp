#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "engine/base/quantity_text.hpp"
#include "engine/decide/explain/forms.hpp"
#include "stallcast/scenario.hpp"

/// The value, the sentence and the equation of every bound say the same.
namespace derivations_test {

using namespace stallcast;

namespace {

/// The designs of all scenarios of the library and their variants.
std::vector<Design> library() {
  std::vector<Design> out;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/library")) {
    if (entry.path().extension() != ".json") continue;
    const Scenario base = Scenario::read({.file = entry.path().string()});
    if (base.ok()) out.push_back(base.design());
    for (const std::string& variant : base.variants()) {
      const Scenario with = Scenario::read({.file = entry.path().string(), .variant = variant});
      if (with.ok()) out.push_back(with.design());
    }
  }
  return out;
}

/// Counts may be given to two decimals; two sentences say only what is divided.
bool says(const std::string& sentence, const models::Derivation& d) {
  if (d.name.ends_with(".failures.mount") || d.name.ends_with(".gpu_hour")) return true;
  for (const std::string& text : {base::print_quantity(d.value, d.dimension),
                                  base::shortest(std::round(d.value * 100.0) / 100.0)})
    if (sentence.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("every bound is what its equation gives, and what its sentence says") {
  int equations = 0;
  for (const Design& design : library()) {
    explain::Forms forms(design);
    for (const models::Derivation& d : forms.bounds().derivations) {
      INFO(design.id << ": " << d.name << ": " << d.formula << ": " << d.rule.equation);
      CHECK(says(d.formula, d));
      if (d.rule.equation.empty()) continue;
      ++equations;
      const auto value = explain::evaluated(forms.tree(d.name));
      REQUIRE(value);
      CHECK(*value == Approx(d.value).epsilon(1e-9));
    }
  }
  CHECK(equations > 500);
}

}  // namespace derivations_test
