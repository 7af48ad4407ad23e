#include "models/loading/grain.hpp"

#include <algorithm>
#include <cmath>

#include "models/contract/access.hpp"
#include "models/contract/replay_program.hpp"
#include "models/contract/rows.hpp"

namespace stallcast::models {
namespace {

/// Bound the events of a batch.
constexpr double kMostGroups = 8.0, kMostTurns = 32.0;

/// Whether each batch of `job` opens files.
bool opens_files(const JobDesign& job) {
  if (!job.dataset) return false;
  const auto batch = static_cast<double>(loader_params(*job.loader).batch);
  return sample_access(job).files * batch >= 1.0;
}

/// Files that a reader of `job` asks for together.
double files_together(const JobDesign& job) {
  const LoaderParams loader = loader_params(*job.loader);
  const bool shared = loader_row(job.loader->kind).policy(*job.loader).split_batch;
  const std::int64_t parts = shared && loader.workers > 0 ? kElements : kGroups;
  const double samples =
      std::max(1.0, static_cast<double>(loader.batch) / static_cast<double>(parts));
  return std::max(1.0, samples * sample_access(job).files);
}

}  // namespace

Grains::Grains(const Design& design, const JobOrder& order) : order_(order) {
  if (design.jobs.size() == 1 && design.tenants.empty()) return;
  for (std::size_t j = 0; j < design.jobs.size(); ++j) {
    const JobDesign& job = design.jobs[j];
    if (!opens_files(job)) continue;
    for (const DatasetParams::Place& place : dataset_params(*job.dataset).places())
      readers_[place.storage].emplace_back(files_together(job), j);
  }
  for (auto& [storage, readers] : readers_) std::sort(readers.begin(), readers.end());
  for (const Component& tenant : design.tenants)
    for (const std::string& storage : places_of(tenant)) readers_[storage].clear();
}

FinerGrain Grains::of(const JobDesign& job, const std::string& storage) const {
  const auto found = readers_.find(storage);
  if (found == readers_.end() || !opens_files(job)) return {};
  const double mine = files_together(job);
  double least = 0.0;  // of a tenant
  const std::size_t number = order_.number_of(job.job.id);
  for (const auto& [files, reader] : found->second)
    if (!order_.apart(number, reader)) {
      least = files;
      break;
    }
  const double ratio = mine / std::max(least, 1.0);
  const double groups = std::ceil(std::min(kMostGroups, ratio) - 1e-9);
  const double turns = least > 0.0 ? std::ceil(ratio / groups - 1e-9) : kMostTurns;
  return {static_cast<std::int64_t>(groups), std::min(kMostTurns, turns)};
}

}  // namespace stallcast::models
