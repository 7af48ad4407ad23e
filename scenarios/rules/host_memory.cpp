#include <algorithm>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/contract/host.hpp"
#include "models/contract/rows.hpp"
#include "models/loading/cache_plan.hpp"
#include "scenarios/rules/support.hpp"

/// What a job keeps in the memory of a host. docs/models/host.md.
namespace stallcast::scenarios {
namespace {

std::string print(Bytes bytes) { return base::print_quantity(bytes.in(unit::B), Dimension::bytes); }

// Of a save that is written from a copy of all of it: one that streams has pieces alone. Where
// training waits for saves, there is one copy at a time; it does, too, where more do not fit.
// [docs/models/checkpoint.md, eq. 2 and 5]
Bytes snapshots(const JobDesign& job, const models::RankSpread& spread, Bytes memory) {
  if (!job.checkpoint) return {};
  models::CheckpointParams p = models::checkpoint_params(*job.checkpoint);
  const models::CheckpointLayout layout = models::checkpoint_layout(
      p, models::model_params(job.model), models::job_params(job.job), spread.ranks, spread.most());
  if (models::synchronous(*job.checkpoint, layout, spread, memory)) {
    if (p.streams() || p.gds || p.snapshot == "none") return {};
    p.buffers = 1;
    p.snapshot_first = false;
  }
  return models::staged_per_host(p, layout.of_host(spread), layout.size());
}

}  // namespace

void check_host_memory(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component* component = host_of(design, job);
  const double ranks = accelerators(design, job);
  if (component == nullptr || ranks <= 0.0 || !complete(models::Role::host, *component)) return;
  const models::HostParams host = models::host_params(*component);
  const models::RankSpread spread{ranks, std::max(1.0, number(*component, "count", 1.0))};
  const models::cache::TrainingMemory training = models::cache::training_memory(
      job, host, spread.most(), job.dataset ? readers_of_host(design, job) : 0.0);
  const Bytes held = snapshots(job, spread, host.memory);
  const Bytes all = host.memory_reserved + training.processes + training.batches + held;
  if (all <= host.memory) return;
  std::string parts =
      print(host.memory_reserved) + " reserved, " + print(training.processes) + " of its processes";
  if (training.batches > Bytes{}) parts += ", " + print(training.batches) + " of batches";
  if (held > Bytes{}) parts += ", " + print(held) + " of the state that it saves";
  report.warn("rule", pointer_of(*component, "memory.size"),
              "a host of job \"" + job.job.id + "\" needs " + print(all) + " of memory and has " +
                  print(host.memory) + ": " + parts,
              "its processes would be killed: more memory, fewer or smaller processes "
              "(\"memory\": { \"process\": ... }), fewer batches, or saves that stream");
}

}  // namespace stallcast::scenarios
