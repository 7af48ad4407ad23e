#include "models/record/lane.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "models/record/recorder.hpp"

namespace stallcast::models {
namespace {

// Indexed by Phase.
constexpr std::array<std::string_view, kPhases> kWorking = {"decode", "open", "read", "exchange"};
constexpr std::array<std::string_view, kPhases> kWaiting = {
    "wait for cpu", "wait for metadata", "wait for data", "wait for communication"};

}  // namespace

void Lane::open(std::string_view name, std::int64_t number) {
  open_.push_back({recorder_.text(name), number, recorder_.context_.now()});
}

void Lane::open_since(Seconds began, std::string_view name, std::int64_t number) {
  const Seconds outer = open_.empty() ? last_ : std::max(last_, open_.back().began);
  open_.push_back({recorder_.text(name), number, std::max(began, outer)});
}

void Lane::note(std::string_view name, Seconds began, Seconds ended, ResourceIndex cause) {
  recorder_.add(*this, recorder_.text(name), -1, {began, ended}, false, cause);
}

void Lane::end(bool cut, ResourceIndex cause) {
  const Open open = open_.back();
  open_.pop_back();
  last_ = recorder_.context_.now();
  recorder_.add(*this, open.name, open.number, {open.began, last_}, cut, cause);
}

void Lane::close(ResourceIndex cause) {
  if (in_phase_) leave(kNoResource);
  if (!open_.empty()) end(false, cause);
}

void Lane::close(const WaitSplit& waited) {
  const Seconds all = waited.total();
  if (open_.empty() || in_phase_ || all <= Seconds{}) return close(waited.worst());
  const Open open = open_.back();
  open_.pop_back();
  last_ = recorder_.context_.now();
  std::array<std::size_t, kPhases> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return waited.by_phase[a] > waited.by_phase[b];
  });
  const Seconds span = last_ - open.began;
  Seconds from = open.began, waited_so_far;
  for (const std::size_t phase : order) {
    waited_so_far += waited.by_phase[phase];
    const Seconds to = open.began + span * (waited_so_far / all);
    const bool cores = phase == static_cast<std::size_t>(Phase::cpu);
    if (to > from)
      recorder_.add(*this, recorder_.text(kWaiting[phase]), open.number, {from, to}, false,
                    recorder_.worst(waited, cores));
    from = to;
  }
}

void Lane::close_all() {
  while (!open_.empty()) close();
}

void Lane::enter(Phase phase) {
  if (open_.empty()) return;
  open(kWorking[static_cast<std::size_t>(phase)]);
  phase_ = phase;
  in_phase_ = true;
}

void Lane::leave(ResourceIndex limited_by) {
  if (!in_phase_) return;
  in_phase_ = false;
  // Core time is known to be that of the cores: without it, a thread waited for its turn.
  if (phase_ == Phase::cpu && limited_by == kNoResource)
    open_.back().name = recorder_.text("wait for its turn");
  end(false, limited_by);
}

void enter_phase(Lane& lane, Phase phase) { lane.enter(phase); }
void leave_phase(Lane& lane, ResourceIndex limited_by) { lane.leave(limited_by); }

}  // namespace stallcast::models
