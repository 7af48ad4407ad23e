#include "models/storage/placement.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {

DrawnFiles::DrawnFiles(double each, double targets, std::uint64_t seed, const std::string& name)
    : draw_(seed, name, "placement"),
      load_(static_cast<std::size_t>(targets)),
      taken_(static_cast<std::size_t>(std::min(each, targets))) {}

double DrawnFiles::fullest(double files) {
  const std::size_t count = load_.size();
  for (; placed_ < files; ++placed_)
    for (std::size_t last = count - taken_; last < count; ++last) {
      // Floyd: what was drawn before makes way for the last that may be drawn.
      const std::size_t drawn = draw_.below(last + 1);
      Target& target = load_[load_[drawn].last == placed_ ? last : drawn];
      target.objects += 1.0;
      target.last = placed_;
      if (target.objects > static_cast<double>(reached_.size())) reached_.push_back(placed_);
    }
  const auto later = std::lower_bound(reached_.begin(), reached_.end(), files);
  return static_cast<double>(later - reached_.begin());
}

double Placement::fullest(double files, double each, double targets, std::uint64_t seed,
                          const std::string& name) const {
  if (in_turn_) return std::ceil(files * each / targets - 1e-9);
  return drawn_.try_emplace({each, targets, seed}, each, targets, seed, name)
      .first->second.fullest(files);
}

}  // namespace stallcast::models
