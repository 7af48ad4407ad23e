#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

/// Who asks storage for requests: of a whole run some come once, others as long as it goes on.
/// docs/models/cost.md, equation 6.
namespace stallcast::models {

/// What a job asks for: to find its files, for its steps, for saves, and to read one again.
enum class JobWork : std::size_t { start, steps, saves, restores };

/// Number of those who ask, in a design.
struct Asker {
  static constexpr std::size_t others = 0;  ///< tenants
  static constexpr std::size_t stages = 1;
  /// Job number `job` of the design.
  [[nodiscard]] static constexpr std::size_t of(std::size_t job, JobWork work) {
    return 2 + job * kWorks + static_cast<std::size_t>(work);
  }
  /// The job that `asker` is, when it does `work`.
  [[nodiscard]] static constexpr std::size_t at(std::size_t asker, JobWork work) {
    return of((asker - 2) / kWorks, work);
  }

 private:
  static constexpr std::size_t kWorks = 4;
};

/// Of one resource, requests by asker.
class RequestCount {
 public:
  void add(std::size_t asker, double count) {
    if (by_.size() <= asker) by_.resize(asker + 1);
    by_[asker] += count;
  }
  [[nodiscard]] double of(std::size_t asker) const { return asker < by_.size() ? by_[asker] : 0.0; }
  RequestCount& operator*=(double factor) {
    for (double& count : by_) count *= factor;
    return *this;
  }

 private:
  std::vector<double> by_;
};
/// By name of the resource that counts them: "storage.S.prefixes.get".
using RequestCounts = std::map<std::string, RequestCount>;

}  // namespace stallcast::models
