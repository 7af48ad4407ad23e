#include "engine/decide/plan/outages.hpp"

#include <array>
#include <string_view>

#include "engine/base/text.hpp"
#include "engine/decide/plan/countables.hpp"

namespace stallcast::plan {
namespace {

struct Part {
  std::string_view name;
  std::string_view part;  ///< as a failure calls it
};
constexpr std::array kParts = {
    Part{"oss", "server"},        Part{"server", "server"},  Part{"node", "server"},
    Part{"controller", "server"}, Part{"backend", "server"}, Part{"ost", "target"},
    Part{"osd", "target"},        Part{"drive", "target"},   Part{"target", "target"},
    Part{"mdt", "metadata"},      Part{"mds", "metadata"},   Part{"metadata", "metadata"}};

std::string names() {
  std::string out;
  for (const Part& part : kParts) out += (out.empty() ? "" : ", ") + std::string(part.name);
  return out;
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
    const Part* part = nullptr;
    for (const Part& p : kParts)
      if (p.name == words.front()) part = &p;
    if (part == nullptr)
      return Failure{ExitCode::bad_input, "\"" + words.front() + "\" cannot be down",
                     "one of " + names()};
    std::string storage = storage_of(design, axes), takeover = "partner";
    for (std::size_t i = 1; i < words.size(); ++i)
      (words[i] == "spread" || words[i] == "partner" ? takeover : storage) = words[i];
    if (design.find_storage(storage) == nullptr)
      return Failure{ExitCode::bad_input, "no storage is named \"" + storage + "\"",
                     "write oss, oss:scratch or oss:scratch:spread"};
    // Down before the first step, taken over at once, and not repaired.
    out.push_back({words.front() + " of " + storage,
                   {"failures[+]",
                    JsonLiteral{"{\"id\": \"plan-outage\", \"type\": \"storage\", \"on\": \"" +
                                storage + "\", \"part\": \"" + std::string(part->part) +
                                "\", \"at\": \"0 s\", \"failover\": \"0 s\", \"takeover\": \"" +
                                takeover + "\", \"repair\": \"100000 d\"}"}}});
    const Result<Design> broken = redesign({&out.back().failure, 1});
    if (broken.ok()) continue;
    const std::string& why = broken.failure().message;
    return Failure{ExitCode::bad_input, "survive " + text + ": " + why.substr(why.rfind(": ") + 2),
                   broken.failure().hint};
  }
  return out;
}

}  // namespace stallcast::plan
