#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/document/document.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::scenarios {

/// The `params` of a scenario, evaluated, and who used them.
class Parameters {
 public:
  /// Reads `/params` of `tree`.
  Parameters(const Tree& tree, Reporter& report);

  /// What the expression `text` (with its leading "=") stands for: a number, or the text of a
  /// quantity parameter. nullopt after a fault, which is reported at `pointer`.
  std::optional<Json> evaluate(std::string_view text, const std::string& pointer);
  /// How often that was asked.
  [[nodiscard]] std::size_t asked() const { return asked_; }

  /// Names used by any expression below `node` count as used: variants that were not chosen.
  void mark_used(const Json& node);
  void report_unused();
  /// Those that nothing in `root` uses, the tree that they were read of, not even through others.
  [[nodiscard]] std::vector<std::string> unused_in(const Json& root);
  [[nodiscard]] std::vector<Parameter> list() const;
  /// By the pointer of each expression outside of `params`: the parameters its value depends on,
  /// also through others, sorted.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> needed() const;

 private:
  /// Parameters that wait for each other; hostile input must not exhaust the stack.
  static constexpr int kLongestChain = 200;
  enum class State { waiting, running, done, broken };
  struct Entry {
    State state = State::waiting;
    Json written;               // value as the file has it
    std::string root, pointer;  // of the parameter, of its value
    std::optional<double> number;
    std::string text, unit;                         // of a quantity parameter: "4 GB/s", "GB/s"
    std::optional<double> minimum, maximum, step;   // of units of the value
    std::map<std::string, std::string> with_units;  // of these, by key: "max" "2 GB/s"
    std::string doc;
    bool used = false;
    bool told = false;  // that it is no number, once
    std::array<std::pair<const char*, std::optional<double>*>, 3> bounds() {
      return {{{"min", &minimum}, {"max", &maximum}, {"step", &step}}};
    }
  };
  void read(const std::string& name, const Json& node, const std::string& pointer);
  /// The parameter without "low" and "high", which are faults.
  Json without_range(const std::string& name, const Json& node, const std::string& pointer);
  void report_no_range(const std::string& name, const std::string& pointer, base::PointAt at);
  bool settle(const std::string& name, Entry& entry);
  [[nodiscard]] static std::string in_its_unit(const Entry& entry, double number);
  /// Bounds with a unit of their own, in that of the value.
  void settle_bounds(const std::string& name, Entry& entry);
  void check_range(const std::string& name, const Entry& entry);
  std::optional<Json> compute(std::string_view expression, const std::string& pointer, bool mark);
  void add_needed(const std::string& pointer, std::set<std::string>& names) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> order_;
  std::map<std::string, std::set<std::string>> named_;  // by pointer: names in the expression
  Reporter& report_;
  int chain_ = 0;  ///< parameters being settled
  std::size_t asked_ = 0;
};

/// True for a text that is an expression.
[[nodiscard]] inline bool is_expression(const Json& node) {
  return node.is_string() && node.get_ref<const std::string&>().starts_with('=');
}

}  // namespace stallcast::scenarios
