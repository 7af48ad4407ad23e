#include "scenarios/resolve/profile_values.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/resolve/component_reader.hpp"

namespace stallcast::scenarios {
namespace {

std::string pointer_in(const Component& component, std::string_view field) {
  std::string at = component.pointer;
  for (const std::string& part : base::split(field, '.')) at += base::pointer_token(part);
  return at;
}

// Whether the profile was made with this statement: of factors, with one that is as wide.
bool as_calibrated(const Value& value, const NarrowedInput& n) {
  if (n.said_low == n.said_high) return true;  // profiles of old do not say
  const double unit = n.scales ? n.said / value.number : 1.0;
  // Figures are written with few digits.
  constexpr double kAlike = 0.01;
  const auto same = [&](double now, double then) {
    return std::abs(now * unit - then) <= kAlike * (n.said_high - n.said_low);
  };
  return same(value.number, n.said) && same(value.range->low, n.said_low) &&
         same(value.range->high, n.said_high);
}

class EndWithProfile {
 public:
  EndWithProfile(const CalibrationProfile& profile, std::string_view role, Reporter& report,
                 Component& out)
      : profile_(profile), role_(role), report_(report), out_(out) {}

  void narrow() {
    for (const NarrowedInput& n : profile_.narrowed) {
      if (!n.is_for(role_, out_)) continue;
      const auto at = out_.values.find(n.field);
      if (at == out_.values.end()) continue;
      Value& value = at->second;
      if (!value.range) {
        if (value.source.kind == Source::Kind::set_option) keep_exact(value, n);
        continue;
      }
      if (is_stated(value) && !as_calibrated(value, n)) {
        keep_stated(value, n);
        continue;
      }
      const double said = n.scales ? value.number : 1.0;
      value.number = said * n.value;
      value.range = {said * n.low, said * n.high, std::string(kObservedRuns)};
      value.source = {Source::Kind::profile, "profile:" + profile_.id, std::string(kObservedRuns),
                      false};
    }
  }

  // Figures of one law mean something else in another: a latency is what is left of the curve that
  // was fitted.
  void keep_laws() {
    for (const ProfileValue& law : profile_.values) {
      if (law.text.empty() || !law.is_for(role_, out_)) continue;
      const auto at = out_.values.find(law.field);
      if (at == out_.values.end() || !is_stated(at->second) || at->second.text == law.text)
        continue;
      std::vector<std::string> others;
      for (const ProfileValue& other : profile_.values) {
        const auto value = out_.values.find(other.field);
        if (other.fit == law.fit && other.field != law.field && other.is_for(role_, out_) &&
            value != out_.values.end() && value->second.source.kind == Source::Kind::profile)
          others.push_back("\"" + other.field + "\"");
      }
      if (others.empty()) continue;
      report_.warn("profile", pointer_in(out_, law.field),
                   "\"" + law.field + "\" is \"" + at->second.text +
                       "\" as it is stated here; the profile \"" + profile_.id + "\" fitted \"" +
                       law.text + "\", and its " + base::join(others, ", ") + " " +
                       (others.size() == 1 ? "is" : "are") + " of that law",
                   "leave it out to take the profile's law, or state " +
                       std::string(others.size() == 1 ? "that" : "those") + " of \"" +
                       at->second.text + "\" as well");
    }
  }

 private:
  // What `--set`, a sweep or a plan puts in place of a range that the profile was made with.
  void keep_exact(const Value& value, const NarrowedInput& n) {
    if (n.said_low == n.said_high) return;
    const auto print = [&](double x) { return base::print_quantity(x, value.dimension); };
    const double unit = n.scales ? value.number / n.said : 1.0;
    const std::string known =
        n.scales ? base::print_quantity(n.value, Dimension::ratio) + " of what is stated"
                 : print(n.value) + " (" + print(n.low) + " to " + print(n.high) + ")";
    report_.warn("profile", pointer_in(out_, n.field),
                 "\"" + n.field + "\" is exactly " + print(value.number) +
                     " as it is set; the profile \"" + profile_.id + "\" has " + known +
                     ", which is left out",
                 "set it with the range that was calibrated, from " + print(n.said_low * unit) +
                     " to " + print(n.said_high * unit) + ", to have the profile's");
  }

  void keep_stated(const Value& value, const NarrowedInput& n) {
    const auto text = [&](double number, double low, double high) {
      const auto print = [&](double x) { return base::print_quantity(x, value.dimension); };
      return print(number) + " (" + print(low) + " to " + print(high) + ")";
    };
    const double unit = n.scales ? n.said : 1.0;
    report_.warn("profile", pointer_in(out_, n.field),
                 "\"" + n.field + "\" is " +
                     text(value.number, value.range->low, value.range->high) +
                     " as it is stated here; the profile \"" + profile_.id +
                     "\" was made with another range and has " +
                     text(unit * n.value, unit * n.low, unit * n.high),
                 "leave it out to take the profile's, or calibrate with it");
  }

  const CalibrationProfile& profile_;
  std::string_view role_;
  Reporter& report_;
  Component& out_;
};

}  // namespace

void take_measured(const CalibrationProfile& profile, std::string_view role,
                   std::span<const base::FieldInfo* const> fields, Component& out) {
  for (const ProfileValue& v : profile.values)
    for (const base::FieldInfo* field : fields) {
      if (!v.is_for(role, out) || v.field != field->key) continue;
      Value value{field->dimension, v.value, v.text, {}, {}};
      value.source = {Source::Kind::profile, "profile:" + profile.id, "fit " + v.fit, false};
      if (v.low < v.high) value.range = {v.low, v.high, "fit " + v.fit};
      out.values.insert_or_assign(v.field, std::move(value));
    }
}

void end_with_profile(const CalibrationProfile& profile, std::string_view role, Reporter& report,
                      Component& out) {
  EndWithProfile end(profile, role, report, out);
  end.narrow();
  end.keep_laws();
}

}  // namespace stallcast::scenarios
