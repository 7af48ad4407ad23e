#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "calibration/observe/job_facts.hpp"
#include "calibration/observe/observation_json.hpp"
#include "calibration/observed_job/observed_job.hpp"

/// Observations of the parts of one job as one.
namespace stallcast::calibration {
namespace {

/// Distributions of parts: counts, means and extremes are those of all values, the sample takes of
/// each part as its count has, and quantiles are those of the samples.
template <class Q>
void join(std::optional<Distribution<Q>>& into, const std::optional<Distribution<Q>>& part) {
  if (!part || part->count == 0) return;
  if (!into) {
    into = part;
    return;
  }
  Distribution<Q> both;
  both.count = into->count + part->count;
  const double share = static_cast<double>(part->count) / static_cast<double>(both.count);
  both.mean = into->mean * (1.0 - share) + part->mean * share;
  both.minimum = std::min(into->minimum, part->minimum);
  both.maximum = std::max(into->maximum, part->maximum);
  const auto take = [&](const std::vector<Q>& from, double of) {
    const double wanted = std::min(static_cast<double>(from.size()), std::round(of * kSample));
    for (double i = 0.0; i < wanted; ++i)
      both.sample.push_back(
          from[static_cast<std::size_t>(i * static_cast<double>(from.size()) / wanted)]);
  };
  take(into->sample, 1.0 - share);
  take(part->sample, share);
  // Weighted, as a part's sample may be short of its share.
  std::vector<std::pair<Q, double>> values;
  const auto weigh = [&](const Distribution<Q>& from) {
    for (const Q value : from.sample)
      values.emplace_back(
          value, static_cast<double>(from.count) / static_cast<double>(from.sample.size()));
  };
  weigh(*into);
  weigh(*part);
  std::sort(values.begin(), values.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  double all = 0.0;
  for (const auto& [value, weight] : values) all += weight;
  for (const auto& [quantile, ignored] : into->quantiles) {
    double sum = 0.0;
    for (const auto& [value, weight] : values) {
      sum += weight;
      both.quantiles[quantile] = value;
      if (sum >= quantile * all) break;
    }
  }
  into = std::move(both);
}

template <class T>
void add(std::optional<T>& into, const std::optional<T>& part) {
  if (part) into = into ? *into + *part : *part;
}

void join(ObservedTransfers& into, const ObservedTransfers& part) {
  into.operations += part.operations;
  into.failed += part.failed;
  into.bytes += part.bytes;
  add(into.time, part.time);
  join(into.latency, part.latency);
  join(into.size, part.size);
  for (const SizeBucket& bucket : part.sizes) {
    const auto found = std::find_if(into.sizes.begin(), into.sizes.end(),
                                    [&](const SizeBucket& b) { return b.least == bucket.least; });
    if (found == into.sizes.end()) {
      into.sizes.push_back(bucket);
    } else {
      found->operations += bucket.operations;
      found->bytes += bucket.bytes;
    }
  }
  std::sort(into.sizes.begin(), into.sizes.end(),
            [](const SizeBucket& a, const SizeBucket& b) { return a.least < b.least; });
  add(into.sequential, part.sequential);
  add(into.random, part.random);
  add(into.from_device, part.from_device);
  into.files += part.files;
}

void join(ObservedSteps& into, const ObservedSteps& part) {
  into.count += part.count;
  join(into.duration, part.duration);
  join(into.wait, part.wait);
  join(into.compute, part.compute);
  join(into.gpu, part.gpu);
  join(into.first_batch, part.first_batch);
  if (part.epochs) into.epochs = std::max(into.epochs.value_or(0), *part.epochs);
}

void join(ObservedSamples& into, const ObservedSamples& part) {
  into.count += part.count;
  join(into.wall, part.wall);
  join(into.cpu, part.cpu);
  join(into.bytes, part.bytes);
  join(into.files, part.files);
}

void join(ObservedCheckpoints& into, const ObservedCheckpoints& part) {
  into.count += part.count;
  join(into.duration, part.duration);
  join(into.bytes, part.bytes);
  join(into.files, part.files);
  add(into.syncs, part.syncs);
  add(into.sync_time, part.sync_time);
  join(into.period_steps, part.period_steps);
  join(into.period, part.period);
  if (part.asynchronous)
    into.asynchronous = into.asynchronous.value_or(false) || *part.asynchronous;
}

void join(ObservedLoader& into, const ObservedLoader& part) {
  if (into.kind.empty()) into.kind = part.kind;
  if (into.sampler.empty()) into.sampler = part.sampler;
  const auto first = [](auto& a, const auto& b) {
    if (!a) a = b;
  };
  first(into.workers, part.workers);
  first(into.prefetch, part.prefetch);
  first(into.batch, part.batch);
  first(into.persistent, part.persistent);
  first(into.pinned, part.pinned);
  join(into.batch_bytes, part.batch_bytes);
}

void join(ObservedFiles& into, const ObservedFiles& part) {
  into.count += part.count;
  join(into.extent, part.extent);
  into.largest.insert(into.largest.end(), part.largest.begin(), part.largest.end());
  std::stable_sort(into.largest.begin(), into.largest.end(), [](const auto& a, const auto& b) {
    return a.read + a.written > b.read + b.written;
  });
  if (into.largest.size() > kFiles) into.largest.resize(kFiles);
  into.folded = into.count - std::min<std::uint64_t>(into.count, into.largest.size());
  into.untracked += part.untracked;
}

template <class T>
void join_records(std::optional<T>& into, const std::optional<T>& part) {
  if (!part) return;
  if (!into)
    into = part;
  else
    join(*into, *part);
}

void join(std::vector<ObservedMetadata>& into, const std::vector<ObservedMetadata>& parts) {
  for (const ObservedMetadata& part : parts) {
    const auto found = std::find_if(into.begin(), into.end(), [&](const ObservedMetadata& m) {
      return m.operation == part.operation;
    });
    if (found == into.end()) {
      into.push_back(part);
      continue;
    }
    found->count += part.count;
    found->failed += part.failed;
    add(found->time, part.time);
    join(found->latency, part.latency);
  }
}

/// Ranks of the job: as most parts say, or those of `all` that were seen. Nothing: no part says,
/// and none is named.
std::optional<std::int64_t> ranks_of(const std::vector<Observation>& parts,
                                     const Observation& all) {
  std::set<std::int64_t> seen;
  std::optional<std::int64_t> said;
  for (const Observation& part : parts)
    if (part.ranks) said = std::max(said.value_or(0), *part.ranks);
  for (const ObservedProcess& process : all.processes)
    if (process.rank && process.steps > 0) seen.insert(*process.rank);
  if (seen.empty()) return said ? std::max(said, std::optional(training_at_once(all))) : said;
  return std::max(said.value_or(0), static_cast<std::int64_t>(seen.size()));
}

/// Processes of all parts, at the times of the first to begin. Parts without a calendar are taken
/// to begin together.
std::vector<ObservedProcess> processes_of(const std::vector<Observation>& parts) {
  std::optional<Seconds> first;
  bool dated = true;
  for (const Observation& part : parts) {
    dated = dated && part.began;
    if (part.began) first = std::min(first.value_or(*part.began), *part.began);
  }
  std::vector<ObservedProcess> out;
  for (const Observation& part : parts)
    for (ObservedProcess process : part.processes) {
      const Seconds later = dated ? *part.began - *first : Seconds{};
      process.start += later;
      process.end += later;
      out.push_back(std::move(process));
    }
  return out;
}

/// Figures that are means over what each rank did.
constexpr std::array<std::string_view, 8> kMeans{"collate_cpu_s",        "collate_s",
                                                 "first_step_compute_s", "page_cache_share",
                                                 "sample_fetched_bytes", "sample_page_cache_share",
                                                 "sample_run_delay_s",   "step_batches"};

/// Ranks that `part` has steps of.
double ranks_in(const Observation& part) {
  const auto with_steps = std::count_if(part.processes.begin(), part.processes.end(),
                                        [](const ObservedProcess& p) { return p.steps > 0; });
  return std::max(1.0, static_cast<double>(with_steps));
}

/// Means are those of all ranks, other figures those of the first part that has them.
std::map<std::string, double> figures_in(const std::vector<Observation>& parts) {
  std::map<std::string, double> out, ranks;
  for (const Observation& part : parts)
    for (const auto& [name, value] : part.figures) {
      const bool first = out.emplace(name, value).second;
      double& of = ranks[name];
      of += ranks_in(part);
      if (!first && std::find(kMeans.begin(), kMeans.end(), name) != kMeans.end())
        out[name] += (value - out[name]) * (ranks_in(part) / of);
    }
  return out;
}

/// Hosts of the job: as most parts say, each of which may know its own alone, or those that
/// processes with steps were on.
std::optional<std::int64_t> hosts_of(const std::vector<Observation>& parts) {
  std::set<std::string> named;
  std::optional<std::int64_t> said;
  for (const Observation& part : parts) {
    if (part.host && part.host->hosts) said = std::max(said.value_or(0), *part.host->hosts);
    for (const ObservedProcess& process : part.processes)
      if (process.steps > 0 && !process.host.empty()) named.insert(process.host);
  }
  const auto found = static_cast<std::int64_t>(named.size());
  return said ? std::optional(std::max(*said, found)) : std::nullopt;
}

/// Different files that all parts read. Those of several epochs come across the same ones: an epoch
/// of all has no more files than samples, and no less than one part saw.
std::uint64_t files_read(const std::vector<Observation>& parts, const Observation& all) {
  const std::uint64_t sum = all.reading->files;
  const auto epochs = all.steps ? all.steps->epochs.value_or(1) : 1;
  if (epochs < 2 || !all.samples || all.samples->count == 0) return sum;
  std::uint64_t least = all.samples->count / epochs;
  for (const Observation& part : parts)
    if (part.reading) least = std::max(least, part.reading->files);
  return std::min(sum, least);
}

}  // namespace

Observation merged(const std::vector<Observation>& parts) {
  Observation out = parts.front();
  if (parts.size() == 1) return out;
  out.processes = processes_of(parts);
  out.ranks = ranks_of(parts, out);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Observation& part = parts[i];
    out.source.inputs.insert(out.source.inputs.end(), part.source.inputs.begin(),
                             part.source.inputs.end());
    out.notes.insert(out.notes.end(), part.notes.begin(), part.notes.end());
    out.processes_folded += part.processes_folded;
    if (part.wall) out.wall = std::max(out.wall.value_or(Seconds{}), *part.wall);
    join_records(out.steps, part.steps);
    join_records(out.loader, part.loader);
    join_records(out.samples, part.samples);
    join_records(out.reading, part.reading);
    join_records(out.writing, part.writing);
    join(out.metadata, part.metadata);
    join_records(out.files, part.files);
    join_records(out.saves, part.saves);
    join_records(out.loads, part.loads);
    if (!out.host) out.host = part.host;
  }
  if (out.reading) out.reading->files = files_read(parts, out);
  if (out.host) out.host->hosts = hosts_of(parts);
  out.figures = figures_in(parts);
  if (out.processes.size() > kProcesses) {
    out.processes_folded += out.processes.size() - kProcesses;
    out.processes.resize(kProcesses);
  }
  out.missing = absent_members(out);
  return out;
}

}  // namespace stallcast::calibration
