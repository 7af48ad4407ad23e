#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stallcast/design.hpp"
#include "stallcast/result.hpp"

/// Counts that can be searched by name.
namespace stallcast::plan {

/// A count that has a name of its own.
struct Countable {
  std::string_view shortcut;  ///< "osts"
  std::string_view prefix;    ///< where it stands: "storage[", "cluster.hosts[", "jobs["
  std::string_view field;     ///< behind the id: "ost.count"
  std::string_view noun;      ///< "OSTs"
  bool helps = true;          ///< more of it is expected never to make a target harder
  std::int64_t most = 0;      ///< searched up to this; 0: up to many times what there is
};

/// What can be searched by name, in the order a plan looks for something to count.
[[nodiscard]] std::span<const Countable> countables();

/// The one that `path` is, with any id; nullptr for all else.
[[nodiscard]] const Countable* countable_at(std::string_view path);

/// "scratch" of "storage[scratch].ost.count".
[[nodiscard]] std::string id_in(std::string_view path);

/// "storage scratch", "host gpu", "job train"; "" elsewhere.
[[nodiscard]] std::string owner_of(std::string_view path);

/// The path of a shortcut ("osts", "osts:scratch"); nullopt when `name` is none.
[[nodiscard]] Result<std::optional<std::string>> shortcut_path(const std::string& name,
                                                               const Design& design);

/// What is counted of a storage system without a word about it ("storage[scratch].ost.count"); ""
/// when nothing of it can be.
[[nodiscard]] std::string default_path(const Design& design, const std::string& storage);

/// Whether two paths mean the same value: "storage[a].ost.count", "storage.a.ost.count".
[[nodiscard]] bool same_path(std::string_view a, std::string_view b);

}  // namespace stallcast::plan
