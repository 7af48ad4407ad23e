#include "engine/decide/plan/advice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/decide/plan/by_figure.hpp"
#include "engine/decide/plan/intervals.hpp"
#include "engine/decide/plan/neighbour_changes.hpp"
#include "engine/decide/plan/plan.hpp"
#include "engine/decide/plan/remedied.hpp"
#include "engine/decide/plan/room.hpp"
#include "engine/decide/plan/users.hpp"
#include "models/bounds/space.hpp"
#include "models/contract/fabric.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

using base::ResourceName;
using models::Habit;
using models::Remedy;
using models::Role;
using Of = models::Remedy::Of;

/// Roles that have resources, and parts of a job that have habits, in the order they are tried.
constexpr Role kLimiting[] = {Role::storage, Role::host, Role::job, Role::stage, Role::fabric};
constexpr Role kJobParts[] = {Role::loader, Role::dataset, Role::checkpoint, Role::recovery};

/// A resource with less of the blame is not worth a simulation, nor is one for which all wait less
/// than this share of the time: no change of it could gain more.
constexpr double kBlamed = 0.01;
constexpr double kWorthTrying = 0.002;
/// Half of what is busy less than this would still not be full, and what is busy more is.
constexpr double kHalfIdle = 0.45, kFull = 0.9;

/// "client.scratch.read", the part of a host's resource -> scratch.
std::string_view client_of(std::string_view part) {
  const std::string_view id =
      part.substr(std::min(part.size(), std::string_view("client.").size()));
  return id.substr(0, id.find('.'));
}

bool starts_with_part(std::string_view text, std::string_view part) {
  return part.empty() ||
         (text.starts_with(part) && (text.size() == part.size() || text[part.size()] == '.'));
}

class Advisor {
 public:
  Advisor(const Design& design, const Prediction& prediction, std::size_t most)
      : fabric_(design.fabric),
        design_(models::with_link_rate(design)),
        prediction_(prediction),
        most_(most) {}

  void relieve(const std::string& resource) {
    for (const std::string& one : label::each_of(resource)) relieve_one(one);
  }

  void relieve_one(const std::string& resource) {
    const ResourceName name = base::resource_name(resource);
    if (name.role == "storage" && (name.part == "capacity" || name.part == "wear"))
      return make_room(std::string(name.id), name.part == "wear");
    for (Proposal& change : neighbour_changes(design_, prediction_, resource))
      add(std::move(change));
    for (const Remedy* remedy : remedies_of(name))
      if ((!remedy->spreads || !full(resource)) && goes(remedy->way, name, design_, prediction_))
        apply(*remedy, name);
  }

  /// As many parts, or as large a quota, as targets ask for, or parts that last as they are rated.
  void make_room(const std::string& storage, bool wear) {
    for (const models::Room& space : models::spaces(design_)) {
      if (space.storage != storage) continue;
      const Bytes more = wear ? Bytes{} : asked_beyond(space, prediction_);
      if (const auto paid = space.paid_needed(more); paid && !wear)
        add(raised_to(paid->in(unit::B), {.field = space.size},
                      {Role::storage, *design_.find_storage(storage),
                       base::component_path("storage", storage), "storage." + storage},
                      fabric_));
      else if ((wear ? !space.count.empty() : space.counted()) && space.parts > 0.0)
        apply({.field = space.count,
               .factor = (wear ? space.parts_that_last() : space.parts_needed(more)) / space.parts,
               .bought = true},
              {"storage", storage, {}});
    }
  }

  /// Twice of it: the field that is called as the end of its name, else the first.
  void double_it(const std::string& resource) {
    const ResourceName name = base::resource_name(resource);
    const Remedy* best = nullptr;
    for (const Remedy* remedy : remedies_of(name)) {
      const std::string_view key = remedy->field.substr(remedy->field.rfind('.') + 1);
      if (remedy->factor > 0.0 && !remedy->divides &&
          goes(remedy->way, name, design_, prediction_) &&
          (best == nullptr || name.part.ends_with(key)))
        best = remedy;
    }
    if (best == nullptr) return;
    Remedy twice = *best;
    twice.factor = 2.0;
    apply(twice, name);
  }

  /// Other kinds of parts that cost their job time: saves in the background.
  void replace_kinds() {
    for (const JobDesign& job : design_.jobs)
      for (const Role role : kJobParts) {
        const std::optional<Component>& part = part_of(job, role);
        const models::KindInfo* kind = part ? models::find_kind(role, part->kind) : nullptr;
        if (kind == nullptr || kind->successor.kind.empty() || !costs(job, kind->successor.cause))
          continue;
        const models::RoleInfo& info = models::role_info(role);
        const std::string field = std::string(info.id) + "." + std::string(info.selector);
        add(job_change(job, field, part->kind, std::string(kind->successor.kind)));
      }
  }

  /// What the figures of missed targets ask for.
  void set_by_figure() {
    for (Proposal& change : figure_changes(design_, prediction_)) add(std::move(change));
  }

  /// What failures cost: the save interval that keeps most useful time, and more spare hosts, where
  /// the months that were replayed say that it is worth a simulation.
  void recover() {
    for (const JobDesign& job : design_.jobs) {
      const auto of_job = [&](const char* name) {
        return figure_or_zero(prediction_, metric::of_job(job.job.id, name));
      };
      if (of_job("checkpoint.best_interval.goodput") - of_job("goodput") >= kWorthTrying)
        for (Proposal& interval : save_intervals(job, prediction_)) add(std::move(interval));
      if (of_job("failures.waiting.share") >= kWorthTrying)
        relieve(metric::of_job(job.job.id, "spares"));
    }
  }

  /// Settings of jobs that lose time to a cause, whatever they wait for.
  void change_habits() {
    for_each_habit([&](const JobDesign& job, Role part, const Habit& habit) {
      if (std::any_of(habit.causes.begin(), habit.causes.end(),
                      [&](std::string_view cause) { return costs(job, cause); }))
        change_part(job, part, {.field = habit.field, .factor = habit.factor, .text = habit.text});
    });
  }

  /// Hardware of which half would do by its use, and workers that are never waited for.
  void halve_idle() {
    for (const Role role : kLimiting) {
      for (const models::KindInfo& kind : models::kinds(role))
        for (const Remedy& remedy : kind.remedies) halve(role, kind.id, kind.remedies, remedy);
      const std::span<const Remedy> common = models::role_info(role).remedies;
      for (const Remedy& remedy : common) halve(role, "", common, remedy);
    }
    for_each_habit([&](const JobDesign& job, Role part, const Habit& habit) {
      double lost = 0.0;
      for (const std::string_view cause : habit.causes)
        lost += share_of(prediction_, job.job.id, cause);
      if (habit.spare && lost < kNoticeable)
        change_part(job, part, {.field = habit.field, .factor = 0.5});
    });
  }

  [[nodiscard]] std::vector<Proposal> take() { return std::move(proposals_); }

 private:
  /// Whether all of a resource is used while anything of it is, not only what reads have of it.
  [[nodiscard]] bool full(std::string_view resource) const {
    bool all = false, part = false;
    for (const ResourceUse& use : prediction_.resources) {
      all = all || (use.name == resource && use.load() >= kFull);
      part = part || (resource.starts_with(use.name + ".") && use.load() < kFull);
    }
    return all && !part;
  }

  [[nodiscard]] bool costs(const JobDesign& job, std::string_view cause) const {
    return share_of(prediction_, job.job.id, cause) >= kNoticeable;
  }

  /// The component that a resource belongs to; nullptr when there is none.
  [[nodiscard]] const Component* component_of(const ResourceName& name) const {
    const std::string path = base::component_path(name.role, name.id);
    const Component* out = nullptr;
    base::for_each_component(design_, [&](const auto& at, auto, const Component& component) {
      if (at == path) out = &component;
    });
    return out;
  }

  /// More NICs in place of faster ones where these would be faster than ports of the switches.
  [[nodiscard]] bool fits_port(const Remedy& remedy, const Component* component) const {
    if (remedy.field != "nic.rate" && remedy.field != "nic.count") return true;
    return component == nullptr || (remedy.field == "nic.count") ==
                                       (models::port_over_nic(*component, design_.fabric) <= 1.0);
  }

  /// What relieves a resource: the remedies of the first part that fits.
  [[nodiscard]] std::vector<const Remedy*> remedies_of(const ResourceName& name) const {
    std::vector<const Remedy*> out;
    const Component* component = component_of(name);
    const auto add_fitting = [&](std::span<const Remedy> remedies) {
      for (const Remedy& remedy : remedies)
        if (starts_with_part(name.part, remedy.part) && fits_port(remedy, component) &&
            (out.empty() || out.front()->part == remedy.part))
          out.push_back(&remedy);
    };
    for (const Role role : kLimiting) {
      const models::RoleInfo& info = models::role_info(role);
      if (info.id != name.role) continue;
      if (component != nullptr)
        if (const models::KindInfo* kind = models::find_kind(role, component->kind))
          add_fitting(kind->remedies);
      add_fitting(info.remedies);
    }
    return out;
  }

  template <class Use>
  void for_each_habit(const Use& use) const {
    for (const JobDesign& job : design_.jobs)
      for (const Role part : kJobParts)
        for (const Habit& habit : models::role_info(part).habits) use(job, part, habit);
  }

  /// Half of what `remedy` adds to, wherever that and whatever else is made of it, by `all`, are
  /// idle. A `kind` of "" is any.
  void halve(Role role, std::string_view kind, std::span<const Remedy> all, const Remedy& remedy) {
    if (!remedy.bought) return;
    const auto made_of_it = [&](std::string_view part) {
      return std::any_of(all.begin(), all.end(), [&](const Remedy& r) {
        return r.field == remedy.field && starts_with_part(part, r.part);
      });
    };
    std::map<std::string, double> busiest;
    for (const ResourceUse& use : prediction_.resources) {
      const ResourceName name = base::resource_name(use.name);
      if (name.role != models::role_info(role).id || !made_of_it(name.part)) continue;
      const Component* component = component_of(name);
      if (!kind.empty() && (component == nullptr || component->kind != kind)) continue;
      const double busy = use.blamed_share >= kBlamed ? 1.0 : use.load();
      double& most = busiest[std::string(name.id)];
      most = std::max(most, busy);
    }
    Remedy half = remedy;
    half.factor = 0.5;
    for (const auto& [id, busy] : busiest)
      if (busy < kHalfIdle) apply(half, {models::role_info(role).id, id, remedy.part});
  }

  void apply(const Remedy& remedy, const ResourceName& name) {
    const std::string id(name.id);
    if (remedy.of == Of::storage) {
      apply({.field = remedy.field, .factor = remedy.factor},
            {"storage", client_of(name.part), {}});
    } else if (remedy.of != Of::self) {
      const Role part = remedy.of == Of::loader     ? Role::loader
                        : remedy.of == Of::recovery ? Role::recovery
                                                    : Role::checkpoint;
      for (const JobDesign& job : design_.jobs)
        if (suffers(job, remedy, name, prediction_)) change_part(job, part, remedy);
    } else if (const Component* component = component_of(name)) {
      change(models::find_role(name.role)->role, *component,
             base::component_path(name.role, name.id),
             id.empty() ? std::string(name.role) : std::string(name.role) + "." + id, remedy);
    }
  }

  void change_part(const JobDesign& job, Role part, const Remedy& remedy) {
    const std::string name(models::role_info(part).id);
    if (const std::optional<Component>& component = part_of(job, part))
      change(part, *component, base::component_path("job", job.job.id) + "." + name,
             "job." + job.job.id + "." + name, remedy);
  }

  void change(Role role, const Component& component, const std::string& path,
              const std::string& label, const Remedy& remedy) {
    if (auto proposal = remedied({role, component, path, label}, remedy, fabric_))
      add(*std::move(proposal));
  }

  void add(Proposal proposal) {
    for (const Proposal& p : proposals_)
      if (p.change == proposal.change) return;
    if (proposals_.size() < most_) proposals_.push_back(std::move(proposal));
  }

  const Component& fabric_;  ///< as said
  const Design design_;
  const Prediction& prediction_;
  std::size_t most_;
  std::vector<Proposal> proposals_;
};

}  // namespace

std::vector<Proposal> candidate_changes(const Design& design, const Prediction& prediction,
                                        std::size_t most) {
  Advisor advisor(design, prediction, most);
  advisor.replace_kinds();
  advisor.set_by_figure();
  for (const AssertionOutcome& outcome : prediction.assertions)
    if (outcome.status != "pass" && outcome.level != "warn") advisor.relieve(outcome.limited_by);
  advisor.recover();
  const double waited = std::max(kBlamed, kWorthTrying / waiting_share(prediction));
  const double gain = std::max(kWorthTrying, prediction.gains ? prediction.gains->noise : 0.0);
  for (const Bottleneck& b : prediction.bottlenecks)
    if (b.blamed_share >= waited || (b.gain && is_gain(*b.gain, gain))) {
      advisor.relieve(b.resource);
      if (b.gain && is_gain(*b.gain, gain))
        for (const std::string& part : b.gain->parts) advisor.relieve(part);
    }
  return advisor.take();
}

std::optional<Proposal> doubled(const Design& design, const Prediction& prediction,
                                const std::string& resource) {
  Advisor advisor(design, prediction, 1);
  for (const std::string& one : label::each_of(resource)) advisor.double_it(one);
  const std::vector<Proposal> found = advisor.take();
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<Proposal> further_changes(const Design& design, const Prediction& prediction,
                                      std::size_t most) {
  Advisor advisor(design, prediction, most);
  advisor.change_habits();
  return advisor.take();
}

std::vector<Proposal> spare_changes(const Design& design, const Prediction& prediction,
                                    std::size_t most) {
  Advisor advisor(design, prediction, most);
  advisor.halve_idle();
  return advisor.take();
}

}  // namespace stallcast::plan
