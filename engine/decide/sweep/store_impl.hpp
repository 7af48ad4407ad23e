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
  [[nodiscard]] Version version() { return {meta["version"], meta["model_version"]}; }
  /// Why it is no part of `main`.
  [[nodiscard]] std::optional<Failure> fault_as_part_of(const Store& main);
  void write_meta(const std::string& name, const std::string& value);
  /// False in files of programs that kept what was waited for most as what limits.
  [[nodiscard]] bool has_split_limits();
  /// All results, in the order of their keys.
  [[nodiscard]] Outcomes results();
  /// Those of the part at `path`; throws DatabaseFault where it is damaged, or no part of `main`.
  [[nodiscard]] static Outcomes results_of_part(const std::string& path, const Store& main);
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

/// "stallcast sweep run x.db --shard 2/8" of "x.db.part-2-of-8".
[[nodiscard]] std::string command_of_part(const std::string& path);

/// The same of the part at `path`: a damaged one can be made again.
template <class Action>
auto whole_part(const std::string& path, const Action& action) -> decltype(action()) {
  try {
    return action();
  } catch (const DatabaseFault& fault) {
    if (!fault.damaged) throw;
    throw DatabaseFault{{ExitCode::bad_input, path + " is damaged: what it has is left out",
                         "remove it, and run that part again: " + command_of_part(path)},
                        true};
  }
}

}  // namespace stallcast::sweep
