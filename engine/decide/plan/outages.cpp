#include "engine/decide/plan/outages.hpp"

#include <string_view>

#include "engine/base/text.hpp"
#include "models/contract/registry.hpp"
#include "models/contract/rows.hpp"
#include "models/failure/kinds.hpp"

namespace stallcast::plan {
namespace {

/// What a failure calls what `--survive` names, of any storage system; "" when it is nothing.
std::string part_named(std::string_view name) {
  if (name == "metadata") return "metadata";
  for (const models::KindInfo& kind : models::kinds(models::Role::storage))
    for (const models::Count& count : kind.counts)
      if (count.one == name) return std::string(count.part);
  return "";
}

/// What of a storage system can be down: "one of ost, oss, mdt".
std::string parts_of(const Component& storage) {
  const models::StorageRow& row = models::storage_row(storage.kind);
  const auto model = row.make(storage);
  const auto fails = [&](std::string_view part) {
    models::StorageFaultParams fault;
    fault.part = part;
    return model->parts(models::storage_part(fault)) >= 1.0;
  };
  std::vector<std::string> out;
  bool metadata = false;
  for (const models::Count& count : row.info.counts)
    if (!count.one.empty() && fails(count.part)) {
      out.emplace_back(count.one);
      metadata = metadata || count.part == "metadata";
    }
  if (!metadata && fails("metadata")) out.emplace_back("metadata");
  return out.empty() ? "nothing of \"" + storage.id + "\" fails by itself"
                     : "one of " + base::join(out, ", ");
}

std::string storage_of(const Design& design, const std::vector<Axis>& axes) {
  for (const Axis& axis : axes)
    if (axis.about.owner.starts_with("storage ")) return axis.about.owner.substr(8);
  return design.storage.empty() ? "" : design.storage.front().id;
}

}  // namespace

Result<std::vector<PartDown>> make_outages(const std::vector<std::string>& survive,
                                           const Design& design, const std::vector<Axis>& axes,
                                           const RedesignAll& redesign) {
  std::vector<PartDown> out;
  for (const std::string& text : survive) {
    const std::vector<std::string> words = base::split(text, ':');
    std::string storage = storage_of(design, axes), takeover = "partner";
    for (std::size_t i = 1; i < words.size(); ++i)
      (words[i] == "spread" || words[i] == "partner" ? takeover : storage) = words[i];
    if (design.find_storage(storage) == nullptr)
      return Failure{ExitCode::bad_input, "no storage is named \"" + storage + "\"",
                     "write oss, oss:scratch or oss:scratch:spread"};
    const std::string part = part_named(words.front());
    if (part.empty())
      return Failure{ExitCode::bad_input, "\"" + words.front() + "\" cannot be down",
                     parts_of(*design.find_storage(storage))};
    // Down before the first step, taken over at once, and not repaired.
    out.push_back({words.front() + " of " + storage,
                   {"failures[+]",
                    JsonLiteral{"{\"id\": \"plan-outage\", \"type\": \"storage\", \"on\": \"" +
                                storage + "\", \"part\": \"" + part +
                                "\", \"at\": \"0 s\", \"failover\": \"0 s\", \"takeover\": \"" +
                                takeover + "\", \"repair\": \"100000 d\"}"}}});
    const Result<Design> broken = redesign({&out.back().failure, 1});
    if (broken.ok()) continue;
    // What the scenario has too few of may be searched: there may be enough at the far end.
    std::vector<Change> furthest;
    for (const Axis& axis : axes) furthest.push_back({axis.about.path, axis.values.back()});
    furthest.push_back(out.back().failure);
    if (redesign(furthest).ok()) continue;
    const std::string& why = broken.failure().message;
    return Failure{ExitCode::bad_input, "survive " + text + ": " + why.substr(why.rfind(": ") + 2),
                   broken.failure().hint};
  }
  return out;
}

}  // namespace stallcast::plan
