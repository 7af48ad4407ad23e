#include "calibration/profile/apply.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

bool has_values_of_profile(const Component& component) {
  return std::ranges::any_of(component.values, [](const auto& one) {
    return one.second.source.kind == Source::Kind::profile;
  });
}

}  // namespace

void apply_draw(const CalibrationProfile& profile, std::size_t i, Design& design) {
  base::for_each_component(
      design, [&](const std::string&, std::string_view role, Component& component) {
        for (const ProfileValue& v : profile.values) {
          if (!v.is_for(role, component) || v.draws.empty()) continue;
          const auto at = component.values.find(v.field);
          if (at != component.values.end() && at->second.source.kind == Source::Kind::profile)
            at->second.number = v.draws[i % v.draws.size()];
        }
        for (const NarrowedInput& n : profile.narrowed) {
          if (!n.is_for(role, component) || n.draws.empty()) continue;
          const auto at = component.values.find(n.field);
          if (at == component.values.end() || at->second.source.kind != Source::Kind::profile)
            continue;
          const double said = n.scales ? at->second.number / n.value : 1.0;
          at->second.number = said * n.draws[i % n.draws.size()];
        }
      });
}

std::vector<std::string> other_machines(const CalibrationProfile& profile, const Design& design) {
  struct Fact {
    std::string_view key, field;
    Dimension dimension;
    double factor;
    std::string_view noun;
  };
  constexpr std::array kFacts{Fact{"cores", "cpu.cores", Dimension::number, 2.0, " cores"},
                              Fact{"memory", "memory.size", Dimension::bytes, 1.25, " of memory"}};
  std::vector<std::string> out;
  for (const Component& host : design.hosts)
    for (const Fact& fact : kFacts) {
      const auto recorded = profile.environment.find(std::string(fact.key));
      const Value* stated = host.find(fact.field);
      if (recorded == profile.environment.end() || stated == nullptr ||
          stated->source.kind == Source::Kind::default_value)
        continue;
      // Of all files that say it, "2; 1, 2 threads", the nearest counts.
      double apart = 0.0;
      std::string nearest;
      for (const std::string& said : base::split(recorded->second, ';')) {
        const std::string first = said.substr(0, said.find(','));
        const auto measured = base::parse_quantity(base::trim(first), fact.dimension).value;
        if (!measured || *measured <= 0.0 || stated->number <= 0.0) continue;
        const double ratio = stated->number / *measured;
        const double times = std::max(ratio, 1.0 / ratio);
        if (apart == 0.0 || times < apart) apart = times, nearest = base::trim(first);
      }
      if (apart < fact.factor) continue;
      out.push_back("the profile \"" + profile.id + "\" was measured on a machine with " + nearest +
                    std::string(fact.noun) + ", host \"" + host.id + "\" has " +
                    base::print_quantity(stated->number, fact.dimension));
    }
  return out;
}

std::vector<std::string> refused_mixes(const CalibrationProfile& profile, const Design& design) {
  const auto fit = std::ranges::find(profile.fits, "io.mixed", &Fit::id);
  if (fit == profile.fits.end() || fit->verdict != FitVerdict::refused) return {};
  const auto names = [](const Component& component, std::string_view key, const std::string& id) {
    const Value* value = component.find(key);
    return value != nullptr && value->text == id;
  };
  std::vector<std::string> out;
  for (const Component& storage : design.storage) {
    const Value* coupling = storage.find("mixed.coupling");
    if (coupling == nullptr || !has_values_of_profile(storage) ||
        coupling->source.kind != Source::Kind::default_value)
      continue;
    bool reads = false, writes = false;
    for (const JobDesign& job : design.jobs) {
      reads = reads || (job.dataset && (names(*job.dataset, "on", storage.id) ||
                                        names(*job.dataset, "also.on", storage.id)));
      writes = writes || (job.checkpoint && names(*job.checkpoint, "to", storage.id));
    }
    for (const Component& tenant : design.tenants) {
      if (!names(tenant, "on", storage.id)) continue;
      const Value* pattern = tenant.find("rw");  // of fio; others may do both
      reads = reads || pattern == nullptr || !pattern->text.ends_with("write");
      writes = writes || pattern == nullptr || !pattern->text.ends_with("read");
    }
    if (!reads || !writes) continue;
    out.push_back("the profile \"" + profile.id + "\" refused io.mixed" +
                  (fit->reasons.empty() ? "" : " (" + fit->reasons.front() + ")") +
                  ": what reads and writes of storage \"" + storage.id +
                  "\" do to each other is the default, one line for both");
  }
  return out;
}

std::vector<std::string> several_hosts(const CalibrationProfile& profile, const Design& design) {
  const auto hosts = profile.environment.find("hosts");
  if (hosts == profile.environment.end()) return {};
  std::vector<std::string> out;
  for (const Component& storage : design.storage) {
    const Value* scope = storage.find("scope");
    if (scope == nullptr || scope->text != "host" || !has_values_of_profile(storage)) continue;
    out.push_back("the profile \"" + profile.id + "\" was measured from " + hosts->second +
                  " hosts at one time, and each host has a storage \"" + storage.id +
                  "\" like it; with \"scope\": \"shared\" it is one for all");
  }
  return out;
}

std::vector<std::string> other_parts(const CalibrationProfile& profile, const Design& design) {
  std::vector<std::string> out, devices;
  for (const Component& storage : design.storage)
    if (storage.kind == "measured" && has_values_of_profile(storage))
      devices.push_back("\"" + storage.id + "\"");
  const auto of_any = [](const auto& one) {
    return one.role == "storage" && one.kind == "measured";
  };
  const bool all_alike = std::ranges::any_of(profile.values, of_any) ||
                         std::ranges::any_of(profile.narrowed, [&](const auto& one) {
                           return of_any(one) && one.component.empty();
                         });
  if (all_alike && devices.size() > 1)
    out.push_back(
        "the profile \"" + profile.id + "\" has one measured device, and storage " +
        base::join(devices, " and ") +
        " are all like it; what the scenario states of one of them goes before the profile");
  std::map<std::string, std::string> missing;  // fields of each part
  for (const NarrowedInput& n : profile.narrowed) {
    bool found = n.component.empty();
    base::for_each_component(
        design, [&](const std::string&, std::string_view role, const Component& component) {
          found = found || (n.role == role && n.component == component.id);
        });
    if (found) continue;
    std::string& fields = missing[n.role + " \"" + n.component + "\""];
    fields += (fields.empty() ? "\"" : ", \"") + n.field + "\"";
  }
  for (const auto& [part, fields] : missing)
    out.push_back("the profile \"" + profile.id + "\" has " + fields + " of " + part +
                  ", which this design has not: it is left out");
  return out;
}

std::vector<std::string> measured_once(const CalibrationProfile& profile, const Design& design) {
  std::vector<std::string> out;
  for (const Fit& fit : profile.fits) {
    if (fit.runs != 1 || fit.verdict == FitVerdict::refused) continue;
    std::set<std::string> fields;
    base::for_each_component(
        design, [&](const std::string&, std::string_view role, const Component& component) {
          for (const ProfileValue& v : profile.values) {
            if (v.fit != fit.id || !v.is_for(role, component)) continue;
            const Value* value = component.find(v.field);
            if (value != nullptr && value->source.kind == Source::Kind::profile)
              fields.insert("\"" + v.field + "\" of " + v.role + " \"" + component.id + "\"");
          }
        });
    if (!fields.empty())
      out.push_back("the profile \"" + profile.id + "\" has " +
                    base::join(std::vector(fields.begin(), fields.end()), ", ") +
                    " from one run (" + fit.id + ")" +
                    (fit.reasons.empty() ? "" : ": " + base::join(fit.reasons, "; ")));
  }
  return out;
}

std::vector<std::string> said_of(const CalibrationProfile& profile, const Design& design) {
  if (values_from_profile(design) == 0)
    return {"the profile \"" + profile.id + "\" has no value for this scenario"};
  std::vector<std::string> out;
  for (std::vector<std::string> lines :
       {other_machines(profile, design), refused_mixes(profile, design),
        several_hosts(profile, design), other_parts(profile, design),
        measured_once(profile, design)})
    std::ranges::move(lines, std::back_inserter(out));
  return out;
}

std::size_t values_from_profile(const Design& design) {
  std::size_t found = 0;
  base::for_each_component(design,
                           [&](const std::string&, std::string_view, const Component& component) {
                             for (const auto& [key, value] : component.values)
                               if (value.source.kind == Source::Kind::profile) ++found;
                           });
  return found;
}

}  // namespace stallcast::calibration
