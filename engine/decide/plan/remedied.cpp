#include "engine/decide/plan/remedied.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/contract/fabric.hpp"

namespace stallcast::plan {
namespace {

using models::Remedy;
using models::Role;

/// What a count of 0 is raised to, of which there is no multiple: what it is by default, at
/// least 1.
double first_count(Role role, const Component& component, std::string_view field) {
  const base::FieldInfo* known = models::find_field(role, component, field);
  if (known == nullptr) return 1.0;
  return std::max(1.0, base::parse_quantity(known->fallback, Dimension::count).value.value_or(1.0));
}

/// `value` raised or lowered by `factor`, from 0 to `first`; whole for counts. None when it stays
/// as it is.
std::optional<double> raised(const Value& value, double factor, double first) {
  if (value.number == 0.0 && value.dimension == Dimension::count && factor > 1.0) return first;
  if (!(value.number > 0.0)) return std::nullopt;
  const double more = value.dimension == Dimension::count ? std::ceil(value.number * factor - 1e-9)
                                                          : value.number * factor;
  if (more == value.number) return std::nullopt;
  return more;
}

/// Whether more of the field costs nothing: hosts and fabric are hardware all over, and an interval
/// that is longer is not more.
bool is_setting(Role role, const Remedy& remedy, Dimension dimension) {
  return !remedy.bought && !remedy.link && !remedy.divides && remedy.factor > 1.0 &&
         role != Role::host && role != Role::fabric && dimension != Dimension::time;
}

}  // namespace

std::optional<Proposal> remedied(const Patient& patient, const Remedy& remedy,
                                 const Component& fabric) {
  const Value* value = patient.component.find(remedy.field);
  if (value == nullptr) return std::nullopt;
  if (remedy.text.empty()) {
    const double first = first_count(patient.role, patient.component, remedy.field);
    const std::optional<double> more = raised(*value, remedy.factor, first);
    return more ? std::optional(raised_to(*more, remedy, patient, fabric)) : std::nullopt;
  }
  const std::string before = base::written(*value), after(remedy.text);
  if (before == after) return std::nullopt;
  const std::string field = "." + std::string(remedy.field);
  return Proposal{patient.label + field + " " + before + " -> " + after,
                  {patient.path + field, parse_setting(after)},
                  0.0};
}

Proposal raised_to(double more, const Remedy& remedy, const Patient& patient,
                   const Component& fabric) {
  const Value& value = *patient.component.find(remedy.field);
  const std::string field = "." + std::string(remedy.field);
  const bool follow = models::links_follow(fabric, remedy.field, Rate::from(more, unit::Bps));
  const auto written = [&](double number) {
    return remedy.link ? parse_setting(base::exact_link_rate(number))
                       : setting_of(number, value.dimension);
  };
  const Setting after = written(more);
  const bool setting = is_setting(patient.role, remedy, value.dimension);
  Proposal out{patient.label + field + " " + text_of(written(value.number)) + " -> " +
                   text_of(after) + (follow ? ", links to match" : ""),
               {patient.path + field, after},
               setting          ? 0.0
               : remedy.divides ? added(more, value.number)
               : remedy.bought  ? added(value.number, more)
                                : added(value.number, value.number > 0.0 ? more : 1.0)};
  const bool whole = value.dimension == Dimension::count;
  if (setting || (remedy.bought && whole))
    out.count = Proposal::Count{.label = patient.label + field,
                                .path = patient.path + field,
                                .pointer = base::pointer_of(patient.component, remedy.field),
                                .from = value.number,
                                .to = more,
                                .step = whole || !(value.number > 0.0) ? 1.0 : value.number,
                                .bought = !setting,
                                .dimension = value.dimension};
  return out;
}

}  // namespace stallcast::plan
