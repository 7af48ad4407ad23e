#include "ui/report/compare_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report {
namespace {

using metric::Domain;

/// Of jobs and tenants, in this order; of costs, power and space all there are.
constexpr std::string_view kOfJobs[] = {
    "gpu.utilization", "au",       "goodput",  "step.time",        "throughput.samples",
    "first_batch",     "run.time", "run.cost", "checkpoint.stall", "checkpoint.duration"};
constexpr std::string_view kOfTenants[] = {"ttft",    "itl",  "tokens", "queries", "query",
                                           "latency", "read", "write",  "makespan"};

/// The metric of each design that a row is of; "" where it has none.
struct Found {
  std::string label, figure;
  std::vector<std::string> names;
};

std::string of_domain(Domain domain, const std::string& id, std::string_view figure) {
  return domain == Domain::job ? metric::of_job(id, figure) : metric::of_tenant(id, figure);
}

/// Rows of jobs, or of tenants: by their only one, else by their ids.
std::vector<Found> found_of(const SideBySide& c, Domain domain,
                            std::span<const std::string_view> figures) {
  std::vector<std::set<std::string>> ids;
  std::set<std::string> all;
  bool alone = true;
  for (const ComparedDesign& d : c.designs) {
    ids.push_back(ids_of(d.prediction, domain));
    all.insert(ids.back().begin(), ids.back().end());
    alone = alone && ids.back().size() <= 1;
  }
  std::vector<Found> out;
  const auto add = [&](std::string_view figure, const std::string& id) {
    Found row{"", std::string(figure), {}};
    bool any = false;
    for (std::size_t i = 0; i < c.designs.size(); ++i) {
      const std::string& of = alone && !ids[i].empty() ? *ids[i].begin() : id;
      const std::string name = of_domain(domain, of, figure);
      const bool has = c.designs[i].prediction.metrics.contains(name);
      row.names.push_back(has ? name : "");
      if (!has) continue;
      any = true;
      const metric::Figure* known = metric::find(name);
      row.label = known == nullptr ? std::string(figure) : std::string(known->name_alone());
    }
    if (!alone) row.label += " of " + id;
    if (any) out.push_back(std::move(row));
  };
  for (const std::string_view figure : figures) {
    if (alone) {
      add(figure, "");
      continue;
    }
    for (const std::string& id : all) add(figure, id);
  }
  return out;
}

/// Whether it is of the whole design, or what a storage system was billed.
bool of_plant(const std::string& name) {
  const metric::Figure* figure = metric::find(name);
  return name.starts_with("cost.") || name.starts_with("power.") || name.starts_with("space.") ||
         (figure != nullptr && figure->group == metric::Group::cost);
}

/// Costs, power and space.
std::vector<Found> found_of_plant(const SideBySide& c) {
  std::set<std::string> names;
  for (const ComparedDesign& d : c.designs)
    for (const auto& [name, value] : d.prediction.metrics)
      if (of_plant(name)) names.insert(name);
  // Of storage that says nothing of its power it is not known, not nothing.
  const bool told = std::any_of(c.designs.begin(), c.designs.end(), [](const ComparedDesign& d) {
    return figure_or_zero(d.prediction, metric::kStoragePower) > 0.0;
  });
  if (!told) names.erase(metric::kStoragePower);
  std::vector<Found> out;
  for (const std::string& name : names) {
    const metric::Figure* known = metric::find(name);
    Found row{known == nullptr ? name : std::string(known->name_alone()), name, {}};
    if (const metric::Name parsed = metric::parse(name); parsed.domain == Domain::storage)
      row.label += " of " + std::string(parsed.id);
    for (const ComparedDesign& d : c.designs)
      row.names.push_back(d.prediction.metrics.contains(name) ? name : "");
    out.push_back(std::move(row));
  }
  return out;
}

/// Of stages: the time of all, and the first batch.
std::vector<Found> found_of_pipeline(const SideBySide& c) {
  std::vector<Found> out;
  for (const char* name : {metric::kPipelineTime, metric::kPipelineFirstBatch}) {
    Found row{std::string(metric::find(name)->name_alone()), name, {}};
    bool any = false;
    for (const ComparedDesign& d : c.designs) {
      const bool has = d.prediction.metrics.contains(name);
      row.names.push_back(has ? name : "");
      any = any || has;
    }
    if (any) out.push_back(std::move(row));
  }
  return out;
}

/// The fullest storage system of each design.
Found found_of_space(const SideBySide& c) {
  Found row{"fullest storage", "capacity.used", {}};
  for (const ComparedDesign& d : c.designs) {
    std::string fullest;
    for (const auto& [name, value] : d.prediction.metrics)
      if (name.starts_with("storage.") && name.ends_with(".capacity.used") &&
          (fullest.empty() || value.value > d.prediction.metrics.at(fullest).value))
        fullest = name;
    row.names.push_back(fullest);
  }
  return row;
}

const Metric* metric_of(const ComparedDesign& design, const std::string& name) {
  return name.empty() ? nullptr : find(design.prediction, name);
}

/// "369.3 to 393.6 ms": the unit once where both have the same.
std::string from_to(const std::string& low, const std::string& high) {
  const std::size_t a = low.rfind(' '), b = high.rfind(' ');
  const bool same = a != std::string::npos && b != std::string::npos &&
                    low.substr(a) == high.substr(b) && low.find(' ') == a;
  return (same ? low.substr(0, a) : low) + " to " + high;
}

ComparedCell cell_of_metric(const std::string& name, const Metric* metric) {
  if (metric == nullptr) return {"-", "", ""};
  ComparedCell out{as_counted(name, print_end(metric->value, metric->unit)), "", ""};
  if (metric->ci90) {
    const std::string low = print_end(metric->ci90->first, metric->unit),
                      high = print_end(metric->ci90->second, metric->unit);
    if (low != high) out.interval = from_to(as_counted(name, low), as_counted(name, high));
    if (const std::string middle = print_middle(*metric); low != high && !middle.empty())
      out.interval += ", middle " + as_counted(name, middle);
  }
  return out;
}

/// Whether goodput says of every design what GPU utilization of the same job does.
bool says_utilization(const SideBySide& c, const Found& goodput, const CompareRow& row) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (goodput.names[i].empty()) continue;
    const std::string busy = metric::gpu_utilization(metric::parse(goodput.names[i]).id);
    if (cell_of_metric(busy, metric_of(c.designs[i], busy)).text != row.cells[i].text) return false;
  }
  return true;
}

/// Marks the best, and those that cannot be told apart from it.
void mark_best(const SideBySide& c, const Found& found, CompareRow& row) {
  std::string name;
  for (const std::string& one : found.names)
    if (!one.empty()) name = one;
  const metric::Better better = metric::better(name);
  if (better == metric::Better::neither) return;
  std::optional<double> best;
  for (std::size_t i = 0; i < c.designs.size(); ++i)
    if (const Metric* m = metric_of(c.designs[i], found.names[i]))
      if (!best || (better == metric::Better::higher ? m->value > *best : m->value < *best))
        best = m->value;
  std::size_t marked = 0, all = 0;
  for (std::size_t i = 0; i < c.designs.size(); ++i) {
    const Metric* m = metric_of(c.designs[i], found.names[i]);
    if (m == nullptr || !best) continue;
    ++all;
    if (m->value != *best && !reaches(*m, *best) &&
        print_value(m->value, m->unit) != print_value(*best, m->unit))
      continue;
    row.cells[i].status = "best";
    ++marked;
  }
  if (marked == all)
    for (ComparedCell& cell : row.cells) cell.status.clear();
}

class Rows {
 public:
  explicit Rows(const SideBySide& c) : c_(c) {}

  std::vector<CompareRow> all() {
    plant();
    add("verdict", [](const ComparedDesign& d) {
      const char* status = d.prediction.verdict == Verdict::pass   ? "pass"
                           : d.prediction.verdict == Verdict::fail ? "fail"
                           : d.prediction.verdict == Verdict::none ? ""
                                                                   : "inconclusive";
      return ComparedCell{verdict_phrase(d.prediction), "",
                          is_unlikely(d.prediction) ? "warn" : status};
    });
    add("what limits it", [](const ComparedDesign& d) {
      const Limit limit = limit_of(d.prediction);
      const bool waited = limit.kind == Limit::Kind::waited;
      return ComparedCell{
          limit.label.empty() ? "nothing" : limit.label + (waited ? ", waited for most" : ""), "",
          ""};
    });
    targets();
    figures("Stages", found_of_pipeline(c_));
    figures("Jobs", found_of(c_, Domain::job, kOfJobs));
    figures("Other traffic", found_of(c_, Domain::tenant, kOfTenants));
    const Found space = found_of_space(c_);
    const bool any = std::any_of(space.names.begin(), space.names.end(),
                                 [](const std::string& name) { return !name.empty(); });
    figures("Space, costs and power", any ? std::vector{space} : std::vector<Found>{});
    figures("Space, costs and power", found_of_plant(c_));
    return std::move(out_);
  }

 private:
  void put(const std::string& group, CompareRow row) {
    row.group = group == group_ ? "" : group;
    group_ = group;
    out_.push_back(std::move(row));
  }

  template <class Cell>
  void add(const std::string& label, const Cell& cell) {
    CompareRow row{"", label, "", {}};
    for (const ComparedDesign& d : c_.designs) row.cells.push_back(cell(d));
    put("Together", std::move(row));
  }

  /// What each is made of: hosts in some rows, storage systems in others, then what jobs
  /// cache, how they save, come back and lend GPUs, and what fails.
  void plant() {
    part("hosts");
    part("storage");
    part("cache");
    part("saves");
    part("recovery");
    part("lends");
    part("failure");
  }

  /// Parts of one id stand side by side. What not all designs have does where it is one of each:
  /// the same thing by another name.
  void part(std::string_view what) {
    std::vector<std::map<std::string, std::string>> parts;
    std::vector<std::string> ids;
    for (const ComparedDesign& d : c_.designs) {
      auto& own = parts.emplace_back();
      for (const auto& [id, of] : d.plant) {
        if (!id.starts_with(what)) continue;
        own.emplace(id, of);
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
      }
    }
    const auto everywhere = [&](const std::string& id) {
      return std::all_of(parts.begin(), parts.end(),
                         [&](const auto& own) { return own.contains(id); });
    };
    const bool one_of_each = std::all_of(parts.begin(), parts.end(), [&](const auto& own) {
      return std::count_if(own.begin(), own.end(),
                           [&](const auto& entry) { return !everywhere(entry.first); }) == 1;
    });
    bool paired = false;
    for (const std::string& id : ids) {
      const bool lone = one_of_each && !everywhere(id);
      if (lone && std::exchange(paired, true)) continue;
      CompareRow row{"", lone ? std::string(what) : id, "", {}};
      for (const auto& own : parts) {
        const auto found = lone ? std::find_if(own.begin(), own.end(),
                                               [&](const auto& e) { return !everywhere(e.first); })
                                : own.find(id);
        row.cells.push_back({found == own.end() ? "-" : found->second, "", ""});
      }
      put("Made of", std::move(row));
    }
  }

  void targets() {
    std::vector<std::string> ids;
    for (const ComparedDesign& d : c_.designs)
      for (const AssertionOutcome& a : d.prediction.assertions)
        if (std::find(ids.begin(), ids.end(), a.id) == ids.end()) ids.push_back(a.id);
    for (const std::string& id : ids) {
      CompareRow row{"", id, "", {}, true};
      std::set<std::string> limits;
      for (const ComparedDesign& d : c_.designs) {
        const auto& all = d.prediction.assertions;
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const AssertionOutcome& a) { return a.id == id; });
        if (found == all.end()) {
          row.cells.push_back({"-", "", ""});
          continue;
        }
        limits.insert(found->that.substr(std::min(found->that.find(' '), found->that.size())));
        row.cells.push_back({print_predicted(*found), cases_phrase(*found), found->status});
      }
      if (limits.size() == 1) row.limit = *limits.begin();
      if (limits.size() > 1) add_limits(id, row);
      put("Targets", std::move(row));
    }
  }

  /// Where designs are asked for different things, what of each.
  void add_limits(const std::string& id, CompareRow& row) {
    for (std::size_t i = 0; i < c_.designs.size(); ++i)
      for (const AssertionOutcome& a : c_.designs[i].prediction.assertions)
        if (a.id == id) row.cells[i].text += " (" + asked_phrase(a) + ")";
  }

  void figures(const std::string& group, const std::vector<Found>& all) {
    for (const Found& found : all) {
      CompareRow row{"", found.label, found.figure, {}};
      for (std::size_t i = 0; i < c_.designs.size(); ++i)
        row.cells.push_back(
            cell_of_metric(found.names[i], metric_of(c_.designs[i], found.names[i])));
      mark_best(c_, found, row);
      // Where nothing fails the goodput is the utilization.
      if (found.figure == metric::kGoodput && says_utilization(c_, found, row)) continue;
      put(group, std::move(row));
    }
  }

  const SideBySide& c_;
  std::string group_;
  std::vector<CompareRow> out_;
};

}  // namespace

std::string interval_legend(const std::vector<CompareRow>& rows, const std::string& begin) {
  bool any = false, outside = false;
  for (const CompareRow& row : rows)
    for (const ComparedCell& cell : row.cells) {
      any = any || !cell.interval.empty();
      outside = outside || cell.interval.find(", middle ") != std::string::npos;
    }
  if (!any) return "";
  return begin + " a figure: nine in ten outcomes" +
         (outside ? ", with their middle where the figure is outside of them, as most inputs are "
                    "stated at one end of their range"
                  : "");
}

std::set<std::string> ids_of(const Prediction& p, metric::Domain domain) {
  std::set<std::string> out;
  for (const auto& [name, value] : p.metrics)
    if (const metric::Name parsed = metric::parse(name); parsed.domain == domain)
      out.insert(std::string(parsed.id));
  return out;
}

bool reaches(const Metric& metric, double value) {
  if (!metric.ci90) return false;
  const auto [low, high] = *metric.ci90;
  const double moved = metric.value - metric.median.value_or(metric.value);
  return low + std::min(moved, 0.0) <= value && value <= high + std::max(moved, 0.0);
}

std::vector<CompareRow> compare_rows(const SideBySide& comparison) {
  return Rows(comparison).all();
}

}  // namespace stallcast::report
