#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "engine/sim/ledger.hpp"
#include "models/contract/flat_map.hpp"
#include "models/contract/resources.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// What a loader worker is doing; a rank that waits for its batch waits for this. Communication is
/// what ranks wait for together, at the end of a step.
enum class Phase : std::size_t { cpu, metadata, data, communication };
inline constexpr std::size_t kPhases = 4;

/// Time by cause and by resource.
struct WaitSplit {
  std::array<Seconds, kPhases> by_phase{};  ///< indexed by Phase
  FlatMap<ResourceIndex, Seconds> by_resource;

  [[nodiscard]] Seconds total() const {
    Seconds sum;
    for (const Seconds time : by_phase) sum += time;
    return sum;
  }
  void add(Phase phase, Seconds time, ResourceIndex resource) {
    by_phase[static_cast<std::size_t>(phase)] += time;
    if (resource != kNoResource) by_resource[resource] += time;
  }
  /// The time between two dates, of so many, in which `resource` was waited for: what of it was an
  /// outage of its storage, or of `storage`, was waited for that.
  void add(Phase phase, Seconds from, Seconds to, ResourceIndex resource,
           const ResourceTable& resources, double times = 1.0, std::string_view storage = {}) {
    const ResourceTable::Outage outage = resources.outage_of(resource, from, to, storage);
    add(phase, (to - from - outage.time) * times, resource);
    if (outage.time > Seconds{}) add(phase, outage.time * times, outage.by);
  }
  /// Time lost by a resource that is in no phase: slow compute.
  void blame(Seconds time, ResourceIndex resource) { by_resource[resource] += time; }
  WaitSplit& operator+=(const WaitSplit& other) {
    for (std::size_t i = 0; i < by_phase.size(); ++i) by_phase[i] += other.by_phase[i];
    for (const auto& [resource, time] : other.by_resource) by_resource[resource] += time;
    return *this;
  }
  WaitSplit& operator*=(double times) {
    for (Seconds& time : by_phase) time = time * times;
    for (auto& [resource, time] : by_resource) time = time * times;
    return *this;
  }
  void clear() {
    by_phase = {};
    by_resource.clear();
  }
  void describe(sim::Ledger& ledger) {
    for (Seconds& time : by_phase) ledger.count(time);
    for (auto& [resource, time] : by_resource) ledger.count(time);
  }
  /// The resource most of the time went to; kNoResource when none is known.
  [[nodiscard]] ResourceIndex worst() const {
    ResourceIndex out = kNoResource;
    Seconds most;
    for (const auto& [resource, time] : by_resource)
      if (time > most) out = resource, most = time;
    return out;
  }
  /// The longest of several that ran at the same time: it is what was waited for.
  [[nodiscard]] static WaitSplit longest(std::span<const WaitSplit> splits) {
    return *std::max_element(
        splits.begin(), splits.end(),
        [](const WaitSplit& a, const WaitSplit& b) { return a.total() < b.total(); });
  }
  /// What came since `earlier`, scaled so that it totals `wait`.
  [[nodiscard]] WaitSplit since(const WaitSplit& earlier, Seconds wait) const;
};

class Lane;
// Of record/lane.hpp, for one that records.
void enter_phase(Lane& lane, Phase phase);
void leave_phase(Lane& lane, ResourceIndex limited_by);

/// Sums how one worker's time goes, phase by phase.
class PhaseClock {
 public:
  /// Outages are told from what `resources` name; without, they are in the time of what was down.
  explicit PhaseClock(const ResourceTable* resources = nullptr) : resources_(resources) {}
  /// From now on `lane` receives events, too.
  void record(Lane& lane) { lane_ = &lane; }
  /// From `now` on the worker is in `phase`; `ended` limited the phase that ends.
  void enter(Phase phase, Seconds now, ResourceIndex ended = kNoResource) {
    rest(now, ended);
    begin(phase);
  }
  /// The same, where what ends was waiting for others who did `parts`.
  void enter(Phase phase, Seconds now, const WaitSplit& parts) {
    const Seconds waited = now - since_;
    if (!resting_ && waited > Seconds{} && parts.total() > Seconds{}) {
      lap_ += parts.since({}, waited);
      if (lane_ != nullptr) leave_phase(*lane_, parts.worst());
      resting_ = true;
    }
    rest(now);
    begin(phase);
  }
  /// Of the phase that runs, so much was another.
  void apart(Phase phase, Seconds time, ResourceIndex limited_by) {
    if (resources_ != nullptr)
      lap_.add(phase, since_, since_ + time, limited_by, *resources_);
    else
      lap_.add(phase, time, limited_by);
    since_ += time;
  }
  /// From `now` on the worker has nothing to do, which counts as no phase.
  void rest(Seconds now, ResourceIndex ended = kNoResource) {
    const bool passed = !resting_ && (now > since_ || ended != kNoResource);
    if (passed && resources_ != nullptr)
      lap_.add(phase_, since_, now, ended, *resources_);
    else if (passed)
      lap_.add(phase_, now - since_, ended);
    if (lane_ != nullptr) leave_phase(*lane_, ended);
    since_ = now;
    resting_ = true;
  }
  /// From `date` on, which may be to come, the worker has nothing to do, and what comes is another
  /// lap: of this one `took` tells.
  void lap(Seconds date, WaitSplit& took) {
    rest(date);
    took = lap_;
    lap_.clear();
  }
  /// This lap up to `now`, the running phase included (its resource is not known yet).
  [[nodiscard]] WaitSplit read(Seconds now) const {
    WaitSplit out = lap_;
    if (!resting_) out.add(phase_, now - since_, kNoResource);
    return out;
  }

 private:
  void begin(Phase phase) {
    phase_ = phase;
    resting_ = false;
    if (lane_ != nullptr) enter_phase(*lane_, phase);
  }
  WaitSplit lap_;
  Phase phase_ = Phase::cpu;
  Seconds since_;
  bool resting_ = true;
  Lane* lane_ = nullptr;
  const ResourceTable* resources_;
};

inline WaitSplit WaitSplit::since(const WaitSplit& earlier, Seconds wait) const {
  WaitSplit out;
  const Seconds all = total() - earlier.total();
  if (all <= Seconds{}) {
    out.add(Phase::data, wait, kNoResource);
    return out;
  }
  for (std::size_t i = 0; i < by_phase.size(); ++i)
    out.by_phase[i] = (by_phase[i] - earlier.by_phase[i]) * (wait / all);
  Seconds known;
  for (const auto& [resource, time] : by_resource) {
    const auto before = earlier.by_resource.find(resource);
    const Seconds more = before == earlier.by_resource.end() ? time : time - before->second;
    if (more > Seconds{}) out.by_resource[resource] = more, known += more;
  }
  for (auto& [resource, time] : out.by_resource) time *= wait / known;
  return out;
}

}  // namespace stallcast::models
