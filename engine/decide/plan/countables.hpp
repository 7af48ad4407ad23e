#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/contract/counts.hpp"
#include "stallcast/design.hpp"
#include "stallcast/result.hpp"

/// Counts that can be searched by name.
namespace stallcast::plan {

/// What plans search by name, and where it stands in a design.
struct Countable {
  models::Count what;
  std::string_view prefix;  ///< "storage[", "cluster.hosts[", "jobs["
  std::string field;        ///< behind the id: "ost.count", "loader.workers"
};

/// All that can be searched by name.
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
