#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "stallcast/diagnostic.hpp"

/// JSON of other tools: objects in a text among other lines, read member by member, with
/// a list of the members that nobody asked for.
namespace stallcast::calibration {

class ToolJson;
struct ToolFile;

/// A value of the file, or nothing. Reading what is not there gives the empty value; reading what
/// is of another type is an error with its place.
class ToolNode {
 public:
  ToolNode() = default;
  explicit operator bool() const { return json_ != nullptr; }

  [[nodiscard]] ToolNode at(const std::string& key) const;
  /// The elements of a list.
  [[nodiscard]] std::vector<ToolNode> list(const std::string& key) const;
  [[nodiscard]] std::vector<ToolNode> elements() const;
  /// Keys and values of an object.
  [[nodiscard]] std::vector<std::pair<std::string, ToolNode>> members() const;
  /// A number, or a text that holds one ("12.3964").
  [[nodiscard]] std::optional<double> number(const std::string& key) const;
  [[nodiscard]] std::optional<double> number() const;
  /// The text; numbers and truth values as they would be printed.
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::string text() const;
  /// Texts of an object whose members are plain values.
  [[nodiscard]] std::map<std::string, std::string> texts(const std::string& key) const;
  /// Says that nothing below `key` counts as unread.
  void pass(const std::string& key) const;

  void error(std::string_view code, std::string message, std::string hint = {}) const;
  void warn(std::string_view code, std::string message, std::string hint = {}) const;
  [[nodiscard]] bool is_list() const { return json_ != nullptr && json_->is_array(); }
  [[nodiscard]] bool is_object() const { return json_ != nullptr && json_->is_object(); }
  /// "jobs[3].read", for Measurement::origin.
  [[nodiscard]] std::string place() const;

 private:
  friend class ToolJson;
  struct Part {
    base::JsonDocument document;
    Position start;
    std::string prefix;  ///< of places, where the file has several objects: "run 2: "
  };
  ToolNode(ToolJson* owner, const Part* part, const base::Json* json, std::string pointer,
           std::string pattern)
      : owner_(owner),
        part_(part),
        json_(json),
        pointer_(std::move(pointer)),
        pattern_(std::move(pattern)) {}
  void report(Severity severity, std::string_view code, std::string message,
              std::string hint) const;

  ToolJson* owner_ = nullptr;
  const Part* part_ = nullptr;
  const base::Json* json_ = nullptr;
  std::string pointer_;
  std::string pattern_;
};

/// The JSON objects of a text. Must stay where it is while nodes of it are used.
class ToolJson {
 public:
  /// An object begins with the first '{' of a line and ends with its last brace; all else is left
  /// out, as tools and launchers print warnings around their results. Syntax errors, and an object
  /// that is cut, go to `diagnostics`. A member that is there twice with the same value counts
  /// once: fio has [global] once for each client. Python's NaN is null.
  /// `how` the tool is made to write JSON, for who has another output of it.
  explicit ToolJson(const ToolFile& file, const char* how = "");
  ToolJson(const ToolJson&) = delete;
  ToolJson& operator=(const ToolJson&) = delete;

  /// The objects that could be read, in the order of the text.
  [[nodiscard]] std::vector<ToolNode> roots();
  /// Members that nobody asked for, those of one object in one line: "jobs[]: ctx, majf, minf".
  [[nodiscard]] std::vector<std::string> unread() const;

 private:
  friend class ToolNode;
  void collect(const base::Json& json, const std::string& pattern,
               std::map<std::string, std::vector<std::string>>& out) const;

  std::deque<ToolNode::Part> parts_;
  std::string file_;
  Diagnostics& diagnostics_;
  std::set<std::string> read_;
  std::set<std::string> passed_;
  int faults_ = 0;
  bool text_around_ = false;
};

}  // namespace stallcast::calibration
