#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/runtime/run/simulate.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

namespace stallcast::run {

/// Results of simulations in a folder that processes share and that outlives them:
/// docs/adr/0045-results-that-outlive-a-process.md. One is found by the bytes of the simulator that
/// made it, the design and the seed; another simulator never sees it. What cannot be read is not
/// there, and what cannot be written is not kept.
class KeptResults {
 public:
  /// A folder is one of 256 by the first byte of a name, each of which holds no more than this for
  /// long: some 65,000 of 10 kB.
  static constexpr std::size_t kEach = 256;

  /// Makes the folder where it is missing; fails with bad_input where that cannot be. `worker`:
  /// path of the simulator. `each`: for tests.
  [[nodiscard]] static Result<KeptResults> open(const std::filesystem::path& folder,
                                                const std::string& worker,
                                                std::size_t each = kEach);

  [[nodiscard]] std::optional<RunResult> find(const EncodedDesign& design,
                                              std::uint64_t seed) const;
  /// Not of a design that reads files: they may be others the next time.
  void keep(const EncodedDesign& design, const RunResult& result) const;

 private:
  KeptResults(std::filesystem::path folder, std::string maker, std::size_t each)
      : folder_(std::move(folder)), maker_(std::move(maker)), each_(each) {}
  [[nodiscard]] std::filesystem::path path_of(const EncodedDesign& design,
                                              std::uint64_t seed) const;

  std::filesystem::path folder_;
  std::string maker_;  ///< hash of the simulator
  std::size_t each_;
};

/// The folder that $STALLCAST_RESULTS names; empty where it is unset or empty.
[[nodiscard]] std::filesystem::path folder_of_results();

}  // namespace stallcast::run
