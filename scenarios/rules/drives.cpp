#include <algorithm>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/rules/support.hpp"

/// Rules of storage systems that are drives.
namespace stallcast::scenarios {
namespace {

/// Drives, or targets of them, that a RAID level needs.
double needed(const std::string& level) {
  return level == "6" ? 4.0 : level == "5" ? 3.0 : level == "10" ? 2.0 : 1.0;
}

void check_raid(const Component& storage, Diagnostics& report) {
  const Value* level = storage.find("raid.level");
  if (level == nullptr) return;
  const bool across = storage.find("target.count") != nullptr;
  const std::string key = across ? "target.count" : "drive.count";
  const double there = number(storage, key, 1.0);
  if (there < needed(level->text))
    report.error("rule", pointer_of(storage, "raid.level"),
                 "RAID level " + level->text + " of storage \"" + storage.id + "\" needs " +
                     base::shortest(needed(level->text)) +
                     (across ? " targets, not " : " drives, not ") + base::shortest(there),
                 "raise \"" + key + "\", or use \"0\"");
}

void check_tail(const Component& storage, Diagnostics& report) {
  const Value* tail = storage.find("drive.latency_p99");
  if (tail != nullptr && tail->number < number(storage, "drive.latency"))
    report.error("rule", pointer_of(storage, "drive.latency_p99"),
                 "the 99th percentile of the latency is below the latency",
                 "\"drive.latency\" is what the quickest reads take");
}

// Every host, or the volume, holds the whole data set.
void check_fit(const Design& design, const JobDesign& job, const char* key, double share,
               Diagnostics& report) {
  const Value* on = job.dataset->find(key);
  const Component* storage = on == nullptr ? nullptr : design.find_storage(on->text);
  if (storage == nullptr || storage->find("drive.size") == nullptr || share <= 0.0) return;
  const double drives =
      number(*storage, "drive.count", 1.0) * number(*storage, "target.count", 1.0);
  const double size = number(*storage, "drive.size") * drives;
  const double data =
      share * number(*job.dataset, "size",
                     number(*job.dataset, "samples") * number(*job.dataset, "sample"));
  if (data > size)
    report.error("rule", job.dataset->pointer,
                 (share < 1.0 ? base::print_quantity(share, Dimension::ratio) + " of the" : "the") +
                     " data set of job \"" + job.job.id + "\", " +
                     base::print_quantity(data, Dimension::bytes) + ", does not fit on \"" +
                     storage->id + "\": " + base::print_quantity(size, Dimension::bytes),
                 "drives inside hosts hold all of it on each host; use more or larger drives");
}

}  // namespace

void check_drives(const Design& design, Diagnostics& report) {
  for (const Component& storage : design.storage) {
    check_raid(storage, report);
    check_tail(storage, report);
  }
  for (const JobDesign& job : design.jobs)
    if (job.dataset) {
      const double also =
          job.dataset->find("also.on") == nullptr ? 0.0 : number(*job.dataset, "also.share");
      check_fit(design, job, "on", 1.0 - also, report);
      check_fit(design, job, "also.on", also, report);
    }
}

}  // namespace stallcast::scenarios
