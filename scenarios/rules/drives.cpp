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

}  // namespace

void check_drives(const Design& design, Diagnostics& report) {
  for (const Component& storage : design.storage) {
    check_raid(storage, report);
    check_tail(storage, report);
  }
}

}  // namespace stallcast::scenarios
