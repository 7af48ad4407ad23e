#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/rules_support.hpp"

/// Rules of data sets and loaders.
namespace stallcast::scenarios {
namespace {

// Fields that say how large a piece of many samples is.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"shard", "shard"},
                                                                    {"row_group", "row group"}};

void check_loader(const Design& design, const JobDesign& job, Reporter& report) {
  const Component& loader = *job.loader;
  const Component& data = *job.dataset;
  const Component* host = host_of(design, job);
  if (host == nullptr || loader.kind.empty() || data.kind.empty()) return;
  const double per_host =
      number(loader, "workers") * std::min(number(*host, "gpus"), accelerators(design, job));
  const double cores = number(*host, "cpu.cores");
  if (cores > 0.0 && per_host > cores)
    report.warn("rule", pointer_of(loader, "workers"),
                base::shortest(per_host) + " workers share the " + base::shortest(cores) +
                    " cores of one host",
                "\"workers\" is per GPU; lower it, or raise \"cpu\": { \"cores\": ... }");
  const double sample = number(data, "sample");
  const double samples =
      number(data, "samples", sample > 0.0 ? number(data, "size") / sample : 0.0);
  const double batch = accelerators(design, job) * number(loader, "batch");
  if (job.job.find("steps") == nullptr && samples > 0.0 && samples < batch)
    report.error("rule", data.pointer,
                 "the data set has " + base::shortest(std::floor(samples)) +
                     " samples, too few for one step of " + base::shortest(batch),
                 "a step takes accelerators x batch samples");
  const Value* shard = data.find("shard");
  const double workers = std::max(number(loader, "workers"), 1.0) * accelerators(design, job);
  if (shard != nullptr && shard->number > 0.0 && samples > 0.0 &&
      samples * sample / shard->number < workers)
    report.warn("rule", pointer_of(data, "shard"),
                "there are fewer shards than the " + base::shortest(workers) + " loader workers",
                "workers without a shard read nothing; use smaller shards or fewer workers");
  if (number(data, "sample_stdev") > 2.0 * sample && sample > 0.0)
    report.warn("unit-slip", pointer_of(data, "sample_stdev"),
                "the standard deviation is more than twice the sample",
                "check the units of \"sample\" and \"sample_stdev\"");
}

void check_dataset(const Design& design, const JobDesign& job, Reporter& report) {
  const Component& data = *job.dataset;
  check_reference(data, "on", ids_of(design.storage), "storage system", report);
  if (data.kind.empty()) return;
  const Value* samples = data.find("samples");
  const Value* size = data.find("size");
  const Value* sample = data.find("sample");
  if (samples == nullptr && size == nullptr)
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

}  // namespace

void check_loading(const Design& design, const JobDesign& job, Reporter& report) {
  if (job.loader && job.dataset) check_loader(design, job, report);
  if (job.dataset) check_dataset(design, job, report);
}

}  // namespace stallcast::scenarios
