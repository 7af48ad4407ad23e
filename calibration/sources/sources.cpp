#include <array>

#include "calibration/sources/source.hpp"

namespace stallcast::calibration {
namespace {

/// Sorted by id; one row per layout.
constexpr std::array<Source, 0> kSources{};

}  // namespace

std::span<const Source> sources() { return kSources; }

const Source* find_source(std::string_view id) {
  for (const Source& source : sources())
    if (source.id == id) return &source;
  return nullptr;
}

}  // namespace stallcast::calibration
