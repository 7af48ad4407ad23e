#include <algorithm>
#include <cmath>
#include <limits>

#include "models/checkpoint/layout.hpp"
#include "models/contract/access.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/contract/failure.hpp"
#include "models/contract/loader.hpp"
#include "models/contract/replay_program.hpp"
#include "models/contract/rows.hpp"
#include "models/plant/host_path.hpp"
#include "models/plant/plant.hpp"

/// Which hosts and ranks are simulated as one. docs/models/folding.md.
namespace stallcast::models {
namespace {

// So few ranks are not folded when they draw different times.
constexpr double kFew = 4.0;
// Of ranks whose workers read apart, so many are told apart at least.
constexpr double kLeast = 2.0;
// With more classes of writers, hosts are not told apart by what they save.
constexpr std::size_t kMostWriters = 8;

/// Whether the ranks of a job take different times for equal batches.
bool drawn_apart(const JobDesign& job) {
  return step_time(job.step, {}).cv > 0.0 ||
         loader_row(job.loader->kind).policy(*job.loader).handover_spread > 0.0;
}

/// Whether ranks that read equal samples come to read at different times, since their steps are
/// drawn: where they are waited for, as many readers are told apart as ranks of samples that
/// differ.
bool reads_apart(const JobDesign& job) { return job.dataset && step_time(job.step, {}).cv > 0.0; }

/// Whether storage or ports fail for a while, so that somebody will wait in the midst of a run.
bool fails_for_a_while(const Design& design) {
  return std::any_of(design.failures.begin(), design.failures.end(),
                     [](const Component& c) { return !failure_row(c.kind).style.kills; }) ||
         std::any_of(design.hosts.begin(), design.hosts.end(), [](const Component& c) {
           const HostParams host = host_params(c);
           return host.slow_count > 0 && !host.always_slow() && host.slow_nic.in(unit::ratio) < 1.0;
         });
}

/// Ranks of a job that have a loader and one file more than the others.
double ranks_with_more(const JobDesign& job, const RankLayout& layout) {
  if (!job.dataset || !loader_row(job.loader->kind).policy(*job.loader).iterable) return 0.0;
  const SampleAccess access = sample_access(job);
  return dealt_more(access.epoch(dataset_params(*job.dataset).sample_count()), access.per_file(),
                    layout.readers());
}

/// Hosts whose readers have one file more.
double hosts_with_more(const RankLayout& layout) {
  return layout.reading_share() < 1.0 ? layout.more_files / layout.readers() * layout.used_hosts()
                                      : layout.reader_spread().hosts_of(layout.more_files);
}

/// What parts of hosts add up to, where that is whole.
double rounded_ranks(double ranks) {
  const double nearest = std::round(ranks);
  return std::abs(ranks - nearest) < kHostRounding ? nearest : ranks;
}

/// The classes of a job in the groups of its hosts.    [docs/models/folding.md, eq. 1]
std::vector<RankPlace> places(const RankLayout& layout, const std::vector<HostGroup>& groups) {
  std::vector<RankPlace> out;
  const double having_more = hosts_with_more(layout);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double readers = layout.readers_in(groups[g]);
    if (readers <= kHostRounding) continue;  // their ranks go with those that read for them
    const double classes = std::max(
        1.0, std::min(static_cast<double>(layout.per_group), std::floor(rounded_ranks(readers))));
    const auto add = [&](double share, double count, bool more_files) {
      for (double c = 0.0; c < count; ++c)
        out.push_back({.group = g,
                       .members = rounded_ranks(readers * layout.per_copy * share / count),
                       .more_files = more_files});
    };
    const double more = groups[g].shared_with(0.0, having_more);
    const double rest = groups[g].shared_with(having_more, layout.used_hosts());
    if (more <= 0.0 || rest <= 0.0) {
      add(1.0, classes, more > 0.0);
      continue;
    }
    const double some = std::max(1.0, std::round(classes * more / groups[g].hosts));
    add(more / groups[g].hosts, some, true);
    add(rest / groups[g].hosts, std::max(1.0, classes - some), false);
  }
  return out;
}

/// Numbers of hosts before those that save what others do not, or that save at all.
///    [docs/models/checkpoint.md, eq. 17]
std::set<double> cut_by_saves(const JobDesign& job, const RankLayout& layout) {
  std::set<double> out;
  if (!job.checkpoint) return out;
  const std::vector<RankShare> writers =
      checkpoint_layout(checkpoint_params(*job.checkpoint), model_params(job.model),
                        job_params(job.job), layout.ranks, layout.ranks_per_host())
          .writers;
  if (writers.size() > kMostWriters) return out;
  for (const HostSpan& span : placed(writers, layout.spread()))
    for (const double at : {span.from, span.to})
      out.insert({std::floor(at + kHostRounding), std::ceil(at - kHostRounding)});
  return out;
}

}  // namespace

bool Plant::ranks_differ(const JobDesign& job, const RankLayout& layout) const {
  if (!job.dataset) return false;
  const DatasetParams dataset = dataset_params(*job.dataset);
  return dataset.sample_stdev > Bytes{} || dataset.places().size() > 1 ||  // each file is drawn
         varied(dataset.on) || (layout.readers() <= kFew && drawn_apart(job));
}

// Loaders without workers always make ranks wait.
bool Plant::may_keep_up(const JobDesign& job, const RankLayout& layout) const {
  return !ranks_differ(job, layout) && reads_apart(job) && loader_params(*job.loader).workers > 0;
}

// Who waits for readers says so, and only of these: tenants, stages and ranks of which nothing is
// presumed would queue behind readers that come at one moment.    [docs/models/folding.md]
bool Plant::loaders_may_keep_up(const Design& design) const {
  return design.tenants.empty() && design.stages.empty() && !fails_for_a_while(design) &&
         std::all_of(design.jobs.begin(), design.jobs.end(), [&](const JobDesign& job) {
           return !job.dataset || may_keep_up(job, unfolded(job));
         });
}

RankLayout Plant::unfolded(const JobDesign& job) const {
  const JobParams params = job_params(job.job);
  const HostParams& host = hosts_.at(params.hosts).params;
  RankLayout layout;
  layout.hosts = static_cast<double>(host.count);
  layout.ranks = params.accelerators ? static_cast<double>(*params.accelerators)
                                     : layout.hosts * static_cast<double>(host.gpus);
  if (job.dataset) layout.per_copy = static_cast<double>(params.tensor * params.pipeline);
  return layout;
}

// Ranks are folded into one class unless samples or reads differ; then into at most `run.detail`
// classes, ranks of a host before groups of hosts.
double Plant::classes(const RunParams& run, const JobDesign& job, const RankLayout& layout) const {
  if (!run.fold) return job.dataset ? layout.readers() : layout.ranks;
  const auto detail = static_cast<double>(run.detail);
  if (ranks_differ(job, layout)) return std::min(layout.readers(), detail);
  if (!reads_apart(job) || layout.keeps_up) return 1.0;
  // Two at least: of ranks that are one class none is later than another.
  const double classes = std::max(kLeast, std::ceil(detail / loader_threads(job).reading()));
  return std::min({layout.readers(), detail, classes});
}

void Plant::fold(const Design& design) {
  const RunParams run = run_params(design.run);
  std::map<std::string, CutPlan> plans;
  for (const Component& component : design.hosts) {
    const HostParams params = plugged_in(host_params(component), fabric_.params());
    HostClass& host =
        hosts_.insert_or_assign(component.id, HostClass{params, SlowHosts(params)}).first->second;
    plans[component.id] = {.hosts = static_cast<double>(params.count),
                           .slow = static_cast<double>(params.slow_count),
                           .area = fabric_.area_hosts(host.site())};
    CutPlan& plan = plans[component.id];
    // What strikes no job strikes nothing.    [docs/models/failures.md, At a date]
    const bool used = std::ranges::any_of(design.jobs, [&](const JobDesign& job) {
      return job_params(job.job).hosts == component.id;
    });
    if (!used) continue;
    for (const Outage& outage : outages(design, component.id))
      plan.cuts.insert(plan.hosts - outage.hosts);
  }
  presumed_.loaders_keep_up = presumed_.loaders_keep_up && loaders_may_keep_up(design);
  for (const JobDesign& job : design.jobs) {
    const JobParams params = job_params(job.job);
    HostClass& host = hosts_.at(params.hosts);
    CutPlan& plan = plans.at(params.hosts);
    RankLayout layout = unfolded(job);
    layout.keeps_up = run.fold && presumed_.loaders_keep_up && job.dataset;
    const double classes = this->classes(run, job, layout);
    // Ranks of a host first: what only they share (port, client, drives) is shared by them.
    const double groups =  // [docs/models/folding.md, eq. 7]
        std::clamp(std::round(classes * layout.reading_hosts() / layout.readers()), 1.0,
                   layout.hosts);
    plan.parts = std::max(plan.parts, groups);
    layout.more_files = ranks_with_more(job, layout);
    const double border = hosts_with_more(layout);
    plan.cuts.insert({std::floor(border + kHostRounding), std::ceil(border - kHostRounding)});
    const double each = classes / groups;
    layout.per_group = static_cast<std::size_t>(
        std::clamp(classes < layout.readers() ? std::floor(each) : std::ceil(each), 1.0,
                   layout.ranks_per_host()));
    layout.gds = asks_for_gds(job) && gds_obstacle(host.params, job).empty();
    host.direct =
        host.direct && (!job.dataset || layout.gds || dataset_params(*job.dataset).direct);
    layout.gds_saves =
        saves_ask_for_gds(job) && save_gds_obstacle(host.params, *job.checkpoint).empty();
    host.gds = host.gds || layout.gds || layout.gds_saves;
    host.drives = host.drives || uses_host_drives(job);
    host.nvlink = host.nvlink || passes_over_nvlink(host.params, layout, job);
    plan.cuts.merge(cut_by_saves(job, layout));
    plan.cuts.insert({layout.used_hosts(), layout.spread().more()});
    if (job.dataset) plan.cuts.insert(layout.reader_spread().more());
    if (const double reading = layout.reading_share(); reading < 1.0) plan.reading.insert(reading);
    layouts_[job.job.id] = layout;
  }
  count_askers(design);
  for (const auto* others : {&design.tenants, &design.stages})
    for (const Component& component : *others)
      if (const Value* on = component.find("hosts"))
        hosts_.at(on->text).asking = std::numeric_limits<double>::infinity();
  // Hosts that replay a trace each have ports and memory of their own.  [docs/models/replay.md, eq.
  // 5]
  for (const Component& tenant : design.tenants) {
    const std::optional<ReplayHeader> trace = replayed(tenant);
    if (!trace) continue;
    CutPlan& plan = plans.at(tenant.find("hosts")->text);
    const double used = static_cast<double>(
        replay_placement(*trace, static_cast<std::uint64_t>(plan.hosts), processes_per_host(tenant))
            .hosts);
    for (double host = 1.0; host <= std::min(used, plan.hosts); host += 1.0) plan.cuts.insert(host);
  }
  for (auto& [id, host] : hosts_) {
    host.cut = cut_hosts(plans.at(id));
    const std::size_t groups = host.cut.groups.size();
    for (std::size_t g = 0; g < groups; ++g)
      host.names.push_back("host." + id + (groups > 1 ? "[" + std::to_string(g) + "]" : ""));
  }
  for (const JobDesign& job : design.jobs) {
    RankLayout& layout = layouts_.at(job.job.id);
    layout.places = places(layout, groups(job_params(job.job).hosts));
  }
}

// Of jobs on the same hosts those that run at one time and have most of them.
void Plant::count_askers(const Design& design) {
  const std::vector<double> none(design.jobs.size());
  std::map<std::string, std::vector<double>> asking;  // by host
  for (std::size_t j = 0; j < design.jobs.size(); ++j) {
    const JobDesign& job = design.jobs[j];
    const RankLayout& layout = layouts_.at(job.job.id);
    double& asks = asking.try_emplace(job_params(job.job).hosts, none).first->second[j];
    if (job.loader) asks = layout.readers_per_host() * loader_threads(job).reading();
    if (job.checkpoint)
      asks +=
          layout.ranks_per_host() * static_cast<double>(checkpoint_params(*job.checkpoint).threads);
  }
  for (const auto& [id, each] : asking) hosts_.at(id).asking += order_.most_at_one_time(each);
}

bool Plant::leads_to(std::string from, const std::string& storage) const {
  for (;;) {
    if (from == storage) return true;
    const std::optional<Backing> behind = storages_.at(from)->backing();
    if (!behind) return false;
    from = behind->storage;
  }
}

bool Plant::leads_any_to(const CheckpointParams& saves, const std::string& storage) const {
  std::vector<std::string> places = saves.tiers;
  places.push_back(saves.to);
  if (saves.restore_from) places.push_back(*saves.restore_from);
  return std::any_of(places.begin(), places.end(), [&](const std::string& place) {
    return storages_.contains(place) && leads_to(place, storage);
  });
}

std::size_t Plant::savers_of(const Design& design, const std::string& storage,
                             std::size_t most) const {
  std::size_t savers = 0;
  for (const JobDesign& job : design.jobs)
    if (job.checkpoint)
      if (const CheckpointParams saves = checkpoint_params(*job.checkpoint);
          leads_any_to(saves, storage))
        savers += std::min<std::size_t>(saves.may_overlap() ? 2 : 1, most);
  return savers;
}

bool Plant::reads_saves(const Design& design, const std::string& storage) const {
  return std::any_of(design.jobs.begin(), design.jobs.end(), [&](const JobDesign& job) {
    if (!job.checkpoint) return false;
    const CheckpointParams p = checkpoint_params(*job.checkpoint);
    return (p.restore != "none" || p.reads_back() || !design.failures.empty()) &&
           leads_any_to(p, storage);
  });
}

bool Plant::varied(const std::string& storage) const {
  const auto& all = storages_;
  return std::any_of(all.begin(), all.end(), [&](const auto& other) {
    return other.second->varied() && leads_to(storage, other.first);
  });
}

}  // namespace stallcast::models
