#include <algorithm>
#include <cmath>

#include "calibration/measure/quantity_texts.hpp"
#include "calibration/observed_job/job_writer.hpp"

/// Storage and saves of an observed job.
namespace stallcast::calibration {
namespace {

using namespace literals;
using base::Json;

constexpr Rate kFastest = Rate::from(1, unit::TBps);
/// How much more than it delivered a storage may that nobody waited for: stated, and at most.
constexpr double kSpareRate = 10.0, kMostRate = 100.0;
/// Least bytes of a request, and a rate of pure latency: of what was delivered.
constexpr Bytes kLeastRequest = 4_KiB;
/// Share of a save that serialising takes where it leaves less: torch.save at its default rate.
constexpr Rate kSerialize = Rate::from(1.5, unit::GBps);
/// How the time of a sample in the storage is made up.
struct Reads {
  double requests = 1.0;
  Seconds latency;  ///< of one request
  Rate rate, delivered;
  bool waited_for = false;  ///< by readers whom nothing else explains
  double readers = 1.0;     ///< reads in flight that were seen
  double alone = 0.0;       ///< share of a read's time that the least of them took
};

/// Of a sample. What the kernel reads ahead is asked for at one time, where nobody counted.
double requests_of(const JobFacts& facts) {
  return std::max(1.0,
                  std::ceil(facts.requests_per_sample.value_or(*facts.sample / 128_KiB) - 0.01));
}

Reads reads_of(const Observation& o, const JobFacts& facts, const FreeCosts& costs) {
  Reads out;
  const double asked = samples_per_second(o, facts);
  out.delivered = *facts.sample * OpRate::from(asked, unit::per_s).in(unit::per_s) / 1_s;
  out.requests = requests_of(facts);
  Seconds io = facts.sample_io.value_or(Seconds{});
  if (facts.open && facts.files_per_sample)
    io = std::max(io - *facts.open * *facts.files_per_sample, io * 0.5);

  const bool rate_bound = waits_for_data(o, facts) && !facts.in_memory();
  out.waited_for = rate_bound && costs.cause == WaitCause::storage;
  Seconds latency, service;
  if (facts.in_memory()) {
    service = *facts.sample / out.delivered / kSpareRate;
  } else if (!facts.sample_io) {
    service =
        *facts.sample / out.delivered / (rate_bound || !keeps_up(o, facts) ? 1.0 : kSpareRate);
    out.readers = facts.readers(workers_of(o));
  } else if (rate_bound) {
    // Of those in the storage at a time each waits for the others, or none does.
    out.readers = std::clamp(asked * io.in(unit::s), 1.0, facts.readers(workers_of(o)));
    const Seconds least = std::min(facts.least_io, io);
    if (out.waited_for)
      out.alone = io > Seconds{} ? least / io : 0.0;
    else
      latency = least;
    service = std::max((io - latency) / out.readers, *facts.sample / out.delivered / kMostRate);
  } else {
    latency = io;
    service = *facts.sample / out.delivered / kSpareRate;
  }
  out.latency = latency * costs.storage / out.requests;
  out.readers = std::max(1.0, out.readers * costs.readers);
  const Rate rate = *facts.sample / std::max(service * costs.storage, 1_ns);
  out.rate = std::min(rate, kFastest);
  return out;
}

Json ranged(std::string value, std::string low, std::string high, const char* why) {
  if (low == value && high == value) return value;
  return {{"value", std::move(value)},
          {"low", std::move(low)},
          {"high", std::move(high)},
          {"why", why}};
}

}  // namespace

FreeCosts guess(const Observation& o, const JobFacts& facts) {
  FreeCosts out;
  if (facts.sample) {
    const bool known = facts.sample_cpu && facts.sample_wall;
    const bool of_cores = known && *facts.sample_io < *facts.sample_wall * 0.3;
    const bool in_memory = !known && facts.in_memory() && facts.sample_cpu;
    out.cause = of_cores || in_memory ? WaitCause::cpu : WaitCause::storage;
    if (keeps_up(o, facts)) out.cause = WaitCause::handover;
  }
  if (facts.saves && facts.saves->size && facts.saves->time.mean > 0.0) {
    const SaveFacts& save = *facts.saves;
    const Seconds all = Seconds::from(save.time.mean, unit::s);
    const Bytes each = *save.size / static_cast<double>(save.writers);
    Seconds serialise = std::min(each / kSerialize, all * 0.5);
    if (save.flush && *save.flush < all) serialise = std::max(all - *save.flush, all * 0.02);
    out.serialize = std::min(each / std::max(serialise, 1_us), kFastest);
    out.write = std::min(*save.size / std::max(all - serialise, 1_us), kFastest);
    // What nobody waits for says nothing of the storage.
    if (!save.flushed()) out.serialize = std::min(each / all, kFastest), out.write = kFastest;
  }
  return out;
}

void JobWriter::add_storage() {
  assume("store.id", kObservedStore, "a name");
  assume("store.type", "measured", "as its clients saw it");
  if (!how_.profile.empty()) {
    comment("store", "Its figures are those of the profile that the file is run with.");
    add_request();
    return;
  }
  assume("store.scope", "shared", "all hosts of the job together",
         "ASSUMPTION: nothing of this storage is known but what the job saw of it. Probe its "
         "mount (stallcast probe) and import again with --profile, or put another storage here.");
  add_reads();
  add_writes();
}

// What the job asks for at once is its own, whatever it reads from.
void JobWriter::add_request() {
  if (!reads_data()) return;
  if (!facts_.requests_per_sample) return leave("reading.operations", "store.request");
  const Bytes request = *facts_.sample / requests_of(facts_) * 1.0001;
  set("reading.operations", "store.request", text(five_digits(std::max(request, kLeastRequest))),
      "bytes of one read");
}

void JobWriter::add_reads() {
  if (!reads_data()) {
    assume("store.read", {{"latency", "0 s"}, {"rate", "1 TB/s"}}, "nothing was read");
    return;
  }
  const Reads reads = reads_of(o_, facts_, costs_);
  const std::string from = facts_.io_from.empty() ? "steps.wait" : facts_.io_from;
  const double hosts = static_cast<double>(facts_.hosts);
  add_request();
  const auto latency = text(five_digits(reads.latency)),
             rate = text(five_digits(reads.rate * hosts));
  if (reads.waited_for) {
    const double e = costs_.identified.value_or(0.0);
    set(from, "store.read.latency", latency, "in the rate");
    set(from, "store.read.rate",
        ranged(rate, text(five_digits(reads.rate * hosts / (1.0 + e))),
               text(five_digits(reads.rate * hosts * (1.0 + e))),
               "solved for the waits that were seen"),
        "solved for the waits",
        "The job waited for it, so the waits say what it delivers to as many readers.");
    assume("store.read.readers", base::rounded_to(reads.readers * hosts, 5), "rate x time");
    set(from, "store.read.private",
        ranged(text(Fraction::from(base::rounded_to(how_.alone.value_or(reads.alone), 4),
                                   unit::ratio)),
               "0 %", "100 %", "one number of readers does not tell"),
        "not seen",
        "Whether more readers would get more was not seen. The least time of a read (5 % quantile) "
        "is taken for what each pays by itself, the rest as a line that all share; it may be all "
        "of it or nothing. The same job with other workers tells (stallcast calibrate), or a "
        "probe.");
  } else {
    const char* why = "the job did not wait for it";
    set(from, "store.read.latency",
        ranged(latency, text(five_digits(reads.latency / 3.0)), latency, why),
        "time of a read, at most");
    const Rate least = std::min(reads.delivered, reads.rate),
               most = std::max(reads.delivered * kMostRate, reads.rate);
    set(from, "store.read.rate",
        ranged(rate, text(five_digits(least * hosts)),
               text(five_digits(std::min(most, kFastest) * hosts)), why),
        "at least what it delivered",
        "The job did not wait for it, so how much it could deliver was not seen: at least the low "
        "end, which it did deliver.");
  }
  if (facts_.in_memory() && facts_.sample_io && costs_.cause == WaitCause::storage) {
    const std::string waits = text(five_digits(*facts_.sample_io * costs_.storage));
    set(from, "store.open", {{"latency", waits}, {"cached", waits}}, "neither a core nor a device",
        "The page cache has the data, and yet samples take longer than a core works on them: such "
        "waits (names, another service) are paid with each file.");
  } else if (facts_.open)
    set("metadata.open", "store.open",
        {{"latency", text(five_digits(*facts_.open))}, {"cached", text(five_digits(*facts_.open))}},
        "mean");
  else if (facts_.sample_wall)
    assume("store.open.latency", "0 s", "in the time of the reads");
  else
    leave("metadata.open", "store.open.latency");
}

void JobWriter::add_writes() {
  if (!costs_.write) {
    assume("store.write", {{"latency", "0 s"}, {"rate", "1 TB/s"}},
           facts_.saves ? "what saves write was not seen" : "no save was seen");
    return;
  }
  assume("store.write.latency", "0 s", "in the rate");
  if (!facts_.saves->flushed()) {
    assume("store.write.rate", text(*costs_.write), "the job does not flush what it saves",
           "The job does not flush what it saves: what a save would take to be safe was not seen.");
  } else {
    const double e = facts_.saves->time.count > 1
                         ? std::clamp(2.0 * facts_.saves->time.variation(), 0.05, 1.0)
                         : 0.3;
    set("saves.duration", "store.write.rate",
        ranged(text(five_digits(*costs_.write)), text(five_digits(*costs_.write / (1.0 + e))),
               text(five_digits(*costs_.write * (1.0 + e))), "solved for the time of a save"),
        "solved for the time of a save");
  }
  assume("store.write.line", "own", "reads and saves were not told apart");
  assume("store.create.latency", "0 s", "in the time of a save");
  assume("store.sync", "0 s", "in the time of a save");
}

void JobWriter::add_checkpoint() {
  if (!facts_.saves) return ignore("saves", "none were seen");
  const SaveFacts& save = *facts_.saves;
  if (!save.size || !costs_.write)
    return ignore("saves", save.size ? "their time was not seen" : "their bytes were not seen");
  assume("checkpoint.to", kObservedStore, "as above");
  const bool behind = !save.asynchronous && !save.flushed();
  if (behind)
    set("saves.syncs", "checkpoint.mode", "async", "the kernel writes it",
        "The job does not flush what it saves: it waits for as long as the state is serialised and "
        "copied into the page cache (quiesce), from where the kernel writes it meanwhile.");
  else if (o_.saves->asynchronous)
    set("saves.asynchronous", "checkpoint.mode", save.asynchronous ? "async" : "sync");
  else
    assume("checkpoint.mode", "sync", "whether steps went on was not seen");
  if (save.every_steps)
    set("saves.period_steps", "checkpoint.every_steps", *save.every_steps);
  else
    set("saves.period", "checkpoint.every", text(five_digits(*save.every)));
  set(o_.saves->bytes ? "saves.bytes" : "writing.bytes", "checkpoint.size",
      text(five_digits(*save.size)), "of all writers");
  set("saves.count", "checkpoint.layout", save.writers > 1 ? "sharded" : "rank0",
      std::to_string(save.writers) + " processes save");
  if (o_.saves->files)
    set("saves.files", "checkpoint.files", save.files, "of one writer");
  else
    leave("saves.files", "checkpoint.files");
  assume("checkpoint.snapshot", "none", "in the time of a save");
  if (behind) {
    set("saves.duration", "checkpoint.quiesce",
        text(five_digits(Seconds::from(save.time.mean, unit::s))), "all of it");
    assume("checkpoint.serializer", "none", "in quiesce");
  } else {
    assume("checkpoint.quiesce", "0 s", "in the time of a save");
  }
  assume("checkpoint.coordinate", "0 s", "in the time of a save");
  if (behind) return;
  set(save.flush ? "saves.sync_time" : "saves.duration", "checkpoint.serialize",
      text(five_digits(*costs_.serialize)),
      save.flush || !save.flushed() ? "what of a save is not flushing"
                                    : "the default, where a save leaves it the time");
}

}  // namespace stallcast::calibration
