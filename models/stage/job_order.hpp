#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "stallcast/design.hpp"

/// Which jobs run at one time. docs/models/stages.md, eq. 6.
namespace stallcast::models {

/// Of so many things, numbers of those that are there at one time and weigh most in all, in order;
/// without any that weighs nothing. `gone(i, j)`: i is no more when j comes; a partial order.
[[nodiscard]] std::vector<std::size_t> heaviest_at_one_time(
    const std::vector<double>& weights, const std::function<bool(std::size_t, std::size_t)>& gone);

/// Jobs of a design by their numbers in it, and which of them begin when others have ended.
class JobOrder {
 public:
  /// Nothing follows anything where its stages are at fault. REQUIRES: all components are complete.
  explicit JobOrder(const Design& design);

  /// REQUIRES: there is such a job.
  [[nodiscard]] std::size_t number_of(const std::string& job) const;
  /// Whether `first` has ended when `then` begins, by whatever way.
  [[nodiscard]] bool before(std::size_t first, std::size_t then) const {
    return !before_.empty() && before_[then][first];
  }
  [[nodiscard]] bool apart(std::size_t a, std::size_t b) const {
    return before(a, b) || before(b, a);
  }
  /// Of jobs of which none follows another, those that together weigh most; with them all that
  /// follow none and are followed by none.
  [[nodiscard]] std::vector<std::size_t> at_one_time(const std::vector<double>& weights) const;
  /// What they weigh.
  [[nodiscard]] double most_at_one_time(const std::vector<double>& weights) const;
  /// Those that may run beside `job`, and weigh most together, and the job itself.
  [[nodiscard]] std::vector<std::size_t> beside(std::size_t job, std::vector<double> weights) const;

 private:
  std::vector<std::string> ids_;
  std::vector<std::vector<bool>> before_;  ///< [then][first]; empty: nothing follows anything
  std::vector<bool> alone_;                ///< follows none and is followed by none
};

}  // namespace stallcast::models
