#include "calibration/observe/meetings.hpp"

#include <algorithm>

namespace stallcast::calibration {
namespace {

constexpr std::size_t kMostMeetings = std::size_t{4} << 20U;
/// Ranks are ready at different times by their waits, but for so much of these, and of a step: less
/// is how exactly a barrier ends.    [docs/reference/traces.md, dlio-output]
constexpr double kByWaits = 0.5, kAtOnce = 0.002;

}  // namespace

bool Meetings::add(const std::string& block, std::size_t number, Seconds ready, Seconds wait) {
  std::vector<Met>& steps = met_[block];
  if (number >= steps.size()) {
    const std::size_t more = number + 1 - steps.size();
    if (kept_ + more > kMostMeetings) return false;
    kept_ += more;
    steps.resize(number + 1);
  }
  Met& at = steps[number];
  ++at.ranks;
  at.sum += ready.in(unit::s);
  at.longest = std::max(at.longest, ready.in(unit::s));
  at.waits += wait.in(unit::s);
  at.longest_wait = std::max(at.longest_wait, wait.in(unit::s));
  return true;
}

void Meetings::tell(SecondsTally& steps) const {
  for (const auto& [block, all] : met_)
    for (const Met& at : all)
      for (std::uint32_t rank = 0; rank < at.ranks; ++rank)
        steps.add(Seconds::from(at.longest, unit::s));
}

std::optional<Seconds> Meetings::waited_for_others() const {
  double others = 0.0, apart = 0.0, total = 0.0, count = 0.0;
  for (const auto& [block, all] : met_)
    for (const Met& at : all) {
      others += at.ranks * at.longest - at.sum;
      apart += at.ranks * at.longest_wait - at.waits;
      total += at.ranks * at.longest;
      count += at.ranks;
    }
  if (others <= std::max(kByWaits * apart, kAtOnce * total)) return std::nullopt;
  return Seconds::from(others / count, unit::s);
}

}  // namespace stallcast::calibration
