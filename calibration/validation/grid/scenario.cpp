#include "calibration/validation/grid/scenario.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/measure/quantity_texts.hpp"
#include "scenarios/scenario_builder.hpp"

namespace stallcast::calibration::grid {
namespace {

using namespace literals;
using base::Json;

/// Memory of a machine whose rows name no limit: more than any data set here.
constexpr Bytes kPlenty = Bytes::from(64, unit::GB);
/// Private memory of one process that imported the framework after a fork.         [assumption]
constexpr Bytes kProcess = 20_MB;
/// What the kernel reads ahead of one sequential stream: local, over a network.
constexpr Bytes kReadAhead = 1_MiB, kRemoteReadAhead = 256_KiB;
/// Share of a hand-over that is left at delivery, when the batch arrived before.
constexpr Fraction kDelivery = 30_percent;

bool is_shard(const GridRow& row) { return row.format == "tar"; }
/// Formats that are decoded after the read; raw files only pass through memory.
bool is_decoded(const GridRow& row) { return row.format == "jpeg" || row.format == "npz4m"; }

/// CPU time of the cached sample, as the machine is loaded. Memory and caches are shared: a process
/// alongside others takes longer, as measured with 2 and 4.        [docs/calibration-grid.md, eq.
/// 11]
Seconds parse_time(const GridRow& row, const Machine& m, const Draw& draw) {
  Diagnostics none;  // what is missing was reported with the fits
  const Seconds alone = sample_cpu(m.probes.cpu, row.format, none);
  if (!is_decoded(row)) return alone;
  const double processes = std::max(1, row.workers) * row.ranks;
  const double busy = row.batch * row.ranks * ((alone + row.augment) / std::max(row.compute, 1_us));
  const double n = std::clamp(busy, 1.0, processes);
  const LoaderFit& l = m.loader;
  const double inflation = n <= 2.0 ? 1.0 + (n - 1.0) * (l.inflation_two - 1.0)
                                    : l.inflation_two + std::min(1.0, (n - 2.0) / 2.0) *
                                                            (l.inflation_four - l.inflation_two);
  return alone * inflation * draw.decode;
}

Bytes stored_sample(const GridRow& row, const Machine& m) {
  const auto bytes = m.probes.cpu.costs.find("sample_tar");
  if (is_shard(row) && bytes != m.probes.cpu.costs.end())
    if (const auto mean = bytes->second.find("bytes_mean"); mean != bytes->second.end())
      return Bytes::from(mean->second, unit::B);
  return m.probes.data.at(row.format).mean;
}

/// Standard deviation of the sizes of the files.
Bytes deviation(const DataSet& data) {
  double sum = 0.0;
  for (const Bytes size : data.sizes) sum += std::pow((size - data.mean).in(unit::B), 2);
  return Bytes::from(std::sqrt(sum / static_cast<double>(data.sizes.size())), unit::B);
}

Json host_json(const GridRow& row, const Machine& m, const Draw& draw) {
  const Bytes memory = row.memory > Bytes{} ? row.memory : kPlenty;
  return {
      {"id", "node"},
      {"count", 1},
      {"gpus", row.ranks},
      {"cpu",
       {{"cores", static_cast<int>(m.probes.cpu.cores)},
        // The storage and the format carry what cores do.
        {"copy", "1 TB/s"}}},
      {"gpu", {{"copy_pageable", text(m.loader.snapshot * draw.snapshot)}}},
      {"memory",
       {{"size", text(memory)}, {"reserved", "0 B"}, {"process", text(kProcess * draw.memory)}}}};
}

Json dataset_json(const GridRow& row, const Machine& m, const Draw& draw) {
  const DataSet& data = m.probes.data.at(row.format);
  const Bytes sample = stored_sample(row, m);
  Json out = {{"on", "store"},
              {"format", is_shard(row)           ? "webdataset"
                         : row.format == "npz4m" ? "npz"
                                                 : "raw"},
              {"sample", text(sample)},
              {"tensor", text(sample_in_memory(row.format))},
              {"round_trips", 0},
              {"parse", text(sample / parse_time(row, m, draw))},
              {"parse_fixed", "0 s"}};
  if (is_shard(row)) {
    out["shard"] = text(data.mean);
    out["samples"] = data.files * std::floor(data.mean / sample);
    out["read_ahead"] = text(m.store.remote ? kRemoteReadAhead : kReadAhead);
  } else {
    out["samples"] = row.files > 0.0 ? row.files : data.files;
  }
  if (data.sizes.size() > 1) out["sample_stdev"] = text(deviation(data));
  if (row.augment > Seconds{}) out["decode"] = text(row.augment * draw.decode);
  if (row.epochs > 1 || row.warm)
    out["cache"] = {{"policy", "random"}, {"warm", row.warm}, {"opens", false}};
  return out;
}

Json loader_json(const GridRow& row, const Machine& m, const Draw& draw) {
  Diagnostics none;
  const Bytes batch = row.batch * sample_in_memory(row.format);
  const LoaderFit& l = m.loader;
  // Mean and variation of a lognormal from its median and sigma.
  const double variance = l.handover_sigma * l.handover_sigma;
  const Seconds median = l.handover + batch.in(unit::MB)*l.handover_per_MB;
  Json out = {
      {"type", "pytorch"},
      {"batch", row.batch},
      {"workers", row.workers},
      {"prefetch", row.prefetch},
      {"persistent", row.persistent},
      {"copy", "none"},
      {"start", "0 s"},
      {"boot", text(l.boot * draw.boot)},
      {"collate", text(batch / (collate(m.probes.cpu, row.format, row.batch, none) * draw.cpu))}};
  out["handover"] = text(median * std::exp(variance / 2.0) * draw.handover);
  out["receive"] = {{"delivery", text(kDelivery)},
                    {"spread", text(Fraction::from(std::sqrt(std::expm1(variance)), unit::ratio))}};
  if (is_shard(row)) out["style"] = "iterable";
  return out;
}

Json checkpoint_json(const GridRow& row, const Machine& m) {
  Json out = {{"to", "store"},
              {"mode", row.async() ? "async" : "sync"},
              {"every_steps", row.save_every},
              {"size", text(row.save_size)},
              {"layout", "rank0"},
              {"serializer", row.torch() ? "torch" : "none"},
              {"snapshot", row.async() ? "pageable" : "none"}};
  if (row.torch()) out["serialize"] = text(row.async() ? m.loader.torch_core : m.loader.torch_save);
  if (row.async()) out["snapshot_first"] = true;
  return out;
}

}  // namespace

Scenario scenario_of(const GridRow& row, const Machine& machine, const Draw& draw,
                     std::uint64_t seed) {
  Diagnostics none;
  // The sleep that stands for compute wakes late.                [docs/calibration-grid.md, eq. 14]
  const Seconds compute = row.compute + overshoot(machine.probes.cpu, row.compute, none);
  Json job = {
      {"id", "train"},
      {"hosts", "node"},
      {"epochs", row.epochs},
      {"steps", row.steps},
      {"step",
       {{"compute", text(compute)}, {"jitter", text(Fraction::from(row.compute_cv, unit::ratio))}}},
      {"barrier", {{"base", "0 s"}, {"per_doubling", "0 s"}}},
      {"dataset", dataset_json(row, machine, draw)},
      {"loader", loader_json(row, machine, draw)}};
  if (row.saves()) job["checkpoint"] = checkpoint_json(row, machine);
  Json scenario = {{"id", row.id},
                   {"cluster", {{"hosts", Json::array({host_json(row, machine, draw)})}}},
                   {"storage", Json::array({storage_json(row, machine, draw)})},
                   {"jobs", Json::array({std::move(job)})},
                   {"run", {{"seed", seed}, {"replicas", 1}}}};
  return ScenarioBuilder::from_json(std::move(scenario), "row " + row.id);
}

}  // namespace stallcast::calibration::grid
