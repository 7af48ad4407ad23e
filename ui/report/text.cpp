#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/text_rows.hpp"

namespace stallcast::report {
namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kMostBottlenecks = 5;
constexpr std::size_t kMostResources = 12;
constexpr std::size_t kMostAssumptions = 6;
constexpr std::size_t kMostPrices = 12;
constexpr std::size_t kMostWarnings = 10;
/// Less of the time than this is nothing to act on, nor is a gain of less.
constexpr double kNothing = 0.0005;
/// A resource that costs no time but is this busy is the next to watch.
constexpr double kBusy = 0.3;

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

const Metric* find(const Prediction& prediction, const std::string& name) {
  const auto it = prediction.metrics.find(name);
  return it == prediction.metrics.end() ? nullptr : &it->second;
}

std::string count_of(std::size_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

/// "pass", "1 of 2 targets missed", "no targets to check".
std::string verdict_phrase(const Prediction& p) {
  std::size_t missed = 0, unsure = 0;
  for (const AssertionOutcome& a : p.assertions) {
    if (a.level == "warn") continue;
    missed += a.status == "fail" ? 1U : 0U;
    unsure += a.status == "inconclusive" ? 1U : 0U;
  }
  const std::string of = " of " + count_of(p.assertions.size(), "target");
  switch (p.verdict) {
    case Verdict::pass:
      return p.assertions.size() == 1 ? "the target holds" : "all targets hold";
    case Verdict::fail:
      return std::to_string(missed) + of + " missed";
    case Verdict::inconclusive:
      return unsure > 0 ? std::to_string(unsure) + of + " too close to call"
                        : "the simulation did not finish";
    case Verdict::none:
      break;
  }
  return "the scenario has no targets (\"expect\")";
}

std::string headline(const Prediction& p, const Ink& ink) {
  const std::string_view verdict = verdict_name(p.verdict);
  std::string out = ink.bold(p.scenario_id) + ": ";
  if (p.verdict == Verdict::none)
    out += "predicted; ";
  else
    out += ink.by_status(verdict, upper(verdict)) + ", ";
  out += verdict_phrase(p) + "\n";
  for (const auto& [job, shares] : p.breakdown)
    if (const Metric* m = find(p, "job." + job + ".gpu.utilization"))
      out += "  GPU utilization of " + job + ": " + ink.bold(print_metric(*m)) + "\n";
  const double waiting = waiting_share(p);
  const auto mean_share = [&](const char* cause) {
    double sum = 0.0;
    for (const auto& [job, shares] : p.breakdown)
      if (const auto share = shares.find(cause); share != shares.end()) sum += share->second;
    return sum / static_cast<double>(std::max<std::size_t>(p.breakdown.size(), 1));
  };
  const double sync = mean_share("sync"), restart = mean_share("restart");
  if (restart > std::max({sync, waiting, kNothing})) {
    const bool fails = std::any_of(p.metrics.begin(), p.metrics.end(), [](const auto& metric) {
      return metric.first.ends_with(".failures.count") || metric.first.ends_with(".restart.count");
    });
    return out + wrapped("  ",
                         (fails ? "limited by failures: " : "limited by shifts of GPUs: ") +
                             print_share(restart) + " of the time goes to " +
                             (fails ? "lost work and restarts" : "saves and restarts for them"),
                         4);
  }
  if (sync > std::max(waiting, kNothing))
    return out + wrapped("  ",
                         "limited by the step barrier: " + print_share(sync) +
                             " of the time goes to waiting for the slowest rank",
                         4);
  if (waiting < kNothing)
    return out + "  data, saves and communication cost less than 0.05 % of the time\n";
  if (p.bottlenecks.empty() || !(p.bottlenecks.front().blamed_share > 0.0)) return out;
  const Bottleneck& b = p.bottlenecks.front();
  return out + wrapped("  ",
                       "limited by " + b.resource + ": " + print_share(b.blamed_share * waiting) +
                           " of the time, " + print_share(b.blamed_share) + " of all waiting",
                       4);
}

std::string time_split(const Prediction& p, const Ink& ink) {
  std::string out;
  for (const auto& [job, shares] : p.breakdown) {
    out += "\n" + ink.bold("Where the time of " + job + " goes") + "\n";
    const std::vector<int> tenths = tenths_of_percent(shares);
    int sum = 0;
    for (std::size_t i = 0; i < tenths.size(); ++i) {
      sum += tenths[i];
      if (tenths[i] == 0) continue;
      const auto bar = static_cast<std::size_t>(
          std::lround(static_cast<double>(tenths[i]) / 1000.0 * kBarWidth));
      out += "  " + left(kBreakdownCauses[i], 14) + right(print_tenths(tenths[i]), 8);
      if (bar > 0) out += "  " + std::string(bar, '#');
      out += "\n";
    }
    out += "  " + left("total", 14) + right(print_tenths(sum), 8) + "\n";
  }
  return out;
}

/// "4.2 s, p50 4.1 s, p99 5 s, max 5.1 s"; quantiles that equal the mean are left out.
std::string distribution(const Prediction& p, const std::string& name) {
  const Metric& mean = *find(p, name);
  std::string out = print_metric(mean);
  std::string quantiles;
  bool differ = false;
  for (const char* stat : {"p50", "p99", "max"})
    if (const Metric* m = find(p, name + "." + stat)) {
      const std::string text = print_value(m->value, m->unit);
      quantiles += ", " + std::string(stat) + " " + text;
      differ = differ || text != print_value(mean.value, mean.unit);
    }
  if (differ) out += quantiles;
  // Operations per second of a job are samples.
  if (name.ends_with(".samples"))
    for (std::size_t at; (at = out.find("ops/s")) != std::string::npos;)
      out.replace(at, 5, "samples/s");
  return out;
}

/// `owner` is "job.train" or "tenant.kv".
template <std::size_t N>
std::string rows_of(const Prediction& p, const std::string& owner, const Row (&rows)[N]) {
  std::string out;
  for (const Row& row : rows) {
    const std::string name = owner + "." + row.metric;
    const Metric* metric = find(p, name);
    const bool idle = owner.starts_with("tenant.") && metric != nullptr && metric->value == 0.0;
    if (metric != nullptr && !idle)
      out += wrapped("  " + left(row.label, 20), distribution(p, name), 22);
  }
  return out;
}

std::string job_section(const Prediction& p, const Ink& ink) {
  std::string out;
  for (const auto& [job, shares] : p.breakdown) {
    if (const std::string rows = rows_of(p, "job." + job, kJobRows); !rows.empty())
      out += "\n" + ink.bold("Job " + job) + "\n" + rows;
    if (const std::string rows = rows_of(p, "job." + job, kCheckpointRows); !rows.empty())
      out += "\n" + ink.bold("Checkpoints of " + job) + "\n" + rows;
    if (const std::string rows = rows_of(p, "job." + job, kFailureRows); !rows.empty())
      out += "\n" + ink.bold("Failures of " + job) + "\n" + rows;
    if (const std::string rows = rows_of(p, "job." + job, kRestartRows); !rows.empty())
      out += "\n" + ink.bold("Restarts of " + job) + "\n" + rows;
    if (const std::string rows = rows_of(p, "job." + job, kElasticRows); !rows.empty())
      out += "\n" + ink.bold("GPUs lent by " + job) + "\n" + rows;
  }
  return out;
}

/// One block for each thing whose metrics begin with `prefix`: "tenant.", "failure.".
template <std::size_t N>
std::string section(const Prediction& p, std::string_view prefix, const std::string& title,
                    const Row (&rows)[N], const Ink& ink) {
  std::string out, last;
  for (const auto& [name, metric] : p.metrics) {
    if (!name.starts_with(prefix)) continue;
    const std::string owner = name.substr(0, name.find('.', prefix.size()));
    if (owner == last) continue;
    last = owner;
    out += "\n" + ink.bold(title + owner.substr(prefix.size())) + "\n" + rows_of(p, owner, rows);
  }
  return out;
}

/// What it costs, and what that rests on.
std::string costs(const Prediction& p, const Context& context, const Ink& ink) {
  const std::string rows = rows_of(p, "cost", kCostRows);
  if (rows.empty()) return "";
  std::string out = "\n" + ink.bold("Costs") + "\n" + rows;
  const std::size_t n = std::min(kMostPrices, context.prices.size());
  for (std::size_t i = 0; i < n; ++i) {
    const InputLine& price = context.prices[i];
    out += wrapped("  - ", price.path + " = " + price.value + ", " + price.source, 4);
  }
  if (n < context.prices.size())
    out += "  ... and " + std::to_string(context.prices.size() - n) +
           " more prices (stallcast resolve --provenance)\n";
  return out;
}

/// Storage first, then the fabric, then hosts: the way data comes.
int path_order(const std::string& resource) {
  return resource.starts_with("storage.") ? 0 : resource.starts_with("fabric") ? 1 : 2;
}

std::string data_path(const Prediction& p, const Ink& ink) {
  std::vector<const ResourceUse*> uses;
  for (const ResourceUse& use : p.resources)
    if (use.capacity > 0.0 && std::isfinite(use.capacity) && use.utilization() > 0.0)
      uses.push_back(&use);
  if (uses.empty()) return "";
  std::stable_sort(uses.begin(), uses.end(), [](const ResourceUse* a, const ResourceUse* b) {
    return path_order(a->name) < path_order(b->name);
  });
  const std::size_t hidden = uses.size() > kMostResources ? uses.size() - kMostResources : 0;
  uses.resize(uses.size() - hidden);
  std::string out = "\n" + ink.bold("Data path, mean over the run") + "\n";
  for (const ResourceUse* use : uses)
    out += "  " + left(shortened(use->name, 36), 38) +
           right(print_value(use->throughput, use->unit), 12) + " of " +
           left(print_value(use->capacity, use->unit), 12) +
           right(print_share(use->utilization()), 9) + "\n";
  if (hidden > 0) out += "  ... and " + std::to_string(hidden) + " more (--format json)\n";
  return out;
}

std::string bottlenecks(const Prediction& p, const Ink& ink) {
  const double waiting = waiting_share(p);
  std::string out = "\n" + ink.bold("What limits it") + "\n";
  std::size_t shown = 0;
  for (const Bottleneck& b : p.bottlenecks) {
    const double cost = b.blamed_share * waiting;
    if (shown == kMostBottlenecks || (cost < kNothing && b.utilization < kBusy)) continue;
    ++shown;
    std::string text = print_share(cost) + " of the time";
    if (b.utilization > 0.0) text += ", " + print_share(b.utilization) + " busy";
    out += wrapped("  " + std::to_string(shown) + " " + left(shortened(b.resource, 34), 36),
                   text + ", " + b.headroom, 6);
  }
  if (shown == 0) out += "  nothing: no resource costs time or is 30 % busy\n";
  return out;
}

std::string targets(const Prediction& p, const Ink& ink) {
  if (p.assertions.empty()) return "";
  std::string out = "\n" + ink.bold("Targets") + "\n";
  for (const AssertionOutcome& a : p.assertions) {
    const bool warns = a.level == "warn" && a.status == "fail";
    const std::string label = warns                        ? "WARN"
                              : a.status == "inconclusive" ? "UNSURE"
                                                           : upper(a.status);
    const bool unsure = a.status == "inconclusive" && a.ci95.has_value();
    std::string text = a.id + ": " + a.that + ", predicted ";
    text += unsure ? print_metric({a.value, a.unit, a.ci95}) : print_predicted(a);
    if (!a.limited_by.empty()) text += ", limited by " + a.limited_by;
    if (!a.why.empty() && a.status != "pass") text += " (" + a.why + ")";
    const std::string plain = wrapped("  " + left(label, 8), text, 10);
    out += "  " + ink.by_status(warns ? "warn" : a.status, label) + plain.substr(2 + label.size());
  }
  return out;
}

std::string next_change(const Prediction& p, const Ink& ink) {
  if (p.alternatives.empty()) return "";
  std::string out = "\n" + ink.bold("Next change, each tried alone by simulation") + "\n";
  std::string useless;
  for (const Alternative& a : p.alternatives) {
    const bool helps = a.meets_targets && p.verdict != Verdict::pass;
    if (a.gain < kNothing && !helps) {
      useless += (useless.empty() ? "" : "; ") + a.change;
      continue;
    }
    char gain[32];
    std::snprintf(gain, sizeof gain, "%+.1f points", 100.0 * a.gain);
    std::string text = "GPU utilization " + print_share(a.utilization) + " (" + gain + ")";
    if (p.verdict != Verdict::none)
      text += a.meets_targets ? ", meets all targets" : ", targets still missed";
    out += wrapped("  " + a.change + ": ", text, 6);
  }
  if (!useless.empty()) out += wrapped("  no gain from: ", useless, 6);
  return out;
}

std::string fine_print(const Prediction& p, const Context& context, const Style& style,
                       const Ink& ink) {
  std::string out;
  if (!p.warnings.empty()) {
    out += "\n" + ink.bold("Warnings") + "\n";
    const std::size_t n = std::min(kMostWarnings, p.warnings.size());
    for (std::size_t i = 0; i < n; ++i) out += wrapped("  - ", p.warnings[i], 4);
    if (n < p.warnings.size())
      out += "  ... and " + std::to_string(p.warnings.size() - n) + " more\n";
  }
  if (!context.assumptions.empty()) {
    out += "\n" + ink.bold("Assumed, not measured: check these first") + "\n";
    const std::size_t n = std::min(kMostAssumptions, context.assumptions.size());
    for (std::size_t i = 0; i < n; ++i) {
      const Assumption& a = context.assumptions[i];
      out += wrapped("  - ", a.path + " = " + a.value, 4);
    }
    if (n < context.assumptions.size())
      out += "  ... and " + std::to_string(context.assumptions.size() - n) +
             " more (stallcast resolve --provenance)\n";
  }
  std::string seeds = count_of(p.seeds.size(), "replica");
  if (!p.seeds.empty()) seeds += " from seed " + std::to_string(p.seeds.front());
  const std::string repeated =
      p.skipped_s > 0.0
          ? " (" + print_value(p.skipped_s / p.simulated_s, "ratio") + " repeats itself)"
          : "";
  out += "\n" + wrapped("",
                        print_value(p.simulated_s, "s") + " simulated" + repeated + ", " + seeds +
                            ", " + std::to_string(p.events) + " events" +
                            (style.timing ? ", " + print_value(p.wall_s, "s") + " wall clock"
                                          : std::string()) +
                            "; stallcast " + context.version + ", models " + context.model_version +
                            ", design " + p.design_sha256.substr(0, 12),
                        0);
  return out;
}

}  // namespace

std::string prediction_text(const Prediction& prediction, const Context& context,
                            const Style& style) {
  const Ink ink(style.colour);
  return headline(prediction, ink) + targets(prediction, ink) + time_split(prediction, ink) +
         job_section(prediction, ink) +
         section(prediction, "tenant.", "Tenant ", kTenantRows, ink) +
         section(prediction, "failure.", "Storage failure ", kFaultRows, ink) +
         costs(prediction, context, ink) + bottlenecks(prediction, ink) +
         data_path(prediction, ink) + next_change(prediction, ink) +
         fine_print(prediction, context, style, ink);
}

}  // namespace stallcast::report
