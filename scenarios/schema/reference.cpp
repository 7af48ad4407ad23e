#include <vector>

#include "engine/base/quantity_text.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/questions/growth_reader.hpp"
#include "scenarios/questions/plan_reader.hpp"
#include "scenarios/schema/schema.hpp"

namespace stallcast::scenarios {
namespace {

/// Where components of a role are in a scenario.
std::string place(const models::RoleInfo& role) {
  using enum models::Role;
  const std::string id(role.id);
  if (role.role == host) return "cluster.hosts[]";
  if (role.role == fabric) return "cluster.fabric";
  if (role.role == run) return "run";
  if (role.role == job) return "jobs[]";
  if (role.role == storage) return "storage[]";
  if (role.role == tenant || role.role == stage || role.role == failure) return id + "s[]";
  return "jobs[]." + id;
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string fallback(const base::FieldInfo& field) {
  if (field.required()) return "*required*";
  if (field.optional()) return "";
  return "`" + std::string(field.fallback) + "`";
}

std::string source(const base::FieldLimits& limits) {
  if (limits.source.empty()) return limits.assumption ? "*assumption*" : "";
  return (limits.assumption ? "*assumption:* " : "") + cell(limits.source);
}

std::string deprecation(const base::FieldLimits& limits) {
  if (limits.deprecated.empty()) return "";
  return "*deprecated since " + std::string(limits.deprecated) + ":* " + cell(limits.instead) +
         ". ";
}

std::string table(std::span<const base::FieldInfo> own, std::span<const models::PartInfo> parts) {
  std::vector<const base::FieldInfo*> fields;
  for (const base::FieldInfo& field : own) fields.push_back(&field);
  for (const base::FieldInfo* field : models::price_fields(parts)) fields.push_back(field);
  if (fields.empty()) return "";
  std::string out =
      "\n| key | takes | default | meaning | source of the default |\n|---|---|---|---|---|\n";
  for (const base::FieldInfo* each : fields) {
    const base::FieldInfo& field = *each;
    std::string takes(base::dimension_name(field.dimension));
    if (!field.limits.choices.empty()) {
      takes = "one of";
      for (const std::string_view choice : field.limits.choices)
        takes += " `" + std::string(choice) + "`";
    }
    out += "| `" + std::string(field.key) + "` | " + cell(takes) + " | " + fallback(field) + " | " +
           deprecation(field.limits) + cell(field.doc) + " | " + source(field.limits) + " |\n";
  }
  return out;
}

/// Wrapped, as pages are.
constexpr std::string_view kHowSure = R"(
## How sure a number is

A number may say what it may be in truth: nine times in ten from a low end to a high end, in one of three
forms. They hold for every field below that takes a number; `plan` and `params` take none.

| written | means |
|---|---|
| `"4 GB/s +- 10 %"`, `"4 GB/s ± 10 %"` | 4 GB/s, from 3.6 GB/s to 4.4 GB/s |
| `"4 GB/s +- 500 MB/s"` | the same with an amount: from 3.5 GB/s to 4.5 GB/s |
| `"8 +- 2"`, `"8 +- 25 %"` | of counts and plain numbers; a count reaches the whole numbers within |
| `"95 % +- 2 %"` | of a percentage: percentage points, from 93 % to 97 % |
| `"up to 110 GB/s"` | a ceiling, for rates and operation rates: from what measured pairs say such figures deliver at least, or 70 % of it, to itself |
| `{ "value": "4 GB/s", "low": "3 GB/s", "high": "4.4 GB/s", "why": "three runs of IOR" }` | both ends, and how that is known |

`why` may be left out. `value`, `low` and `high` may be expressions (`"=n * 2 GB/s"`); a tolerance cannot
follow one. Both ends are within the limits of the field, and the value is from one to the other. What a
ceiling leaves is what [measured pairs](../models/priors.md) say of its sort, else 70 %, an expert value.

A simulation takes the value: a range changes no prediction, and designs that differ in ranges alone are the
same. `--set 'storage.ost.read=4 GB/s +- 10 %'` works as in the file; whatever sets a field to a plain value
(`--set`, a sweep, a plan) replaces the range as well, and `--set storage.ost.read.value=...` keeps the range
of an object. `stallcast resolve` writes every stated range with both ends, and `--provenance` shows those of
defaults as comments.
)";

}  // namespace

std::string reference() {
  std::string out =
      "# Scenario reference\n\n"
      "Every field of every kind, from the tables the reader itself uses. Dotted keys are nested "
      "objects: "
      "`ost.count` is written `\"ost\": { \"count\": 48 }`.\n"
      "A component may also name a product, `\"use\": \"host/dgx-h100\"`: its figures come first, "
      "keys "
      "next to it override them (`stallcast catalog`).\n";
  out += kHowSure;
  for (const models::RoleInfo& role : models::roles()) {
    const auto kinds = models::kinds(role.role);
    if (kinds.empty()) continue;
    out += "\n## " + std::string(role.id) + ": `" + place(role) + "`\n";
    if (!role.selector.empty()) {
      out += "\n`" + std::string(role.selector) + "` chooses the kind";
      out += role.fallback.empty() ? "." : "; without it, `" + std::string(role.fallback) + "`.";
      out += "\n";
    }
    out += table(kinds.front().common, kinds.front().common_parts);
    for (const models::KindInfo& kind : kinds) {
      if (kinds.size() > 1 || !role.selector.empty())
        out += "\n### " + std::string(kind.id) + "\n\n" + cell(kind.summary) + "\n";
      out += table(kind.fields, kind.parts);
    }
  }
  out +=
      "\n## plan: `plan`\n\nWhat `stallcast plan` searches (`over`), and for what: "
      "[how](../guide/plan.md).\n";
  out += table(plan_fields(), {});
  out +=
      "\n## growth: `growth`\n\nHow demand and the plant grow: `of` names values by their path, "
      "each "
      "with a trend (" +
      std::string(kTrendForms) +
      ") or with what it is from which month on (`{ \"12\": 24 }`): "
      "[how](../models/growth.md).\n";
  out += table(growth_fields(), {});
  return out;
}

}  // namespace stallcast::scenarios
