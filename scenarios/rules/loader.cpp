#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/access.hpp"
#include "models/contract/rows.hpp"
#include "scenarios/rules/support.hpp"

/// Rules of data sets and loaders.
namespace stallcast::scenarios {
namespace {

// Fields that say how large a piece of many samples is.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"shard", "shard"},
                                                                    {"row_group", "row group"}};

// Of a rank: who decodes and parses, whatever field counts them.
void check_threads(const Design& design, const JobDesign& job, const Component& host,
                   Diagnostics& report) {
  const Component &loader = *job.loader, &data = *job.dataset;
  const double cores = number(host, "cpu.cores");
  if (cores <= 0.0 || !complete(models::Role::loader, loader) ||
      !complete(models::Role::dataset, data))
    return;
  const models::LoaderThreads threads = models::loader_threads(job);
  const double per_host = threads.computing() * readers_of_host(design, job);
  if (per_host <= cores) return;
  const bool workers = threads.computing() == number(loader, "workers");
  const Component& whose = threads.pool ? data : loader;
  std::string_view key = "workers";
  for (const std::string_view other : {"cycle_length", "map.threads"})
    if (loader.find(other) != nullptr) key = other;
  if (threads.pool) key = "pool.workers";
  report.warn("rule", pointer_of(whose, key),
              base::shortest(per_host) + (workers ? " workers" : " threads of loaders") +
                  " share the " + base::shortest(cores) + " cores of one host",
              "\"" + std::string(key) + "\" is per " +
                  (threads.pool && threads.apart ? "worker" : "GPU") +
                  "; lower it, or raise \"cpu\": { \"cores\": ... }");
}

void check_loader(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& loader = *job.loader;
  const Component& data = *job.dataset;
  const Component* host = host_of(design, job);
  if (host == nullptr || loader.kind.empty() || data.kind.empty()) return;
  check_threads(design, job, *host, report);
  const double sample = number(data, "sample");
  const double samples =
      number(data, "samples", sample > 0.0 ? number(data, "size") / sample : 0.0);
  const double batch = readers(design, job) * number(loader, "batch");
  const double used = samples * number(data, "filter.rows", 1.0);
  if (samples > 0.0 && used < batch)
    report.error("rule", data.pointer,
                 "the data set has " + base::shortest(std::floor(used)) + " samples" +
                     (used < samples ? " that match its filter" : "") +
                     ", too few for one step of " + base::shortest(batch),
                 "a step takes accelerators x batch samples");
  const Value* shard = data.find("shard");
  const double workers = std::max(number(loader, "workers"), 1.0) * readers(design, job);
  const Value* style = loader.find("style");
  const bool any = style != nullptr && style->text == "map";
  if (shard != nullptr && shard->number > 0.0 && samples > 0.0 &&
      samples * sample / shard->number < workers)
    report.warn("rule", pointer_of(data, "shard"),
                "there are fewer shards than the " + base::shortest(workers) + " loader workers",
                any ? "any worker reads any shard of a map-style data set: where each owns whole "
                      "ones, as in WebDataset's pipelines, write \"style\": \"iterable\""
                    : "workers without a shard read nothing; use smaller shards or fewer workers");
  if (number(data, "sample_stdev") > 2.0 * sample && sample > 0.0)
    report.warn("unit-slip", pointer_of(data, "sample_stdev"),
                "the standard deviation is more than twice the sample",
                "check the units of \"sample\" and \"sample_stdev\"");
}

// Worker processes hand batches over in shared memory: W x prefetch of them wait for every rank.
//    [docs/models/dataloader.md, eq. 4]
void check_shared_memory(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& loader = *job.loader;
  const Component& data = *job.dataset;
  const Component* host = host_of(design, job);
  // Only loaders whose workers are processes have a way to start them.
  if (host == nullptr || loader.find("start_method") == nullptr) return;
  const double memory = number(*host, "memory.size");
  const double shm = number(*host, "shm.size", memory / 2.0);
  const double sample =
      number(data, "tensor",
             number(data, "sample") * number(data, "columns", 1.0) * number(data, "ratio", 1.0));
  const double batch = number(loader, "batch") * sample;
  const double batches = number(loader, "workers") * number(loader, "prefetch");
  const double ranks = readers_of_host(design, job);
  if (shm <= 0.0 || batch * batches * ranks <= shm) return;
  report.error("rule",
               host->find("shm.size") != nullptr ? pointer_of(*host, "shm.size")
                                                 : pointer_of(loader, "prefetch"),
               "the workers of one host keep " + base::shortest(ranks) + " ranks x " +
                   base::shortest(batches) + " batches of " +
                   base::print_quantity(batch, Dimension::bytes) + " in shared memory, " +
                   base::print_quantity(batch * batches * ranks, Dimension::bytes) + " of the " +
                   base::print_quantity(shm, Dimension::bytes) + " of \"shm.size\"",
               "workers die of a bus error: raise \"shm\": { \"size\": ... } of the host, or "
               "lower \"prefetch\", \"workers\" or \"batch\"");
}

// An iterable data set is dealt by files: the poorest rank ends the epoch.
void check_dealing(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& loader = *job.loader;
  const Component& data = *job.dataset;
  const Value* style = loader.find("style");
  const Value* shard = data.find("shard");
  const double ranks = readers(design, job), sample = number(data, "sample");
  if (style == nullptr || style->text != "iterable" || shard == nullptr || ranks <= 0.0 ||
      shard->number <= 0.0 || sample <= 0.0)
    return;
  const double size = number(data, "size", number(data, "samples") * sample);
  const double shards = std::max(1.0, std::round(size / shard->number));
  const double workers = std::max(number(loader, "workers"), 1.0);
  const double mine = std::floor(shards / ranks);
  if (mine < 1.0) {
    report.error("rule", pointer_of(data, "shard"),
                 base::shortest(shards) + " shards are too few for the " + base::shortest(ranks) +
                     " ranks of an iterable data set",
                 "use smaller shards, so that every rank has one");
    return;
  }
  const double most = std::ceil(mine / workers) * shard->number / sample;
  if (most < number(loader, "batch"))
    report.error("rule", pointer_of(loader, "batch"),
                 "no worker owns enough samples for one batch of an iterable data set: " +
                     base::shortest(std::floor(most)),
                 "use a smaller \"batch\", fewer workers or larger shards");
  const double left = std::fmod(mine, workers);
  if (mine < 8.0 * workers && left > 0.0)
    report.warn("rule", pointer_of(data, "shard"),
                base::shortest(mine) + " shards of a rank do not divide by its " +
                    base::shortest(workers) + " workers",
                "some workers read one shard more than others, and load the end of every epoch "
                "alone");
}

// Indices of a map-style data set are shuffled before anything is read: no worker keeps a buffer.
void check_shuffle(const Component& loader, Diagnostics& report) {
  const Value* style = loader.find("style");
  if (style == nullptr || style->text != "map" || number(loader, "shuffle.buffer") <= 1.0) return;
  report.error("rule", pointer_of(loader, "shuffle.buffer"),
               "a loader of style \"map\" has no shuffle buffer: it shuffles indices",
               "write \"style\": \"iterable\", or leave the buffer out");
}

// A part of the files lies on another storage system.
void check_other_place(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& data = *job.dataset;
  check_reference(data, "also.on", ids_of(design.storage), "storage system", report);
  const Value *on = data.find("on"), *also = data.find("also.on"), *share = data.find("also.share");
  const bool some = share != nullptr && share->number > 0.0;
  if (lacks(data, "also.on", report) && some)
    report.error("rule", pointer_of(data, "also.share"),
                 "the dataset of job \"" + job.job.id + "\" does not say where " +
                     base::print_quantity(share->number, Dimension::ratio) + " of its files lie",
                 "add \"also\": { \"on\": ..., \"share\": ... }, or leave out the share");
  if (also == nullptr) return;
  if (lacks(data, "also.share", report) ||
      (share != nullptr && share->source.kind == Source::Kind::default_value))
    report.error("rule", pointer_of(data, "also.on"),
                 "the dataset of job \"" + job.job.id +
                     "\" does not say how much of it lies on \"" + also->text + "\"",
                 "add \"share\": \"30 %\" next to \"on\"");
  if (on != nullptr && on->text == also->text)
    report.error(
        "rule", pointer_of(data, "also.on"),
        "both parts of the dataset of job \"" + job.job.id + "\" lie on \"" + on->text + "\"",
        "name another storage system, or leave out \"also\"");
  if (!some || share->number >= 1.0) return;
  for (const Value* place : {on, also}) {
    const Component* storage = place == nullptr ? nullptr : design.find_storage(place->text);
    if (storage == nullptr || !complete(models::Role::storage, *storage)) continue;
    if (models::storage_row(storage->kind).make(*storage)->decodes())
      report.error(
          "rule", pointer_of(data, "also.on"),
          "drives of \"" + storage->id + "\" decode samples, those of the other system do not",
          "let all of the dataset lie on one of both");
  }
}

// A scan costs what opening costs, and where an open sends no request that is nothing.
//    [docs/models/formats.md, eq. 10]
void check_scan(const Design& design, const Component& data, Diagnostics& report) {
  const Value *scan = data.find("scan"), *on = data.find("on");
  const Component* storage = on == nullptr ? nullptr : design.find_storage(on->text);
  if (scan == nullptr || scan->text == "none" || storage == nullptr ||
      storage->find("open.requests") == nullptr || number(*storage, "open.requests") > 0.0)
    return;
  report.warn("rule", pointer_of(data, "scan"),
              "the scan takes no time: to open a file of \"" + storage->id + "\" takes no request",
              "\"open\": { \"requests\": 1 } of the storage lets it take some, and every read "
              "one more");
}

void check_dataset(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& data = *job.dataset;
  check_reference(data, "on", ids_of(design.storage), "storage system", report);
  check_other_place(design, job, report);
  check_scan(design, data, report);
  if (data.kind.empty()) return;
  const Value* samples = data.find("samples");
  const Value* size = data.find("size");
  const Value* sample = data.find("sample");
  if (lacks(data, "samples", report) && lacks(data, "size", report))
    report.error("rule", data.pointer,
                 "the dataset of job \"" + job.job.id + "\" has neither \"size\" nor \"samples\"",
                 "add \"size\": \"20 TB\" or \"samples\": 1000000");
  if (samples != nullptr && size != nullptr && sample != nullptr) {
    const double product = samples->number * sample->number;
    if (product > 1.01 * size->number || product < 0.99 * size->number)
      report.error("rule", pointer_of(data, "size"),
                   "the dataset has two sizes: \"size\" is " +
                       base::print_quantity(size->number, Dimension::bytes) +
                       ", \"samples\" x \"sample\" is " +
                       base::print_quantity(product, Dimension::bytes),
                   "give \"size\" or \"samples\", not both");
  }
  if (size != nullptr && sample != nullptr && size->number < sample->number)
    report.error("rule", pointer_of(data, "size"), "the dataset is smaller than one sample",
                 "\"size\" is of the whole data set, \"sample\" of one sample");
  for (const auto& [key, noun] : kUnits) {
    const Value* unit = data.find(key);
    if (unit != nullptr && sample != nullptr && unit->number < sample->number)
      report.error("rule", pointer_of(data, key),
                   "a " + std::string(noun) + " is smaller than one sample",
                   "raise \"" + std::string(key) + "\", or correct the unit of \"sample\"");
    if (unit != nullptr && size != nullptr && unit->number > size->number)
      report.warn("rule", pointer_of(data, key),
                  "a " + std::string(noun) + " is larger than the data set",
                  "all workers read one file; lower \"" + std::string(key) + "\"");
  }
}

// As many targets are read as its files lie on.    [docs/models/storage.md, eq. 5]
void check_targets(const Design& design, const JobDesign& job, Diagnostics& report) {
  constexpr double kFew = 0.5, kMany = 1e4;  // of targets, and files: no system has so many targets
  const Component& data = *job.dataset;
  const Value* on = data.find("on");
  const Component* storage = on == nullptr ? nullptr : design.find_storage(on->text);
  if (storage == nullptr || !complete(models::Role::storage, *storage) ||
      !complete(models::Role::dataset, data) || !complete(models::Role::loader, *job.loader))
    return;
  const models::StorageLoad::FileSet files = models::files_of(job, 1.0);
  if (files.files > kMany) return;
  const auto model = models::storage_row(storage->kind).make(*storage);
  const double share = model->reach({&files, 1});
  if (share > kFew) return;
  const bool striped = storage->find("stripe.count") != nullptr;
  const bool one = files.files == 1.0;
  report.warn("rule", data.pointer,
              "the data set of job \"" + job.job.id + "\" is " + base::shortest(files.files) +
                  (one ? " file, which lies on " : " files, which lie on ") +
                  base::percent(share, 1) + " of the " + model->countable().noun + " of \"" +
                  storage->id + "\": it is read from no others",
              (striped ? "write \"stripe\": { \"count\": 0 } for \"" + storage->id +
                             "\", which lays a file on all, or store"
                       : "store") +
                  std::string(" the data set in more files"));
}

}  // namespace

void check_loading(const Design& design, const JobDesign& job, Diagnostics& report) {
  if (job.loader && job.dataset) {
    check_loader(design, job, report);
    check_shared_memory(design, job, report);
    check_dealing(design, job, report);
    check_shuffle(*job.loader, report);
    check_targets(design, job, report);
    check_reference(*job.loader, "import.on", ids_of(design.storage), "storage system", report);
  }
  if (job.dataset) check_dataset(design, job, report);
  if (job.dataset) check_dataset_cache(design, job, report);
}

}  // namespace stallcast::scenarios
