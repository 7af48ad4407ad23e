#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/base/jsonc.hpp"
#include "scenarios/importers/importer.hpp"

/// What several importers do alike.
namespace stallcast::scenarios {

/// A name as an identifier: letters, digits, "-" and "_".
[[nodiscard]] std::string identifier(std::string_view text);

/// Ids that were given: a second "a" is "a-2".
class UniqueIds {
 public:
  std::string take(const std::string& wanted);

 private:
  std::map<std::string, int> given_;  ///< how often one was wanted
};

/// A scenario that is being written, what is said of it, and what became of the fields that it is
/// made from.
class ScenarioImport {
 protected:
  [[nodiscard]] Diagnostics& diags() { return result_.diagnostics; }
  void note(FieldFate fate, std::string_view source, std::string value, std::string_view target,
            std::string_view why = {});
  /// What came of it; after an error no scenario and no fields.
  [[nodiscard]] ImportResult ended() &&;

  ImportResult result_;
  base::Json scenario_;
};

/// Ids of what a job or tenant of the imported scenario uses.
struct TakenPlant {
  std::string storage;
  std::string host;  ///< "" where no hosts were taken over
};
/// Puts `storage`, and where it has one the `cluster`, of the scenario that the options name into
/// `scenario`, or 16 OSTs of Lustre as a placeholder. Says so of `file` in `result`.
TakenPlant take_plant(const ImportOptions& options, const std::string& file, base::Json& scenario,
                      ImportResult& result);

/// A job `train` on "hosts", of steps of 1 s that saves 1 TB every 30 min, with a warning: `what`
/// ("a plan") says nothing of jobs.
void add_placeholder_job(const ImportOptions& options, const std::string& what,
                         const std::string& hosts, const Position& where, base::Json& scenario,
                         ImportResult& result);

}  // namespace stallcast::scenarios
