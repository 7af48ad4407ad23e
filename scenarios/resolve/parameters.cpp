#include "scenarios/resolve/parameters.hpp"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "engine/base/expression.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/resolve/ranges.hpp"

namespace stallcast::scenarios {
namespace {

constexpr std::string_view kKeys[] = {"value", "min", "max", "step", "doc"};

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

Parameters::Parameters(const Tree& tree, Reporter& report) : report_(report) {
  const Json* params = find(tree.root, "/params");
  if (params != nullptr && params->is_object()) {
    for (const auto& [name, node] : params->items())
      if (!name.starts_with("x-") && !node.is_null())
        read(name, node, "/params" + base::pointer_token(name));
  } else if (params != nullptr && !params->is_null()) {
    report_.error("type", "/params", "\"params\" is an object of named values",
                  "write { \"n_ost\": { \"value\": 40 } }");
  }
  for (const std::string& name : order_) settle(name, entries_.find(name)->second);
}

void Parameters::read(const std::string& name, const Json& node, const std::string& pointer) {
  if (!is_name(name))
    report_.error("param", pointer, "\"" + name + "\" cannot be used in expressions",
                  "use letters, digits and _ and begin with a letter", base::PointAt::key);
  Entry entry;
  entry.written = node;
  entry.pointer = entry.root = pointer;
  if (node.is_object()) {
    check_keys(without_range(name, node, pointer), pointer, kKeys, "the parameter \"" + name + "\"",
               report_);
    entry.written = node.value("value", Json());
    if (entry.written.is_null())
      report_.error("missing", pointer, "the parameter \"" + name + "\" has no value",
                    "add \"value\": 40");
    else
      entry.pointer = pointer + "/value";
    for (const auto& [key, bound] : entry.bounds()) {
      const auto it = node.find(key);
      if (it == node.end() || it->is_null()) continue;
      if (it->is_number())
        *bound = it->get<double>();
      else if (it->is_string() && base::parse_any_quantity(it->get_ref<const std::string&>()))
        entry.with_units[key] = it->get<std::string>();
      else
        report_.error("type", pointer + "/" + key, std::string("\"") + key + "\" takes a number",
                      "write 8, or with the unit of \"value\": \"8 GB/s\"");
    }
    if (const auto doc = node.find("doc"); doc != node.end() && !doc->is_null()) {
      if (doc->is_string())
        entry.doc = doc->get<std::string>();
      else
        report_.error("type", pointer + "/doc", "\"doc\" takes a text");
    }
  }
  if (entry.written.is_string() && !is_expression(entry.written) &&
      states_range(entry.written.get_ref<const std::string&>())) {
    report_no_range(name, entry.pointer, base::PointAt::value);
    entry.written = nullptr;
  }
  order_.push_back(name);
  entries_[name] = std::move(entry);
}

Json Parameters::without_range(const std::string& name, const Json& node,
                               const std::string& pointer) {
  Json out = node;
  for (const char* key : {"low", "high"})
    if (out.erase(key) > 0) report_no_range(name, pointer + "/" + key, base::PointAt::key);
  return out;
}

void Parameters::report_no_range(const std::string& name, const std::string& pointer,
                                 base::PointAt at) {
  report_.error("range", pointer, "the parameter \"" + name + "\" cannot say how sure it is",
                "for now that is said of the field that uses it: { \"value\": \"=" + name +
                    "\", \"low\": ..., \"high\": ... }",
                at);
}

bool Parameters::settle(const std::string& name, Entry& entry) {
  if (entry.state == State::done) return true;
  if (entry.state == State::broken) return false;
  if (entry.state == State::running) {
    report_.error("param", entry.pointer, "the parameter \"" + name + "\" depends on itself",
                  "give one parameter of the cycle a number");
    entry.state = State::broken;
    return false;
  }
  if (chain_ >= kLongestChain) {
    report_.error("param", entry.pointer,
                  "the parameter \"" + name + "\" stands at the end of " +
                      std::to_string(kLongestChain) + " others that depend on each other",
                  "give one of them a number");
    entry.state = State::broken;
    return false;
  }
  entry.state = State::running;
  Json value = entry.written;
  if (is_expression(value)) {
    ++chain_;
    const std::optional<Json> result =
        compute(value.get_ref<const std::string&>(), entry.pointer, true);
    --chain_;
    value = result ? *result : Json();
  } else if (!value.is_number() && !value.is_string() && !value.is_null()) {
    report_.error("type", entry.pointer,
                  "the parameter \"" + name + "\" takes a number or a quantity",
                  "write 40, \"4 GB/s\" or \"=2 * other\"");
    value = nullptr;
  }
  if (value.is_string() && base::trim(value.get_ref<const std::string&>()).empty()) {
    report_.error("type", entry.pointer, "the parameter \"" + name + "\" is empty",
                  "write 40, \"4 GB/s\" or \"=2 * other\"");
    value = nullptr;
  }
  if (entry.state == State::broken) return false;  // found to be part of a cycle
  entry.state = value.is_null() ? State::broken : State::done;
  if (value.is_number()) {
    entry.number = value.get<double>();
  } else if (value.is_string()) {
    entry.text = value.get<std::string>();
    if (const auto quantity = base::leading_number(entry.text))
      std::tie(entry.number, entry.unit) = *quantity;
  }
  if (entry.state == State::done && entry.number) {
    settle_bounds(name, entry);
    check_range(name, entry);
  }
  return entry.state == State::done;
}

std::string Parameters::in_its_unit(const Entry& entry, double number) {
  return base::shortest(number) + (entry.unit.empty() ? "" : " " + entry.unit);
}

void Parameters::settle_bounds(const std::string& name, Entry& entry) {
  for (const auto& [key, bound] : entry.bounds()) {
    const auto written = entry.with_units.find(key);
    if (written == entry.with_units.end()) continue;
    *bound = base::number_of_units(written->second, entry.unit);
    if (!*bound)
      report_.error("type", entry.root + "/" + key,
                    std::string("\"") + key + "\" is " + written->second + ", the parameter \"" +
                        name + "\" is " + in_its_unit(entry, *entry.number),
                    "give both the same sort of unit");
  }
}

void Parameters::check_range(const std::string& name, const Entry& entry) {
  if (entry.minimum && entry.maximum && *entry.minimum > *entry.maximum)
    report_.error("param", entry.root + "/min",
                  "the smallest value of \"" + name + "\" is above the largest");
  if (entry.step && *entry.step <= 0.0)
    report_.error("param", entry.root + "/step", "\"step\" must be above 0");
  const bool low = entry.minimum && *entry.number < *entry.minimum;
  const bool high = entry.maximum && *entry.number > *entry.maximum;
  if (low || high)
    report_.error("range", entry.pointer,
                  "the parameter \"" + name + "\" is " + in_its_unit(entry, *entry.number) +
                      (low ? ", below its min of " + in_its_unit(entry, *entry.minimum)
                           : ", above its max of " + in_its_unit(entry, *entry.maximum)),
                  "change the value or the range");
}

std::optional<Json> Parameters::evaluate(std::string_view text, const std::string& pointer) {
  ++asked_;
  return compute(text, pointer, true);
}

std::optional<Json> Parameters::compute(std::string_view text, const std::string& pointer,
                                        bool mark) {
  std::string_view expression = base::trim(text.substr(1));
  // "=n * 2 GB/s": a unit after the arithmetic makes the number a quantity.
  std::string unit;
  if (const std::size_t space = expression.rfind(' '); space != std::string_view::npos) {
    const std::string_view tail = expression.substr(space + 1);
    const std::string_view head = base::trim(expression.substr(0, space));
    const bool operand = !head.empty() && std::string_view("+-*/(,").find(head.back()) == head.npos;
    if (operand && (std::isalpha(static_cast<unsigned char>(tail.front())) != 0 || tail == "%")) {
      unit = std::string(tail);
      expression = head;
    }
  }
  const base::ExpressionResult probe = base::evaluate(expression, {});
  std::map<std::string, double> numbers;
  for (const std::string& name : probe.names) {
    const auto it = entries_.find(name);
    if (it == entries_.end()) {
      const std::string near = base::nearest(name, order_);
      report_.error("expression", pointer,
                    "no parameter \"" + name + "\" for \"" + std::string(text) + "\"",
                    !near.empty()    ? "did you mean \"" + near + "\"?"
                    : order_.empty() ? "add it to \"params\""
                                     : "the parameters are " + base::join(order_, ", "));
      return std::nullopt;
    }
    if (mark) it->second.used = true;
    named_[pointer].insert(name);
    if (!settle(name, it->second)) return std::nullopt;  // already reported
    if (!it->second.text.empty()) {
      if (expression == name && unit.empty()) return Json(it->second.text);
      if (!it->second.number) {
        if (!std::exchange(it->second.told, true))
          report_.error("type", it->second.pointer,
                        "the parameter \"" + name + "\" is the text \"" + it->second.text +
                            "\", and \"" + std::string(text) + "\" needs a number",
                        "write the number, such as 40");
        return std::nullopt;
      }
      report_.error(
          "expression", pointer,
          "\"" + name + "\" is the quantity \"" + it->second.text + "\" and can only stand alone",
          "make the parameter a plain number and write the unit after the expression: "
          "\"=2 * n GB/s\"");
      return std::nullopt;
    }
    numbers[name] = *it->second.number;
  }
  const base::ExpressionResult result = base::evaluate(expression, numbers);
  if (!result.value) {
    report_.error("expression", pointer, result.message + " in \"" + std::string(text) + "\"",
                  result.hint);
    return std::nullopt;
  }
  if (!unit.empty()) return Json(base::shortest(*result.value) + " " + unit);
  return Json(*result.value);
}

void Parameters::mark_used(const Json& node) {
  if (node.is_structured())
    for (const Json& child : node) mark_used(child);
  if (!is_expression(node)) return;
  const std::string_view text = node.get_ref<const std::string&>();
  // The text may end in a unit, which is not a parameter.
  const std::string_view whole = text.substr(1);
  for (const std::string_view part : {whole, whole.substr(0, whole.rfind(' '))})
    for (const std::string& name : base::evaluate(part, {}).names)
      if (const auto it = entries_.find(name); it != entries_.end()) it->second.used = true;
}

void Parameters::report_unused() {
  for (const std::string& name : order_)
    if (!entries_.find(name)->second.used)
      report_.error("param", "/params" + base::pointer_token(name),
                    "the parameter \"" + name + "\" is not used",
                    "write \"=" + name + "\" where it belongs, or remove it", base::PointAt::key);
}

std::vector<std::string> Parameters::unused_in(const Json& root) {
  for (const auto& [key, node] : root.items())
    if (key != "params") mark_used(node);
  std::vector<std::string> out = order_;
  // What a parameter in use is computed from is in use, too.
  for (bool again = true; std::exchange(again, false);)
    std::erase_if(out, [&](const std::string& name) {
      if (!entries_.find(name)->second.used) return false;
      mark_used(entries_.find(name)->second.written);
      return again = true;
    });
  return out;
}

std::vector<Parameter> Parameters::list() const {
  std::vector<Parameter> out;
  for (const std::string& name : order_) {
    const Entry& e = entries_.find(name)->second;
    out.push_back({name,
                   e.number.value_or(0.0),
                   e.minimum,
                   e.maximum,
                   e.step,
                   e.unit,
                   e.doc,
                   e.text.empty() ? base::shortest(e.number.value_or(0.0)) : e.text,
                   report_.where(e.pointer),
                   {}});
    std::set<std::string> names;
    add_needed(e.pointer, names);
    out.back().needs.assign(names.begin(), names.end());
  }
  return out;
}

void Parameters::add_needed(const std::string& pointer, std::set<std::string>& names) const {
  const auto named = named_.find(pointer);
  if (named == named_.end()) return;
  for (const std::string& name : named->second)
    if (names.insert(name).second) add_needed(entries_.find(name)->second.pointer, names);
}

std::map<std::string, std::vector<std::string>> Parameters::needed() const {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [pointer, own] : named_) {
    if (pointer.starts_with("/params/")) continue;
    std::set<std::string> names;
    add_needed(pointer, names);
    out[pointer].assign(names.begin(), names.end());
  }
  return out;
}

}  // namespace stallcast::scenarios
