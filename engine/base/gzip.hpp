#pragma once

#include <string>
#include <string_view>

namespace stallcast::base {

/// `data` as a gzip file (RFC 1952). It carries no date and no name, so the same data gives the
/// same bytes.
[[nodiscard]] std::string gzip(std::string_view data);

}  // namespace stallcast::base
