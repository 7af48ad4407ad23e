#include <filesystem>

#include "engine/decide/check/baseline.hpp"
#include "fuzz/target.hpp"
#include "scenarios/questions/policy.hpp"
#include "stallcast/client.hpp"
#include "ui/app/sweep_file.hpp"

/// Files that go with a scenario.
namespace stallcast::fuzz {

void fuzz_policy(std::string_view input) {
  const InputFile file(input);
  const scenarios::LoadedPolicy policy = scenarios::load_policy(file.path());
  check_faults(policy.diagnostics, file.path());
  for (const scenarios::PolicyRule& rule : policy.rules)
    (void)scenarios::applies(rule, "mine", "designs/mine.json");
}

void fuzz_fio_job(std::string_view input) {
  const InputFile file(input);
  const std::string text = R"({"cluster": {"hosts": [{"id": "gpu", "count": 1}]},
    "storage": [{"id": "scratch", "type": "lustre", "ost": {"count": 8}}],
    "tenants": [{"id": "noise", "type": "fio", "on": "scratch", "hosts": "gpu", "job_file": ")" +
                           file.path() + R"("}], "run": {"duration": "10 s"}})";
  const Scenario read = Scenario::read({.file = "input.json", .text = text});
  check_faults(read.diagnostics(), file.path());
}

/// What is kept of a check, and what `run --format json` said.
void fuzz_result(std::string_view input) {
  const std::string text(input);
  const auto side = client::read_result(text, "input.json");
  require(side.ok() || !side.failure().message.empty(), "a failure says why");
  const auto baseline = check::Baseline::read(input, "input.json");
  if (!baseline.ok()) return require(!baseline.failure().message.empty(), "a failure says why");
  const auto again = check::Baseline::read(baseline->text(), "input.json");
  require(again.ok() && again->text() == baseline->text(), "a baseline reads back");
}

void fuzz_sweep_file(std::string_view input) {
  const InputFile file(input);
  const Result<client::SweepFile> sweep = client::SweepFile::open(file.path(), true);
  if (!sweep.ok()) return require(!sweep.failure().message.empty(), "a failure says why");
  Result<SweepReport> report = sweep->report();
  if (!report.ok()) return require(!report.failure().message.empty(), "a failure says why");
  (void)client::choose_columns(*report, {"*", "job.*:max"});
}

}  // namespace stallcast::fuzz
