#include <vector>

#include "fuzz/target.hpp"
#include "models/contract/replay_program.hpp"

namespace stallcast::fuzz {

void fuzz_replay_program(std::string_view input) {
  const InputFile file(input);
  const auto program = models::ReplayProgram::open(file.path());
  if (!program.ok()) return require(!program.failure().message.empty(), "a failure says why");
  std::vector<ReplayStep> steps(program->header().steps);
  (void)program->read(0, steps);
  (void)program->read(steps.size() + 1,
                      std::span(steps).first(std::min<std::size_t>(steps.size(), 1)));
  const auto placement = models::replay_placement(program->header(), 4, std::nullopt);
  require(placement.per_host > 0 && placement.hosts > 0, "a program has a place");
  const std::string text =
      R"({"cluster": {"hosts": [{"id": "gpu", "count": 2}]},
    "storage": [{"id": "scratch", "type": "lustre", "ost": {"count": 8}}],
    "tenants": [{"id": "job", "type": "replay", "on": "scratch", "hosts": "gpu", "program": ")" +
      file.path() + "\"}]}";
  const Scenario read = Scenario::read({.file = "input.json", .text = text});
  check_faults(read.diagnostics(), "input.json");
  if (read.ok()) simulate_briefly(read.design());
}

}  // namespace stallcast::fuzz
