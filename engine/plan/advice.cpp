#include "engine/plan/advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "engine/base/quantity_text.hpp"
#include "engine/plan/plan.hpp"

namespace stallcast::plan {
namespace {

/// Which field of which component relieves a resource, and by how much to raise it.
struct Remedy {
  std::string_view role;    ///< first part of the resource's name: "storage", "host", "fabric"
  std::string_view part;    ///< what the rest of the name starts with; "" = anything
  std::string_view target;  ///< "self" or a part of every job on that host: "loader"
  std::string_view field;
  double factor;
};

// The first row whose role and part fit is taken.
constexpr std::array kRemedies = {
    Remedy{"storage", "ost", "self", "ost.count", 1.25},
    Remedy{"storage", "oss", "self", "oss.count", 1.25},
    Remedy{"storage", "mdt", "self", "mdt.count", 2.0},
    Remedy{"storage", "client.stream", "self", "stripe.count", 4.0},
    Remedy{"storage", "client", "self", "client.rpcs_in_flight", 2.0},
    Remedy{"storage", "", "self", "count", 1.25},
    Remedy{"host", "nic", "self", "nic.rate", 2.0},
    Remedy{"host", "nvme", "self", "nvme.write", 2.0},
    Remedy{"host", "cpu", "loader", "workers", 2.0},
    Remedy{"host", "loader", "loader", "workers", 2.0},
    Remedy{"host", "memory", "self", "memory.bandwidth", 2.0},
    Remedy{"job", "loader", "loader", "workers", 2.0},
    Remedy{"job", "cpu", "loader", "workers", 2.0},
    Remedy{"fabric", "", "self", "bisection", 1.25},
};

/// A save that costs less than this share of wall time is not worth making asynchronous.
constexpr double kNoticeable = 0.005;

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

bool starts_with_part(std::string_view text, std::string_view part) {
  return part.empty() ||
         (text.starts_with(part) && (text.size() == part.size() || text[part.size()] == '.'));
}

/// `value` raised by `factor`; whole for counts.
std::optional<double> raised(const Value& value, double factor) {
  if (!(value.number > 0.0)) return std::nullopt;
  const double more = value.number * factor;
  return value.dimension == Dimension::count ? std::ceil(more - 1e-9) : more;
}

std::string written(double number, Dimension dimension) {
  return base::exact_quantity(number, dimension);
}

class Candidates {
 public:
  explicit Candidates(std::size_t most) : most_(most) {}

  void raise(const Component& component, const std::string& path, const std::string& label,
             std::string_view field, double factor) {
    const Value* value = component.find(field);
    if (value == nullptr) return;
    const std::optional<double> more = raised(*value, factor);
    if (!more.has_value()) return;
    add({label + "." + std::string(field) + " " + written(value->number, value->dimension) +
             " -> " + written(*more, value->dimension),
         path + "." + std::string(field) + "=" + written(*more, value->dimension),
         *more / value->number - 1.0});
  }
  void add(Change change) {
    for (const Change& c : changes_)
      if (c.set == change.set) return;
    if (changes_.size() < most_) changes_.push_back(std::move(change));
  }
  [[nodiscard]] std::vector<Change> take() { return std::move(changes_); }

 private:
  std::size_t most_;
  std::vector<Change> changes_;
};

bool runs_on(const JobDesign& job, std::string_view host) {
  const Value* hosts = job.job.find("hosts");
  return hosts != nullptr && hosts->text == host;
}

void apply(const Remedy& remedy, const Name& name, const Design& design, Candidates& out) {
  const std::string id(name.id);
  if (remedy.target == "loader") {
    for (const JobDesign& job : design.jobs)
      if (job.loader && (name.role == "job" ? job.job.id == id : runs_on(job, id)))
        out.raise(*job.loader, "jobs[" + job.job.id + "].loader", "job." + job.job.id + ".loader",
                  remedy.field, remedy.factor);
  } else if (name.role == "storage") {
    if (const Component* storage = design.find_storage(id))
      out.raise(*storage, "storage[" + id + "]", "storage." + id, remedy.field, remedy.factor);
  } else if (name.role == "host") {
    if (const Component* host = design.find_host(id))
      out.raise(*host, "cluster.hosts[" + id + "]", "host." + id, remedy.field, remedy.factor);
  } else if (name.role == "fabric") {
    out.raise(design.fabric, "cluster.fabric", "fabric", remedy.field, remedy.factor);
  }
}

void unblock_saves(const Design& design, const Prediction& prediction, Candidates& out) {
  for (const JobDesign& job : design.jobs) {
    if (!job.checkpoint || job.checkpoint->kind != "sync") continue;
    const auto shares = prediction.breakdown.find(job.job.id);
    if (shares == prediction.breakdown.end()) continue;
    const auto share = shares->second.find("checkpoint");
    if (share == shares->second.end() || share->second < kNoticeable) continue;
    out.add({"job." + job.job.id + ".checkpoint.mode sync -> async",
             "jobs[" + job.job.id + "].checkpoint.mode=async", 0.0});
  }
}

}  // namespace

std::vector<Change> candidate_changes(const Design& design, const Prediction& prediction,
                                      std::size_t most) {
  Candidates out(most);
  unblock_saves(design, prediction, out);
  for (const Bottleneck& bottleneck : prediction.bottlenecks) {
    const Name name = split_name(bottleneck.resource);
    for (const Remedy& remedy : kRemedies)
      if (remedy.role == name.role && starts_with_part(name.part, remedy.part)) {
        apply(remedy, name, design, out);
        break;
      }
  }
  return out.take();
}

std::vector<Alternative> try_changes(const std::vector<Change>& changes, const Prediction& base,
                                     const Redesign& redesign, const predict::Options& options) {
  std::vector<Design> designs;
  std::vector<const Change*> tried;
  for (const Change& change : changes) {
    Result<Design> design = redesign(change.set);
    if (!design.ok()) continue;
    designs.push_back(std::move(design).value());
    tried.push_back(&change);
  }
  if (designs.empty()) return {};
  const std::vector<Result<Prediction>> predictions = predict::predict_all(designs, options);
  const double before = mean_utilization(base);
  std::vector<Alternative> alternatives;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!predictions[i].ok() || predictions[i]->seeds != base.seeds) continue;
    Alternative a;
    a.change = tried[i]->text;
    a.utilization = mean_utilization(predictions[i].value());
    a.gain = a.utilization - before;
    a.meets_targets = predictions[i]->verdict == Verdict::pass;
    a.relative_cost = tried[i]->relative_cost;
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
