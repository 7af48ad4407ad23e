#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace stallcast::models {

/// What makes a simulation cheaper for as long as it holds.
enum class Presumption {
  cores_suffice,   ///< nobody waits for a core    [docs/models/host.md, eq. 2]
  loaders_keep_up  ///< nobody waits for readers of equal samples    [docs/models/folding.md]
};

/// A simulation found that it does not hold.
struct Refuted final : std::exception {
  explicit Refuted(Presumption presumption) : which(presumption) {}
  [[nodiscard]] const char* what() const noexcept override { return "what was presumed fails"; }

  Presumption which;
};

/// What a simulation takes for granted. It ends with Refuted at the date at which that turns out
/// wrong, and is simulated anew without; up to there it is what it would have been.
struct Presumed {
  bool cores_suffice = false;
  bool loaders_keep_up = false;

  [[nodiscard]] static constexpr Presumed all() { return {true, true}; }
  [[nodiscard]] constexpr Presumed without(Presumption which) const {
    Presumed out = *this;
    (which == Presumption::cores_suffice ? out.cores_suffice : out.loaders_keep_up) = false;
    return out;
  }

  /// By the names of what is presumed.
  [[nodiscard]] static Presumed of(const std::vector<std::string>& names) {
    const auto has = [&names](std::string_view name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return {has("cores_suffice"), has("loaders_keep_up")};
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    if (cores_suffice) out.emplace_back("cores_suffice");
    if (loaders_keep_up) out.emplace_back("loaders_keep_up");
    return out;
  }
};

}  // namespace stallcast::models
