#include "scenarios/rules/rules.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/assertion.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/run/known_figures.hpp"
#include "models/stage/graph.hpp"
#include "models/stage/job_order.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/rules/support.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/units.hpp"

namespace stallcast::scenarios {
namespace {

/// Whether it is a part of something whole, the more the better.
bool is_share(const metric::Figure& figure) {
  return figure.unit == "ratio" && figure.better == metric::Better::higher;
}

class Rules {
 public:
  Rules(const Design& design, Diagnostics& report)
      : design_(design),
        report_(report),
        hosts_(ids_of(design.hosts)),
        storage_(ids_of(design.storage)) {}

  void check() {
    for (const Component& host : design_.hosts) {
      check_networks(host, report_);
      check_prices(models::Role::host, host, report_);
      check_stragglers(host);
      check_cores(host);
    }
    check_ports(design_, report_);
    check_leaves(design_, report_);
    check_prices(models::Role::fabric, design_.fabric, report_);
    for (const Component& storage : design_.storage) {
      check_storage(storage, report_);
      check_prices(models::Role::storage, storage, report_);
    }
    check_writers(design_, report_);
    check_caches(design_, report_);
    check_drives(design_, report_);
    for (const JobDesign& job : design_.jobs) {
      check_job(job);
      check_loading(design_, job, report_);
      check_saved_state(design_, job, report_);
      check_parameters(job, report_);
      if (job.communication) check_communication(design_, job, report_);
    }
    check_few_saves(design_, report_);
    for (const Component& tenant : design_.tenants) check_tenant(design_, tenant, report_);
    if (design_.jobs.empty() && design_.stages.empty() && !design_.tenants.empty())
      check_run_without_jobs();
    check_stages(design_, report_);
    check_shared_hosts();
    check_failures(design_, report_);
    for (const Expectation& e : design_.expect) check_expectation(e);
    if (report_.has_errors()) return;
    for (const JobDesign& job : design_.jobs) check_host_memory(design_, job, report_);
    check_idle_values(design_, report_);
    check_capacity(design_, report_);
  }

  void check_metric(const std::string& metric, const std::string& at) {
    const std::size_t before = report_.items().size();
    check_component(metric, metric, at);
    check_name(metric, at);
    if (report_.items().size() == before) check_there(metric, at);
  }

 private:
  // A job takes GPUs that those it follows have left, and others beside them.
  void check_shared_hosts() {
    if (models::has_order(design_) && report_.has_errors()) return;
    const models::JobOrder order(design_);
    for (const Component& host : design_.hosts) check_taken(host, order);
  }

  // Of jobs that run at one time.
  void check_taken(const Component& host, const models::JobOrder& order) {
    std::vector<double> wanted;
    for (const JobDesign& job : design_.jobs)
      wanted.push_back(host_of(design_, job) == &host ? accelerators(design_, job) : 0.0);
    const JobDesign* beside = nullptr;
    double taken = 0.0;
    for (const std::size_t j : order.at_one_time(wanted)) {
      if (!(wanted[j] > 0.0)) continue;
      const JobDesign& job = design_.jobs[j];
      // Two of one id are one that is written twice.
      if (beside != nullptr && beside->job.id != job.job.id && taken <= gpus_of(host) &&
          taken + wanted[j] > gpus_of(host))
        report_.error("rule", pointer_of(job.job, "hosts"),
                      "jobs \"" + beside->job.id + "\" and \"" + job.job.id +
                          "\" together use more accelerators than the " +
                          base::shortest(gpus_of(host)) + " of \"" + host.id + "\"",
                      "give each job its \"accelerators\" or hosts of its own, or let one begin "
                      "\"after\" the other");
      taken += wanted[j];
      beside = &job;
    }
  }

  // Jobs say when a run is over, and so do traces that are replayed.
  void check_run_without_jobs() {
    const bool ends = std::any_of(design_.tenants.begin(), design_.tenants.end(),
                                  [](const Component& tenant) { return tenant.kind == "replay"; });
    if (!ends && lacks(design_.run, "duration", report_))
      report_.error("missing", "/run", "a scenario without a job does not say when its tenants end",
                    "add \"run\": { \"duration\": \"10 min\" }");
  }

  void check_stragglers(const Component& host) {
    const double slow = number(host, "slow.count"), there = number(host, "count");
    if (there > 0.0 && slow > there)
      report_.error("rule", pointer_of(host, "slow.count"),
                    "\"" + host.id + "\" has " + base::shortest(slow) + " slow hosts of " +
                        base::shortest(there),
                    "use at most " + base::shortest(there) + ", or raise \"count\"");
    const Value* until = host.find("slow.until");
    if (until != nullptr && until->number <= number(host, "slow.from"))
      report_.error("rule", pointer_of(host, "slow.until"),
                    "the slow hosts of \"" + host.id + "\" recover before they are slow",
                    "give a date after \"slow.from\", or none when they stay slow");
  }

  void check_cores(const Component& host) {
    const double cores = number(host, "cpu.cores") * number(host, "cpu.smt", 1.0);
    const double each = number(host, "cpu.reserved"), gpus = number(host, "gpus");
    if (each > 0.0 && cores > 0.0 && each * gpus >= cores)
      report_.error("rule", pointer_of(host, "cpu.reserved"),
                    base::shortest(each) + " reserved cores a GPU leave none of the " +
                        base::shortest(cores) + " of \"" + host.id + "\" to its loaders",
                    "reserve less than " + base::shortest(cores / gpus));
  }

  void check_job(const JobDesign& job) {
    check_reference(job.job, "hosts", hosts_, "host class", report_);
    const Component* host = host_of(design_, job);
    if (host != nullptr && number(*host, "gpus", 1.0) <= 0.0)
      report_.error("rule", pointer_of(job.job, "hosts"),
                    "job \"" + job.job.id + "\" runs on \"" + host->id + "\", which has no GPUs",
                    "name a host class with \"gpus\", or give it some");
    const Value* wanted = job.job.find("accelerators");
    if (host != nullptr && wanted != nullptr) {
      const double there = number(*host, "count") * number(*host, "gpus");
      if (there > 0.0 && wanted->number > there)
        report_.error("rule", pointer_of(job.job, "accelerators"),
                      "job \"" + job.job.id + "\" uses " + base::shortest(wanted->number) +
                          " accelerators, but \"" + host->id + "\" has " +
                          base::shortest(number(*host, "count")) + " x " +
                          base::shortest(number(*host, "gpus")) + " = " + base::shortest(there),
                      "use at most " + base::shortest(there) + ", or raise the host count");
    }
    if (job.step.find("tokens") != nullptr && lacks(job.model, "parameters", report_) &&
        lacks(job.model, "shape.hidden", report_))
      report_.error(
          "rule", job.step.pointer,
          "a step of type \"" + job.step.kind + "\" needs the number of parameters of the model",
          "add \"model\": { \"use\": \"model/llama3-70b\" } or \"parameters\": \"70B\"");
    if (!report_.has_errors())
      if (const auto fault = models::fault_of_whole_run(design_, job))
        report_.error("rule", job.job.pointer + "/run", "job \"" + job.job.id + "\" " + fault->what,
                      fault->hint);
    if (job.loader && !job.dataset)
      report_.error("rule", job.loader->pointer,
                    "job \"" + job.job.id + "\" has a loader and no dataset",
                    "add \"dataset\", or remove \"loader\"");
  }

  // What the words of the metric stand for; the rest is judged once it is known what a run reports.
  void check_expectation(const Expectation& e) {
    const std::string at = e.pointer + "/that";
    if (e.that.empty()) return;
    const Result<base::Assertion> read = base::parse_assertion(e.that);
    if (!read.ok()) return;  // said where it was read
    const std::size_t before = report_.items().size();
    if (of_refused_id(read->metric)) return;  // told where the id stands
    check_component(read->metric, e.that, at);
    check_name(read->metric, at);
    if (report_.items().size() > before) return;
    check_limit(*read, e.that, at);
    if (report_.items().size() == before) check_there(read->metric, at);
  }

  // A metric of something whose id cannot be one, so that its name cannot be taken apart.
  bool of_refused_id(const std::string& metric) const {
    std::vector<std::string> ids = stages();
    for (const auto& more : {storage_, hosts_, ids_of(design_.tenants), ids_of(design_.failures)})
      ids.insert(ids.end(), more.begin(), more.end());
    return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
      return id.find('.') != std::string::npos && metric.find("." + id) != std::string::npos;
    });
  }

  void check_limit(const base::Assertion& read, const std::string& that, const std::string& at) {
    const std::string_view unit = metric::unit_said(read.metric);
    if (unit.empty() || !read.relative.empty()) return;
    const metric::Figure* figure = metric::find(read.metric);
    if (const auto limit = base::limit_in(read, unit); !limit.ok())
      report_.error("expect", at, "\"" + that + "\": " + limit.failure().message,
                    limit.failure().hint);
    else if (figure != nullptr && is_share(*figure))
      check_share(read, *limit, that + "\": " + std::string(figure->name_alone()), at);
  }

  // A limit above all of a share is met never, or always.
  void check_share(const base::Assertion& read, double limit, const std::string& what,
                   const std::string& at) {
    const std::string text = "\"" + what + " is a share, at most 100 %";
    if (limit > 1.0 && read.op.starts_with('<'))
      report_.warn("expect", at, text + ": this always holds", "ask for less than 100 %");
    else if (limit > 1.0 || (limit == 1.0 && read.op == ">"))
      report_.error("expect", at, text + ": this can never hold",
                    limit > 1.0 ? "ask for 100 % or less" : "ask for \">= 100 %\", or for less");
  }

  // What a run reports follows from the design; a price or a capacity may be what is varied.
  void check_there(const std::string& metric, const std::string& at) {
    const bool whole =
        std::none_of(report_.items().begin(), report_.items().end(), [](const Diagnostic& d) {
          return d.severity == Severity::error && !d.pointer.starts_with("/expect");
        });
    if (!whole) return;
    if (!known_) known_.emplace(design_);
    const auto absence = known_->absence_of(metric);
    if (!absence) return;
    const std::string there = "there is no \"" + metric + "\"";
    if (absence->of_value)
      report_.warn("unknown-metric", at, there + " yet: the scenario has no " + absence->lacks,
                   absence->hint);
    else
      report_.error("unknown-metric", at, there + ": the scenario has no " + absence->lacks,
                    absence->hint);
  }

  // As far as names are known before a run.
  void check_name(const std::string& metric, const std::string& at) {
    if (metric::is_reported(metric)) return;
    const std::string_view full = metric;
    const metric::Name name = metric::parse(full);
    const bool other = name.domain == metric::Domain::other;
    const auto domains = metric::domain_words();
    if (other && full.substr(0, full.find('.')).find('*') != std::string_view::npos) return;
    if (std::find(domains.begin(), domains.end(), full) != domains.end())
      return report_.error("unknown-metric", at,
                           "\"" + metric + "\" is no metric, only the start of some",
                           "write a whole name, such as \"job.train.gpu.utilization\"");
    const std::size_t begin =
        other ? 0 : static_cast<std::size_t>(name.figure.data() - full.data());
    std::string stem = metric.substr(0, begin);
    if (begin > 0 && stem.back() != '.') stem += '.';  // "job.train"
    const std::vector<std::string> known =
        other ? std::vector<std::string>(domains.begin(), domains.end())
              : metric::figures_of(name.domain);
    report_.error("unknown-metric", at, "no metric is named \"" + metric + "\"",
                  near_names(stem, full.substr(begin), known));
  }

  // The nearest of `known`, else those that begin with most words of `asked`, else all, or what
  // they begin with.
  static std::string near_names(const std::string& stem, std::string_view asked,
                                const std::vector<std::string>& known) {
    constexpr std::size_t kListed = 20;
    const auto begin = [](std::string_view name) {
      return std::string(name.substr(0, name.find('.')));
    };
    std::vector<std::string> whole, plain, words;  // without wildcards; without statistics
    for (const std::string& one : known) {
      if (one.find('*') == std::string::npos) whole.push_back(one);
      if (metric::parse(one).statistic.empty()) plain.push_back(one);
      if (one[0] != '*' && std::find(words.begin(), words.end(), begin(one)) == words.end())
        words.push_back(begin(one));
    }
    std::sort(words.begin(), words.end());
    std::string nearest = base::nearest(asked, whole);
    const std::string first = begin(asked), word = base::nearest(first, words);
    if (nearest.empty() && !word.empty() && word != first)
      nearest = word + std::string(asked.substr(first.size()));
    if (!nearest.empty()) return "did you mean \"" + stem + nearest + "\"?";
    std::vector<std::string> alike;
    for (std::size_t end = asked.size(); alike.empty() && end != std::string_view::npos && end > 0;
         end = asked.rfind('.', end - 1))
      for (const std::string& one : plain)
        if (one.starts_with(asked.substr(0, end)) && (one.size() == end || one[end] == '.'))
          alike.push_back(one);
    if (alike.empty()) alike = plain.size() > kListed ? words : plain;
    for (std::string& one : alike) one.insert(0, stem);
    return (stem.empty() ? "names begin with " : "it may be ") + base::join(alike, ", ");
  }

  void check_component(const std::string& metric, const std::string& that, const std::string& at) {
    std::vector<std::string> parts = base::split(metric, '.');
    // What a resource belongs to: "resource.storage.scratch.ost.utilization".
    const bool resource = parts[0] == "resource";
    if (resource) parts.erase(parts.begin());
    if (parts.size() < 2 || parts[1].find('*') != std::string::npos) return;
    std::vector<std::string> jobs;
    for (const JobDesign& job : design_.jobs) jobs.push_back(job.job.id);
    const std::tuple<std::string_view, std::string, std::vector<std::string>> kinds[] = {
        {"job", "job", jobs},
        {"storage", "storage system", storage_},
        {"tenant", "tenant", ids_of(design_.tenants)},
        {"failure", "failure", ids_of(design_.failures)},
        {resource ? "host" : "stage", resource ? "host class" : "stage",
         resource ? hosts_ : stages()}};
    const auto kind = std::find_if(std::begin(kinds), std::end(kinds),
                                   [&](const auto& k) { return std::get<0>(k) == parts[0]; });
    if (kind == std::end(kinds)) return;
    const auto& [name, noun, ids] = *kind;
    if (std::find(ids.begin(), ids.end(), parts[1]) == ids.end())
      report_.error("reference", at, "no " + noun + " \"" + parts[1] + "\" in \"" + that + "\"",
                    ids.empty() ? "the scenario has no " + noun : allowed_hint(parts[1], ids));
  }

  // Jobs may be stages, too.
  std::vector<std::string> stages() const {
    std::vector<std::string> out = ids_of(design_.stages);
    for (const JobDesign& job : design_.jobs) out.push_back(job.job.id);
    return out;
  }

  const Design& design_;
  std::optional<models::KnownFigures> known_;  ///< when a target is looked at first
  Diagnostics& report_;
  std::vector<std::string> hosts_, storage_;
};

}  // namespace

void check_rules(const Design& design, Diagnostics& report) { Rules(design, report).check(); }

void check_metric(const Design& design, const std::string& metric, const std::string& pointer,
                  Diagnostics& report) {
  Rules(design, report).check_metric(metric, pointer);
}

void check_design(const Design& design, Diagnostics& report) {
  if (design.hosts.empty()) report.error("missing", "/cluster", "the scenario has no host class");
  if (design.jobs.empty() && design.tenants.empty() && design.stages.empty())
    report.error("missing", "", "the scenario has neither a job nor a tenant nor a stage");
  base::for_each_component(
      design, [&](const std::string& path, std::string_view role, const Component& component) {
        const models::RoleInfo* info = models::find_role(role);
        if (info != nullptr && !complete(info->role, component))
          report.error("missing", component.pointer, path + " lacks a field that it needs");
      });
  check_rules(design, report);
}

std::string fault_of(const Design& design) {
  Design plain = design;
  plain.expect.clear();
  Diagnostics faults;
  check_design(plain, faults);
  for (const Diagnostic& d : faults.items())
    if (d.severity == Severity::error) return d.message;
  return "";
}

}  // namespace stallcast::scenarios
