#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/base/random.hpp"
#include "models/contract/storage_requests.hpp"
#include "stallcast/units.hpp"

/// First bytes and answers of an object store. docs/models/s3.md, eq. 2.
namespace stallcast::models {

/// Delays of one client: those of an object follow each other on each of its connections, and the
/// next object begins when the last of them has ended.
struct S3Chain {
  double files = 1.0;   ///< objects one after the other, or the part of one
  double turns = 1.0;   ///< of one object, one after the other
  double chains = 1.0;  ///< connections of one object, side by side

  [[nodiscard]] double all_turns() const { return files * turns; }
};

/// Lognormal delays, over their median.
class S3Delays {
 public:
  /// `spread`: the 99th percentile over the median; ln(p99 / median) = 2.326 sigma.
  explicit S3Delays(double spread) {
    constexpr double kQuantile99 = 2.3263478740408408;  // of a standard normal variable
    const double sigma = std::log(spread) / kQuantile99;
    mean_ = std::exp(sigma * sigma / 2.0);
    cv_ = std::sqrt(std::expm1(sigma * sigma));
    one_turn_ = base::LognormalSpread(cv_);
  }

  [[nodiscard]] double mean(const S3Chain& of) {
    return mean_ * of.all_turns() * (in_rows(of) ? largest(of).mean : 1.0);
  }

  /// The longest of so many `members`. A sum of lognormals is taken as lognormal with the mean and
  /// variance of the sum: of turns, and of objects whose longest connection is one of `chains`.
  [[nodiscard]] double draw(const S3Chain& of, double members, base::RandomStream& random) {
    const double turns = of.all_turns();
    if (in_rows(of)) {
      const base::LargestOfLognormals& each = largest(of);
      return random.lognormal_max(mean_ * turns * each.mean, each.cv / std::sqrt(of.files),
                                  members);
    }
    const double chains = of.chains * members;
    return turns <= 1.0 ? random.lognormal_max(mean_ * turns, one_turn_, chains)
                        : random.lognormal_max(mean_ * turns, cv_ / std::sqrt(turns), chains);
  }

  /// Of what is asked for only the sum `delay` was drawn. Each is lognormal, and so is their mean:
  /// then what one is of that mean is, too, by the variance between both.
  [[nodiscard]] Tail tail(Seconds delay, const S3Chain& of) const {
    if (of.files <= 1.0 || cv_ == 0.0) return {};
    const auto variance = [&](double n) { return std::log1p(cv_ * cv_ / std::max(n, 1.0)); };
    return {.mean = delay / of.files,
            .of = of.chains,
            .sigma = std::sqrt(variance(of.turns) - variance(of.all_turns()))};
  }

 private:
  [[nodiscard]] bool in_rows(const S3Chain& of) const {
    return of.chains > 1.0 && of.files > 1.0 && cv_ > 0.0;
  }
  const base::LargestOfLognormals& largest(const S3Chain& of) {
    const auto [at, is_new] = largest_.try_emplace({of.turns, of.chains});
    if (is_new)
      at->second = base::largest_of_lognormals(cv_ / std::sqrt(std::max(of.turns, 1.0)), of.chains);
    return at->second;
  }

  double mean_ = 1.0, cv_ = 0.0;
  base::LognormalSpread one_turn_{0.0};
  std::map<std::pair<double, double>, base::LargestOfLognormals> largest_;  // by turns, chains
};

}  // namespace stallcast::models
