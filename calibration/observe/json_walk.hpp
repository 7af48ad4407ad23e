#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/observe/trace_file.hpp"

/// JSON read as it passes by, without a tree: for traces larger than memory.
namespace stallcast::calibration {

/// A value that is neither object nor list.
struct JsonScalar {
  enum class Kind { text, integer, real, other };
  Kind kind = Kind::other;
  std::string_view text;     ///< of `text` and `real`: as it stands in the file
  std::int64_t integer = 0;  ///< of `integer`
  double number = 0.0;       ///< of `integer` and `real`
  bool truth = false;        ///< the value is `true`
};

/// Told of each value with its depth: 0 for the root, 1 for its members. `key(d)` is the name of
/// the member of depth d that is open, "" in a list.
class JsonVisitor {
 public:
  JsonVisitor() = default;
  JsonVisitor(const JsonVisitor&) = delete;
  JsonVisitor& operator=(const JsonVisitor&) = delete;
  virtual ~JsonVisitor() = default;

  virtual void enter(std::size_t depth) = 0;  ///< an object or list begins
  virtual void leave(std::size_t depth) = 0;  ///< it ends
  virtual void value(std::size_t depth, const JsonScalar& scalar) = 0;

 protected:
  [[nodiscard]] std::string_view key(std::size_t depth) const {
    return depth < keys_.size() ? std::string_view(keys_[depth]) : std::string_view();
  }

 private:
  friend class JsonWalk;
  std::vector<std::string> keys_;
};

/// The whole content of `file`. Where it breaks off, `file` is cut; what is not JSON is an error
/// with line and column.
void walk_json(TraceFile& file, JsonVisitor& visitor);
/// The same of `content`, which is what to read of the file.
void walk_json(TraceFile& file, std::streambuf& content, JsonVisitor& visitor);

/// One line; nothing when it is JSON, else the column and what is wrong there.
struct JsonFault {
  std::size_t column = 0;
  bool at_end = false;  ///< the text stops too early
  std::string what;
};
[[nodiscard]] std::optional<JsonFault> walk_json(std::string_view line, JsonVisitor& visitor);

/// The plain members of one object, and of the object `args` in it: an event of a trace.
class EventFields {
 public:
  void clear() { used_ = 0; }
  void add(std::string_view key, bool in_args, const JsonScalar& scalar);

  /// "" when it is absent or no text; numbers as they are written.
  [[nodiscard]] std::string_view text(std::string_view key, bool in_args = false) const;
  [[nodiscard]] bool is_text(std::string_view key) const;
  /// A whole number, or a text that is one.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key,
                                                    bool in_args = false) const;
  [[nodiscard]] std::optional<double> number(std::string_view key, bool in_args = false) const;
  /// Microseconds as nanoseconds, exact to the third decimal.
  [[nodiscard]] std::optional<std::int64_t> microseconds(std::string_view key) const;

 private:
  struct Field {
    std::string key;
    bool in_args = false;
    JsonScalar::Kind kind = JsonScalar::Kind::other;
    std::string text;
    std::int64_t integer = 0;
    double number = 0.0;
  };
  [[nodiscard]] const Field* find(std::string_view key, bool in_args) const;

  std::vector<Field> fields_;  ///< kept from event to event for their memory
  std::size_t used_ = 0;
};

/// "1712195495502094.5" microseconds as nanoseconds; nothing out of range.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds);

}  // namespace stallcast::calibration
