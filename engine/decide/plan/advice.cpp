#include "engine/decide/plan/advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "engine/base/quantity_text.hpp"
#include "engine/decide/plan/plan.hpp"
#include "stallcast/breakdown.hpp"

namespace stallcast::plan {
namespace {

/// Which field of which component relieves a resource, and by how much to raise it.
struct Remedy {
  std::string_view role = {};  ///< first part of the resource's name: "storage", "host", "fabric"
  std::string_view part = {};  ///< what the rest of the name starts with; "" = anything
  /// "self", "storage" whose client it is, or that part of every job which uses it: "loader"
  std::string_view target = {};
  std::string_view field = {};
  double factor = 0.0;
  std::string_view text = {};  ///< set to this instead of raising
  bool link = false;           ///< the field is quoted in bits
  bool bought = false;         ///< it is hardware: less of it is cheaper
};

// The rows of the first part that fits are taken, all of them.
constexpr std::array kRemedies = {
    Remedy{"storage", "ost", "self", "ost.count", 1.25, {}, false, true},
    Remedy{"storage", "oss", "self", "oss.count", 1.25, {}, false, true},
    Remedy{"storage", "mdt", "self", "mdt.count", 2.0, {}, false, true},
    Remedy{"storage", "client.stream", "checkpoint", "direct", 0.0, "true"},
    Remedy{"storage", "client.stream", "checkpoint", "files", 4.0},
    Remedy{"storage", "client.stream", "loader", "workers", 2.0},
    Remedy{"storage", "client.tls", "loader", "workers", 2.0},
    Remedy{"storage", "client", "self", "client.rpcs_in_flight", 2.0},
    Remedy{"storage", "prefixes", "self", "prefixes", 2.0},
    Remedy{"storage", "first_byte", "loader", "workers", 2.0},
    Remedy{"storage", "connection", "loader", "workers", 2.0},
    Remedy{"storage", "connection", "self", "get.parallel", 2.0},
    Remedy{"storage", "server", "self", "server.count", 1.25, {}, false, true},
    Remedy{"storage", "drives", "self", "drive.count", 1.25, {}, false, true},
    Remedy{"host", "client", "storage", "client.nconnect", 2.0},
    Remedy{"host", "client", "storage", "client.cores", 2.0},
    Remedy{"host", "nic", "self", "nic.rate", 2.0, {}, true, true},
    Remedy{"host", "compute_nic", "self", "compute_nic.rate", 2.0, {}, true},
    Remedy{"host", "nvme", "self", "nvme.write", 2.0},
    Remedy{"host", "nvme", "self", "nvme.read", 2.0},
    Remedy{"host", "cpu", "loader", "workers", 2.0},
    Remedy{"host", "gpu.copy", "loader", "copy", 0.0, "pinned"},
    Remedy{"host", "memory", "self", "memory.bandwidth", 2.0},
    Remedy{"job", "loader", "loader", "workers", 2.0},
    Remedy{"job", "checkpoint.serialize", "checkpoint", "serializer", 0.0, "none"},
    Remedy{"fabric", "", "self", "bisection", 1.25, {}, true},
};

/// Which part of a job is set otherwise when a cause costs it time.
struct Habit {
  const char* cause;
  std::string_view part;  ///< "loader", "dataset", "checkpoint"
  std::string_view field;
  double factor = 0.0;
  std::string_view text = {};  ///< set to this instead of raising
};
constexpr std::array kHabits = {
    Habit{"data", "loader", "workers", 2.0},
    Habit{"data", "loader", "prefetch", 2.0},
    Habit{"data", "dataset", "cache.policy", 0.0, "random"},
    Habit{"metadata", "loader", "workers", 2.0},
    Habit{"cpu", "loader", "workers", 2.0},
    Habit{"checkpoint", "checkpoint", "every", 2.0},
    Habit{"checkpoint", "checkpoint", "every_steps", 2.0},
    Habit{"checkpoint", "checkpoint", "buffers", 2.0},
};

/// A cause that costs less than this share of wall time is not worth a change of its job.
constexpr double kNoticeable = 0.001;
/// A resource with less of the blame is not worth a simulation, nor is one for which all wait less
/// than this share of the time: no change of it could gain more.
constexpr double kBlamed = 0.01;
constexpr double kWorthTrying = 0.002;
/// Half of what is busy less than this would still not be full.
constexpr double kHalfIdle = 0.45;

struct Name {
  std::string_view role, id, part;
};

/// "storage.scratch.oss.nic" -> storage, scratch, oss.nic; the fabric has no id.
Name split_name(std::string_view resource) {
  Name name;
  const std::size_t first = resource.find('.');
  name.role = resource.substr(0, first);
  if (first == std::string_view::npos) return name;
  if (name.role == "fabric") {
    name.part = resource.substr(first + 1);
    return name;
  }
  const std::size_t second = resource.find('.', first + 1);
  name.id = resource.substr(first + 1, second - first - 1);
  if (second != std::string_view::npos) name.part = resource.substr(second + 1);
  return name;
}

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

/// `value` raised or lowered by `factor`; whole for counts. None when it stays as it is.
std::optional<double> raised(const Value& value, double factor) {
  if (!(value.number > 0.0)) return std::nullopt;
  const double more = value.dimension == Dimension::count ? std::ceil(value.number * factor - 1e-9)
                                                          : value.number * factor;
  if (more == value.number) return std::nullopt;
  return more;
}

double share_of(const Prediction& prediction, const std::string& job, const char* cause) {
  const auto shares = prediction.breakdown.find(job);
  if (shares == prediction.breakdown.end()) return 0.0;
  const auto share = shares->second.find(cause);
  return share == shares->second.end() ? 0.0 : share->second;
}

bool refers_to(const Component* component, std::string_view key, std::string_view id) {
  const Value* value = component != nullptr ? component->find(key) : nullptr;
  return value != nullptr && value->text == id;
}

/// Whether the loader or the checkpoints of `job` use the resource `name` and cost time.
bool suffers(const JobDesign& job, const Remedy& remedy, const Name& name,
             const Prediction& prediction) {
  const bool saves = remedy.target == "checkpoint";
  if (name.role == "job" && job.job.id != name.id) return false;
  if (name.role == "host" && !refers_to(&job.job, "hosts", name.id)) return false;
  if (name.role == "storage" &&
      !(saves ? refers_to(job.checkpoint ? &*job.checkpoint : nullptr, "to", name.id)
              : refers_to(job.dataset ? &*job.dataset : nullptr, "on", name.id)))
    return false;
  if (saves) return share_of(prediction, job.job.id, "checkpoint") >= kNoticeable;
  return share_of(prediction, job.job.id, "data") + share_of(prediction, job.job.id, "cpu") >=
         kNoticeable;
}

class Advisor {
 public:
  Advisor(const Design& design, const Prediction& prediction, std::size_t most)
      : design_(design), prediction_(prediction), most_(most) {}

  void relieve(const std::string& resource) {
    const Name name = split_name(resource);
    const Remedy* first = nullptr;
    for (const Remedy& remedy : kRemedies) {
      if (remedy.role != name.role || !starts_with_part(name.part, remedy.part)) continue;
      if (first != nullptr && remedy.part != first->part) continue;
      first = &remedy;
      apply(remedy, name);
    }
  }

  /// Twice of it: the field that is called as the end of its name, else the first.
  void double_it(const std::string& resource) {
    const Name name = split_name(resource);
    const Remedy* best = nullptr;
    for (const Remedy& remedy : kRemedies) {
      if (remedy.role != name.role || !starts_with_part(name.part, remedy.part) ||
          remedy.factor <= 0.0 || (best != nullptr && remedy.part != best->part))
        continue;
      const std::string_view key = remedy.field.substr(remedy.field.rfind('.') + 1);
      if (best == nullptr || name.part.ends_with(key)) best = &remedy;
    }
    if (best == nullptr) return;
    Remedy twice = *best;
    twice.factor = 2.0;
    apply(twice, name);
  }

  /// A blocking save that costs time can be made in the background.
  void unblock_saves() {
    for (const JobDesign& job : design_.jobs)
      if (job.checkpoint && job.checkpoint->kind == "sync" &&
          share_of(prediction_, job.job.id, "checkpoint") >= kNoticeable)
        add({"job." + job.job.id + ".checkpoint.mode sync -> async",
             {"jobs[" + job.job.id + "].checkpoint.mode", "async"},
             0.0});
  }

  /// Settings of jobs that lose time to a cause, whatever they wait for.
  void change_habits() {
    for (const JobDesign& job : design_.jobs)
      for (const Habit& habit : kHabits)
        if (share_of(prediction_, job.job.id, habit.cause) >= kNoticeable)
          change_part(job, habit.part,
                      {.target = habit.part,
                       .field = habit.field,
                       .factor = habit.factor,
                       .text = habit.text});
  }

  /// Hardware of which half would do by its use, and workers that nobody waits for.
  void halve_idle() {
    for (const Remedy& remedy : kRemedies) {
      if (!remedy.bought) continue;
      std::map<std::string, double> busiest;
      for (const ResourceUse& use : prediction_.resources) {
        const Name name = split_name(use.name);
        if (name.role != remedy.role || !starts_with_part(name.part, remedy.part)) continue;
        const double peak = use.capacity > 0.0 ? use.peak / use.capacity : 0.0;
        const double busy = use.blamed_share >= kBlamed ? 1.0 : std::max(use.utilization(), peak);
        double& most = busiest[std::string(name.id)];
        most = std::max(most, busy);
      }
      for (const auto& [id, busy] : busiest) {
        Remedy half = remedy;
        half.factor = 0.5;
        if (busy < kHalfIdle) apply(half, {remedy.role, id, remedy.part});
      }
    }
    for (const JobDesign& job : design_.jobs)
      if (share_of(prediction_, job.job.id, "data") + share_of(prediction_, job.job.id, "cpu") +
              share_of(prediction_, job.job.id, "metadata") <
          kNoticeable)
        change_part(job, "loader", {.target = "loader", .field = "workers", .factor = 0.5});
  }

  [[nodiscard]] std::vector<Proposal> take() { return std::move(proposals_); }

 private:
  void apply(const Remedy& remedy, const Name& name) {
    const std::string id(name.id);
    if (remedy.target == "storage") {
      apply({.target = "self", .field = remedy.field, .factor = remedy.factor},
            {"storage", client_of(name.part), {}});
    } else if (remedy.target != "self") {
      for (const JobDesign& job : design_.jobs) {
        const std::optional<Component>& part =
            remedy.target == "loader" ? job.loader : job.checkpoint;
        const std::string sub = job.job.id + "]." + std::string(remedy.target);
        if (part && suffers(job, remedy, name, prediction_))
          change(*part, "jobs[" + sub, "job." + job.job.id + "." + std::string(remedy.target),
                 remedy);
      }
    } else if (name.role == "storage") {
      if (const Component* storage = design_.find_storage(id))
        change(*storage, "storage[" + id + "]", "storage." + id, remedy);
    } else if (name.role == "host") {
      if (const Component* host = design_.find_host(id))
        change(*host, "cluster.hosts[" + id + "]", "host." + id, remedy);
    } else if (name.role == "fabric") {
      change(design_.fabric, "cluster.fabric", "fabric", remedy);
    }
  }

  void change_part(const JobDesign& job, std::string_view part, const Remedy& remedy) {
    const std::optional<Component>& component = part == "loader"    ? job.loader
                                                : part == "dataset" ? job.dataset
                                                                    : job.checkpoint;
    if (component)
      change(*component, "jobs[" + job.job.id + "]." + std::string(part),
             "job." + job.job.id + "." + std::string(part), remedy);
  }

  void change(const Component& component, const std::string& path, const std::string& label,
              const Remedy& remedy) {
    const Value* value = component.find(remedy.field);
    if (value == nullptr) return;
    const std::string field = "." + std::string(remedy.field);
    if (!remedy.text.empty()) {
      const std::string before = value->dimension == Dimension::boolean
                                     ? (value->number != 0.0 ? "true" : "false")
                                     : value->text;
      const std::string after(remedy.text);
      if (before != after)
        add({label + field + " " + before + " -> " + after,
             {path + field, parse_setting(after)},
             0.0});
      return;
    }
    const std::optional<double> more = raised(*value, remedy.factor);
    if (!more.has_value()) return;
    const auto written = [&](double number) {
      return remedy.link ? parse_setting(base::exact_link_rate(number))
                         : setting_of(number, value->dimension);
    };
    const Setting after = written(*more);
    add({label + field + " " + text_of(written(value->number)) + " -> " + text_of(after),
         {path + field, after},
         *more / value->number - 1.0});
  }

  void add(Proposal proposal) {
    for (const Proposal& p : proposals_)
      if (p.change == proposal.change) return;
    if (proposals_.size() < most_) proposals_.push_back(std::move(proposal));
  }

  const Design& design_;
  const Prediction& prediction_;
  std::size_t most_;
  std::vector<Proposal> proposals_;
};

}  // namespace

std::vector<Proposal> candidate_changes(const Design& design, const Prediction& prediction,
                                        std::size_t most) {
  Advisor advisor(design, prediction, most);
  advisor.unblock_saves();
  for (const AssertionOutcome& outcome : prediction.assertions)
    if (outcome.status != "pass" && outcome.level != "warn") advisor.relieve(outcome.limited_by);
  for (const Bottleneck& bottleneck : prediction.bottlenecks)
    if (bottleneck.blamed_share >= std::max(kBlamed, kWorthTrying / waiting_share(prediction)))
      advisor.relieve(bottleneck.resource);
  return advisor.take();
}

std::optional<Proposal> doubled(const Design& design, const Prediction& prediction,
                                const std::string& resource) {
  Advisor advisor(design, prediction, 1);
  advisor.double_it(resource);
  std::vector<Proposal> found = advisor.take();
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
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

std::vector<Tried> simulate_changes(const std::vector<Proposal>& changes, const Prediction& base,
                                    const Redesign& redesign,
                                    const predict::PredictOptions& options) {
  std::vector<Design> designs;
  std::vector<const Proposal*> tried;
  for (const Proposal& proposal : changes) {
    Result<Design> design = redesign(proposal.change);
    if (!design.ok()) continue;
    designs.push_back(std::move(design).value());
    tried.push_back(&proposal);
  }
  if (designs.empty()) return {};
  std::vector<Result<Prediction>> predictions = predict::predict_all(designs, options);
  std::vector<Tried> out;
  for (std::size_t i = 0; i < predictions.size(); ++i)
    if (predictions[i].ok() && predictions[i]->seeds == base.seeds)
      out.push_back({*tried[i], std::move(predictions[i]).value()});
  return out;
}

std::vector<Alternative> try_changes(const std::vector<Proposal>& changes, const Prediction& base,
                                     const Redesign& redesign,
                                     const predict::PredictOptions& options) {
  const double before = mean_utilization(base);
  std::vector<Alternative> alternatives;
  for (const Tried& tried : simulate_changes(changes, base, redesign, options)) {
    Alternative a;
    a.change = tried.proposal.text;
    a.utilization = mean_utilization(tried.prediction);
    a.gain = a.utilization - before;
    a.meets_targets = tried.prediction.verdict == Verdict::pass;
    a.relative_cost = tried.proposal.relative_cost;
    alternatives.push_back(std::move(a));
  }
  std::stable_sort(alternatives.begin(), alternatives.end(),
                   [](const Alternative& a, const Alternative& b) {
                     if (a.meets_targets != b.meets_targets) return a.meets_targets;
                     if (a.meets_targets && a.relative_cost != b.relative_cost)
                       return a.relative_cost < b.relative_cost;
                     return a.gain > b.gain;
                   });
  return alternatives;
}

}  // namespace stallcast::plan
