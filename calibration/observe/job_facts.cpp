#include "calibration/observe/job_facts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "calibration/observe/step_facts.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration {

std::optional<double> figure(const Observation& o, const char* name) {
  const auto found = o.figures.find(name);
  return found == o.figures.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t training_at_once(const Observation& o) {
  std::int64_t most = 0;
  for (const ObservedProcess& one : o.processes) {
    if (one.steps == 0) continue;
    const auto runs = [&](const ObservedProcess& other) {
      return other.steps > 0 && other.start <= one.start &&
             (other.end > one.start || other.start == one.start);
    };
    most =
        std::max<std::int64_t>(most, std::count_if(o.processes.begin(), o.processes.end(), runs));
  }
  return most;
}

namespace {

constexpr double kAlone = 0.02;         ///< bytes beside those of samples that do not count
constexpr double kShareOfCache = 0.05;  ///< hits of epochs after the first: within so much

template <class Tag>
double base_of(Quantity<Tag> value) {
  return value.in(Unit<Tag>{1.0});
}

double quantile_or(const std::map<double, double>& quantiles, double share, double otherwise) {
  const auto found = quantiles.find(share);
  return found == quantiles.end() ? otherwise : found->second;
}

Seconds in_seconds(double value) { return Seconds::from(value, unit::s); }

std::string time_text(double seconds) { return base::print_quantity(seconds, Dimension::time); }

void count_ranks(const Observation& o, JobFacts& out) {
  std::set<std::int64_t> ranks;
  std::set<std::string> hosts;
  std::uint64_t counted = 0;
  for (const ObservedProcess& process : o.processes) {
    if (process.steps == 0) continue;
    if (process.rank) ranks.insert(*process.rank), counted += process.steps;
    if (!process.host.empty()) hosts.insert(process.host);
  }
  out.ranks =
      std::max<std::int64_t>({1, o.ranks.value_or(0), static_cast<std::int64_t>(ranks.size())});
  if (!o.ranks && ranks.empty()) {
    out.ranks = std::max<std::int64_t>(1, training_at_once(o));
    out.ranks_from = "processes.steps";
    if (out.ranks > 1)
      out.remarks.push_back("nothing says which ranks these are: " + std::to_string(out.ranks) +
                            " processes that took steps at one time are taken for as many");
  }
  out.seen = out.ranks;
  if (const auto seen = static_cast<std::int64_t>(ranks.size());
      seen > 0 && seen < out.ranks && counted == o.steps->count) {
    out.seen = seen;
    out.remarks.push_back("steps of " + std::to_string(seen) + " of " + std::to_string(out.ranks) +
                          " ranks were seen: the others are taken to be like these");
  }
  out.hosts = std::max<std::int64_t>(1, static_cast<std::int64_t>(hosts.size()));
  if (o.host && o.host->hosts) out.hosts = std::max<std::int64_t>(1, *o.host->hosts);
  // Whoever watches a host sees all of its ranks: the others were on hosts like it.
  if (o.source.format == "observe" && out.seen < out.ranks)
    out.hosts = (out.ranks * out.hosts + out.seen - 1) / out.seen;
  out.hosts = std::min(out.hosts, out.ranks);
  out.ranks_per_host = (out.ranks + out.hosts - 1) / out.hosts;
}

void count_steps(const Observation& o, JobFacts& out) {
  const ObservedSteps& steps = *o.steps;
  const double of_rank =
      static_cast<double>(std::max<std::uint64_t>(steps.count, 1)) / static_cast<double>(out.seen);
  out.epochs = std::max<std::uint64_t>(1, steps.epochs.value_or(1));
  if (const auto batches = figure(o, "step_batches"))
    out.batches = std::max<std::int64_t>(1, std::llround(*batches));
  if (const auto samples = figure(o, "dataset_samples"))
    out.data_set = std::max<std::int64_t>(1, std::llround(*samples));
  out.steps = std::max<std::int64_t>(1, std::llround(of_rank / static_cast<double>(out.epochs)));
}

/// Of all epochs and the ranks that were seen.
double samples_seen(const Observation& o, const JobFacts& facts) {
  if (o.samples && o.samples->count > 0) return static_cast<double>(o.samples->count);
  if (!o.loader || !o.loader->batch) return 0.0;
  return static_cast<double>(facts.seen * facts.steps * *o.loader->batch * facts.batches) *
         static_cast<double>(facts.epochs);
}

/// Are the job's reads those of its samples, and not its imports and checkpoints as well?
bool reads_samples_alone(const Observation& o, double samples) {
  if (!o.reading || !o.samples || !o.samples->bytes || samples <= 0.0) return o.reading.has_value();
  const double of_samples = samples * base_of(o.samples->bytes->mean);
  return of_samples > 0.0 && std::abs(base_of(o.reading->bytes) / of_samples - 1.0) < kAlone;
}

const ObservedMetadata* metadata_of(const Observation& o, std::string_view operation) {
  for (const ObservedMetadata& m : o.metadata)
    if (m.operation == operation) return &m;
  return nullptr;
}

void size_samples(const Observation& o, JobFacts& out) {
  const double samples = samples_seen(o, out);
  const ObservedTransfers* reading = reads_samples_alone(o, samples) ? &*o.reading : nullptr;
  if (o.samples && o.samples->bytes && o.samples->bytes->mean > Bytes{}) {
    const Seen bytes = seen_of(*o.samples->bytes);
    out.sample = Bytes::from(bytes.mean, unit::B);
    out.sample_deviation = Bytes::from(bytes.deviation, unit::B);
  } else if (o.reading && o.reading->bytes > Bytes{} && samples > 0.0) {
    out.sample = o.reading->bytes / samples;
  } else if (o.loader && o.loader->batch_bytes && o.loader->batch && *o.loader->batch > 0) {
    out.sample = o.loader->batch_bytes->mean / static_cast<double>(*o.loader->batch);
    out.remarks.emplace_back(
        "bytes on the storage were not seen: those of a batch in memory stand for them");
  }
  if (o.samples && o.samples->files)
    out.files_per_sample = base_of(o.samples->files->mean);
  else if (reading != nullptr && reading->files > 0 && samples > 0.0)
    out.files_per_sample =
        std::min(1.0, static_cast<double>(reading->files * out.epochs) / samples);
  if (reading != nullptr && samples > 0.0 && reading->operations > 0 && reading->bytes > Bytes{} &&
      out.sample) {
    // Reads that move nothing (end of file) ask the storage for nothing.
    std::uint64_t moved = reading->operations;
    for (const SizeBucket& bucket : reading->sizes)
      if (bucket.least == Bytes{}) moved -= std::min(moved, bucket.operations);
    const double request =
        base_of(reading->bytes) / static_cast<double>(std::max<std::uint64_t>(moved, 1));
    out.requests_per_sample = std::max(base_of(*out.sample) / request, 1e-9);
  }
  if (reading != nullptr && reading->files > 0)
    out.files = static_cast<std::int64_t>(reading->files);
  if (o.files && o.files->extent) out.file = o.files->extent->mean;
  if (out.files_per_sample && *out.files_per_sample < 0.5) {
    const double in_order =
        static_cast<double>(reading != nullptr ? reading->sequential.value_or(0) : 0);
    const double elsewhere =
        static_cast<double>(reading != nullptr ? reading->random.value_or(0) : 0);
    out.layout = elsewhere > in_order ? Layout::at_random : Layout::streamed;
  }
}

void time_samples(const Observation& o, JobFacts& out) {
  const auto seconds = [&](const char* name) {
    const std::optional<double> said = figure(o, name);
    return said ? std::optional(in_seconds(*said)) : std::nullopt;
  };
  out.collate = seconds("collate_cpu_s");
  out.delay = seconds("sample_run_delay_s");
  const double samples = samples_seen(o, out);
  if (o.samples && o.samples->wall) out.sample_wall = o.samples->wall->mean;
  if (o.samples && o.samples->cpu) out.sample_cpu = o.samples->cpu->mean;
  const ObservedMetadata* opens = metadata_of(o, "open");
  if (opens != nullptr && opens->latency)
    out.open = opens->latency->mean;
  else if (opens != nullptr && opens->time && opens->count > 0)
    out.open = *opens->time / static_cast<double>(opens->count);
  if (out.sample_wall && out.sample_cpu) {
    out.sample_io =
        std::max(*out.sample_wall - *out.sample_cpu - out.delay.value_or(Seconds{}), Seconds{});
    out.io_from = "samples.wall less samples.cpu";
    out.least_io = in_seconds(seen_of(*o.samples->wall).low) - *out.sample_cpu;
    if (out.delay && *out.delay > *out.sample_wall * 0.2)
      out.remarks.push_back("of the " + time_text(out.sample_wall->in(unit::s)) + " of a sample " +
                            time_text(out.delay->in(unit::s)) +
                            " were spent waiting for a core: where others used the machine, no "
                            "field says so");
  } else if (o.reading && o.reading->time && samples > 0.0) {
    out.sample_io = *o.reading->time / samples;
    out.io_from = "reading.time";
  } else if (o.reading && o.reading->latency && out.requests_per_sample) {
    out.sample_io = o.reading->latency->mean * *out.requests_per_sample;
    out.io_from = "reading.latency";
  } else if (out.sample_wall) {
    out.sample_io = *out.sample_wall;
    out.io_from = "samples.wall";
  }
}

void find_cache(const Observation& o, JobFacts& out) {
  std::optional<double> share = figure(o, "sample_page_cache_share");
  if (!share) share = figure(o, "page_cache_share");
  // Where `observe` has left the share out, what devices gave may be of mapped files.
  if (!share && o.source.format != "observe" && o.reading && o.reading->from_device &&
      o.reading->bytes > Bytes{})
    share = 1.0 - *o.reading->from_device / o.reading->bytes;
  if (!share) return;
  const double hit = std::clamp(*share, 0.0, 1.0);
  const double epochs = static_cast<double>(out.epochs);
  out.cache = CacheFacts{hit, false};
  out.cache->cold = out.epochs > 1 && std::abs(hit - (epochs - 1.0) / epochs) < kShareOfCache;
}

void find_saves(const Observation& o, JobFacts& out) {
  if (!o.saves || o.saves->count == 0) return;
  const ObservedCheckpoints& seen = *o.saves;
  SaveFacts save;
  const double steps = static_cast<double>(out.steps) * static_cast<double>(out.epochs);
  if (seen.duration) save.time = seen_of(*seen.duration);
  if (seen.period_steps && seen.period_steps->mean >= Ops::from(1, unit::ops))
    save.every_steps = std::llround(base_of(seen.period_steps->mean));
  else if (seen.period && seen.period->mean > Seconds{})
    save.every = seen.period->mean;
  // Of the job: its writers save together.
  const double expected =
      save.every_steps ? std::max(1.0, std::floor(steps / static_cast<double>(*save.every_steps)))
                       : 0.0;
  if (out.ranks > 1 && expected > 0.0)
    save.writers = std::clamp<std::int64_t>(
        std::llround(static_cast<double>(seen.count) / expected), 1, out.ranks);
  save.count = std::max<std::uint64_t>(1, seen.count / static_cast<std::uint64_t>(save.writers));
  if (!save.every_steps && !save.every) {
    save.every_steps = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(steps) / static_cast<std::int64_t>(save.count));
    out.remarks.emplace_back(
        "one period between saves was not seen: they are spread evenly over the steps");
  }
  if (seen.bytes)
    save.size = seen.bytes->mean * static_cast<double>(save.writers);
  else if (o.writing && o.writing->bytes > Bytes{})
    save.size = o.writing->bytes / static_cast<double>(save.count);
  if (seen.files) save.files = std::max<std::int64_t>(1, std::llround(base_of(seen.files->mean)));
  save.asynchronous = seen.asynchronous.value_or(false);
  save.syncs = seen.syncs;
  if (seen.sync_time && seen.syncs.value_or(0) > 0)
    save.flush = *seen.sync_time / static_cast<double>(seen.count);
  out.saves = save;
}

}  // namespace

template <class Q>
Seen seen_of(const Distribution<Q>& values) {
  Seen out;
  out.mean = base_of(values.mean);
  out.count = values.count;
  std::map<double, double> quantiles;
  for (const auto& [share, value] : values.quantiles) quantiles[share] = base_of(value);
  double sum = 0.0, squares = 0.0;
  for (const Q value : values.sample) sum += base_of(value);
  const double n = static_cast<double>(values.sample.size());
  for (const Q value : values.sample) squares += std::pow(base_of(value) - sum / n, 2);
  if (n > 1.0) out.deviation = std::sqrt(squares / (n - 1.0));
  out.low = quantile_or(quantiles, 0.05, base_of(values.minimum));
  out.middle = quantile_or(quantiles, 0.5, out.mean);
  out.high = quantile_or(quantiles, 0.95, base_of(values.maximum));
  return out;
}
template Seen seen_of(const Distribution<Seconds>&);
template Seen seen_of(const Distribution<Bytes>&);

std::string waits_in_compute(const JobFacts& facts) {
  return "what the job reads was not seen: the " +
         base::print_quantity(facts.unexplained.in(unit::s), Dimension::time) +
         " that a step waited for data, " + base::percent(facts.unexplained / facts.step, 1) +
         " of its time, are part of the compute, and GPUs look busy that waited";
}

JobFacts facts_of(const Observation& observation) {
  JobFacts out;
  count_ranks(observation, out);
  count_steps(observation, out);
  time_steps(observation, out);
  size_samples(observation, out);
  time_samples(observation, out);
  if (observation.reading && observation.reading->latency)
    out.least_io = in_seconds(seen_of(*observation.reading->latency).low *
                              out.requests_per_sample.value_or(1.0));
  out.least_io = std::clamp(out.least_io, Seconds{}, out.sample_io.value_or(Seconds{}));
  if (!out.sample && out.wait > Seconds{}) {
    out.unexplained = out.wait;
    out.remarks.push_back(waits_in_compute(out));
    out.compute.mean += (out.wait + out.others.value_or(Seconds{})).in(unit::s);
    out.wait = out.between = Seconds{};
    out.others.reset();
    out.waits_known = false;
  }
  if (out.others)
    out.remarks.push_back("ranks end a step together: a rank that had computed waited " +
                          time_text(out.others->in(unit::s)) +
                          " for the others on average, which is in no field");
  find_cache(observation, out);
  find_saves(observation, out);
  return out;
}

}  // namespace stallcast::calibration
