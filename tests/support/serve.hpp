#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/contract/storage.hpp"
#include "stallcast/design.hpp"

/// One storage system alone, with one class of clients: for closed forms of storage kinds.
namespace stallcast::testing {

struct Timed {
  Seconds open, read, write;
};

/// A class of `members` client processes does one open, one read, one write, one after the other,
/// on the otherwise idle storage system of `design`.
[[nodiscard]] Timed serve(const Design& design, models::ReadRequest read,
                          models::WriteRequest write, double members = 1.0,
                          models::Directories directories = models::Directories::usual);

/// Seconds that `members` processes need to write `each` at the same time, as in `serve`.
[[nodiscard]] double seconds_to_write(const Design& design, double members = 4.0,
                                      Bytes each = Bytes::from(8.0, unit::GB));

/// small_design() with a storage system of this kind.
[[nodiscard]] Design design_with_storage(
    const std::string& kind, const std::vector<std::pair<const char*, const char*>>& settings);

}  // namespace stallcast::testing
