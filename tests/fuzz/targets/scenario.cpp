#include <algorithm>

#include "engine/decide/predict/estimate.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "fuzz/target.hpp"
#include "ui/app/form.hpp"
#include "ui/app/reference.hpp"
#include "ui/app/sweep_file.hpp"
#include "ui/app/values.hpp"

namespace stallcast::fuzz {
namespace {

constexpr std::size_t kMostVariants = 4, kMostPoints = 20;

/// All that is done with a scenario before anything is simulated.
void look_at(const Scenario& scenario, const ScenarioFile& source) {
  check_faults(scenario.diagnostics(), source.file);
  if (!scenario.ok()) {
    require(!scenario.failure().message.empty(), "a failure says why");
    return;
  }
  const Design& design = scenario.design();
  check_figures(predict::estimate(design).metrics);
  (void)client::form(scenario);
  (void)client::merged(scenario);

  const auto decoded = codec::decode_design(codec::encode(design));
  require(decoded.ok() && codec::design_hash(*decoded) == codec::design_hash(design),
          "a design is sent to the worker unchanged");

  const std::string all = client::resolved(design);
  Scenario again = Scenario::read({.file = "resolved.json", .text = all, .extend_files = false});
  for (const Diagnostic& d : again.diagnostics().items())
    require(d.severity != Severity::error, "a resolved design is a scenario: " + line_of(d));

  if (scenario.questions().sweep.axes.empty()) return;
  Diagnostics faults;
  (void)client::SweepFile::create("", {.source = source, .varied = {}, .most_points = kMostPoints},
                                  faults);
  check_faults(faults, source.file);
}

}  // namespace

void fuzz_scenario(std::string_view input) {
  ScenarioFile source{.file = "input.json", .text = std::string(input), .extend_files = false};
  const Scenario scenario = Scenario::read(source);
  look_at(scenario, source);
  if (!scenario.ok()) return;
  std::vector<std::string> variants(scenario.variants().begin(), scenario.variants().end());
  variants.resize(std::min(variants.size(), kMostVariants));
  for (const std::string& name : variants) {
    source.variant = name;
    look_at(Scenario::read(source), source);
  }
}

}  // namespace stallcast::fuzz
