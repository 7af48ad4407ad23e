#include "ui/app/meaning.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::client {
namespace {

using metric::Domain;
using models::Role;

/// "storage.ost.read" of "storage[scratch].ost.read".
std::string without_brackets(const std::string& path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) out += c;
    if (c == ']') inside = false;
  }
  return out;
}

/// A field as the kinds that have it alike describe it.
struct Described {
  const base::FieldInfo* field;
  std::vector<std::string> kinds;
};

bool alike(const base::FieldInfo& a, const base::FieldInfo& b) {
  return a.doc == b.doc && a.fallback == b.fallback && a.dimension == b.dimension;
}

std::vector<Described> fields_named(Role role, const std::string& key) {
  std::vector<Described> out;
  for (const models::KindInfo& kind : models::kinds(role))
    for (const base::FieldInfo* field : models::fields_of(kind)) {
      if (field->key != key) continue;
      const auto known =
          std::ranges::find_if(out, [&](const Described& d) { return alike(*d.field, *field); });
      if (known == out.end())
        out.push_back({field, {std::string(kind.id)}});
      else
        known->kinds.emplace_back(kind.id);
    }
  return out;
}

std::string limits_text(const base::FieldInfo& field) {
  const base::FieldLimits& limits = field.limits;
  std::string out;
  const auto bound = [&](const char* how, double value) {
    if (std::isfinite(value))
      out += (out.empty() ? "" : ", ") + std::string(how) + " " +
             base::print_quantity(value, field.dimension);
  };
  bound(limits.above_minimum ? "above" : "at least", limits.minimum);
  bound("at most", limits.maximum);
  return out;
}

void describe(const models::RoleInfo& role, const std::string& key, const Described& found,
              std::string& out) {
  const base::FieldInfo& field = *found.field;
  const base::FieldLimits& limits = field.limits;
  const bool all = found.kinds.size() == models::kinds(role.role).size();
  out += std::string(role.id) + " " + key + ": key of a scenario" +
         (all || found.kinds.empty() ? "" : ", of type " + base::join(found.kinds, ", ")) + "\n";
  out += "  " + std::string(field.doc) + "\n";
  if (limits.choices.empty()) {
    out += "  takes " + std::string(base::dimension_name(field.dimension));
    if (const std::string within = limits_text(field); !within.empty()) out += ", " + within;
  } else {
    std::vector<std::string> words(limits.choices.begin(), limits.choices.end());
    out += "  one of " + base::join(words, ", ");
  }
  out += field.required()   ? "; required\n"
         : field.optional() ? "; may be left out\n"
                            : "; default " + std::string(field.fallback) + "\n";
  if (!limits.low.empty())
    out += "  nine times in ten from " + std::string(limits.low) + " to " +
           std::string(limits.high) + "\n";
  if (!limits.source.empty())
    out += "  source of the default: " + std::string(limits.source) +
           (limits.assumption ? " (assumption)" : "") + "\n";
  if (!limits.deprecated.empty())
    out += "  deprecated since " + std::string(limits.deprecated) + ": " +
           std::string(limits.instead) + "\n";
  std::set<std::string> pages;
  for (const std::string& kind : found.kinds) pages.insert(models::page_of(role.role, kind));
  pages.insert("docs/reference/scenario.md");
  out += "  see " + base::join(std::vector<std::string>(pages.begin(), pages.end()), ", ") + "\n";
}

/// Keys that `path` may be: the role that it begins with, the key behind, with an id between or
/// without; of no role, the key of any.
std::string of_key(const std::string& path) {
  std::vector<std::string> words = base::split(without_brackets(path), '.');
  if (words.size() > 1 && words[0] == "cluster") words.erase(words.begin());
  const auto role_of = [](const std::string& word) {
    const models::RoleInfo* role = models::find_role(word);
    return role == nullptr && word.ends_with('s')
               ? models::find_role(word.substr(0, word.size() - 1))
               : role;
  };
  const models::RoleInfo* role = role_of(words[0]);
  if (role != nullptr) words.erase(words.begin());
  // "jobs.train.loader.workers"
  if (role != nullptr && role->role == Role::job)
    for (std::size_t i = 0; i + 1 < words.size() && i < 2; ++i)
      if (const models::RoleInfo* part = models::find_role(words[i])) {
        role = part;
        words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        break;
      }
  std::string out;
  for (const models::RoleInfo& one : models::roles()) {
    if (role != nullptr && one.role != role->role) continue;
    for (std::size_t skipped = 0; skipped < std::min<std::size_t>(2, words.size()); ++skipped) {
      if (skipped > 0 && role == nullptr) break;
      const std::string key =
          base::join(std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(skipped),
                                              words.end()),
                     ".");
      const std::vector<Described> found = fields_named(one.role, key);
      for (const Described& each : found) describe(one, key, each, out);
      if (!found.empty()) break;
    }
  }
  return out;
}

/// Where figures of a domain and group are derived.
std::string page_of(Domain domain, const metric::Figure* figure) {
  using enum metric::Group;
  const metric::Group group = figure == nullptr ? none : figure->group;
  const char* page = group == checkpoint                                     ? "checkpoint"
                     : group == failures || group == restart                 ? "failures"
                     : group == elastic                                      ? "elastic"
                     : domain == Domain::tenant                              ? "tenants"
                     : domain == Domain::stage || domain == Domain::pipeline ? "stages"
                     : domain == Domain::failure                             ? "failures"
                     : domain == Domain::storage                             ? "capacity"
                     : domain == Domain::resource                            ? "blame"
                     : domain == Domain::cost                                ? "cost"
                     : domain == Domain::power || domain == Domain::space    ? "power"
                                                                             : "training";
  return "docs/models/" + std::string(page) + ".md";
}

std::string noun_of(Domain domain) {
  switch (domain) {
    case Domain::job:
      return "of a job";
    case Domain::tenant:
      return "of a tenant";
    case Domain::stage:
      return "of a stage";
    case Domain::pipeline:
      return "of all stages";
    case Domain::failure:
      return "of a failure of storage";
    case Domain::storage:
      return "of a storage system";
    case Domain::resource:
      return "of a resource";
    default:
      return "of the whole system";
  }
}

void describe(const std::string& full, std::string& out) {
  const metric::Name name = metric::parse(full);
  const metric::Figure* figure = metric::find(full);
  const std::string unit(metric::unit_said(full));
  out += full + ": metric " + noun_of(name.domain) + "\n";
  out += "  " + (figure != nullptr ? std::string(figure->name_alone())
                                   : label::of_metric(full, unit, false));
  if (!unit.empty()) out += ", in " + unit + (unit == "ratio" ? " (1 is 100 %)" : "");
  const metric::Better better = metric::better(full);
  if (better != metric::Better::neither)
    out += better == metric::Better::higher ? "; more is better" : "; less is better";
  out += "\n";
  std::vector<std::string> statistics;
  const std::string key(name.figure);
  for (const std::string& one : metric::figures_of(name.domain))
    if (one.size() > key.size() && one.starts_with(key + ".") &&
        !metric::parse(std::string("job.x.") + one).statistic.empty() &&
        one.find('.', key.size() + 1) == std::string::npos)
      statistics.push_back(one.substr(key.size()));
  if (!statistics.empty())
    out += "  a distribution: its mean, or with " + base::join(statistics, ", ") + "\n";
  out += "  see " + page_of(name.domain, figure) +
         "; with a scenario before it, stallcast explain takes it apart\n";
}

/// Full names that `word` may be, ids as "*".
std::vector<std::string> metrics_named(const std::string& word) {
  const metric::Name name = metric::parse(word);
  if (name.domain != Domain::other && name.domain != Domain::any && !name.figure.empty() &&
      metric::is_reported(word))
    return {word};
  std::vector<std::string> out;
  const std::string figure = name.domain == Domain::any ? word.substr(2) : word;
  if (figure.find('*') != std::string::npos) return out;
  for (const metric::Stem& stem : metric::stems())
    if (const std::string full = stem.text + figure;
        metric::is_reported(full) && metric::parse(full).id.find('.') == std::string_view::npos)
      out.push_back(full);
  return out;
}

}  // namespace

std::string meaning_of(const std::string& word) {
  if (word.empty() || word.find('/') != std::string::npos) return "";
  std::string out = of_key(word);
  for (const std::string& full : metrics_named(word)) {
    if (!out.empty()) out += "\n";
    describe(full, out);
  }
  return out;
}

}  // namespace stallcast::client
