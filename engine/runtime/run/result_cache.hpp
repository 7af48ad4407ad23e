#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "stallcast/prediction.hpp"

namespace stallcast::run {

/// Results of simulations by design hash and seed. The same design and seed give the same result in
/// one version of the program, and the values a calibration profile fitted are part of the design;
/// so what is found here is what would be simulated again. It lives in memory, never on disk:
/// another version never sees it. Forgets what was asked for longest ago.
class ResultCache {
 public:
  /// `capacity` results are kept; one of a usual design takes some 10 kB.
  explicit ResultCache(std::size_t capacity) : capacity_(capacity) {}

  [[nodiscard]] std::optional<RunResult> find(const std::string& design_hash, std::uint64_t seed);
  void keep(const std::string& design_hash, const RunResult& result);
  [[nodiscard]] std::size_t size() const { return places_.size(); }

 private:
  using Key = std::pair<std::string, std::uint64_t>;
  struct Entry {
    Key key;
    RunResult result;
  };
  std::size_t capacity_;
  std::list<Entry> entries_;  ///< the latest use first
  std::map<Key, std::list<Entry>::iterator> places_;
};

}  // namespace stallcast::run
