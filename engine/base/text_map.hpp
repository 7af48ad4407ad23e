#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stallcast::base {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// By names of which there are thousands that begin alike ("host.gpu[812].nic.read"), so that order
/// would cost a dozen long comparisons to look one up. For what nobody goes through in order.
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

}  // namespace stallcast::base
