#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/random.hpp"

namespace stallcast::models {

/// Files that are placed one after the other, each on `each` of the `targets`, all sets of them
/// equally likely; `seed` and `name` decide the draws. docs/models/storage.md, eq. 6.
class DrawnFiles {
 public:
  DrawnFiles(double each, double targets, std::uint64_t seed, const std::string& name);
  /// Objects on the fullest target when there are so many files. Each is drawn once, however often
  /// this is asked.
  [[nodiscard]] double fullest(double files);

 private:
  struct Target {
    double objects = 0.0, last = -1.0;  ///< and the file of the last of them
  };
  base::RandomStream draw_;
  std::vector<Target> load_;
  std::size_t taken_;
  double placed_ = 0.0;          ///< files
  std::vector<double> reached_;  ///< the file that is one object more on the fullest target
};

/// How a storage system places new files: "round-robin" (in turn) or "random".
class Placement {
 public:
  Placement(std::string_view how) : in_turn_(how == "round-robin") {}
  Placement(const char* how) : Placement(std::string_view(how)) {}
  Placement(const std::string& how) : Placement(std::string_view(how)) {}
  /// Objects on the fullest of `targets` when each of `files` has `each`.
  [[nodiscard]] double fullest(double files, double each, double targets, std::uint64_t seed,
                               const std::string& name) const;

 private:
  bool in_turn_;
  /// What was drawn so far, of one storage system: saves that begin one after the other ask for
  /// ever more files.
  mutable std::map<std::tuple<double, double, std::uint64_t>, DrawnFiles> drawn_;
};

}  // namespace stallcast::models
