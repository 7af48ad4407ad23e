#pragma once

#include <string>

namespace stallcast::client {

/// Takes the path of the folder `root` off all files in `text` that are named by it: where a server
/// keeps its files is not for its clients. "" leaves the text as it is.
inline void strip_root(const std::string& root, std::string& text) {
  if (root.empty()) return;
  const std::string prefix = root + "/";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;)
    text.erase(at, prefix.size());
}

}  // namespace stallcast::client
