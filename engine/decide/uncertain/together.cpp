#include "engine/decide/uncertain/together.hpp"

#include <algorithm>
#include <utility>

#include "engine/decide/uncertain/discrepancy.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {

SharedSource shared_source(const std::string& metric, const Design& design) {
  const metric::Better better = metric::better(metric);
  // More of what GPUs do takes more power, and is better all the same.
  if (metric == metric::kMeanPower) return {source_of(metric, design), true};
  if (metric::parse(metric).figure.starts_with("lasting.")) return {source_of(metric, design)};
  // Of what is neither, nothing says which way it goes with others.
  if (better == metric::Better::neither) return {metric};
  const std::string source = source_of(metric, design);
  const bool falls = metric::better(source) == metric::Better::lower;
  return {source, (better == metric::Better::lower) == falls};
}

void HeldTogether::add(const SharedSource& source, std::vector<Held> by_luck) {
  if (!source.rises) {
    std::reverse(by_luck.begin(), by_luck.end());
    for (Held& one : by_luck) one = one.turned();
  }
  std::vector<Held>& all = held_[source.name];
  if (all.size() < by_luck.size()) {
    const std::vector<Held> before = std::exchange(all, std::vector<Held>(by_luck.size()));
    for (std::size_t k = 0; !before.empty() && k < all.size(); ++k)
      all[k] = before[k * before.size() / all.size()];
  }
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = all[k].both(by_luck[k * by_luck.size() / all.size()]);
}

double HeldTogether::share() const {
  double out = 1.0;
  for (const auto& [source, all] : held_) {
    double sum = 0.0;
    for (const Held& one : all) sum += one.share();
    out *= sum / static_cast<double>(all.size());
  }
  return out;
}

}  // namespace stallcast::uncertain
