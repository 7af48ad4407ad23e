#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

/// What is said to a user about their input, and the exit codes of every verb.
namespace stallcast {

/// Process exit codes, one table for all verbs.
enum class ExitCode : int {
  ok = 0,            ///< done; all assertions hold
  answer_no = 1,     ///< an assertion failed, a regression was found, `plan` proved infeasible
  bad_input = 2,     ///< bad usage or bad input
  inconclusive = 3,  ///< time limit, interval straddles the limit, outside the calibrated range
  internal = 4,      ///< a worker crashed, or a bug
};

enum class Severity { error, warning };

/// A place in a text: 1-based line and column, 0 when unknown.
struct Position {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One fault of the user's input.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;       ///< stable identifier, for example "unit", "unknown-key"
  std::string pointer;    ///< RFC 6901 JSON pointer into the scenario ("" = the whole document)
  Position position;      ///< where the text is known; filled in by the scenario reader
  std::string message;    ///< what is wrong: lower case, no full stop, quotes the user's text
  std::string hint;       ///< what to do; may be empty
  std::string line = {};  ///< of the text, at `position`; "" when nobody has kept the text
};

/// Collects every fault instead of stopping at the first.
class Diagnostics {
 public:
  void error(std::string_view code, std::string_view pointer, std::string message,
             std::string hint = {}) {
    add({Severity::error, std::string(code), std::string(pointer), Position{}, std::move(message),
         std::move(hint)});
  }
  void warn(std::string_view code, std::string_view pointer, std::string message,
            std::string hint = {}) {
    add({Severity::warning, std::string(code), std::string(pointer), Position{}, std::move(message),
         std::move(hint)});
  }
  void add(Diagnostic d) { items_.push_back(std::move(d)); }
  [[nodiscard]] bool has_errors() const {
    for (const Diagnostic& d : items_)
      if (d.severity == Severity::error) return true;
    return false;
  }
  /// Those of one place stay in their order.
  void sort_by_place() {
    std::stable_sort(items_.begin(), items_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::tie(a.position.file, a.position.line, a.position.column) <
             std::tie(b.position.file, b.position.line, b.position.column);
    });
  }
  [[nodiscard]] const std::vector<Diagnostic>& items() const { return items_; }
  [[nodiscard]] std::vector<Diagnostic>& items() { return items_; }

 private:
  std::vector<Diagnostic> items_;
};

}  // namespace stallcast
