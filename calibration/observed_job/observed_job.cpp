#include "calibration/observed_job/observed_job.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration {
namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string off_text(const CheckedFigure& figure) {
  const double off = figure.off();
  const std::string sign = off < 0.0 ? "-" : "+";
  if (figure.seen.dimension == Dimension::ratio) {
    const std::string points = base::percent(std::abs(off), 1);
    return sign + points.substr(0, points.find(' ')) + " points";
  }
  return sign + base::percent(std::abs(off), 1);
}

/// A factor on the compute that was seen, from which on it is said aloud: e^0.2.
constexpr double kMuch = 0.2;

/// Steps that are so much longer or shorter, as a share, are said aloud.
constexpr double kFarOff = 0.1;

std::string steps_off(const CheckedFigure& step) {
  return "steps simulated from this scenario take " +
         base::print_quantity(step.simulated, step.seen.dimension) + ", and " +
         base::print_quantity(step.seen.value, step.seen.dimension) + " were seen (" +
         off_text(step) +
         "): the job waits otherwise than the scenario does, and its intervals are as wide";
}

/// Saves whose bytes were not seen are in no scenario: nor is their time in what its steps are
/// compared with. What to say of them; "" where there are none.
std::string leave_out_saves(JobFacts& facts) {
  if (!facts.saves || facts.saves->size) return "";
  const Seconds without = facts.step - facts.saving;
  if (without > Seconds{}) {
    const double share = facts.step / without;
    if (!facts.others) facts.step_error *= share;
    facts.wait_error *= share;
    facts.step = without;
  }
  facts.saving = {};
  const SaveFacts& saves = *facts.saves;
  std::string out = base::counted(static_cast<std::int64_t>(saves.count), "saves");
  if (saves.time.mean > 0.0) out += " of " + base::print_quantity(saves.time.mean, Dimension::time);
  return out + (saves.count == 1 ? " is" : " are") +
         " left out, and no part of the steps here: their bytes were not seen; state "
         "checkpoint.size and what else is known of them";
}

std::string compute_moved(const JobFacts& facts, double factor) {
  return "compute is written as " + base::significant(factor, 3) + " times the " +
         base::print_quantity(facts.compute.mean, Dimension::time) +
         " that was seen, so that steps are as long as they were: ranks end them together, and "
         "what "
         "they wait for each other's data is in what was seen; where it is not, state the compute "
         "that you know";
}

}  // namespace

Result<JobImport> import_job(const Observation& observation, const JobImportOptions& options) {
  JobFacts facts = facts_of(observation);
  JobWriting how;
  how.id = options.id;
  how.profile = options.profile_file;
  JobImport out;
  if (std::string left_out = leave_out_saves(facts); !left_out.empty()) {
    facts.remarks.push_back(left_out);
    out.warnings.push_back(std::move(left_out));
  }
  FreeCosts costs = guess(observation, facts);
  if (facts.unexplained > Seconds{}) out.warnings.push_back(waits_in_compute(facts));
  if (options.simulate) {
    std::size_t simulations = 0;
    Result<FreeCosts> solved =
        solve(observation, facts, costs, how, options.profile, options.simulate, simulations);
    if (!solved.ok()) return solved.failure();
    costs = *solved;
    if (std::abs(std::log(costs.compute)) > kMuch)
      out.warnings.push_back(compute_moved(facts, costs.compute));
    Result<SelfCheck> check =
        check_job(observation, facts, costs, how, options.profile, options.simulate);
    if (!check.ok()) return check.failure();
    check->simulations = simulations + 1;
    how.discrepancy = check->discrepancy;
    for (const CheckedFigure& figure : check->figures)
      if (figure.seen.what == JobFigure::What::step && std::abs(figure.off()) > kFarOff)
        out.warnings.push_back(steps_off(figure));
    how.checked.emplace_back("Observed, and simulated from this file:");
    for (const CheckedFigure& figure : check->figures)
      how.checked.push_back("- " + figure.seen.label + ": " +
                            base::print_quantity(figure.seen.value, figure.seen.dimension) + ", " +
                            base::print_quantity(figure.simulated, figure.seen.dimension) + " (" +
                            off_text(figure) + ")");
    out.check = std::move(*check);
  }
  WrittenJob written = write_job(observation, facts, costs, how);
  out.scenario = commented_json(written.json, written.comments);
  out.fields = std::move(written.fields);
  return out;
}

std::string print_check(const SelfCheck& check) {
  std::string out = padded("observed", 28) + padded("simulated", 13) + padded("off by", 14) + "\n";
  for (const CheckedFigure& figure : check.figures) {
    std::string label = figure.seen.label;
    label.resize(std::max<std::size_t>(label.size(), 15), ' ');
    out += label + padded(base::print_quantity(figure.seen.value, figure.seen.dimension), 13) +
           padded(base::print_quantity(figure.simulated, figure.seen.dimension), 13) +
           padded(off_text(figure), 14) + "\n";
  }
  return out;
}

}  // namespace stallcast::calibration
