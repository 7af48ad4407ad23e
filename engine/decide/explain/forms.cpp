#include "engine/decide/explain/forms.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/design_values.hpp"
#include "engine/base/expression.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::explain {
namespace {

// An elasticity this near to 1 or -1 is one: of a change of 1e-6, less is rounding.
constexpr double kProportional = 5e-3;
constexpr double kEqual = 1e-9;
constexpr const char* kWhole = "whole";  // a capacity before what a run had of it

bool same(double a, double b) {
  return std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b));
}

/// "storage[scratch].oss.nic" -> "oss_nic": what is in an equation.
std::string symbol_of(const std::string& path, std::set<std::string>& taken) {
  const std::size_t bracket = path.rfind("].");
  const std::size_t dot = path.find('.');
  std::string symbol = bracket != std::string::npos ? path.substr(bracket + 2)
                       : dot != std::string::npos   ? path.substr(dot + 1)
                                                    : path;
  if (symbol.starts_with("fabric.")) symbol = symbol.substr(7);
  std::replace(symbol.begin(), symbol.end(), '.', '_');
  const std::string plain = symbol;
  for (int n = 2; !taken.insert(symbol).second; ++n) symbol = plain + std::to_string(n);
  return symbol;
}

/// Where the equations of what a resource belongs to are.
std::string page_of(std::string_view figure, const Design& design) {
  constexpr std::string_view kResource = "resource.", kStorage = "storage.";
  const bool resource = figure.starts_with(kResource);
  std::string_view rest = figure.substr(resource ? kResource.size() : 0);
  if (rest.starts_with(kStorage)) {
    rest.remove_prefix(kStorage.size());
    if (const Component* storage = design.find_storage(rest.substr(0, rest.find('.'))))
      return models::page_of(models::Role::storage, storage->kind);
  }
  for (const models::Role role : {models::Role::fabric, models::Role::host})
    if (resource && rest.starts_with(std::string(models::role_info(role).id) + "."))
      return models::page_of(role);
  return figure.starts_with("cost.") ? "docs/models/cost.md" : "docs/models/bounds.md";
}

}  // namespace

std::optional<double> evaluated(const ExplainNode& node) {
  std::map<std::string, double> values;
  for (const ExplainNode& child : node.children)
    if (!child.symbol.empty()) values[child.symbol] = child.value;
  return base::evaluate(node.equation, values).value;
}

ExplainNode simulated(std::string name, double value, std::string unit, std::string note) {
  ExplainNode node;
  node.name = std::move(name);
  node.value = value;
  node.unit = std::move(unit);
  node.note = std::move(note);
  return node;
}

Forms::Forms(const Design& design)
    : design_(design),
      bounds_(models::bounds(design)),
      capacities_(models::capacities(design)),
      influences_(design) {
  for (const models::Derivation& d : bounds_.derivations) derivations_.emplace(d.name, &d);
  for (const auto& [path, value] : base::values_of(design)) inputs_[path] = value;
}

const models::Derivation* Forms::find(const std::string& name) const {
  const auto found = derivations_.find(name);
  return found == derivations_.end() ? nullptr : found->second;
}

bool Forms::known(const std::string& name) const {
  if (inputs_.contains(name) || find(name) != nullptr) return true;
  return name.starts_with("resource.") && name.ends_with(".capacity") &&
         capacities_.contains(name.substr(9, name.size() - 18));
}

ExplainNode Forms::tree(const std::string& name) {
  if (inputs_.contains(name)) return input(name);
  if (const models::Derivation* derivation = find(name)) return derived(*derivation);
  return capacity(name);
}

ExplainNode Forms::input(const std::string& path) const {
  const Value& value = *inputs_.at(path);
  ExplainNode node;
  node.name = path;
  node.value = value.number;
  node.unit = metric::unit_of(value.dimension);
  node.text = base::written(value);
  node.kind = ExplainNode::Kind::input;
  node.source = value.source;
  return node;
}

ExplainNode Forms::derived(const models::Derivation& derivation) {
  ExplainNode node;
  node.name = derivation.name;
  node.value = derivation.value;
  node.unit = metric::unit_of(derivation.dimension);
  node.kind = ExplainNode::Kind::derived;
  node.reference = derivation.rule.reference;
  if (derivation.rule.equation.empty()) {
    node.note = derivation.formula;
    by_influence(node);
    return node;
  }
  node.equation = derivation.rule.equation;
  node.note = derivation.rule.terms.empty() ? derivation.formula : derivation.remark;
  for (const models::Term& term : derivation.rule.terms) {
    ExplainNode child;
    if (!known(term.from)) {
      child.name = term.symbol;
      child.value = term.value;
      child.unit = metric::unit_of(term.dimension);
      child.kind = ExplainNode::Kind::figure;
      child.note = term.meaning;
    } else {
      child = tree(term.from);
      // Bounds are of whole links, whatever a run had of them.
      if (!child.children.empty() && child.children.back().symbol == kWhole &&
          same(child.children.back().value, term.value)) {
        ExplainNode whole = std::move(child.children.back());
        child = std::move(whole);
      }
      // Of the links of several groups of hosts a cut may go through some only.
      if (term.from.starts_with("resource.") && !same(child.value, term.value)) {
        child.value = term.value;
        child.equation.clear();
        child.children.clear();
        child.note = term.meaning + ", of some groups of hosts only";
      }
    }
    child.symbol = term.symbol;
    node.children.push_back(std::move(child));
  }
  return node;
}

ExplainNode Forms::capacity(const std::string& name) {
  ExplainNode node;
  node.name = name;
  const std::string resource = name.substr(9, name.size() - 18);
  const models::Capacity& there = capacities_.at(resource);
  node.value = there.amount;
  node.unit = there.unit;
  node.kind = ExplainNode::Kind::derived;
  by_influence(node);
  const auto had = given_.find(resource);
  if (had == given_.end() || same(had->second, node.value)) return node;
  const bool fabric = resource.starts_with("fabric.");
  ExplainNode share =
      simulated("share", had->second / node.value, "ratio",
                fabric ? "of whole links that a run reaches: sprayed, or as the hash "
                         "drew connections"
                       : "of it on average: a fault or a slow host left that");
  share.kind = ExplainNode::Kind::figure;
  share.symbol = "share";
  node.name += ".whole";
  node.symbol = kWhole;
  ExplainNode out = simulated(name, had->second, node.unit);
  out.equation = "share * whole";
  out.reference = fabric ? "docs/models/network.md, eq. 2" : node.reference;
  out.children = {std::move(share), std::move(node)};
  return out;
}

void Forms::given(const RunResult& run) {
  for (const ResourceUse& use : run.resources)
    if (use.capacity > 0.0) given_[use.name] = use.capacity;
}

bool Forms::product(ExplainNode& node, const std::vector<Influence>& influences) const {
  ExplainNode made = node;
  std::set<std::string> taken;
  std::string above, below;
  double product = 1.0;
  for (const Influence& i : influences) {
    const bool direct = std::abs(i.elasticity - 1.0) < kProportional;
    if (!direct && std::abs(i.elasticity + 1.0) >= kProportional) return false;
    ExplainNode child = input(i.path);
    child.symbol = symbol_of(i.path, taken);
    product *= direct ? child.value : 1.0 / child.value;
    (direct ? above : below) += (direct ? (above.empty() ? "" : " * ") : " / ") + child.symbol;
    made.children.push_back(std::move(child));
  }
  if (!same(product, node.value)) return false;
  made.equation = (above.empty() ? "1" : above) + below;
  node = std::move(made);
  return true;
}

namespace {

/// "12.5 % more", "the same".
std::string grown(double percent) {
  const double said = std::round(percent * 1e3) / 1e3;
  if (said == 0.0) return "the same";
  return base::shortest(std::abs(said)) + (said < 0.0 ? " % less" : " % more");
}

/// What a figure does with more of an input. Of whole numbers there is no 1 %, and one more may do
/// what one less does not.
std::string answer_of(const Influence& i) {
  if (i.value->dimension != Dimension::count) return "1 % more of it: " + grown(i.elasticity);
  const auto of_one = [&](bool more) { return grown(std::round(1e3 * i.with_one(more)) / 1e1); };
  const std::string more = "one more: " + of_one(true);
  return i.value->number > 1.0 ? more + ", one less: " + of_one(false) : more;
}

}  // namespace

void Forms::by_influence(ExplainNode& node) {
  const std::vector<Influence>& all = influences_.of(node.name);
  if (node.reference.empty()) node.reference = page_of(node.name, design_);
  if (all.empty() || product(node, all)) return;
  // Of values that are as large as each other one is shown, the others next to it.
  std::vector<Influence> sure, tied;
  for (const Influence& i : all) (i.tied ? tied : sure).push_back(i);
  std::stable_partition(tied.begin(), tied.end(), [&](const Influence& i) {
    return !preferred_.empty() && i.path.find(preferred_) != std::string::npos;
  });
  for (const Influence& one : tied) {
    std::vector<Influence> some = sure;
    some.push_back(one);
    if (!product(node, some)) continue;
    for (const Influence& other : tied) {
      if (other.path == one.path) continue;
      node.children.push_back(input(other.path));
      node.children.back().note = "as large as the other: either gives the same";
    }
    return;
  }
  if (product(node, sure)) return;
  for (const Influence& i : all) {
    node.children.push_back(input(i.path));
    node.children.back().note = answer_of(i);
  }
  node.note += (node.note.empty() ? "" : "; ") + std::string("answers to the inputs below");
}

}  // namespace stallcast::explain
