#include "models/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/graph/topology.hpp"
#include "models/cache/cache_plan.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/cost.hpp"
#include "models/dataload/access.hpp"
#include "models/failure/derive.hpp"
#include "models/network/communicator.hpp"
#include "models/plant.hpp"
#include "models/rows.hpp"

/// Closed forms and max flow over the same plant that is simulated. docs/models/bounds.md.
namespace stallcast::models {
namespace {

std::string text(double value, Dimension dimension) {
  return base::print_quantity(value, dimension);
}
std::string text(Bytes b) { return text(b.in(unit::B), Dimension::bytes); }
std::string text(Seconds t) { return text(t.in(unit::s), Dimension::time); }
std::string text(Rate r) { return text(r.in(unit::Bps), Dimension::rate); }
std::string count(double n) { return text(n, Dimension::number); }
/// To two decimals where `text` would round a number above 10 to fewer.
std::string hundredths(double n) { return base::shortest(std::round(n * 100.0) / 100.0); }

/// "512 GPUs", or "16 of 512 GPUs" where one rank of a model copy reads.
std::string readers_of(const RankLayout& layout) {
  return (layout.per_copy > 1.0 ? count(layout.readers()) + " of " : "") + count(layout.ranks) +
         " GPUs";
}

/// Everything that is derived for one job.
struct JobDemand {
  std::string id, host;
  RankLayout layout;
  Seconds compute;            ///< mean step of one rank
  Seconds exposed;            ///< what communication adds to it, undisturbed
  std::string communication;  ///< what limits that
  std::string read_from, write_to;
  Rate read;    ///< demanded at full utilization, all ranks
  Rate missed;  ///< of that, what caches of the hosts cannot hold: from the storage
  Rate write;   ///< checkpoint bytes over their interval, all ranks
  Bytes checkpoint;
  Seconds interval;  ///< between checkpoints; infinite: never
  bool blocking = false;
  Seconds snapshot;  ///< least until the state of all ranks has left their GPUs
  Seconds stall;     ///< least a save costs training; 0: never saves
  Rate loader;       ///< most the loaders can take in, CPU alone
};

class Deriver {
 public:
  explicit Deriver(const Design& design) : design_(design), plant_(design) {}

  Bounds run() {
    for (const JobDesign& job : design_.jobs) derive(job);
    if (demands_.size() > 1) derive_shares();
    if (!out_.storage.empty()) derive_osts();
    if (design_.jobs.empty()) out_.utilization = 1.0;
    for (Derivation& derived : derive_costs(design_))
      out_.derivations.push_back(std::move(derived));
    return std::move(out_);
  }

 private:
  void line(const std::string& name, double value, Dimension dimension, std::string formula) {
    out_.derivations.push_back({name, value, dimension, std::move(formula)});
  }

  void derive(const JobDesign& job) {
    JobDemand d;
    d.id = job.job.id;
    d.host = job_params(job.job).hosts;
    d.layout = plant_.layout(d.id);
    d.compute =
        step_row(job.step.kind).mean(job.step, model_params(job.model), plant_.host(d.host));
    const std::string name = "job." + d.id + ".";
    line(name + "ranks", d.layout.ranks, Dimension::number,
         count(d.layout.hosts) + " hosts of class " + d.host + ", " +
             count(d.layout.ranks_per_host()) + " GPUs each = " + count(d.layout.ranks));
    line(name + "step.compute", d.compute.in(unit::s), Dimension::time,
         "mean GPU time of one step = " + text(d.compute));
    if (job.communication) derive_communication(job, d);
    if (job.dataset) derive_reads(job, d);
    if (job.checkpoint) derive_saves(job, d);
    const double limit = utilization(d);
    line(name + "gpu.utilization.bound", limit, Dimension::ratio,
         "upper bound, limited by " + binding_ + " = " + text(limit, Dimension::ratio));
    const double hosts = d.layout.ranks / static_cast<double>(plant_.host(d.host).gpus);
    for (Derivation& derived :
         derive_failures(design_, job, failing_parts(job, d.layout, hosts), d.stall))
      out_.derivations.push_back(std::move(derived));
    for (Derivation& derived : derive_elastic(job, plant_, d.snapshot, d.checkpoint))
      out_.derivations.push_back(std::move(derived));
    if (demands_.empty() || limit < out_.utilization) {
      out_.utilization = limit;
      out_.binding = binding_;
    }
    demands_.push_back(d);
  }

  void derive_communication(const JobDesign& job, JobDemand& d) {
    const StepTraffic traffic = step_traffic(job, plant_);
    Traffic all = traffic.hidden;
    all += traffic.exposed;
    d.exposed = traffic.added(d.compute);
    d.communication = limit_of(all, job, plant_);
    const std::string name = "job." + d.id + ".communication.";
    if (all.transfer > Seconds{})
      line(name + "time", all.time().in(unit::s), Dimension::time,
           "latencies " + text(all.latency) + " + " +
               (all.network > Bytes{} ? text(all.network) + " per host and direction" : "NVLink") +
               " in " + text(all.transfer) + " = " + text(all.time()));
    line(name + "exposed", d.exposed.in(unit::s), Dimension::time,
         text(traffic.hidden.time()) + " beside " + text(d.compute * traffic.window) +
             " of compute, " + text(traffic.exposed.time()) + " beside none: adds " +
             text(d.exposed) + " to a step");
  }

  void derive_reads(const JobDesign& job, JobDemand& d) {
    const DatasetParams dataset = dataset_params(*job.dataset);
    const LoaderParams loader = loader_params(*job.loader);
    const SampleAccess access = sample_access(job);
    const double batch = static_cast<double>(loader.batch);
    d.read_from = dataset.on;
    if (out_.storage.empty()) out_.storage = dataset.on;
    const std::string name = "job." + d.id + ".";
    // D = N b s a / t    [docs/models/bounds.md, eq. 1]
    const Bytes fetched = dataset.sample * access.amplification;
    d.read = fetched * (batch * d.layout.readers()) / d.compute;
    line(name + "read.demand", d.read.in(unit::Bps), Dimension::rate,
         readers_of(d.layout) + " x batch " + count(batch) + " x " + text(dataset.sample) +
             (access.amplification == 1.0
                  ? ""
                  : " x " + count(access.amplification) + " fetched per byte") +
             " / " + text(d.compute) + " = " + text(d.read));
    const cache::CachePlan kept = cache::cache_plan(design_, job, plant_);
    const double found = kept.most().in(unit::ratio);
    d.missed = d.read * (1.0 - found);
    if (kept.used)
      line(name + "cache.demand", d.missed.in(unit::Bps), Dimension::rate,
           text(d.read) + " less at most " + text(found, Dimension::ratio) + " found in " +
               text(kept.size) + " per host for " + text(kept.data) + " = " + text(d.missed));
    const OpRate opens =
        Ops::from(batch * d.layout.readers() * access.files, unit::ops) / d.compute;
    line(name + "open.demand", opens.in(unit::per_s), Dimension::op_rate,
         readers_of(d.layout) + " x " + count(batch * access.files) + " files / " +
             text(d.compute) + " = " + text(opens.in(unit::per_s), Dimension::op_rate));
    d.loader = loader_ceiling(job, d, access, name);
  }

  // What CPU alone lets the loaders take in: the slowest stage of one rank, or the cores of all.
  // [docs/models/bounds.md, eq. 5]
  Rate loader_ceiling(const JobDesign& job, const JobDemand& d, const SampleAccess& access,
                      const std::string& name) {
    const DatasetParams dataset = dataset_params(*job.dataset);
    const LoaderParams loader = loader_params(*job.loader);
    const LoaderPolicy policy = loader_row(job.loader->kind).policy(*job.loader);
    const Bytes fetched = dataset.sample * access.amplification;
    const Seconds parsing =
        fetched / access.unpack +
        (d.layout.gds ? access.parse_fixed : access.parsing(dataset.sample, 1.0));
    const Seconds decode = plant_.storage(d.read_from).decodes() ? Seconds{} : dataset.decode;
    const Seconds cpu = parsing + decode;
    const bool apart = policy.decoders > 0 && loader.workers > 0;
    Rate best = Rate::infinity();
    std::string why;
    const auto stage = [&](double ranks, double threads, const std::string& who, Seconds time,
                           const std::string& what) {
      const Rate rate = fetched / time * (threads * ranks);
      if (rate >= best) return;
      best = rate;
      why = (ranks > 1.0 || who != "cores" ? count(ranks) + " GPUs x " : "") + count(threads) +
            " " + who + " x " + text(fetched) + " / " + text(time) + " " + what + " = " +
            text(rate);
    };
    const double ranks = d.layout.readers();
    const double workers = static_cast<double>(policy.threads(loader));
    stage(ranks, workers, apart ? "reading threads" : "workers", apart ? parsing : cpu,
          "CPU per sample");
    if (apart)
      stage(ranks, static_cast<double>(policy.decoders), "decoding threads", decode,
            "CPU per sample");
    if (access.one_lock && policy.split_batch)
      stage(ranks, 1.0, "thread in the library at a time", parsing, "CPU per sample");
    if (policy.gpu_decode > Seconds{})
      stage(ranks, 1.0, "stage on the GPU", policy.gpu_decode, "per sample");
    stage(1.0, plant_.host(d.host).loader_cores() * d.layout.hosts, "cores", cpu, "CPU per sample");
    line(name + "loader.ceiling", best.in(unit::Bps), Dimension::rate, why);
    return best;
  }

  void derive_saves(const JobDesign& job, JobDemand& d) {
    const CheckpointParams p = checkpoint_params(*job.checkpoint);
    const ModelParams model = model_params(job.model);
    d.write_to = p.to;
    out_.storage = p.to;
    d.blocking = checkpoint_row(job.checkpoint->kind).style().blocking;
    const CheckpointLayout layout = checkpoint_layout(p, model, job_params(job.job), d.layout.ranks,
                                                      std::max(1.0, d.layout.ranks_per_host()));
    const Bytes size = layout.size();
    const std::string name = "job." + d.id + ".checkpoint.";
    line(name + "size", size.in(unit::B), Dimension::bytes,
         p.size ? "given: " + text(size)
                : base::shortest(model.parameters.value_or(0.0)) + " parameters x " +
                      count(model.bytes_per_parameter()) + " B" +
                      (p.layout.starts_with("zero") && model.has_shape()
                           ? ", as layout " + p.layout + " cuts it,"
                           : "") +
                      " = " + text(size));
    line(name + "files", layout.files(), Dimension::number,
         "layout " + p.layout + ": " + count(layout.writer_count()) + " of " +
             count(d.layout.ranks) + " ranks write " + count(layout.files()) + " files");
    // What one save writes: compressed, and on average over whole saves and increments.
    d.checkpoint = p.stored(size) * p.mean_part();
    if (d.checkpoint < size)
      line(name + "written", d.checkpoint.in(unit::B), Dimension::bytes,
           text(size) + " / " + count(p.compress_ratio) + " x " + hundredths(p.mean_part()) +
               " = " + text(d.checkpoint) + " per save on average");
    d.snapshot = p.quiesce;
    if (!d.layout.gds_saves) d.snapshot += size / d.layout.ranks / plant_.host(d.host).gpu_copy;
    d.stall = d.snapshot;
    d.interval = p.every_steps ? d.compute * static_cast<double>(*p.every_steps) : *p.every;
    line(name + "interval", d.interval.in(unit::s), Dimension::time,
         p.every_steps ? count(static_cast<double>(*p.every_steps)) + " steps x " +
                             text(d.compute) + " = " + text(d.interval)
                       : "given: " + text(d.interval));
    // w = S / tau: what must be written on average so that one flush ends before the next begins.
    d.write = d.checkpoint / d.interval;
    line(name + "write.demand", d.write.in(unit::Bps), Dimension::rate,
         text(d.checkpoint) + " / " + text(d.interval) + " = " + text(d.write) +
             (d.blocking ? " on average (training waits for the save)"
                         : " so that a flush ends within the interval"));
  }

  // The share of time GPUs can compute when everything overlaps perfectly.  [bounds.md, eq. 2]
  double utilization(JobDemand& d) {
    binding_ = "GPU compute";
    double best = 1.0;
    if (d.exposed > Seconds{}) {
      best = d.compute / (d.compute + d.exposed);
      binding_ = d.communication;
    }
    // Who is slow all the time sets the pace of all.    [docs/models/folding.md, eq. 3]
    const HostParams& host = plant_.host(d.host);
    const double pace = host.slow_compute.in(unit::ratio);
    if (host.always_slow() && pace < best) {
      best = pace;
      binding_ = "host." + d.host + ".slow";
    }
    if (!d.read_from.empty()) {
      const auto sinks = plant_.mounts(d.host, d.read_from, true, d.layout.gds);
      const graph::NodeId source = plant_.storage(d.read_from).read_source();
      const graph::Topology::Cut cut = plant_.topology().max_flow({&source, 1}, sinks);
      if (cut.value < d.missed * best) {
        best = cut.value / d.missed;
        binding_ = cut.edges.empty()
                       ? "storage"
                       : ResourceTable::without_group(plant_.topology().name(cut.edges.front()));
      }
      if (d.loader / d.read < best) {
        best = d.loader / d.read;
        binding_ = "job." + d.id + ".loader";
      }
    }
    if (!d.write_to.empty() && d.blocking) {
      const auto sources = plant_.mounts(d.host, d.write_to, false, d.layout.gds_saves);
      const graph::NodeId sink = plant_.storage(d.write_to).write_sink();
      const graph::Topology::Cut cut = plant_.topology().max_flow(sources, {&sink, 1});
      const double sent = plant_.storage(d.write_to).sent();
      const Seconds save = d.checkpoint * sent / cut.value;
      d.stall += save;
      // U = tau / (tau + t_save): the interval counts compute, the save comes on top.
      const double share = d.interval / (d.interval + save);
      line("job." + d.id + ".checkpoint.save.bound", save.in(unit::s), Dimension::time,
           text(d.checkpoint) + (sent > 1.0 ? " x " + hundredths(sent) + " with parity" : "") +
               " / " + text(cut.value) + " = " + text(save) + ": at least " +
               text(1.0 - share, Dimension::ratio) + " of the time in saves");
      if (share < best) {
        best = share;
        binding_ = cut.edges.empty()
                       ? "storage"
                       : ResourceTable::without_group(plant_.topology().name(cut.edges.front()));
      }
    }
    return best;
  }

  // Jobs that read at the same time share every edge max-min, each at most at its own demand.
  // [docs/models/bounds.md, eq. 4]
  void derive_shares() {
    std::vector<graph::Demand> demands;
    std::vector<const JobDemand*> owners;
    for (const JobDemand& d : demands_) {
      if (d.missed == Rate{}) continue;
      const graph::NodeId source = plant_.storage(d.read_from).read_source();
      const auto mounts = plant_.mounts(d.host, d.read_from, true, d.layout.gds);
      for (std::size_t g = 0; g < mounts.size(); ++g) {
        const double hosts = plant_.groups(d.host)[g].hosts;
        demands.push_back({.path = plant_.topology().route(source, mounts[g]),
                           .weight = d.layout.readers() * hosts / d.layout.hosts,
                           .cap = d.missed / d.layout.readers()});
        owners.push_back(&d);
      }
    }
    const std::vector<Rate> shares = graph::max_min_shares(plant_.topology(), demands);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (i > 0 && owners[i] == owners[i - 1]) continue;
      Rate least = shares[i];  // the group of hosts that gets least sets the pace
      for (std::size_t j = i; j < shares.size() && owners[j] == owners[i]; ++j)
        least = std::min(least, shares[j]);
      const Rate demand = owners[i]->missed / owners[i]->layout.readers();
      const double share = least / demand;
      line("job." + owners[i]->id + ".gpu.utilization.estimate", share, Dimension::ratio,
           "max-min share beside the other jobs " + text(least) + " of " + text(demand) +
               " per GPU = " + text(share, Dimension::ratio));
      out_.utilization = std::min(out_.utilization, share);
    }
  }

  // n >= read / unit_read + write / unit_write; the larger of both when a unit's rates are separate
  // [docs/models/bounds.md, eq. 3]
  void derive_osts() {
    Rate read, write;
    for (const JobDemand& d : demands_) {
      if (d.read_from == out_.storage) read += d.missed;
      if (d.write_to == out_.storage) write += d.write;
    }
    const StorageModel::Countable c = plant_.storage(out_.storage).countable();
    out_.noun = c.noun;
    out_.unit_write = c.unit_write;
    const double for_writes = write / c.unit_write;
    const double for_reads = read / c.unit_read;
    out_.osts_required = c.separate ? std::max(for_reads, for_writes) : for_reads + for_writes;
    const std::string name = "storage." + out_.storage + ".osts.";
    if (for_writes > 0.0)
      line(name + "writes", for_writes, Dimension::number,
           text(write) + " / " + text(c.unit_write) + " of one = " + hundredths(for_writes) + " " +
               c.noun + " for the writes alone");
    const double at_least = std::ceil(out_.osts_required - 1e-9);
    line(name + "bound", at_least, Dimension::number,
         text(read) + " / " + text(c.unit_read) + (c.separate ? " or " : " + ") + text(write) +
             " / " + text(c.unit_write) + " = " + hundredths(out_.osts_required) +
             ", so at least " + count(at_least) + " " + c.noun);
  }

  const Design& design_;
  Plant plant_;
  Bounds out_;
  std::string binding_;
  std::vector<JobDemand> demands_;
};

}  // namespace

Bounds bounds(const Design& design) { return Deriver(design).run(); }

}  // namespace stallcast::models
