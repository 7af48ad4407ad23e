#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/measure/quantity_texts.hpp"
#include "calibration/observed_job/job_writer.hpp"

/// Data set and loader of an observed job.
namespace stallcast::calibration {
namespace {

using namespace literals;
using base::Json;

/// What a batch costs the training loop where nothing else was seen: the loader's default.
constexpr Seconds kHandOver = 1.2_ms;
/// Waits above the hand-over that count as waiting for data: of the step.
constexpr double kWaiting = 0.01;
/// So much of a batch's supply is spare where the loader keeps up.
constexpr double kSpare = 0.8;

/// The ending that most bytes were read from: "npz"; "" where names tell none.
std::string usual_ending(const Observation& o) {
  std::map<std::string, double> bytes;
  if (!o.files) return "";
  for (const ObservedFile& file : o.files->largest) {
    const std::size_t dot = file.name.rfind('.');
    if (dot != file.name.npos && file.read > Bytes{})
      bytes[file.name.substr(dot + 1)] += file.read.in(unit::B);
  }
  const auto most = std::max_element(
      bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes.end() ? "" : most->first;
}

}  // namespace

std::int64_t batch_of(const Observation& o, const JobFacts& facts) {
  return std::max<std::int64_t>(1, o.loader ? o.loader->batch.value_or(1) : 1) * facts.batches;
}

std::int64_t workers_of(const Observation& o) {
  return o.loader ? std::max<std::int64_t>(0, o.loader->workers.value_or(4)) : 4;
}

//    [docs/models/observed-job.md, eq. 2]
bool keeps_up(const Observation& o, const JobFacts& facts) {
  if (workers_of(o) == 0) return false;
  if (!facts.sample_io && facts.waits_known)
    return std::max(facts.usual_wait, facts.between - facts.between_error) < facts.step * kWaiting;
  if (!facts.sample_wall) return false;
  const Seconds batch = *facts.sample_wall * static_cast<double>(batch_of(o, facts)) +
                        facts.collate.value_or(Seconds{}) * static_cast<double>(facts.batches);
  return batch / static_cast<double>(workers_of(o)) <
         Seconds::from(facts.compute.mean * kSpare, unit::s);
}

double samples_per_second(const Observation& o, const JobFacts& facts) {
  return static_cast<double>(facts.ranks_per_host * batch_of(o, facts)) /
         std::max(facts.step.in(unit::s), 1e-9);
}

Seconds hand_over(const Observation& o, const JobFacts& facts) {
  if (workers_of(o) == 0 || !facts.waits_known) return Seconds{};
  return keeps_up(o, facts) ? facts.between : std::min(kHandOver, facts.least_wait);
}

bool waits_for_data(const Observation& o, const JobFacts& facts) {
  if (!facts.waits_known) return false;
  return facts.between - hand_over(o, facts) > facts.step * kWaiting && !keeps_up(o, facts);
}

bool lives_on(const Observation& o, const JobFacts& facts) {
  const bool told = facts.first_of_run && workers_of(o) > 0;
  if (told && begins_anew(facts.first_of_run->mean, facts.first_of_later->mean, facts.epochs))
    return false;
  return o.loader && o.loader->persistent.value_or(told);
}

std::int64_t JobWriter::batch() const { return batch_of(o_, facts_); }
std::int64_t JobWriter::workers() const { return workers_of(o_); }

bool JobWriter::is_pytorch() const {
  return !o_.loader || (o_.loader->kind != "tensorflow" && o_.loader->kind != "dali");
}

double JobWriter::samples() const {
  if (facts_.data_set) return static_cast<double>(*facts_.data_set);
  const double of_epoch = static_cast<double>(facts_.ranks * facts_.steps * batch());
  const bool one_each = facts_.layout == Layout::file_each && facts_.files_per_sample &&
                        *facts_.files_per_sample < 1.5;
  return one_each ? std::max(of_epoch, static_cast<double>(facts_.files.value_or(0))) : of_epoch;
}

std::string JobWriter::format() const {
  const std::string ending = usual_ending(o_);
  if (facts_.layout == Layout::file_each) return ending == "npz" ? "npz" : "raw";
  return facts_.layout == Layout::streamed ? "webdataset" : "tokens";
}

void JobWriter::add_dataset() {
  assume("dataset.on", kObservedStore, "as above");
  add_format();
  const bool own = o_.samples && o_.samples->bytes;
  const char* bytes_from = own          ? "samples.bytes"
                           : o_.reading ? "reading.bytes"
                                        : "loader.batch_bytes";
  set(bytes_from, "dataset.sample", text(five_digits(*facts_.sample)), "mean, as stored");
  if (facts_.sample_deviation && *facts_.sample_deviation > *facts_.sample * 1e-3)
    set("samples.bytes.sample", "dataset.sample_stdev",
        text(five_digits(*facts_.sample_deviation)));
  else if (!facts_.sample_deviation)
    leave("samples.bytes", "dataset.sample_stdev");
  if (o_.loader && o_.loader->batch_bytes)
    set("loader.batch_bytes", "dataset.tensor",
        text(five_digits(o_.loader->batch_bytes->mean * static_cast<double>(facts_.batches) /
                         static_cast<double>(batch()))),
        "of a batch, over its samples");
  if (facts_.data_set)
    set("figures.dataset_samples", "dataset.samples", std::llround(samples()));
  else
    set(facts_.files ? "reading.files" : "steps.count", "dataset.samples", std::llround(samples()),
        "what an epoch reads, at least", "What an epoch read: the data set may be larger.");
  add_core_time();
  if (o_.loader && o_.loader->sampler == "SequentialSampler")
    set("loader.sampler", "dataset.shuffle", "none");
  else if (o_.loader && !o_.loader->sampler.empty())
    set("loader.sampler", "dataset.shuffle", "global", o_.loader->sampler);
  else
    leave("loader.sampler", "dataset.shuffle");
  add_cache();
}

void JobWriter::add_format() {
  const std::string kind = format(), ending = usual_ending(o_);
  std::string said = "Files of many samples, read at random places.";
  if (facts_.layout == Layout::streamed) said = "Files of many samples, read from end to end.";
  if (facts_.layout == Layout::file_each) said = "Files of their own for each sample.";
  if (!facts_.files_per_sample) said = "How samples lie in files was not seen: taken as one each.";
  if (!ending.empty()) said += " Most bytes are of \"." + ending + "\".";
  if (facts_.files_per_sample)
    set(o_.samples && o_.samples->files ? "samples.files" : "reading.files", "dataset.format", kind,
        base::significant(*facts_.files_per_sample, 3) + " files a sample", said);
  else
    assume("dataset.format", kind, "files of a sample were not seen", said);
  assume("dataset.round_trips", 0, "requests are those that were seen");
  if (kind == "npz") assume("dataset.stream", "1 TB/s", "in the core time of a sample");
  if (facts_.layout == Layout::streamed) {
    if (facts_.file)
      set("files.extent", "dataset.shard", text(five_digits(*facts_.file)), "mean");
    else
      leave("files.extent", "dataset.shard");
  }
  if (kind == "tokens" && facts_.requests_per_sample)
    set("reading.size", "dataset.window",
        text(five_digits(*facts_.sample / std::max(*facts_.requests_per_sample, 1.0))),
        "bytes of one read");
}

void JobWriter::add_core_time() {
  if (!facts_.sample_cpu) {
    leave("samples.cpu", "dataset.decode");
    leave("samples.cpu", "dataset.parse");
    return;
  }
  assume("dataset.parse", "1 TB/s", "in the core time of a sample");
  assume("dataset.parse_fixed", "0 s", "in the core time of a sample");
  std::string said = "Core time of a sample, reading and all: " +
                     base::print_quantity(facts_.sample_cpu->in(unit::s), Dimension::time) +
                     " by the clock of its thread";
  if (costs_.cpu != 1.0)
    said += ", and x " + base::significant(costs_.cpu, 4) +
            " to explain the waits: making up batches, and what the clock does not count";
  const Seconds cpu = *facts_.sample_cpu * costs_.cpu;
  if (costs_.cause == WaitCause::cpu && costs_.identified) {
    const double e = *costs_.identified;
    set("samples.cpu", "dataset.decode",
        {{"value", text(five_digits(cpu))},
         {"low", text(five_digits(cpu / (1.0 + e)))},
         {"high", text(five_digits(cpu * (1.0 + e)))},
         {"why", "solved for the waits that were seen"}},
        "solved for the waits", said + ".");
  } else {
    set("samples.cpu", "dataset.decode", text(five_digits(cpu)), "", said + ".");
  }
}

void JobWriter::add_cache() {
  if (!facts_.cache) {
    leave("reading.from_device", "dataset.cache.policy");
    return;
  }
  const Bytes all = *facts_.sample * samples();
  const std::string share =
      base::percent(facts_.cache->hit, 1) + " of the bytes came from the page cache";
  if (facts_.cache->cold) {
    set("reading.from_device", "dataset.cache.policy", "random", share,
        share + ": the first epoch filled it, later ones found all.");
    set("reading.from_device", "dataset.cache.size", text(five_digits(all * 1.05)),
        "all of the data");
  } else if (facts_.in_memory()) {
    set("reading.from_device", "dataset.cache.policy", "random", share,
        share +
            ": the data were in memory before it began. Elsewhere they may not be: \"warm\": "
            "false.");
    set("reading.from_device", "dataset.cache.size", text(five_digits(all * 1.05)),
        "all of the data");
    set("reading.from_device", "dataset.cache.warm", true);
  } else if (facts_.layout != Layout::file_each && facts_.file &&
             all * facts_.cache->hit < *facts_.file) {
    set("reading.from_device", "dataset.cache.policy", "none", share,
        share + ": less than one file, which is the least that a cache keeps. Left out.");
  } else if (facts_.cache->hit >= 0.02) {
    set("reading.from_device", "dataset.cache.policy", "pinned", share,
        share + ". A part of the data of that size is taken to be kept.");
    set("reading.from_device", "dataset.cache.size", text(five_digits(all * facts_.cache->hit)),
        "so that as much is found");
    set("reading.from_device", "dataset.cache.warm", true);
  } else {
    set("reading.from_device", "dataset.cache.policy", "none", share);
  }
  if (facts_.cache->hit >= 0.02)
    assume("dataset.cache.opens", false, "names were cached, as the data");
}

void JobWriter::add_loader() {
  const ObservedLoader* loader = o_.loader ? &*o_.loader : nullptr;
  if (loader != nullptr && !loader->kind.empty())
    set("loader.kind", "loader.type", is_pytorch() ? "pytorch" : loader->kind, loader->kind);
  else
    assume("loader.type", "pytorch", "the loader was not seen");
  if (loader != nullptr && loader->batch)
    set("loader.batch", "loader.batch", batch(),
        facts_.batches > 1 ? std::to_string(facts_.batches) + " batches a step" : "",
        facts_.batches > 1 ? "A step takes " + std::to_string(facts_.batches) +
                                 " batches of the loader: they are one here."
                           : "");
  else
    leave("loader.batch", "loader.batch");
  if (loader != nullptr && loader->workers)
    set("loader.workers", "loader.workers", *loader->workers);
  else
    leave("loader.workers", "loader.workers");
  if (loader != nullptr && loader->prefetch)
    set("loader.prefetch", "loader.prefetch", *loader->prefetch);
  else if (workers() > 0)
    leave("loader.prefetch", "loader.prefetch");
  const std::optional<bool> persistent =
      loader != nullptr ? loader->persistent : std::optional<bool>();
  if (persistent && (!is_pytorch() || *persistent == lives_on(o_, facts_)))
    set("loader.persistent", "loader.persistent", *persistent);
  else if (facts_.first_of_run && is_pytorch() && workers() > 0)
    set("steps.first_batch", "loader.persistent", lives_on(o_, facts_),
        "by the first batches of later epochs",
        "First batches of later epochs took " +
            std::string(lives_on(o_, facts_) ? "less than" : "as long as") +
            " the first of the run: workers are taken to " +
            (lives_on(o_, facts_) ? "live over epochs." : "start with each epoch."));
  else
    leave("loader.persistent", "loader.persistent");
  assume("loader.copy", "none", "copies to the accelerator are in the compute");
  if (is_pytorch() && facts_.layout == Layout::streamed)
    assume("loader.style", "iterable", "files are read from end to end");
  if (is_pytorch() && loader != nullptr && loader->pinned) {
    set("loader.pinned", "loader.pin_memory", *loader->pinned);
    if (*loader->pinned)
      assume("loader.pin", {{"takes", "0 %"}}, "what the loop waits is in the hand-over");
  } else if (is_pytorch()) {
    leave("loader.pinned", "loader.pin_memory");
  }
  add_start();
}

void JobWriter::add_start() {
  if (is_pytorch() && facts_.collate && *facts_.collate > Seconds{}) {
    const Bytes each = o_.loader && o_.loader->batch_bytes
                           ? o_.loader->batch_bytes->mean
                           : *facts_.sample * static_cast<double>(batch() / facts_.batches);
    set("figures.collate_cpu_s", "loader.collate", text(five_digits(each / *facts_.collate)),
        "bytes of a batch over the core time to make it up");
  }
  if (workers() > 0) add_hand_over();
  if (!facts_.first_batch) return leave("steps.first_batch", "loader.boot");
  if (!is_pytorch()) return;
  const Seconds later = costs_.beginning;
  if (workers() == 0) {
    if (later > Seconds{})
      set("steps.first_batch", "loader.names", text(five_digits(later / samples())),
          "solved for the first batch",
          "What a first batch takes beyond the others, as if each name of the data set took a "
          "part.");
    return;
  }
  if (later == Seconds{}) return;
  const Seconds boot = costs_.known.boot + later;
  if (boot > Seconds{} || costs_.known.boot > Seconds{})
    set("steps.first_batch", "loader.boot", text(five_digits(std::max(boot, Seconds{}))),
        "solved for the first batch",
        "Core time of a worker before its first batch, solved for the first batch that was seen.");
  if (boot < Seconds{})
    set("steps.first_batch", "loader.start",
        text(five_digits(
            std::max(costs_.known.start + boot / static_cast<double>(workers()), Seconds{}))),
        "solved for the first batch");
}

void JobWriter::add_hand_over() {
  if (!facts_.waits_known) return leave("steps.wait", "loader.handover");
  const bool ready = keeps_up(o_, facts_);
  set("steps.wait", "loader.handover", text(five_digits(hand_over(o_, facts_) * costs_.handover)),
      ready ? "batches were ready" : "at most the least that was waited",
      !ready ? ""
      : facts_.sample_wall
          ? "What the loop waits for a batch that is ready: by what samples take, workers keep "
            "ahead of it."
          : "What the loop waits for a batch that is ready: most steps wait for next to nothing, "
            "first batches of epochs left out.");
  if (ready && is_pytorch() && facts_.wait_variation > 0.0)
    set("steps.wait.sample", "loader.receive.spread",
        text(Fraction::from(base::rounded_to(facts_.wait_variation, 3), unit::ratio)),
        "of waits, by their median and 95 % quantile");
}

}  // namespace stallcast::calibration
