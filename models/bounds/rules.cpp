#include <optional>
#include <utility>

#include "models/bounds/parts.hpp"
#include "models/contract/access.hpp"
#include "models/contract/operations.hpp"
#include "models/contract/rows.hpp"
#include "models/contract/training.hpp"
#include "stallcast/metric.hpp"

/// Parts of the bounds that stand for themselves: docs/models/bounds.md.
namespace stallcast::models::detail {

Rule placed(Rule rule, const JobDemand& d) {
  for (Term& term : rule.terms) {
    const bool host = term.from.starts_with("host.");
    if (!term.from.empty())
      term.from = host ? d.host_input(term.from.substr(5)) : d.input(term.from);
  }
  return rule;
}

Rule size_rule(const CheckpointParams& p, const ModelParams& model, const JobDemand& d) {
  if (p.size) return {"size", kSaves, {{"size", d.input("checkpoint.size")}}};
  if (p.layout.starts_with("zero") && model.has_shape()) return {};
  const auto per = [&](const char* part) {
    return Term{part, d.input(std::string("model.state.") + part)};
  };
  return {"parameters * (weights + master + momentum + variance + other)",
          kSaves,
          {{"parameters", d.input("model.parameters"), model.parameters.value_or(0.0),
            Dimension::number, "parameters of the model, by its shape"},
           per("weights"),
           per("master"),
           per("momentum"),
           per("variance"),
           per("other")}};
}

Rule read_rule(const JobDemand& d, const SampleAccess& access) {
  const std::string name = metric::of_job(d.id);
  return {"readers * batch * sample * fetched / compute",
          kEq1,
          {{"readers", name + "readers"},
           {"batch", d.input("loader.batch")},
           {"sample", d.input("dataset.sample")},
           figure("fetched", access.amplification, Dimension::number,
                  "bytes fetched for a byte used: docs/models/formats.md"),
           {"compute", name + "step.compute"}}};
}

Rule open_rule(const JobDemand& d, const SampleAccess& access) {
  const std::string name = metric::of_job(d.id);
  return {"readers * batch * files / compute",
          kEq1,
          {{"readers", name + "readers"},
           {"batch", d.input("loader.batch")},
           figure("files", access.files, Dimension::number,
                  "files opened for a sample: docs/models/formats.md"),
           {"compute", name + "step.compute"}}};
}

Rule opened_rule(const JobDemand& d, OpRate most, double part, const std::string& resource) {
  Rule rule{"files / demand",
            kEq2,
            {figure("files", most.in(unit::per_s), Dimension::op_rate,
                    "files that " + resource + " opens a second"),
             {"demand", metric::of_job(d.id) + "open.demand"}}};
  if (part < 1.0) {
    rule.equation = "files / (demand * part)";
    rule.terms.push_back(
        figure("part", part, Dimension::ratio, "of the files that are opened there"));
  }
  return rule;
}

double reads_of_opened(const SampleAccess& access, double missed, double opened) {
  const double files = access.files * opened;
  return files > 0.0 ? access.ranges * access.round_trips * missed / files : 0.0;
}

double allowed_share(const JobDesign& job, const JobDemand& d, const Plant& plant) {
  const std::optional<Rate> limit = job_params(job.job).limit;
  Rate moved;
  for (const auto& [storage, share] : d.places)
    if (!plant.storage(storage).own_of_host()) moved += d.missed * share;
  return limit && moved > *limit ? *limit / moved : 1.0;
}

Rule allowed_rule(const JobDemand& d, const std::string& demand, const Plant& plant) {
  Rule rule{"limit / demand", kEq2, {{"limit", d.input("limit")}, {"demand", demand}}};
  const auto inside = [&](std::size_t i) {
    return plant.storage(d.places[i].storage).own_of_host();
  };
  if (d.places.size() < 2 || inside(0) == inside(1)) return rule;
  rule.equation = "limit / (demand * " + d.share_of(inside(0) ? 1 : 0) + ")";
  rule.terms.push_back({"share", d.input("dataset.also.share")});
  return rule;
}

// An open and a request of each file, or a request of each 4 MiB of it.    [tenants.md, eq. 12]
OpRate least_operations(const JobDemand& d, OpRate opens, const Plant& plant) {
  double outside = 0.0;
  for (const auto& [storage, share] : d.places)
    if (!plant.storage(storage).own_of_host()) outside += share;
  const OpRate pieces =
      OpRate::from(d.missed.in(unit::Bps) / kLargestRequest.in(unit::B), unit::per_s);
  // Of what caches hold nothing is opened, maybe.
  if (d.missed < d.read) return pieces * outside;
  return (opens + std::max(opens, pieces)) * outside;
}

std::string written_of(const JobDemand& d, Bytes size) {
  return metric::checkpoint(d.id) + (d.checkpoint < size ? "written" : "size");
}

// What CPU alone lets the loaders take in: the slowest stage of one rank, or the cores of all.
// [docs/models/bounds.md, eq. 5]
Derivation loader_ceiling(const JobDesign& job, const JobDemand& d, const SampleAccess& access,
                          const Plant& plant) {
  const DatasetParams dataset = dataset_params(*job.dataset);
  const LoaderPolicy policy = loader_row(job.loader->kind).policy(*job.loader);
  const Bytes fetched = dataset.sample * access.amplification;
  const Seconds fetching = access.fetching(dataset.sample, 1.0);
  const Seconds parsing = d.layout.gds ? access.parse_fixed : access.parsing(dataset.sample, 1.0);
  const Seconds decode =
      plant.storage(d.read_from).decodes() ? Seconds{} : dataset.decoding(access.columns);
  const Seconds cpu = fetching + parsing + decode;
  const LoaderThreads threads = loader_threads(job);
  const bool apart = threads.decoders > 0.0;
  // What fetches ahead unpacks, and decodes where it does, beside whoever reads.
  const bool beside = access.fetches_ahead();
  const Seconds nothing;
  const Seconds ahead = beside ? fetching + (access.decoded_ahead ? decode : nothing) : nothing;
  const Seconds reading =
      parsing + (beside ? nothing : fetching) + (apart || access.decoded_ahead ? nothing : decode);
  Rate best = Rate::infinity();
  std::string why;
  Rule rule;
  const auto stage = [&](double ranks, double each, const std::string& who, Seconds time,
                         const std::string& what) {
    const Rate rate = fetched / time * (each * ranks);
    if (rate >= best) return;
    best = rate;
    rule = {
        "ranks * threads * sample * fetched / time",
        kEq5,
        {figure("ranks", ranks, Dimension::number,
                ranks > 1.0 ? "GPUs that read" : "all of them together"),
         figure("threads", each, Dimension::number, who),
         {"sample", d.input("dataset.sample")},
         figure("fetched", access.amplification, Dimension::number,
                "bytes fetched for a byte used: docs/models/formats.md"),
         figure("time", time.in(unit::s), Dimension::time, what + ": docs/models/dataloader.md")}};
    why = (ranks > 1.0 || who != "cores" ? count(ranks) + " GPUs x " : "") + count(each) + " " +
          who + " x " + text(fetched) + " / " + text(time) + " " + what + " = " + text(rate);
  };
  const double ranks = d.layout.readers();
  stage(ranks, threads.readers, apart ? "reading threads" : "workers", reading, "CPU per sample");
  if (beside) stage(ranks, threads.fetchers, "threads that fetch ahead", ahead, "CPU per sample");
  if (apart && !access.decoded_ahead)
    stage(ranks, threads.decoders, "decoding threads", decode, "CPU per sample");
  if (access.one_lock && policy.split_batch)
    stage(ranks, 1.0, "thread in the library at a time", fetching + parsing, "CPU per sample");
  if (policy.gpu_decode > Seconds{})
    stage(ranks, 1.0, "stage on the GPU", policy.gpu_decode, "per sample");
  const HostParams& host = plant.host(d.host);
  const double hosts = d.layout.hosts_read_by();
  stage(1.0, host.loader_cores() * hosts, "cores", cpu, "CPU per sample");
  if (host.opens && access.files > 0.0)
    stage(1.0, hosts, "hosts", Ops::from(access.files, unit::ops) / *host.opens,
          "to open its files");
  return {metric::of_job(d.id, "loader.ceiling"), best.in(unit::Bps), Dimension::rate,
          std::move(why), std::move(rule)};
}

}  // namespace stallcast::models::detail
