#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "models/contract/own_links.hpp"
#include "models/plant/plant.hpp"

/// What a plant says of a run: the use of its parts, and what its state is.
namespace stallcast::models {

bool Plant::of_idle_drives(std::string_view link) const {
  const std::size_t end = link.find('[');
  return end != link.npos &&
         std::any_of(idle_drives_.begin(), idle_drives_.end(), [&](const auto& of) {
           return link.starts_with(of.first) && of.second.contains(link.substr(end));
         });
}

// Under way are, by Little, the time that all spend on a link over the time.
std::vector<ResourceUse> Plant::report(const sim::Context& context, Seconds wall,
                                       Queues* under_way_on) const {
  struct Line : ResourceUse {
    Seconds spent{};
  };
  std::map<std::string, Line> by_name;
  std::vector<Bytes> under_way(context.link_count());
  context.add_running(under_way);
  std::vector<sim::LinkUse> uses;
  bool some = false;  // own links
  for (std::uint32_t l = 0; l < context.link_count(); ++l) {
    uses.push_back(context.use({l}));
    some = some || uses.back().name.find(kOwn) != std::string::npos;
  }
  std::set<std::string> whole;  // resources that have a link of everybody
  for (const sim::LinkUse& use : uses)
    if (some && use.name.find(kOwn) == std::string::npos)
      whole.insert(ResourceTable::without_group(use.name));
  for (std::uint32_t l = 0; l < uses.size(); ++l) {
    const sim::LinkUse& use = uses[l];
    const Bytes carried = use.carried + under_way[l];
    const std::size_t own = some ? use.name.find(kOwn) : use.name.npos;
    const std::string name = ResourceTable::without_group(use.name.substr(0, own));
    if (own != use.name.npos)
      if (const std::string all = own_link(name);
          whole.contains(name) || (use.name != all && link_by_name_.contains(all)))
        continue;  // that carries it, too
    Line& out = by_name[name];
    out.spent += use.spent;
    if (out.name.empty()) {
      out.name = name;
      out.unit = name.ends_with(".cpu")                                    ? "cores"
                 : name.ends_with(".busy") || name.ends_with(".busy.read") ? "drives"
                 : name.ends_with(".requests")                             ? "requests"
                 : name.ends_with(".opens") || name.ends_with(".ops")      ? "1/s"
                                                                           : "B/s";
    }
    if (!of_idle_drives(use.name)) out.capacity += use.capacity.in(unit::Bps);
    out.throughput += carried.in(unit::B) / wall.in(unit::s);
    if (use.active > Seconds{})
      out.in_use += std::min((carried / use.active).in(unit::Bps), use.capacity.in(unit::Bps));
  }
  for (const auto& [group, meter] : meters_) {
    ResourceUse& out = by_name.at(ResourceTable::without_group(group + ".cpu"));
    out.throughput += meter.carried() / wall;
    if (meter.active() > Seconds{})
      out.in_use += std::min(meter.carried() / meter.active(), meter.cores());
  }
  // What was measured as a whole is a queue in front of so many servers: it need not have drives.
  const auto as_a_whole = [](const ResourceUse& use) {
    return use.unit == "drives" && !use.name.ends_with(".drives.busy") &&
           !use.name.ends_with(".disk.busy") && !use.name.ends_with(".disk.busy.read");
  };
  std::vector<ResourceUse> out;
  for (const auto& [name, use] : by_name) {
    out.push_back(use);
    // What crosses its link are no transfers but their work.
    const bool of_work = as_a_whole(use) && !name.ends_with(".ost.busy");
    if (under_way_on != nullptr && !of_work)
      under_way_on->emplace_hint(under_way_on->end(), name, use.spent / wall);
  }
  for (const auto& [job, line] : operations_) out.push_back(line.use(wall));
  for (const auto& [id, storage] : storages_) storage->report(wall, out);
  for (ResourceUse& use : out)
    if (as_a_whole(use)) use.unit = "servers";
  return out;
}

std::vector<std::string> Plant::unevenly_busy(const sim::Context& context, Seconds wall) const {
  if (hosts_.size() < 2) return {};
  constexpr double kBusy = 0.8, kHalf = 0.5;  // of what is busy, and of that
  constexpr std::string_view kOf = ".drives.busy[";
  struct Use {
    Rate carried, capacity;
    [[nodiscard]] double share() const { return carried / capacity; }
  };
  std::map<std::string, std::map<std::string, Use>> uses;  // by drives, and class of hosts
  for (std::uint32_t l = 0; l < context.link_count(); ++l) {
    const sim::LinkUse use = context.use({l});
    const std::size_t at = use.name.find(kOf);
    if (at == use.name.npos || of_idle_drives(use.name)) continue;
    const auto group =
        static_cast<std::size_t>(std::stoul(std::string(use.name.substr(at + kOf.size()))));
    Use& of_class = uses[std::string(use.name.substr(0, at))][class_of(group)];
    of_class.carried += use.carried / wall;
    of_class.capacity += use.capacity;
  }
  std::vector<std::string> out;
  for (const auto& [drives, classes] : uses) {
    Use all;
    const std::pair<const std::string, Use>* most = nullptr;
    for (const auto& one : classes) {
      all.carried += one.second.carried;
      all.capacity += one.second.capacity;
      if (most == nullptr || one.second.share() > most->second.share()) most = &one;
    }
    if (most->second.share() >= kBusy && all.share() <= kHalf * most->second.share())
      out.push_back(drives + ".drives: those in hosts of \"" + most->first + "\" are " +
                    base::percent(most->second.share(), 1) +
                    " busy, those of all classes that use them " + base::percent(all.share(), 1) +
                    ": its figures and targets are of all");
  }
  return out;
}

const std::string& Plant::class_of(std::size_t group) const {
  const std::pair<const std::string, HostClass>* last = nullptr;
  for (const auto& one : hosts_)
    if (one.second.first_group <= group &&
        (last == nullptr || one.second.first_group >= last->second.first_group))
      last = &one;
  return last->first;
}

std::map<std::string, std::vector<CreditLevel>> Plant::credits() const {
  std::map<std::string, std::vector<CreditLevel>> out;
  for (const auto& [id, storage] : storages_)
    if (std::vector<CreditLevel> levels = storage->credits(); !levels.empty())
      out.emplace(id, std::move(levels));
  return out;
}

void Plant::over(Seconds wall) {
  for (const auto& [id, storage] : storages_) storage->over(wall);
}

RequestCounts Plant::requests() const {
  RequestCounts out;
  for (const auto& [id, storage] : storages_) storage->count_requests(out);
  return out;
}

void Plant::describe(sim::Ledger& ledger) {
  for (auto& [job, line] : operations_) line.describe(ledger);
  for (auto& [id, storage] : storages_) storage->describe(ledger);
  for (auto& [group, meter] : meters_) meter.describe(ledger);
  for (auto& [id, host] : hosts_) host.stragglers.describe(ledger, context_->now() - began_);
  ledger.since(began_);
}

void Plant::remark(RunResult& out) const {
  for (const auto& [id, storage] : storages_) storage->remark(out);
}

Plant::Queues Plant::queues(Seconds wall) const {
  Queues out;
  for (const auto& [id, storage] : storages_)
    for (const auto& [name, waiting] : storage->queues(wall)) out[name] += waiting;
  return out;
}

}  // namespace stallcast::models
