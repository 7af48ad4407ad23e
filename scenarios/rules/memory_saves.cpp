#include <string>

#include "engine/base/quantity_text.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/contract/rows.hpp"
#include "scenarios/rules/support.hpp"

/// What a save that ends in the memory of hosts cannot have. docs/models/checkpoint.md.
namespace stallcast::scenarios {
namespace {

// Copies that a failure takes with it are no way back from it.
void check_survives(const JobDesign& job, const Component& failure, Diagnostics& report) {
  if (failure.kind.empty()) return;
  const Component& save = *job.checkpoint;
  const models::FailureStyle style = models::failure_row(failure.kind).style;
  const std::string& to = save.find("to")->text;
  const Value *hosts = failure.find("hosts"), *own = job.job.find("hosts");
  if (!style.kills) return;
  if (hosts != nullptr && own != nullptr && hosts->text != own->text) return;
  const char* hint =
      "name a storage system as \"to\", the memory as \"durable\", and \"drain_every\": 10";
  if (style.scope >= models::lost_with(to, true)) {
    report.warn("rule", pointer_of(save, "to"),
                "failure \"" + failure.id + "\" takes all copies of job \"" + job.job.id +
                    "\" with it: all its work is lost",
                hint);
    return;
  }
  // With some chance it is a whole group.    [docs/models/failures.md, "What fails"]
  if (const double all = number(failure, "correlated"); all > 0.0 && to == models::kPeerMemory)
    report.warn("rule", pointer_of(save, "to"),
                "in " + base::print_quantity(all, Dimension::ratio) + " of the cases failure \"" +
                    failure.id + "\" takes a group of hosts, and all copies of job \"" +
                    job.job.id + "\" with it: all its work is lost",
                hint);
}

}  // namespace

void check_saves_in_memory(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& save = *job.checkpoint;
  const std::string& to = save.find("to")->text;
  const auto refuse = [&](const char* key, const std::string& why) {
    report.error(
        "rule", pointer_of(save, key),
        "the checkpoint of job \"" + job.job.id + "\" ends in memory, and " + why,
        "leave it out, or name a storage system as \"to\" and \"" + to + "\" as \"durable\"");
  };
  const auto says = [&](const char* key, std::string_view text) {
    const Value* value = save.find(key);
    return value != nullptr && value->text == text;
  };
  if (number(save, "gds") != 0.0) refuse("gds", "GPUDirect Storage writes to storage");
  if (number(save, "drain_every", 1.0) > 1.0) refuse("drain_every", "goes nowhere from there");
  if (number(save, "incremental.fraction", 1.0) < 1.0)
    refuse("incremental.fraction", "increments are files");
  if (number(save, "compress.ratio", 1.0) > 1.0 && says("compress.on", "cpu"))
    refuse("compress.ratio", "no CPU compresses it");
  if (says("snapshot", "none")) refuse("snapshot", "without a snapshot nothing is copied");
  if (says("verify", "read-back")) refuse("verify", "there is no file to read back");
  for (const char* key : {"checksum", "encrypt", "keep.last"})
    if (save.find(key) != nullptr)
      report.warn("rule", pointer_of(save, key),
                  "\"" + std::string(key) + "\" is of files, and this checkpoint ends in memory",
                  "leave it out");
  for (const Component& failure : design.failures) check_survives(job, failure, report);
  if (job.elastic)
    report.error("rule", job.elastic->pointer,
                 "job \"" + job.job.id + "\" lends GPUs, and its saves lie in the hosts' memory",
                 "save to a storage system that the others read, too");
}

}  // namespace stallcast::scenarios
