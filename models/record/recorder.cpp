#include "models/record/recorder.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/plant/plant.hpp"
#include "models/record/choose.hpp"

namespace stallcast::models {
namespace {

// A window that begins by a timer does so at its date, but for rounding.
constexpr double kRounded = 1.0 - 1e-12;
// Spans of all rank classes are kept until it is known which ones are shown: some 130 MB.
constexpr std::size_t kMostKept = std::size_t{1} << 21U;

}  // namespace

Recorder::Recorder(const TimelineRequest& request, sim::Context& context, Plant& plant)
    : request_(request),
      context_(context),
      plant_(plant),
      window_(Seconds::from(request.begin_s, unit::s)) {
  assert(request.bins > 0 && request.end_s > request.begin_s);
  if (request.begin_s <= 0.0) begin();
}

Lane& Recorder::lane(Timeline::Track track) {
  out_.tracks.push_back(std::move(track));
  return lanes_.emplace_back(*this, static_cast<std::uint32_t>(lanes_.size()));
}

Lane* Recorder::free_lane(const std::string& kind, const std::string& job, const std::string& name,
                          std::size_t most) {
  std::vector<Lane*>& mine = shared_[{kind, job, name}];
  for (Lane* lane : mine)
    if (lane->idle()) return lane;
  if (mine.size() >= most) return nullptr;
  Timeline::Track track;
  track.kind = kind;
  track.job = job;
  track.name = name + " " + std::to_string(mine.size() + 1);
  return mine.emplace_back(&lane(std::move(track)));
}

std::uint32_t Recorder::text(std::string_view text) {
  const auto found = texts_.find(text);
  if (found != texts_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(out_.texts.size());
  out_.texts.emplace_back(text);
  texts_.emplace(text, index);
  return index;
}

void Recorder::add(const Lane& lane, std::uint32_t name, std::int64_t number, Dates dates, bool cut,
                   ResourceIndex cause) {
  const auto [began, ended] = dates;
  const bool early = began < began_;
  if (!recording_ || ended <= std::max(began, began_)) return;
  out_.spans.push_back({.track = lane.track(),
                        .depth = static_cast<std::uint32_t>(lane.depth()),
                        .name = name,
                        .cause = cause == kNoResource ? -1
                                                      : static_cast<std::int32_t>(
                                                            text(plant_.resources().name(cause))),
                        .number = number,
                        .begin_s = (std::max(began, began_) + skipped_).in(unit::s),
                        .end_s = (ended + skipped_).in(unit::s),
                        .cut = cut || early});
  if (out_.spans.size() < kMostKept) return;
  full_ = true;
  context_.stop();
}

ResourceIndex Recorder::worst(const WaitSplit& waited, bool cores) const {
  WaitSplit kind;
  for (const auto& [resource, time] : waited.by_resource)
    if (plant_.resources().name(resource).ends_with(".cpu") == cores) kind.blame(time, resource);
  return kind.worst();
}

void Recorder::step_done(Seconds skipped) {
  if (skipped > skipped_)
    out_.repeats.push_back({.begin_s = (context_.now() + skipped_).in(unit::s),
                            .end_s = (context_.now() + skipped).in(unit::s)});
  skipped_ = skipped;
  if (!recording_ && context_.now() + skipped_ >= window_ * kRounded) begin();
}

void Recorder::begin() {
  recording_ = true;
  began_ = bin_began_ = context_.now();
  out_.begin_s = (began_ + skipped_).in(unit::s);
  out_.bin_s = (request_.end_s - out_.begin_s) / static_cast<double>(request_.bins);
  before_ = totals();
  context_.spawn(sample());
}

sim::Task<void> Recorder::sample() {
  for (std::uint64_t i = 0; i < request_.bins && out_.bin_s > 0.0; ++i) {
    const Seconds end = began_ + Seconds::from(out_.bin_s * static_cast<double>(i + 1), unit::s);
    co_await context_.sleep(std::max(Seconds{}, end - context_.now()));
    end_bin();
    context_.report_progress(static_cast<double>(i + 1) / static_cast<double>(request_.bins));
  }
  over_ = true;
  context_.stop();
}

Recorder::Totals Recorder::totals() const {
  const Seconds second = Seconds::from(1.0, unit::s);  // a rate over 1 s is a sum
  Totals out;
  for (const ResourceUse& use : plant_.report(context_, second))
    out[{use.name, "throughput"}] = {
        .unit = use.unit, .capacity = use.capacity, .sum = use.throughput};
  for (const auto& [name, waited] : plant_.queues(second)) {
    Total& total = out[{name, "queue"}];
    total.unit = "count";
    total.sum += waited;
  }
  return out;
}

void Recorder::end_bin() {
  const Seconds now = context_.now();
  if (!recording_ || now <= bin_began_) return;
  Totals sums = totals();
  for (const auto& [key, total] : sums) {
    const auto before = before_.find(key);
    const double more = total.sum - (before == before_.end() ? 0.0 : before->second.sum);
    Timeline::Counter& counter = counters_[key];
    counter.unit = total.unit;
    counter.capacity = std::max(counter.capacity, total.capacity);
    counter.values.resize(bins_);  // a resource that was not there before
    counter.values.push_back(std::max(0.0, more) / (now - bin_began_).in(unit::s));
  }
  ++bins_;
  bin_began_ = now;
  before_ = std::move(sums);
}

Timeline Recorder::take(std::uint64_t seed) {
  for (Lane& lane : lanes_)
    while (!lane.idle()) lane.end(true, kNoResource);
  end_bin();
  Timeline out = std::move(out_);
  out.seed = seed;
  out.end_s = (context_.now() + skipped_).in(unit::s);
  if (!recording_) out.begin_s = out.end_s;
  out.run_ended = !over_ && !full_;
  keep_chosen(request_, out);
  for (auto& [key, counter] : counters_) {
    if (std::all_of(counter.values.begin(), counter.values.end(),
                    [](double value) { return value == 0.0; }))
      continue;
    counter.resource = key.first;
    counter.what = key.second;
    counter.values.resize(bins_);
    out.counters.push_back(std::move(counter));
  }
  return out;
}

}  // namespace stallcast::models
