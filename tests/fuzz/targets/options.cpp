#include "fuzz/target.hpp"
#include "scenarios/questions/growth_reader.hpp"
#include "scenarios/questions/plan_reader.hpp"
#include "scenarios/questions/sweep_reader.hpp"
#include "ui/app/values.hpp"

namespace stallcast::fuzz {
namespace {

constexpr std::size_t kMostLines = 8;

}  // namespace

/// A line each: "s" and what `--set` takes, "v" --vary, "o" --over, "u" --unit, "g" --of, "m"
/// --mode, "t"
/// --until, "p" a path that is looked up.
void fuzz_options(std::string_view input) {
  const Scenario& known = known_scenario();
  ScenarioFile file{.file = "known.json", .text = known.text(), .extend_files = false};
  SweepSpec sweep;
  PlanSpec plan;
  GrowthSpec growth;
  std::vector<std::string> paths;
  std::vector<Change> changes;
  Diagnostics faults;
  for (std::size_t n = 0; !input.empty() && n < kMostLines; ++n) {
    const auto [line, rest] = first_line(input);
    input = rest;
    if (line.empty()) continue;
    const std::string option(line.substr(1));
    switch (line.front()) {
      case 's':
        file.sets.push_back(option);
        if (const Result<Change> change = parse_change(option); change.ok()) {
          require(parse_change(text_of(*change)).ok(), "a change reads back: " + text_of(*change));
          changes.push_back(*change);
        }
        break;
      case 'v':
        scenarios::add_vary(option, sweep, faults);
        break;
      case 'o':
        scenarios::add_over(option, known.parameters(), plan, faults);
        break;
      case 'u':
        scenarios::add_unit(option, known.parameters(), plan, faults);
        break;
      case 'g':
        scenarios::add_trend(option, known.parameters(), growth, faults);
        break;
      case 'm':
        (void)scenarios::set_mode(option, sweep);
        break;
      case 't':
        (void)scenarios::months_of(option);
        break;
      default:
        paths.push_back(option);
    }
  }
  check_faults(faults, "");
  const Scenario read = Scenario::read(file);
  check_faults(read.diagnostics(), file.file);
  const Scenario changed = known.with(changes);
  check_faults(changed.diagnostics(), file.file);
  if (read.ok()) (void)client::values(read, paths);
}

}  // namespace stallcast::fuzz
