#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/decide/sweep/database.hpp"
#include "engine/decide/sweep/design_change.hpp"
#include "engine/decide/sweep/store.hpp"

/// What store.cpp and store_report.cpp share.
namespace stallcast::sweep {

using OrderedJson = nlohmann::ordered_json;

struct Store::Impl {
  Impl(const std::string& path, Database::Access access) : database(path, access) {}

  Database database;
  std::map<std::string, std::string> meta;
  bool resumed = false;
  std::optional<DesignChanges> changes;

  [[nodiscard]] bool has_tables();
  /// Throws DatabaseFault unless the file is a sweep of this version of the format.
  void read_meta();
  void write_meta(const std::string& name, const std::string& value);
  /// False in files of programs that kept what was waited for most as what limits.
  [[nodiscard]] bool has_split_limits();
  /// All results, in the order of their keys.
  [[nodiscard]] Outcomes results();
  void keep(const Outcomes& outcomes);
};

/// What `action` gives, or the Failure of the database.
template <class Action>
auto guarded(const Action& action) -> Result<decltype(action())> {
  try {
    return action();
  } catch (const DatabaseFault& fault) {
    return fault.failure;
  }
}

}  // namespace stallcast::sweep
