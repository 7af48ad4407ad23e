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

/// Whether each batch of `job` opens files there.
bool opens_on(const JobDesign& job, const std::string& storage) {
  if (!job.dataset) return false;
  const DatasetParams dataset = dataset_params(*job.dataset);
  const auto batch = static_cast<double>(loader_params(*job.loader).batch);
  return (dataset.on == storage || dataset.also == storage) &&
         sample_access(job).files * batch >= 1.0;
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

FinerGrain finer_grain(const Design& design, const JobDesign& job, const std::string& storage,
                       const JobOrder& order) {
  const bool alone = design.jobs.size() == 1 && design.tenants.empty();
  if (alone || !opens_on(job, storage)) return {};
  const double mine = files_together(job);
  const std::size_t number = order.number_of(job.job.id);
  double least = mine;
  for (std::size_t j = 0; j < design.jobs.size(); ++j)
    if (!order.apart(number, j) && opens_on(design.jobs[j], storage))
      least = std::min(least, files_together(design.jobs[j]));
  for (const Component& tenant : design.tenants) {
    const std::vector<std::string> places = places_of(tenant);
    if (std::find(places.begin(), places.end(), storage) != places.end()) least = 0.0;
  }
  const double ratio = mine / std::max(least, 1.0);
  const double groups = std::ceil(std::min(kMostGroups, ratio) - 1e-9);
  const double turns = least > 0.0 ? std::ceil(ratio / groups - 1e-9) : kMostTurns;
  return {static_cast<std::int64_t>(groups), std::min(kMostTurns, turns)};
}

}  // namespace stallcast::models
