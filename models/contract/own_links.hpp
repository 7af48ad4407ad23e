#pragma once

#include <string>
#include <string_view>

namespace stallcast::models {

inline constexpr std::string_view kOwn = "[of ";
/// A part of a resource that is a job's own, or a class', of which it has the name in blame; of ""
/// that of all jobs. It carries what that resource does, so that reports leave it out.
[[nodiscard]] inline std::string own_link(const std::string& resource,
                                          const std::string& job = "") {
  return resource + std::string(kOwn) + job + "]";
}

/// Of the part of a port that reads from many fill.    [docs/models/network.md, eq. 4]
inline constexpr const char* kManyToOne = "many to one";

}  // namespace stallcast::models
