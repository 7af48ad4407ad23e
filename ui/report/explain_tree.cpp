#include "ui/report/explain_tree.hpp"
#include "stallcast/label.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/base/text.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The equation with every symbol said by `value`, and a cross for the star.
std::string put_in(const std::string& equation,
                   const std::function<std::string(const std::string&)>& value) {
  std::string out;
  for (std::size_t i = 0; i < equation.size();) {
    if (!in_name(equation[i])) {
      out += equation[i] == '*' ? 'x' : equation[i];
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < equation.size() && in_name(equation[i])) ++i;
    out += value(equation.substr(begin, i - begin));
  }
  return out;
}

std::string small_print(const ExplainNode& node) {
  std::string out;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += (out.empty() ? "" : "; ") + text;
  };
  if (node.source.has_value()) add(print_source(*node.source));
  add(node.note);
  return out;
}

}  // namespace

std::string kind_name(ExplainNode::Kind kind) {
  return kind == ExplainNode::Kind::simulated ? "simulated"
         : kind == ExplainNode::Kind::derived ? "derived"
         : kind == ExplainNode::Kind::input   ? "input"
         : kind == ExplainNode::Kind::figure  ? "figure"
                                              : "rest";
}

std::string bound_phrase(const Explanation& e) {
  if (e.bound_by.empty())
    return std::string("closed forms are of jobs, and there is none: how ") +
           (e.prediction && of_pipeline(*e.prediction) ? "stages" : "tenants") +
           " fare is only simulated";
  const std::string of = e.bound_of.empty() ? "" : " of " + e.bound_of;
  return "GPU utilization" + of + " is at most " + print_value(e.bound, "ratio") + ", for the " +
         label::of_resource(e.bound_by);
}

std::string time_gained(const Explanation& e) {
  return e.prediction ? stallcast::time_gained(*e.prediction) : std::string();
}

std::string print_source(const Source& source) {
  std::string out = source.where.empty() ? "default" : source.where;
  if (!source.citation.empty()) out += ", " + source.citation;
  if (source.assumption) out += " (assumed)";
  return out;
}

std::string print_node(const ExplainNode& node) {
  return node.text.empty() ? as_counted(node.name, print_value(node.value, node.unit)) : node.text;
}

namespace {

/// "job.train.au, seed 1" below "job.train.au".
bool is_replica(const ExplainNode& child, const ExplainNode& node) {
  return child.name.starts_with(node.name + ", seed ");
}

/// "88.3 %, 88.4 %, 88.3 %", or that all read the same; "" of what is not a sum of replicas.
std::string replicas_text(const ExplainNode& node) {
  if (node.children.empty() || !is_replica(node.children.front(), node)) return "";
  std::vector<std::string> values;
  for (const ExplainNode& child : node.children) values.push_back(print_node(child));
  const bool alike = std::all_of(values.begin(), values.end(),
                                 [&](const std::string& v) { return v == values.front(); });
  constexpr std::size_t kMostListed = 8;
  if (alike || values.size() > kMostListed) {
    const auto [least, most] =
        std::minmax_element(node.children.begin(), node.children.end(),
                            [](const auto& a, const auto& b) { return a.value < b.value; });
    return alike ? "all read " + values.front() : print_node(*least) + " to " + print_node(*most);
  }
  return base::join(values, ", ");
}

}  // namespace

std::string print_equation(const ExplainNode& node) {
  const std::string symbols =
      put_in(node.equation, [](const std::string& symbol) { return symbol; });
  if (symbols.find_first_not_of("0123456789.") == std::string::npos) return symbols;
  const std::string values = put_in(node.equation, [&](const std::string& symbol) {
    for (const ExplainNode& child : node.children)
      if (child.symbol == symbol) return print_node(child);
    return symbol;
  });
  return symbols + " = " + values;
}

void walk_tree(const ExplainNode& root, int depth, std::set<std::string>& shown,
               const std::function<void(const TreeLine&)>& take) {
  const std::function<void(const ExplainNode&, int, bool)> walk = [&](const ExplainNode& node,
                                                                      int level, bool renamed) {
    TreeLine line;
    line.level = level;
    const bool plain = node.symbol.empty() || renamed;
    line.head = (plain ? node.name : node.symbol) + " = " + print_node(node);
    if (!plain && node.symbol != node.name) line.name = node.name;
    line.small = small_print(node);
    const bool parts = !node.children.empty();
    line.above = parts && shown.contains(node.name);
    const bool open = parts && !line.above && (depth < 0 || level < depth);
    if (parts && !open && !line.above) line.hidden = static_cast<int>(node.children.size());
    // What only goes by another name is not a sum.
    const bool alias = parts && node.equation == node.children.front().symbol;
    const std::string replicas = replicas_text(node);
    if (!replicas.empty()) {
      line.small += ": " + replicas;
    } else if (!node.equation.empty() && !line.above && !alias) {
      line.sum = print_equation(node);
      line.page = node.reference;
    }
    take(line);
    if (!open) return;
    shown.insert(node.name);
    for (const ExplainNode& child : node.children)
      if (!is_replica(child, node) || !child.children.empty()) walk(child, level + 1, alias);
  };
  walk(root, 0, false);
}

}  // namespace stallcast::report
