#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stallcast::base {

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
};

/// Things by long names that begin alike ("host.gpu[712].nic.read"): a tree compares such names
/// with one another over most of their length, a dozen times. In no order that means anything.
template <class T>
using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

}  // namespace stallcast::base
