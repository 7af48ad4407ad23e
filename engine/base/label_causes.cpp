#include <algorithm>
#include <array>
#include <utility>

#include "stallcast/label.hpp"

/// What causes of lost time are called.
namespace stallcast::label {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kCauses = {
    {{"compute", "compute"},
     {"communication", "communication"},
     {"data", "waiting for data"},
     {"metadata", "waiting for metadata"},
     {"cpu", "waiting for CPU cores"},
     {"checkpoint", "saving checkpoints"},
     {"restart", "lost work and restarts"},
     {"sync", "waiting for the slowest rank"}}};

}  // namespace

std::string_view of_cause(std::string_view cause) {
  const auto row = std::find_if(kCauses.begin(), kCauses.end(),
                                [&](const auto& known) { return known.first == cause; });
  return row == kCauses.end() ? std::string_view() : row->second;
}

}  // namespace stallcast::label
