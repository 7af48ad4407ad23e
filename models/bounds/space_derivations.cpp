#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/bounds/parts.hpp"
#include "models/bounds/space.hpp"
#include "stallcast/metric.hpp"

/// How room adds up, for `explain`: docs/models/capacity.md, docs/models/wear.md.
namespace stallcast::models {
namespace {

using namespace detail;

constexpr const char* kUsed = "docs/models/capacity.md, eq. 3";

/// What its drives are written, and how long they last.
void derive_wear(const Room& space, std::vector<Derivation>& out) {
  const auto writes = space.written_whole();
  if (!writes) return;
  const std::string name = metric::of_storage(space.storage, "wear.");
  out.push_back(derived(name + "dwpd", {*writes, Dimension::number},
                        text(space.written) + " written x " +
                            text(space.media * space.worn, Dimension::ratio) +
                            " on media x 1 d / " + text(space.raw)));
  if (const auto life = space.worn_after())
    out.push_back(derived(name + "life", *life,
                          text(space.warranty) + " x " + count(*space.drive_writes) + " rated / " +
                              count(*writes) + " a day"));
}

/// What makes it grow, the first few.
std::string growing(const Room& space) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> all;
  for (const Coming& each : space.coming)
    if (each.endless()) all.push_back(each.what + (each.rule.empty() ? "" : ", " + each.rule));
  const std::size_t more = all.size() > kMost ? all.size() - kMost : 0;
  all.resize(all.size() - more);
  return base::join(all, "; ") + (more > 0 ? "; and " + std::to_string(more) + " more" : "");
}

/// What is left where it is full first.
Term headroom_of(const Room& space) {
  if (space.less == Bytes{})
    return {"headroom", metric::of_storage(space.storage, "capacity.headroom")};
  return figure("headroom", (space.usable - space.needed() + space.less).in(unit::B),
                Dimension::bytes, "left on hosts of the class that is full first");
}

/// Where all that comes begins or ends: from the last time that anything did.
Derivation since_last(const Room& space, Seconds full, std::string left) {
  Seconds since;
  for (const Coming& each : space.coming)
    for (const Seconds date : {each.from, each.until})
      if (date < full) since = std::max(since, date);
  const Bytes before = come_by(space.coming, since);
  Rate growth;
  for (const Coming& each : space.coming)
    if (each.from <= since && each.until >= full) growth += each.rate;
  const std::string name = metric::of_storage(space.storage, "capacity.");
  return derived(
      name + "full_after", full,
      text(since) + " + (" + left + " - " + text(before) + " that come by then) / " + text(growth),
      {"since + (headroom - before) / growth",
       "docs/models/capacity.md, eq. 4",
       {figure("since", since.in(unit::s), Dimension::time, "the last that began or ended"),
        headroom_of(space),
        figure("before", before.in(unit::B), Dimension::bytes,
               "of saves that are never deleted, and ingest, by then"),
        figure("growth", growth.in(unit::Bps), Dimension::rate, "of these, from then on")}});
}

/// When what is never deleted has filled it.    [docs/models/capacity.md, eq. 4]
void derive_growth(const Room& space, std::vector<Derivation>& out) {
  const auto full = space.full_after();
  if (!full) return;
  const std::string name = metric::of_storage(space.storage, "capacity.");
  Rate growth;
  Bytes dated;  // what begins or ends has brought by then
  for (const Coming& each : space.coming)
    if (each.endless())
      growth += each.rate;
    else
      dated += each.by(*full);
  const Bytes left = std::max(Bytes{}, space.usable - space.needed() + space.less);
  std::string formula = text(left) + " left";
  Rule rule{"headroom / growth",
            "docs/models/capacity.md, eq. 4",
            {headroom_of(space), figure("growth", growth.in(unit::Bps), Dimension::rate,
                                        "of what is never deleted: " + growing(space))}};
  if (growth <= Rate{} && *full > Seconds{} && *full < kNeverFull) {
    out.push_back(since_last(space, *full, std::move(formula)));
    return;
  }
  if (dated > Bytes{}) {
    formula = "(" + formula + " - " + text(dated) + " of what begins or ends)";
    rule.equation = "(headroom - dated) / growth";
    rule.terms.push_back(figure("dated", dated.in(unit::B), Dimension::bytes,
                                "of saves and ingest that begin or end, by then"));
  }
  formula += " / " + text(growth) + " that stays";
  if (growth <= Rate{})
    formula = *full < kNeverFull ? "full as it is"
                                 : "all that comes ends before it is full: stands for never";
  if (growth <= Rate{} || space.usable < space.needed() - space.less) rule = {};  // or full now
  out.push_back(derived(name + "full_after", *full, formula, std::move(rule)));
}

}  // namespace

std::vector<Derivation> derive_spaces(const Design& design) {
  std::vector<Derivation> out;
  for (const Room& space : spaces(design)) {
    const std::string name = metric::of_storage(space.storage, "capacity.");
    out.push_back(derived(name + "usable", space.usable, space.formula));
    Rule sum{"", "docs/models/capacity.md, eq. 2", {}};
    for (const Stored& each : space.stored) {
      out.push_back(derived(each.what + ".bytes", each.bytes, each.formula, each.rule));
      const std::string symbol = "part" + std::to_string(sum.terms.size() + 1);
      sum.equation += (sum.terms.empty() ? "" : " + ") + symbol;
      sum.terms.push_back({symbol, each.what + ".bytes"});
    }
    out.push_back(
        derived(name + "needed", space.needed(), "all that is to lie on it", std::move(sum)));
    const std::vector<Term> both{{"needed", name + "needed"}, {"usable", name + "usable"}};
    out.push_back(derived(name + "used", {space.needed() / space.usable, Dimension::ratio},
                          text(space.needed()) + " / " + text(space.usable),
                          {"needed / usable", kUsed, both}));
    out.push_back(derived(name + "headroom", space.usable - space.needed(),
                          text(space.usable) + " - " + text(space.needed()),
                          {"usable - needed", kUsed, both}));
    derive_growth(space, out);
    derive_wear(space, out);
    if (space.counted())
      out.push_back({name + base::key_of(space.noun) + ".bound", space.parts_needed(),
                     Dimension::number, remedy(space)});
  }
  return out;
}

}  // namespace stallcast::models
