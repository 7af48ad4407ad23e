#include "models/bounds/bounds.hpp"

#include <algorithm>
#include <iterator>

#include "engine/base/quantity_text.hpp"
#include "engine/graph/topology.hpp"
#include "models/bounds/cost.hpp"
#include "models/bounds/failures.hpp"
#include "models/bounds/flows.hpp"
#include "models/bounds/parts.hpp"
#include "models/bounds/power.hpp"
#include "models/bounds/save_ceiling.hpp"
#include "models/bounds/save_parts.hpp"
#include "models/bounds/space.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/contract/access.hpp"
#include "models/contract/rows.hpp"
#include "models/job/communicator.hpp"
#include "models/loading/cache_plan.hpp"
#include "models/plant/plant.hpp"
#include "models/saving/cached_saves.hpp"
#include "stallcast/metric.hpp"

/// Closed forms and max flow over the same plant that is simulated. docs/models/bounds.md.
namespace stallcast::models {
namespace {

using namespace detail;

class Deriver {
 public:
  explicit Deriver(const Design& design) : design_(design), plant_(design) {}

  Bounds run() {
    for (const JobDesign& job : design_.jobs) derive(job);
    derive_shares(demands_, plant_, out_);
    if (!out_.storage.empty()) derive_units(demands_, plant_, out_);
    if (design_.jobs.empty()) out_.utilization = 1.0;
    for (auto* derive_all : {derive_costs, derive_powers, derive_whole_runs, derive_spaces})
      for (Derivation& d : derive_all(design_)) out_.derivations.push_back(std::move(d));
    return std::move(out_);
  }

 private:
  /// A line whose sentence is all of `formula`.
  void stated(const std::string& name, const Measure& is, std::string formula, Rule rule = {}) {
    out_.derivations.push_back({name, is.value, is.dimension, std::move(formula), std::move(rule)});
  }
  void line(const std::string& name, const Measure& is, const std::string& what, Rule rule = {},
            const std::string& more = "") {
    out_.derivations.push_back(derived(name, is, what, std::move(rule), more));
  }

  void derive(const JobDesign& job) {
    JobDemand d;
    d.id = job.job.id;
    d.host = job_params(job.job).hosts;
    d.layout = plant_.layout(d.id);
    d.compute =
        step_row(job.step.kind).mean(job.step, model_params(job.model), plant_.host(d.host));
    const std::string name = metric::of_job(d.id);
    const RankSpread ranks = d.layout.spread();
    line(name + "ranks", {d.layout.ranks, Dimension::number},
         count(d.layout.used_hosts()) + " hosts of class " + d.host + ", " +
             (ranks.more() > 0.0 ? count(ranks.each()) + " or " : "") + count(ranks.most()) +
             " GPUs each",
         job_params(job.job).accelerators
             ? Rule{"accelerators", kTraining, {{"accelerators", d.input("accelerators")}}}
             : Rule{"hosts * gpus",
                    kTraining,
                    {{"hosts", d.host_input("count")}, {"gpus", d.host_input("gpus")}}});
    line(name + "step.compute", d.compute, "mean GPU time of one step",
         placed(step_row(job.step.kind).rule(model_params(job.model)), d));
    if (job.communication) derive_communication(job, d);
    if (job.dataset) derive_reads(job, d);
    std::optional<SaveCeiling> saves;
    if (job.checkpoint) derive_saves(job, d);
    if (d.blocking && d.flush > Seconds{})
      saves = save_ceiling(design_, job, d, checkpoint_params(*job.checkpoint));
    const double limit = utilization(d, saves);
    line(name + "gpu.utilization.bound", {limit, Dimension::ratio},
         "upper bound, limited by " + binding_, std::move(rule_));
    for (std::vector<Derivation> found :
         {derive_failures(design_, job, failing_parts(job, d.layout), d.stall),
          derive_startup(job, d.layout.used_hosts()),
          derive_elastic(design_, job, plant_, d.save, d.checkpoint)})
      std::move(found.begin(), found.end(), std::back_inserter(out_.derivations));
    if (demands_.empty() || limit < out_.utilization) {
      out_.utilization = limit;
      out_.binding = binding_;
      out_.job = d.id;
    }
    if (const double held = std::min(d.allowed, d.begun); held < 1.0) out_.held[d.id] = held;
    demands_.push_back(d);
  }

  void derive_communication(const JobDesign& job, JobDemand& d) {
    const StepTraffic traffic = step_traffic(job, plant_);
    Traffic all = traffic.hidden;
    all += traffic.exposed;
    d.exposed = traffic.added(d.compute);
    d.communication = limit_of(all, job, plant_);
    const std::string name = metric::of_job(d.id, "communication.");
    if (all.transfer > Seconds{})
      line(name + "time", all.time(),
           "latencies " + text(all.latency) + " + " +
               (all.network > Bytes{} ? text(all.network) + " per host and direction" : "NVLink") +
               " in " + text(all.transfer));
    stated(name + "exposed", d.exposed,
           text(traffic.hidden.time()) + " alongside " + text(d.compute * traffic.window) +
               " of compute, " + text(traffic.exposed.time()) + " exposed: adds " +
               text(d.exposed) + " to a step");
  }

  void derive_reads(const JobDesign& job, JobDemand& d) {
    const DatasetParams dataset = dataset_params(*job.dataset);
    const LoaderParams loader = loader_params(*job.loader);
    const SampleAccess access = sample_access(job);
    const double batch = static_cast<double>(loader.batch);
    d.read_from = dataset.on;
    d.places = dataset.places();
    if (out_.storage.empty()) out_.storage = dataset.on;
    const std::string name = metric::of_job(d.id);
    stated(name + "readers", {d.layout.readers(), Dimension::number},
           "of every copy of the model one rank reads: " + readers_of(d.layout),
           {"ranks / (tensor * pipeline)",
            "docs/models/training.md, eq. 4",
            {{"ranks", name + "ranks"},
             {"tensor", d.input("parallel.tensor")},
             {"pipeline", d.input("parallel.pipeline")}}});
    // D = N b s a / t    [docs/models/bounds.md, eq. 1]
    const Bytes fetched = dataset.sample * access.amplification;
    d.read = fetched * (batch * d.layout.readers()) / d.compute;
    line(name + "read.demand", d.read,
         readers_of(d.layout) + " x batch " + count(batch) + " x " + text(dataset.sample) +
             (access.amplification == 1.0
                  ? ""
                  : " x " + count(access.amplification) + " fetched per byte") +
             " / " + text(d.compute),
         read_rule(d, access));
    const cache::CachePlan kept = cache::cache_plan(design_, job, plant_);
    const double found = kept.most().in(unit::ratio);
    d.missed = d.read * (1.0 - found);
    d.allowed = allowed_share(job, d, plant_);
    if (kept.used)
      line(name + "cache.demand", d.missed,
           text(d.read) + " less at most " + text(found, Dimension::ratio) + " found in " +
               text(kept.size) + " per host for " + text(kept.data),
           {"demand * (1 - found)",
            "docs/models/cache.md",
            {{"demand", name + "read.demand"},
             figure("found", found, Dimension::ratio, "most that caches of the hosts can hold")}});
    const OpRate opens =
        Ops::from(batch * d.layout.readers() * access.files, unit::ops) / d.compute;
    line(name + "open.demand", opens,
         readers_of(d.layout) + " x " + count(batch * access.files) + " files / " + text(d.compute),
         open_rule(d, access));
    d.opens = opens;
    d.opened = dataset.cache_opens ? 1.0 : 1.0 - found;
    d.reads = reads_of_opened(access, 1.0 - found, d.opened);
    if (const auto limit = job_params(job.job).limit_operations) {
      const OpRate least = least_operations(d, opens, plant_);
      line(name + "operations.demand", least,
           "opens and requests of at most " + text(kLargestRequest) + ", at least");
      if (least > *limit) d.begun = *limit / least;
    }
    out_.derivations.push_back(loader_ceiling(job, d, access, plant_));
    d.loader = Rate::from(out_.derivations.back().value, unit::Bps);
  }

  void derive_saves(const JobDesign& job, JobDemand& d) {
    const CheckpointParams p = checkpoint_params(*job.checkpoint);
    const ModelParams model = model_params(job.model);
    if (!p.ends_in_memory()) out_.storage = d.write_to = p.to;
    const CheckpointLayout layout =
        checkpoint_layout(p, model, job_params(job.job), d.layout.ranks, d.layout.ranks_per_host());
    const Bytes size = layout.size(), of_host = layout.of_host(d.layout.spread());
    d.of_host = of_host / size;
    d.blocking = !end_in_cache(p, plant_) && synchronous(*job.checkpoint, layout, d.layout.spread(),
                                                         plant_.host(d.host).memory);
    const std::string name = metric::checkpoint(d.id);
    stated(name + "size", size,
           p.size ? "given: " + text(size)
                  : count(model.parameters.value_or(0.0)) + " parameters x " +
                        count(model.bytes_per_parameter()) + " B" +
                        (p.layout.starts_with("zero") && model.has_shape()
                             ? ", as layout " + p.layout + " cuts it,"
                             : "") +
                        " = " + text(size),
           size_rule(p, model, d));
    stated(name + "files", {layout.files(), Dimension::number},
           "layout " + p.layout + ": " + count(layout.writer_count()) + " of " +
               count(d.layout.ranks) + " ranks write " + count(layout.files()) + " files");
    // What one save writes: compressed, and on average over whole saves and increments.
    d.checkpoint = p.stored(size) * p.mean_part();
    if (d.checkpoint < size)
      line(name + "written", d.checkpoint,
           text(size) + " / " + count(p.compress_ratio) + " x " + hundredths(p.mean_part()),
           {"size / ratio * part",
            "docs/models/checkpoint.md",
            {{"size", name + "size"},
             {"ratio", d.input("checkpoint.compress.ratio")},
             figure("part", p.mean_part(), Dimension::ratio,
                    "mean share of the state that a save writes: increments")}},
           " per save on average");
    SaveParts parts = save_parts(d, p, model, layout, plant_);
    std::move(parts.lines.begin(), parts.lines.end(), std::back_inserter(out_.derivations));
    if (p.restore != "none")
      for (Derivation& made : restore_parts(d, p, layout, plant_))
        out_.derivations.push_back(std::move(made));
    d.drained = p.stored(size) * p.mean_part(p.drain_every);
    out_.derivations.push_back(interval_of(p, d));
    if (p.ends_in_memory()) {
      d.flush = parts.peers;
      if (p.to == kPeerMemory)
        d.write_cut = {plant_.host(d.host).nic() * d.layout.hosts, "host." + d.host + ".nic.write"};
      return derive_stall(p, parts, d);
    }
    derive_flush(p, layout, plant_, d, out_.derivations);
    derive_stall(p, parts, d);
    out_.derivations.push_back(write_demand(p, size, d));
  }

  // Training waits for all of a save, or for its snapshot; where that runs beside a step, for what
  // is left of it behind.    [docs/models/bounds.md, eq. 7]
  static void derive_stall(const CheckpointParams& p, const SaveParts& parts, JobDemand& d) {
    d.save = parts.save(p, d.blocking, d.flush);
    const Seconds beside = p.lazy ? d.compute : Seconds{};
    d.stall = d.blocking ? d.save : p.quiesce + std::max(Seconds{}, parts.snapshot - beside);
  }

  /// One reason why GPUs cannot compute all the time.
  struct Ceiling {
    double share = 1.0;
    std::string binding;  ///< what sets it
    std::string name;     ///< of its derivation
  };

  // The share of time GPUs can compute when everything overlaps perfectly.  [bounds.md, eq. 2]
  double utilization(JobDemand& d, const std::optional<SaveCeiling>& saves) {
    const std::string name = metric::of_job(d.id);
    std::vector<Ceiling> ceilings;
    const auto ceiling = [&](const char* why, double share, const std::string& binding, Rule rule) {
      if (!(share < 1.0)) return;
      ceilings.push_back({share, binding, name + "gpu.utilization." + why});
      line(ceilings.back().name, {share, Dimension::ratio}, "at most, for " + binding,
           std::move(rule));
    };
    if (d.exposed > Seconds{})
      ceiling("communication", d.compute / (d.compute + d.exposed), d.communication,
              {"compute / (compute + exposed)",
               kEq2,
               {{"compute", name + "step.compute"}, {"exposed", name + "communication.exposed"}}});
    // Who is slow all the time sets the pace of all.    [docs/models/folding.md, eq. 3]
    const HostParams& host = plant_.host(d.host);
    if (host.always_slow())
      ceiling("stragglers", host.slow_compute.in(unit::ratio), "host." + d.host + ".slow",
              {"slow", "docs/models/folding.md, eq. 3", {{"slow", d.host_input("slow.compute")}}});
    const auto opens_ceiling = [&](const char* why, OpRate most, double part,
                                   const std::string& resource) {
      if (most.finite() && d.opens.in(unit::per_s)*part > 0.0)
        ceiling(why, most / (d.opens * part), resource, opened_rule(d, most, part, resource));
    };
    if (!d.read_from.empty()) {
      std::vector<graph::NodeId> sources, sinks;
      const std::string demand = name + (d.missed < d.read ? "cache.demand" : "read.demand");
      // Each of two brings its share of what is read.    [docs/models/bounds.md, eq. 2]
      for (std::size_t i = 0; i < d.places.size(); ++i) {
        const auto& [storage, share] = d.places[i];
        const graph::NodeId source = plant_.storage(storage).read_source();
        const auto mounts = reading_mounts(d, storage, plant_);
        sources.push_back(source);
        sinks.insert(sinks.end(), mounts.begin(), mounts.end());
        const std::string also = i == 0 ? "" : "_also";
        const MinCut flow =
            named_cut(name + "read.flow" + also, plant_,
                      plant_.topology().max_flow({&source, 1}, mounts), out_.derivations);
        Rule rule{"flow / demand", kEq2, {{"flow", name + "read.flow" + also}, {"demand", demand}}};
        if (share < 1.0) {
          rule.equation = "flow / (demand * " + d.share_of(i) + ")";
          rule.terms.push_back({"share", d.input("dataset.also.share")});
        }
        ceiling(i == 0 ? "reads" : "reads_also", flow.value / (d.missed * share), flow.binding,
                std::move(rule));
      }
      if (sources.size() > 1) {  // what both pass on their way
        const MinCut flow = named_cut(name + "read.flow_both", plant_,
                                      plant_.topology().max_flow(sources, sinks), out_.derivations);
        ceiling("reads_both", flow.value / d.missed, flow.binding,
                {"flow / demand", kEq2, {{"flow", name + "read.flow_both"}, {"demand", demand}}});
      }
      // What cannot be opened cannot be read: a rate that more readers do not raise.
      for (std::size_t i = 0; i < d.places.size(); ++i) {
        const auto& [storage, share] = d.places[i];
        const StorageModel::OpenLimit most = plant_.storage(storage).open_limit(d.reads);
        opens_ceiling(i == 0 ? "opens" : "opens_also", most.files, d.opened * share, most.resource);
      }
      if (host.opens)
        opens_ceiling("host_opens", *host.opens * d.layout.hosts_read_by(), d.opened,
                      "host." + d.host + ".opens");
      ceiling("limit", d.allowed, name + "limit", allowed_rule(d, demand, plant_));
      ceiling(
          "limit_operations", d.begun, name + "limit_operations",
          {"limit / operations",
           kEq2,
           {{"limit", d.input("limit_operations")}, {"operations", name + "operations.demand"}}});
      ceiling("loader", d.loader / d.read, metric::of_job(d.id, "loader"),
              {"ceiling / demand",
               kEq5,
               {{"ceiling", name + "loader.ceiling"}, {"demand", name + "read.demand"}}});
    }
    if (saves) ceiling("saves", saves->share, d.write_cut.binding, saves->rule);
    binding_ = "GPU compute";
    double best = 1.0;
    rule_ = {"min(1", kEq2, {}};
    for (const Ceiling& c : ceilings) {
      const std::string symbol = c.name.substr(c.name.rfind('.') + 1);
      rule_.equation += ", " + symbol;
      rule_.terms.push_back({symbol, c.name});
      if (c.share < best) best = c.share, binding_ = c.binding;
    }
    rule_.equation = ceilings.empty() ? "1" : rule_.equation + ")";
    return best;
  }

  const Design& design_;
  Plant plant_;
  Bounds out_;
  std::string binding_;
  Rule rule_;  ///< of the utilization
  std::vector<JobDemand> demands_;
};

}  // namespace

Bounds bounds(const Design& design) { return Deriver(design).run(); }

}  // namespace stallcast::models
