#pragma once

#include <string>
#include <string_view>

namespace stallcast::models::detail {

inline constexpr std::string_view kOwn = "[of ";
/// A job's own part of a resource, of which it has the name in blame; of "" that of all jobs.
[[nodiscard]] inline std::string own_link(const std::string& resource,
                                          const std::string& job = "") {
  return resource + std::string(kOwn) + job + "]";
}

}  // namespace stallcast::models::detail
