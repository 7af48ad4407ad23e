#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/change.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/growth.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"
#include "stallcast/sweep.hpp"

/// A scenario as one value: read once, passed on, changed without being read again.
namespace stallcast {

/// A scenario as a user gives it.
struct ScenarioFile {
  std::string file = {};  ///< its path; with `text`, only its name in messages
  std::optional<std::string> text = std::nullopt;  ///< instead of what the file holds
  std::vector<std::string> sets = {};              ///< "storage.ost.count=48", in order
  std::string variant = {};                        ///< key of `scenarios`; "" is the base scenario
  bool extend_files = true;      ///< false: `extends` may name catalogue entries only (servers)
  std::string extend_root = {};  ///< with a folder, `extends` may name files in it only, and places
                                 ///< in designs are reported relative to it
  std::string profile = {};      ///< file of a calibration profile in place of the session's
  bool idle = false;             ///< it may have neither a job nor a tenant: somebody adds one
  bool few = false;  ///< as it is it may have fewer parts than its failures ask for: somebody
                     ///< searches how many there are
};

/// A number of `params`, evaluated.
struct Parameter {
  std::string name;
  double value = 0.0;  ///< of its `unit`, as the next three
  std::optional<double> minimum = {}, maximum = {}, step = {};
  std::string unit = {};  ///< "GB/s"; "" of a plain number
  std::string doc = {};
  std::string text = {};                ///< its value as an expression sees it: "40", "4 GB/s"
  std::string where = {};               ///< "file:line:column", "--set ..."
  std::vector<std::string> needs = {};  ///< parameters it depends on, also through others
};

/// What a scenario asks, besides its assertions (Design::expect).
struct Questions {
  SweepSpec sweep;    ///< what `sweep` varies; nothing without it
  PlanSpec plan;      ///< what `plan` searches; nothing without it
  GrowthSpec growth;  ///< what `grow` looks at; nothing without it
  /// Values that are nothing but one parameter with min and max, by path
  /// ("storage[scratch].ost.count"): how they are searched.
  std::map<std::string, PlanDimension> ranged;
};

/// What a design does not know of the text it was made of.
struct Written {
  /// By the pointer of a value that is an expression: the parameters it depends on, also through
  /// others.
  std::map<std::string, std::vector<std::string>> needs;
  /// "file:line:column" of each component and of its `use`, by pointer.
  std::map<std::string, std::string> where;
};

/// The documents of a scenario with their places, and what they resolve to: parameters, questions
/// and the design. Cheap to copy. Nothing is read from files or parsed after `read`.
class Scenario {
 public:
  /// Reads the file, all that it extends, and resolves it. Never throws on any input: what is
  /// wrong is in `diagnostics`. Fitted values come from `profile`, which must outlive the scenario
  /// and all that `with` makes of it.
  [[nodiscard]] static Scenario read(const ScenarioFile& file,
                                     const CalibrationProfile* profile = nullptr);

  /// Whether there is a design: nothing in `diagnostics` is an error.
  [[nodiscard]] bool ok() const;
  /// All faults and warnings at once, with file, line and column, sorted by place.
  [[nodiscard]] const Diagnostics& diagnostics() const;
  /// The first error in one line as a failure (bad_input). REQUIRES: not ok().
  [[nodiscard]] Failure failure() const;

  /// REQUIRES: ok().
  [[nodiscard]] const Design& design() const;
  [[nodiscard]] const Questions& questions() const;
  [[nodiscard]] std::span<const Parameter> parameters() const;
  /// Keys of `scenarios`.
  [[nodiscard]] std::span<const std::string> variants() const;
  [[nodiscard]] const Written& written() const;

  /// The same with values changed, after the changes it has already: parameters, questions and
  /// design are resolved anew. A change that does not fit is an error in its `diagnostics`.
  [[nodiscard]] Scenario with(std::span<const Change> changes) const;

  /// Where the value at the JSON pointer is written.
  [[nodiscard]] Position place(const std::string& pointer) const;
  /// Gives those of `diagnostics` that have only a pointer their file, line and column.
  void locate(Diagnostics& diagnostics) const;
  /// The file as it was read, without what it extends and without changes.
  [[nodiscard]] const std::string& text() const;
  /// As it was given, without its text.
  [[nodiscard]] const ScenarioFile& file() const;

 private:
  friend struct ScenarioBuilder;
  struct State;
  explicit Scenario(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// One fault in one line, without the source line and the hint: "file:3:5: /jobs: message".
[[nodiscard]] std::string line_of(const Diagnostic& diagnostic);

}  // namespace stallcast
