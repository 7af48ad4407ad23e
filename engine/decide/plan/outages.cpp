#include "engine/decide/plan/outages.hpp"

#include <algorithm>
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

/// What is down as it is counted ("controllers") is one of these.
std::string one_of(const std::string& name) {
  for (const models::KindInfo& kind : models::kinds(models::Role::storage))
    for (const models::Count& count : kind.counts)
      if (count.shortcut == name && !count.one.empty()) return std::string(count.one);
  return name;
}

/// Whether a `part` of it can be down by itself.
bool fails(const Component& storage, std::string_view part) {
  models::StorageFaultParams fault;
  fault.part = part;
  return models::storage_row(storage.kind).make(storage)->parts(models::storage_part(fault)) >= 1.0;
}

/// What `--survive` can name of a storage system.
std::vector<std::string> parts_of(const Component& storage) {
  std::vector<std::string> out;
  bool metadata = false;
  for (const models::Count& count : models::storage_row(storage.kind).info.counts)
    if (!count.one.empty() && fails(storage, count.part)) {
      out.emplace_back(count.one);
      metadata = metadata || count.part == "metadata";
    }
  if (!metadata && fails(storage, "metadata")) out.emplace_back("metadata");
  return out;
}

std::string known_parts(const std::string& asked, const Component& storage) {
  const std::vector<std::string> parts = parts_of(storage);
  if (parts.empty()) return "nothing of \"" + storage.id + "\" fails by itself";
  const std::string near = base::nearest(asked, parts);
  return (near.empty() ? "" : "did you mean \"" + near + "\"? ") + "one of " +
         base::join(parts, ", ");
}

/// What somebody may have meant by what is no storage system: one, or how its load is taken over.
std::string meant(const std::string& asked, const Design& design) {
  std::vector<std::string> known;
  for (const Component& storage : design.storage) known.push_back(storage.id);
  const std::string all = base::join(known, ", ");
  known.insert(known.end(), {"spread", "partner"});
  const std::string near = base::nearest(asked, known);
  return (near.empty() ? "" : "did you mean \"" + near + "\"? ") + "storage: " + all +
         "; how its load is taken over: partner, spread";
}

/// The storage systems that have what is down: by its name, or by what it is, as a server, where
/// that is what was said or none calls it so. The first searched, else the first, where none has.
std::vector<std::string> storage_with(const std::string& name, const Design& design,
                                      const std::vector<Axis>& axes) {
  const std::string part = part_named(name);
  std::vector<std::string> named, alike;
  for (const Component& storage : design.storage) {
    const std::vector<std::string> parts = parts_of(storage);
    if (std::find(parts.begin(), parts.end(), name) != parts.end()) named.push_back(storage.id);
    if (!part.empty() && fails(storage, part)) alike.push_back(storage.id);
  }
  if (name != part && !named.empty()) return named;
  if (!alike.empty() || design.storage.empty()) return alike;
  for (const Axis& axis : axes)
    if (axis.about.owner.starts_with("storage ")) return {axis.about.owner.substr(8)};
  return {design.storage.front().id};
}

/// An id that no failure of the scenario has.
std::string own_id(const Design& design) {
  std::string out = "plan-outage";
  while (std::ranges::any_of(design.failures, [&](const Component& f) { return f.id == out; }))
    out += "-2";
  return out;
}

}  // namespace

Result<std::vector<PartDown>> make_outages(const std::vector<std::string>& survive,
                                           const Design& design, const std::vector<Axis>& axes,
                                           const RedesignAll& redesign) {
  std::vector<PartDown> out;
  for (const std::string& text : survive) {
    std::vector<std::string> words = base::split(text, ':');
    words.front() = one_of(words.front());
    std::string storage, takeover = "partner";
    for (std::size_t i = 1; i < words.size(); ++i)
      (words[i] == "spread" || words[i] == "partner" ? takeover : storage) = words[i];
    if (storage.empty()) {
      std::vector<std::string> known = storage_with(words.front(), design, axes);
      if (known.size() == 1) storage = known.front();
      for (std::string& id : known) id = words.front() + ":" + id;
      if (known.size() > 1)
        return Failure{ExitCode::bad_input, "survive \"" + text + "\" could be any of several",
                       "write one of " + base::join(known, ", ")};
    }
    const auto refused = [&](const std::string& why, const std::string& hint) {
      return Failure{ExitCode::bad_input, "survive " + text + ": " + why, hint};
    };
    if (design.find_storage(storage) == nullptr)
      return refused("no storage is named \"" + storage + "\"", meant(storage, design));
    const std::string part = part_named(words.front());
    if (part.empty())
      return refused("\"" + words.front() + "\" cannot be down",
                     known_parts(words.front(), *design.find_storage(storage)));
    PartDown& outage = out.emplace_back(PartDown{words.front() + " of " + storage, {}});
    // One alone needs no id; beside this one it does, and is called as before.
    if (design.failures.size() == 1)
      outage.changes.push_back({"failures[0].id", parse_setting(design.failures.front().id)});
    // Down before the first step, taken over at once, and not repaired.
    outage.changes.push_back(
        {"failures[+]",
         JsonLiteral{"{\"id\": \"" + own_id(design) + "\", \"type\": \"storage\", \"on\": \"" +
                     storage + "\", \"part\": \"" + part +
                     "\", \"at\": \"0 s\", \"failover\": \"0 s\", \"takeover\": \"" + takeover +
                     "\", \"repair\": \"100000 d\"}"}});
    const Result<Design> broken = redesign(outage.changes);
    if (broken.ok()) continue;
    // What the scenario has too few of may be searched: there may be enough at the far end.
    std::vector<Change> furthest;
    for (const Axis& axis : axes) furthest.push_back({axis.about.path, axis.values.back()});
    if (redesign(outage.on_top_of(furthest)).ok()) continue;
    const std::string& why = broken.failure().message;
    return refused(why.substr(why.rfind(": ") + 2), broken.failure().hint);
  }
  return out;
}

}  // namespace stallcast::plan
