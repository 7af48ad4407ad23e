#include "engine/base/expression.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/quantity_units.hpp"
#include "engine/base/text.hpp"

namespace stallcast::base {
namespace {

/// Deepest nesting that is read; hostile input must not exhaust the stack.
constexpr int kMaxDepth = 100;

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }

/// A function of one argument.
struct Function {
  std::string_view name;
  double (*of)(double);
};
constexpr Function kFunctions[] = {{"ceil", [](double x) { return std::ceil(x); }},
                                   {"exp", [](double x) { return std::exp(x); }},
                                   {"floor", [](double x) { return std::floor(x); }},
                                   {"log", [](double x) { return std::log(x); }},
                                   {"log2", [](double x) { return std::log2(x); }},
                                   {"round", [](double x) { return std::round(x); }},
                                   {"sqrt", [](double x) { return std::sqrt(x); }}};

std::vector<std::string> functions() {
  std::vector<std::string> out = {"max", "min", "pow"};
  for (const Function& function : kFunctions) out.emplace_back(function.name);
  std::sort(out.begin(), out.end());
  return out;
}

/// Ends the evaluation; caught in evaluate().
struct Fault {
  std::string message;
  std::string hint;
};

/// Recursive descent: sum := product (+- product)*, product := factor (*/ factor)*,
/// factor := [+-] factor | number | name | function '(' sum (',' sum)* ')' | '(' sum ')'.
class Evaluator {
 public:
  Evaluator(std::string_view text, const std::map<std::string, double>& parameters)
      : text_(text), parameters_(parameters) {}

  double run() {
    const double out = sum(0);
    if (peek() != '\0' || at_ < text_.size())
      throw Fault{"unexpected " + found() + " in the expression", "an operator is missing"};
    if (!std::isfinite(out)) throw Fault{"the result is too large", ""};
    return out;
  }

 private:
  /// The next character that is not a space; NUL at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    return ++at_, true;
  }
  std::string found() {
    peek();
    return at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "end";
  }

  double sum(int depth) {
    if (depth > kMaxDepth) throw Fault{"the expression is nested too deeply", ""};
    double out = product(depth);
    while (true) {
      if (take('+')) {
        out += product(depth);
      } else if (take('-')) {
        out -= product(depth);
      } else {
        return out;
      }
    }
  }

  double product(int depth) {
    double out = factor(depth);
    while (true) {
      if (take('*')) {
        out *= factor(depth);
      } else if (take('/')) {
        const double divisor = factor(depth);
        if (divisor == 0.0)
          throw Fault{"division by zero", "what stands behind the / must not become 0"};
        out /= divisor;
      } else {
        return out;
      }
    }
  }

  double factor(int depth) {
    if (depth > kMaxDepth) throw Fault{"the expression is nested too deeply", ""};
    if (take('-')) return -factor(depth + 1);
    if (take('+')) return factor(depth + 1);
    if (take('(')) {
      const double out = sum(depth + 1);
      close();
      return out;
    }
    if (is_digit(peek())) return number();
    if (starts_name(peek())) return name(depth);
    throw Fault{"expected a number, a parameter or '(', found " + found(), ""};
  }

  void close() {
    if (!take(')')) throw Fault{"expected ')', found " + found(), "each ( needs a )"};
  }

  double number() {
    const auto number = detail::read_number(text_.substr(at_));
    const std::size_t length = text_.size() - at_ - number->rest.size();
    const std::string_view digits = text_.substr(at_, length);
    at_ += length;
    if (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '.'))
      throw Fault{"a number is followed by '" + std::string(1, text_[at_]) + "'",
                  "expressions have no units; write * between factors"};
    const double out = detail::decimal_value(digits);
    if (!std::isfinite(out)) throw Fault{"number " + std::string(digits) + " is too large", ""};
    return out;
  }

  double name(int depth) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (take('(')) return call(name, depth);
    const auto it = parameters_.find(name);
    if (it != parameters_.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& [parameter, value] : parameters_) known.push_back(parameter);
    const std::string near = nearest(name, known);
    std::string hint = "parameters are " + join(known, ", ");
    if (known.empty()) hint = "the scenario has no params";
    if (!near.empty()) hint = "did you mean \"" + near + "\"?";
    throw Fault{"unknown parameter \"" + name + "\"", std::move(hint)};
  }

  double call(const std::string& function, int depth) {
    std::vector<double> arguments;
    do arguments.push_back(sum(depth + 1));
    while (take(','));
    close();
    if (function == "min") return *std::min_element(arguments.begin(), arguments.end());
    if (function == "max") return *std::max_element(arguments.begin(), arguments.end());
    if (function == "pow") {
      if (arguments.size() != 2) throw Fault{"pow takes two arguments", ""};
      return finite(std::pow(arguments[0], arguments[1]), function);
    }
    for (const Function& known : kFunctions)
      if (known.name == function) {
        if (arguments.size() != 1) throw Fault{function + " takes one argument", ""};
        return finite(known.of(arguments[0]), function);
      }
    const std::vector<std::string> known = functions();
    const std::string near = nearest(function, known);
    throw Fault{"unknown function \"" + function + "\"", near.empty()
                                                             ? "functions are " + join(known, ", ")
                                                             : "did you mean \"" + near + "\"?"};
  }

  static double finite(double value, const std::string& function) {
    if (!std::isfinite(value)) throw Fault{"the result of " + function + " is not a number", ""};
    return value;
  }

  std::string_view text_;
  const std::map<std::string, double>& parameters_;
  std::size_t at_ = 0;
};

/// Every name that is not called.
std::set<std::string> names_in(std::string_view text) {
  std::set<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    if (!in_name(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && in_name(text[i])) ++i;
    const std::size_t next = text.find_first_not_of(" \t", i);
    const bool called = next != std::string_view::npos && text[next] == '(';
    if (starts_name(text[begin]) && !called) out.emplace(text.substr(begin, i - begin));
  }
  return out;
}

}  // namespace

ExpressionResult evaluate(std::string_view text, const std::map<std::string, double>& parameters) {
  ExpressionResult out;
  out.names = names_in(text);
  try {
    if (trim(text).empty()) throw Fault{"the expression is empty", "write for example \"=2 * n\""};
    out.value = Evaluator(text, parameters).run();
  } catch (const Fault& fault) {
    out.message = fault.message;
    out.hint = fault.hint;
  }
  return out;
}

}  // namespace stallcast::base
