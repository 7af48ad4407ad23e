#include "models/bounds/kept_saves.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/accelerators.hpp"
#include "engine/base/design_values.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/contract/rows.hpp"

namespace stallcast::models {

KeptSaves kept_saves(const Design& design, const JobDesign& job) {
  KeptSaves out{.params = checkpoint_params(*job.checkpoint)};
  const CheckpointParams& p = out.params;
  out.tiers = {p.tiers.begin(), p.tiers.end()};
  out.tiers.insert(p.to);
  const Component& host = *design.find_host(job_params(job.job).hosts);
  const RankSpread spread{base::accelerators(design, job),
                          std::max(1.0, base::number_of(host, "count", 1.0))};
  const CheckpointLayout layout = checkpoint_layout(p, model_params(job.model), job_params(job.job),
                                                    spread.ranks, spread.most());
  out.state = p.stored(layout.size());
  out.files = layout.files();
  out.holders = layout.size() / layout.of_host(spread);
  out.interval =
      p.every ? *p.every : compute_of(design, job) * static_cast<double>(p.every_steps.value_or(1));
  return out;
}

// n = k + F, without the next one or retention one less    [docs/models/capacity.md, eq. 2]
double KeptSaves::count(const std::string& tier, bool next) const {
  const double kept =
      params.keep_last ? static_cast<double>(*params.keep_last) + (next ? 1.0 : 0.0) : 1.0;
  return kept + static_cast<double>(params.chain(drains(tier))) - 1.0;
}

// w + f (n - w), w = floor((n - 1) / F) + 1    [docs/models/capacity.md, eq. 2]
double KeptSaves::whole(const std::string& tier, bool next) const {
  const double saves = count(tier, next);
  const double whole =
      std::floor((saves - 1.0) / static_cast<double>(params.chain(drains(tier)))) + 1.0;
  return whole + params.incremental.in(unit::ratio) * (saves - whole);
}

// What stays of a job is there with all that comes later; what does not is gone then.
std::vector<ThereOf> there_at_one_time(const JobOrder& order,
                                       const std::vector<std::pair<Bytes, Bytes>>& saves) {
  const std::size_t jobs = saves.size();
  std::vector<double> weights;
  for (const auto& [stays, goes] : saves) weights.push_back(goes.in(unit::B));
  for (const auto& [stays, goes] : saves) weights.push_back(stays.in(unit::B));
  std::vector<ThereOf> out(jobs, {false, false});
  for (const std::size_t i : heaviest_at_one_time(weights, [&](std::size_t a, std::size_t b) {
         return a < jobs && order.before(a, b < jobs ? b : b - jobs);
       }))
    (i < jobs ? out[i].next : out[i - jobs].kept) = true;
  return out;
}

}  // namespace stallcast::models
