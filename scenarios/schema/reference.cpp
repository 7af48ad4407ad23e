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

/// Every unit that is taken, by what it is of.
std::string units() {
  std::string out = "\n| takes | written in |\n|---|---|\n";
  for (int i = 0; i <= static_cast<int>(Dimension::power); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    std::string known;
    for (const std::string_view unit : base::unit_texts(dimension))
      known += (known.empty() ? "" : " ") +
               (unit.empty() ? "no unit, or" : "`" + std::string(unit) + "`");
    if (!known.empty())
      out += "| " + std::string(base::dimension_name(dimension)) + " | " + known + " |\n";
  }
  return out;
}

/// Wrapped, as pages are.
constexpr std::string_view kWritten = R"(
## How a file is written

JSON, with comments (`//`, `/* */`) and trailing commas. A key that is not known or given twice is an error;
one that begins with `x-` is yours; a value that counts only beside another, which is not there, is warned of,
as are hosts of the file itself that nothing names. `null` is as if the key was left out, also where a product
or an extended file has a value. A number with a unit is a text, `"25 GB/s"`. Case matters: `kB` is 1000 bytes
and `KiB` 1024, `Gb/s` are bits and `GB/s` bytes. In prices a month is 730 hours and a year 8760. `"70B"` is a
number, too. A duration may be in parts, the largest unit first, as reports print it: `"1 h 13 min"`.
)";
constexpr std::string_view kSections = R"(
| key | holds |
|---|---|
| `id`, `description`, `$schema` | texts; without an `id` the name of the file |
| `params` | named values: `"n": 40`, `"rate": "4 GB/s"`, or `{ "value": 40, "min": 4, "max": 512, "step": 4, "doc": "OSTs" }`, where bounds without a unit are in that of the value. One that nothing uses is an error |
| `extends` | a file, from the folder of the one that names it, or `catalog:` and a product or template; or a list of them |
| `scenarios` | variants by name, for `--variant NAME`: what is different in each |
| `cluster`, `storage`, `jobs`, `tenants`, `stages`, `failures`, `run`, `plan`, `growth` | below; one storage system needs no list around it |
| `expect` | [targets](../guide/ci.md) |
| `sweep` | [what is varied](../guide/sweep.md) |

A text that begins with `=` is calculated from numbers and parameters with `+ - * / ( )`, `min`, `max`, `ceil`, `floor`,
`round`, `sqrt`, `exp`, `log` (natural), `log2` and `pow`; a unit behind it makes it a quantity, `"=2 * n GB/s"`. A parameter
that is a quantity itself stands alone, `"=rate"`.

What is extended comes first, in its order, then the file, a variant, and `--set`. Of files and variants objects are merged
key by key, and lists whose items all have an `id` item by item; anything else takes the place of what was there, as does
all that `--set` names.

`--set PATH=VALUE` takes a path of keys and ids, `jobs.train.loader.workers=8` or `jobs[train].loader.workers=8`; the only
item of a list need not be named, `storage.ost.count=48`, nor must `params`, `n=48`. `[+]` is one more item,
`'tenants[+]={ ... }'`.
)";
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
of an object. Of files and variants an object is merged into that of what is extended, and its `why` is gone where
an end is another one; over a plain value it has all of `value`, `low` and `high`. `stallcast resolve` writes every stated range with both ends, and `--provenance` shows those of
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
  out += kWritten;
  out += units();
  out += kSections;
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
