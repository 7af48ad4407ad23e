#include <algorithm>
#include <cmath>

#include "models/contract/access.hpp"
#include "models/contract/priority.hpp"
#include "models/contract/replay_program.hpp"
#include "models/contract/rows.hpp"
#include "models/plant/plant.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/metric.hpp"

/// How each storage system is used, before anything runs.
namespace stallcast::models {
namespace {

constexpr double kWhole = 1e-9;  // of a file: rounding

// Of reads in ranges, as large as they are on average.
void add_load(const ReplayHeader& trace, StorageLoad& load) {
  const auto bytes = [](double value) { return Bytes::from(value, unit::B); };
  load.file = std::min(load.file, bytes(trace.read_bytes / trace.reads));
  load.largest = std::max(load.largest, bytes(trace.largest_file));
  load.files += static_cast<double>(trace.files);
  load.stored += bytes(trace.file_bytes);
  load.data += bytes(trace.file_bytes);
  load.seen += bytes(trace.file_bytes);
  load.whole = false;
  load.direct = false;
  load.concurrent_reads += static_cast<double>(trace.readers);
  const double files = static_cast<double>(trace.files);
  load.readers.push_back({{},
                          static_cast<double>(trace.readers),
                          bytes(trace.read_bytes / trace.reads),
                          {{}, files, bytes(trace.file_bytes / files)}});
}

}  // namespace

StorageLoad Plant::load_of(const Design& design, const std::string& storage) const {
  StorageLoad load;
  load.round_trip = fabric_.params().round_trip;
  load.weights = weights_of(design);
  std::vector<double> reads(design.jobs.size()), seen(design.jobs.size());  // of each job
  std::vector<std::string> names(design.jobs.size());
  std::map<std::string, Bytes> data, come_back;  // by name
  for (std::size_t j = 0; j < design.jobs.size(); ++j) {
    const JobDesign& job = design.jobs[j];
    if (!job.dataset) continue;
    const DatasetParams dataset = dataset_params(*job.dataset);
    double share = 0.0;  // of the files
    for (const DatasetParams::Place& place : dataset.places())
      if (leads_to(place.storage, storage)) share += place.share;
    if (share <= 0.0) continue;
    const SampleAccess access = sample_access(job);
    const Bytes file = access.range(dataset.sample);
    load.file = std::min(load.file, file);
    load.largest = std::max(load.largest, file);
    load.files += access.files_of(dataset.sample_count()) * share;
    if (std::isfinite(access.stored_in_file()))
      load.stored += dataset.sample * (dataset.sample_count() * share);
    load.whole = load.whole && !access.in_pieces();
    load.direct = load.direct && dataset.direct;
    reads[j] = layouts_.at(job.job.id).readers() * loader_threads(job).reading() * share;
    names[j] = dataset.name.value_or("job " + job.job.id);
    load.readers.push_back({job.job.id, reads[j], file, files_of(job, share)});
    load.readers.back().of.data = names[j];
    Bytes& most = data[names[j]];
    most = std::max(most, dataset.sample * (dataset.sample_count() * share));
    seen[j] = dataset.sample.in(unit::B) * (dataset.sample_count() * share * access.touched);
  }
  load.concurrent_reads += order_.most_at_one_time(reads);
  // Jobs that give one name read one data set.    [docs/models/cache.md, eq. 7]
  for (const std::size_t j : order_.at_one_time(seen))
    come_back[names[j]] = std::max(come_back[names[j]], Bytes::from(seen[j], unit::B));
  for (const auto& [name, bytes] : data) load.data += bytes;
  for (const auto& [name, bytes] : come_back) load.seen += bytes;
  load.savers = savers_of(design, storage);
  load.creators = savers_of(design, storage, 1) + design.stages.size();
  load.written = !design.stages.empty() || load.savers > 0;
  for (const Component& tenant : design.tenants) {
    const std::vector<std::string> places = places_of(tenant);
    if (std::none_of(places.begin(), places.end(),
                     [&](const std::string& place) { return leads_to(place, storage); }))
      continue;
    load.written = true;
    ++load.creators;
    const auto trace = replayed(tenant);
    if (trace && trace->reads > 0.0) add_load(*trace, load);
    load.others = load.others || !trace;
    const auto files = tenant_row(tenant.kind).files_of_host;
    load.anywhere = load.anywhere || !(trace || files);
    if (!files) continue;
    const double hosts = static_cast<double>(hosts_.at(tenant.find("hosts")->text).params.count);
    const StorageLoad::FileSet open{.data = {}, .files = files(tenant) * hosts};
    load.readers.push_back({.who = metric::of_tenant(tenant.id), .of = open});
    load.writers.push_back({metric::of_tenant(tenant.id), open});
  }
  load.anywhere = load.anywhere || reads_saves(design, storage);
  load.others = load.others || !design.stages.empty() || reads_saves(design, storage);
  add_stages(design, storage, load);
  return load;
}

// What a stage reads, each of its hosts the same files where each has copies of its own.
void Plant::add_stages(const Design& design, const std::string& storage, StorageLoad& load) const {
  for (const StageNode& node : stage_graph(design)) {
    if (node.job != nullptr) continue;
    const auto set = [](Bytes all, Bytes file) -> StorageLoad::FileSet {
      return {{}, std::max(1.0, std::ceil(all / file - kWhole)), std::min(all, file)};
    };
    const std::string who = metric::of_stage(node.id);
    if (node.read > Bytes{} && leads_to(node.move.from, storage))
      load.readers.push_back({.who = who, .of = set(node.read / node.copies, node.file)});
    if (node.written > Bytes{} && leads_to(node.work.to, storage))
      load.writers.push_back({who, set(node.written, node.written_file)});
  }
}

}  // namespace stallcast::models
