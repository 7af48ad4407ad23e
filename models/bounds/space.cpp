#include "models/bounds/space.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/parts.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using namespace detail;

std::string whose(const Room& space) {
  return space.per_host ? "each host's \"" + space.storage + "\"" : "\"" + space.storage + "\"";
}

}  // namespace

Bytes Room::needed() const {
  Bytes sum;
  for (const Stored& each : stored) sum += each.bytes;
  return sum;
}

std::optional<Bytes> Room::paid_needed(Bytes more) const {
  const Bytes all = needed() + more;
  if (paid == Bytes{} || holds(more) || all > held) return std::nullopt;
  const double least = (paid * (all / usable)).in(unit::B);
  const double figure = std::pow(10.0, std::floor(std::log10(least)) - 2.0);
  return Bytes::from(std::ceil(least / figure - 1e-9) * figure, unit::B);
}

const Coming* Room::comes_most() const {
  const auto most =
      std::max_element(coming.begin(), coming.end(),
                       [](const Coming& a, const Coming& b) { return a.rate < b.rate; });
  return most == coming.end() ? nullptr : &*most;
}

std::optional<Seconds> Room::full_after() const {
  if (coming.empty()) return std::nullopt;
  const Bytes left = usable - needed() + less;
  return left > Bytes{} ? date_of(coming, left).value_or(kNeverFull) : Seconds{};
}

// d = w m a / C    [docs/models/wear.md, eq. 1]
std::optional<double> Room::written_whole() const {
  if (!drive_writes || written <= Rate{} || count.empty()) return std::nullopt;
  return written * Seconds::from(1.0, unit::d) * (media * worn) / raw;
}

// t = r T / d    [docs/models/wear.md, eq. 2]
std::optional<Seconds> Room::worn_after() const {
  const std::optional<double> each_day = written_whole();
  if (!each_day) return std::nullopt;
  return warranty * (*drive_writes / *each_day);
}

double Room::parts_that_last() const {
  const std::optional<Seconds> life = worn_after();
  return life && *life < warranty ? std::ceil(parts * (warranty / *life) - 1e-9) : parts;
}

void add_spaces(const std::vector<Room>& spaces, std::map<std::string, Metric>& metrics) {
  for (const Room& space : spaces) {
    const std::string name = metric::of_storage(space.storage, "capacity.");
    metrics[name + "usable"] = {space.usable.in(unit::B), "B", {}};
    metrics[name + "needed"] = {space.needed().in(unit::B), "B", {}};
    metrics[name + "headroom"] = {(space.usable - space.needed()).in(unit::B), "B", {}};
    metrics[name + "used"] = {space.needed() / space.usable, "ratio", {}};
    if (const auto full = space.full_after())
      metrics[name + "full_after"] = {full->in(unit::s), "s", {}};
    const std::string wear = metric::of_storage(space.storage, "wear.");
    if (const auto writes = space.written_whole()) metrics[wear + "dwpd"] = {*writes, "count", {}};
    if (const auto life = space.worn_after()) metrics[wear + "life"] = {life->in(unit::s), "s", {}};
  }
}

bool is_of_space(std::string_view metric) {
  const metric::Name name = metric::parse(metric);
  return name.domain == metric::Domain::storage &&
         (name.figure.starts_with("capacity.") || name.figure.starts_with("wear."));
}

std::string shortage(const Room& space) {
  std::string most;
  Bytes of_most;
  for (const Stored& each : space.stored)
    if (each.bytes > of_most) {
      of_most = each.bytes;
      most = each.words.empty() ? "the " + label::of_metric(each.what, "", true) : each.words;
    }
  return whose(space) + " is to hold " + text(space.needed()) + ", most of it " + most +
         ", and has room for " + text(space.usable);
}

std::string remedy(const Room& space) {
  if (const auto paid = space.paid_needed())
    return "\"" + space.size + "\" of " + text(*paid) + " would hold it, not " + text(space.paid);
  if (!space.counted()) return "";
  return count(space.parts_needed()) + " " + space.noun + " would hold it, not " +
         count(space.parts);
}

std::string full_within(const Room& space, Seconds time) {
  const auto full = space.full_after();
  return full && *full < time ? whose(space) + " is full after " + text(*full) : "";
}

std::string wear_out(const Room& space) {
  const auto life = space.worn_after();
  if (!life || *life >= space.warranty) return "";
  return whose(space) + " has its drives written " + count(*space.written_whole()) +
         " times a day, for which they last " + text(*life) + ", not " + text(space.warranty);
}

}  // namespace stallcast::models
