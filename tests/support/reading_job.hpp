#pragma once

#include "tests/support/designs.hpp"

/// Jobs that keep storage busy, for tests of when things happen.
namespace stallcast::testing {

/// `small_design` whose 32 ranks read 2 samples of `sample` a step with `workers` each.
inline Design reading_job(const char* sample, const char* workers, const char* steps) {
  using models::Role;
  Design design = small_design();
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", sample}, {"samples", "1e9"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "2"}, {"workers", workers}});
  set(job.job, Role::job, "steps", steps);
  set(job.job, Role::job, "epochs", "1");
  design.run.values.erase("duration");
  return design;
}

/// Saves of 64 GB to the storage, by `kind`.
inline void save(Design& design, const char* kind, Settings settings) {
  using models::Role;
  design.jobs[0].checkpoint =
      component(Role::checkpoint, kind, "checkpoint", {{"to", "scratch"}, {"size", "64 GB"}});
  for (const auto& [key, text] : settings)
    set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
}

}  // namespace stallcast::testing
