#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/space.hpp"
#include "models/contract/fabric.hpp"
#include "models/contract/rows.hpp"
#include "scenarios/rules/support.hpp"

/// Values that count only beside another: one that somebody chose and nothing reads is a slip.
namespace stallcast::scenarios {
namespace {

using models::Role;

/// What must hold of the other value.
enum class Holds { is, is_not, given, absent, on, above, below, none, passed };

/// `key` has no effect unless that holds of `other`, in kinds that have both. "oss." are all other
/// fields of that group.
struct Need {
  Role role;
  std::string_view key, other;
  Holds holds;
  std::string_view word = {};                  ///< that it is, or is not
  double limit = 0.0;                          ///< that it is above, or below
  std::string_view or_word = {}, or_key = {};  ///< another that will do, in place of the first
};
constexpr Need kNeeds[] = {
    {Role::host, "slow.", "slow.count", Holds::above},
    {Role::host, "numa.link", "numa.remote", Holds::above},
    {Role::host, "gds.socket", "numa.remote", Holds::above},
    {Role::fabric, "incast.", "technology", Holds::is, "tcp"},
    {Role::storage, "credits.size", "credits.base", Holds::given},
    {Role::storage, "credits.ops_size", "credits.ops", Holds::given},
    {Role::storage, "credits.request", "credits.ops", Holds::given},
    {.role = Role::storage,
     .key = "credits.start",
     .other = "credits.base",
     .holds = Holds::given,
     .or_key = "credits.ops"},
    {Role::storage, "drive.burst_write", "drive.burst", Holds::above},
    {Role::storage, "drive.burst", "drive.burst_write", Holds::given},
    {Role::storage, "replicas", "code.data", Holds::none},
    {Role::storage, "code.", "code.data", Holds::above},
    {Role::storage, "get.part", "get.parallel", Holds::above, {}, 1.0},
    // Of BeeGFS there is else one for each target.
    {.role = Role::storage,
     .key = "server.",
     .other = "server.count",
     .holds = Holds::given,
     .or_key = "target.count"},
    {Role::storage, "shelf.", "shelf.count", Holds::given},
    {Role::storage, "oss.", "oss.count", Holds::given},
    {Role::storage, "router.", "router.count", Holds::given},
    {Role::storage, "raid.", "raid.data", Holds::given},
    {Role::storage, "pfl.", "pfl.end", Holds::given},
    {Role::storage, "hsm.", "hsm.released", Holds::above},
    {Role::storage, "device.", "device.decode", Holds::given},
    {Role::storage, "ost.spindles", "ost.seek", Holds::above},
    {Role::storage, "ost.degraded_rate", "ost.degraded", Holds::above},
    {Role::storage, "open.cold_files", "open.cold_ops", Holds::above},
    {Role::storage, "read.readers", "read.private", Holds::above},
    {Role::storage, "endurance.", "endurance.dwpd", Holds::given},
    {Role::storage, "dirty", "writes", Holds::is, "back"},
    {Role::storage, "drain", "writes", Holds::is, "back"},
    {Role::storage, "drain_files", "writes", Holds::is, "back"},
    {Role::storage, "ramp.", "ramp.every", Holds::given},
    {Role::dataset, "float.rate", "codec", Holds::is, "float"},
    {Role::dataset, "jpeg.rate", "codec", Holds::is, "jpeg"},
    {Role::dataset, "scan_names", "scan", Holds::is_not, "none"},
    {Role::dataset, "scan_ahead", "scan", Holds::is, "stat"},
    {Role::loader, "import.", "start_method", Holds::is, "spawn"},
    {Role::loader, "pin.", "pin_memory", Holds::on},
    {Role::loader, "shuffle.first", "shuffle.buffer", Holds::above, {}, 1.0},
    {Role::checkpoint, "shard_group", "layout", Holds::is, "fsdp-hybrid"},
    {Role::checkpoint, "piece", "shared", Holds::is, "interleaved"},
    {Role::checkpoint, "restore.broadcast", "restore.read", Holds::is, "once"},
    {Role::checkpoint, "serialize", "serializer", Holds::is, "torch", 0.0, "dcp"},
    {Role::checkpoint, "restore.deserialize", "serializer", Holds::is, "torch", 0.0, "dcp"},
    {Role::checkpoint, "compress.on", "compress.ratio", Holds::above, {}, 1.0},
    {Role::checkpoint, "incremental.full_every", "incremental.fraction", Holds::below, {}, 1.0},
    {Role::checkpoint, "slowdown", "flush", Holds::is, "thread"},
    {Role::checkpoint, "peers", "tiers", Holds::passed, "peer-memory"},
    {Role::communication, "expert", "moe.layers", Holds::above},
    {Role::communication, "moe.layers", "expert", Holds::above, {}, 1.0},
    {Role::communication, "moe.top_k", "expert", Holds::above, {}, 1.0},
    {Role::tenant, "scale_every", "weights", Holds::given},
    {Role::tenant, "replicas", "weights", Holds::given},
    {Role::tenant, "readers", "weights", Holds::given},
    {Role::tenant, "artifact_every", "artifact", Holds::given},
    {Role::tenant, "database.", "database.rate", Holds::given},
    {Role::tenant, "hops", "index", Holds::is, "graph"},
    {Role::tenant, "beam", "index", Holds::is, "graph"},
    {Role::tenant, "node", "index", Holds::is, "graph"},
    {Role::tenant, "lists", "index", Holds::is, "lists"},
    {Role::tenant, "list", "index", Holds::is, "lists"},
    {Role::tenant, "clients", "rate", Holds::absent},
    {Role::tenant, "sampled", "rate", Holds::given},
    {Role::failure, "rebuild", "part", Holds::is, "target"},
    {Role::recovery, "mount.", "mount.delay", Holds::above},
    {Role::failure, "left", "part", Holds::is, "service"}};

/// What comes after so long, if that other value is given.
struct Late {
  Role role;
  std::string_view key, of;
};
constexpr Late kLate[] = {{Role::host, "slow.from", "slow.count"},
                          {Role::tenant, "scale_every", "weights"},
                          {Role::tenant, "artifact_every", "artifact"}};

bool holds(const Component& component, const Need& need) {
  const Value* other = component.find(need.other);
  if (other == nullptr && !need.or_key.empty()) other = component.find(need.or_key);
  if (need.holds == Holds::passed) {
    const Value* to = component.find("to");
    return (to != nullptr && to->text == need.word) ||
           (other != nullptr &&
            std::find(other->list.begin(), other->list.end(), need.word) != other->list.end());
  }
  if (other == nullptr) return need.holds == Holds::absent || need.holds == Holds::none;
  switch (need.holds) {
    case Holds::is:
      return other->text == need.word || (!need.or_word.empty() && other->text == need.or_word);
    case Holds::is_not:
      return other->text != need.word;
    case Holds::on:
      return other->number != 0.0;
    case Holds::above:
      return other->number > need.limit;
    case Holds::below:
      return other->number < need.limit;
    case Holds::absent:
      return false;
    case Holds::none:
      return other->number == 0.0;
    default:
      return true;
  }
}

/// What somebody chose of the component that the need is about.
std::vector<std::string_view> chosen(const Component& component, const Need& need) {
  std::vector<std::string_view> out;
  if (models::find_field(need.role, component, need.other) == nullptr) return out;
  const bool group = need.key.ends_with('.');
  for (const auto& [key, value] : component.values)
    if ((group ? key.starts_with(need.key) && key != need.other : key == need.key) &&
        is_chosen(need.role, component, key))
      out.push_back(key);
  return out;
}

std::string in_words(const Component& component, const Need& need) {
  const std::string word = " \"" + std::string(need.word) + "\"";
  const Value* other = component.find(need.other);
  const std::string limit =
      base::exact_quantity(need.limit, other == nullptr ? Dimension::number : other->dimension);
  const std::string be = "\"" + std::string(need.other) + "\" ";
  switch (need.holds) {
    case Holds::is:
      return be + "is" + word +
             (need.or_word.empty() ? "" : " or \"" + std::string(need.or_word) + "\"");
    case Holds::is_not:
      return be + "is not" + word;
    case Holds::absent:
      return be + "is left out";
    case Holds::on:
      return be + "is true";
    case Holds::above:
      return be + "is above " + limit;
    case Holds::below:
      return be + "is below " + limit;
    case Holds::none:
      return be + "is " + limit;
    case Holds::passed:
      return be + "have" + word;
    default:
      return (models::find_field(need.role, component, need.or_key) == nullptr
                  ? be
                  : be + "or \"" + std::string(need.or_key) + "\" ") +
             "is given";
  }
}

// What comes after the run does nothing in it.
void check_late(const Design& design, const models::RoleInfo& role, const Component& component,
                Diagnostics& report) {
  const Value* duration = design.run.find("duration");
  if (duration == nullptr) return;
  for (const Late& late : kLate) {
    const Value *value = component.find(late.key), *of = component.find(late.of);
    if (late.role != role.role || value == nullptr || of == nullptr) continue;
    if (value->number < duration->number || of->number <= 0.0) continue;
    report.warn("rule", pointer_of(component, late.key),
                "the run ends before \"" + std::string(late.key) + "\" of \"" + component.id +
                    "\" is over (" + base::print_quantity(value->number, Dimension::time) +
                    "): nothing of it comes",
                "let it come earlier, or lengthen \"run\": { \"duration\": ... }");
  }
}

// Restores come after the run, after failures, and where GPUs come and go.
void check_restores(const Design& design, Diagnostics& report) {
  if (!design.failures.empty()) return;
  for (const JobDesign& job : design.jobs) {
    if (!job.checkpoint || job.elastic) continue;
    const Component& save = *job.checkpoint;
    const Value* read = save.find("restore.read");
    if (read == nullptr || read->text != "none") continue;
    for (const std::string_view key : {"restore.from", "restore.deserialize"})
      if (is_chosen(Role::checkpoint, save, key))
        report.warn("rule", pointer_of(save, key),
                    "\"" + std::string(key) + "\" has no effect: nothing is restored",
                    "write \"restore\": { \"read\": \"own\" }, or leave it out");
  }
}

// What is paid for, or a quota, is after what a file system takes of parts.
//    [docs/models/capacity.md, eq. 1]
void check_overheads(const Design& design, Diagnostics& report) {
  // What lies where is looked at for those alone that say both.
  const auto says_both = [](const Component& storage) {
    return storage.find("capacity.size") != nullptr &&
           is_chosen(Role::storage, storage, "capacity.overhead");
  };
  if (std::ranges::none_of(design.storage, says_both)) return;
  for (const models::Room& space : models::spaces(design)) {
    const Component& storage = *design.find_storage(space.storage);
    if (space.count.empty() && says_both(storage))
      report.warn("rule", pointer_of(storage, "capacity.overhead"),
                  "\"capacity.overhead\" has no effect: \"capacity.size\" is what is left by it",
                  "say how much the parts hold in place of \"capacity.size\", or leave it out");
  }
}

/// Whether anything runs on hosts of this class, or is said of them elsewhere.
bool is_named(const Design& design, const Component& host) {
  bool found = false;
  base::for_each_component(
      design, [&](const std::string&, std::string_view role, const Component& component) {
        if (role == "host") return;
        for (const auto& [key, value] : component.values)
          found = found || (std::string_view(key).ends_with("hosts") && value.text == host.id);
      });
  return found;
}

/// What `resolve` wrote has every value: it chose no class.
bool is_resolved(const Component& host) {
  return std::ranges::all_of(host.values, [](const auto& one) { return is_stated(one.second); });
}

// Files that many extend, and the catalogue's systems, have classes that not all of them use.
void check_idle_hosts(const Design& design, Diagnostics& report) {
  // Where nothing runs at all somebody adds what does, as a replay.
  if (design.jobs.empty() && design.tenants.empty() && design.stages.empty()) return;
  for (const Component& host : design.hosts) {
    const Value* count = host.find("count");
    if (count == nullptr || is_named(design, host) || is_resolved(host)) continue;
    const bool own = count->source.kind == Source::Kind::set_option ||
                     (is_stated(*count) && count->source.where.starts_with(design.file + ":"));
    if (own)
      report.warn(
          "rule", host.pointer,
          "nothing runs on the hosts \"" + host.id + "\": no job, tenant or stage names them",
          "name them in its \"hosts\", or leave them out");
  }
}

// No limit of a job holds drives inside its own hosts.    [docs/models/tenants.md, eq. 10 and 12]
void check_limits(const Design& design, Diagnostics& report) {
  const auto shared = [&](const std::string& id) {
    const Component* storage = design.find_storage(id);
    return storage != nullptr && !models::storage_row(storage->kind).make(*storage)->own_of_host();
  };
  for (const JobDesign& job : design.jobs) {
    std::vector<std::string> places;
    const auto add = [&](const std::optional<Component>& part, std::string_view key) {
      const Value* value = part ? part->find(key) : nullptr;
      if (value == nullptr) return;
      places.insert(places.end(), value->list.begin(), value->list.end());
      if (!value->text.empty()) places.push_back(value->text);
    };
    for (const std::string_view key : {"on", "also.on"}) add(job.dataset, key);
    for (const std::string_view key : {"to", "tiers", "restore.from"}) add(job.checkpoint, key);
    if (places.empty() || std::ranges::any_of(places, shared)) continue;
    for (const std::string_view key : {"limit", "limit_operations"})
      if (is_chosen(Role::job, job.job, key))
        report.warn("rule", pointer_of(job.job, key),
                    "\"" + std::string(key) + "\" has no effect: all that job \"" + job.job.id +
                        "\" reads and saves is on drives inside its hosts",
                    "a limit is of storage that others use, too; leave it out");
  }
}

// Without a name of its own to give an object, a store copies it.    [docs/models/checkpoint.md,
// eq. 8]
void check_renames(const Design& design, Diagnostics& report) {
  for (const JobDesign& job : design.jobs) {
    if (!job.checkpoint) continue;
    const Value *commit = job.checkpoint->find("commit"), *to = job.checkpoint->find("to");
    if (commit == nullptr || commit->text != "rename" || to == nullptr) continue;
    const Component* store = design.find_storage(to->text);
    if (store == nullptr || store->kind != "s3") continue;
    report.warn("rule", pointer_of(*job.checkpoint, "commit"),
                "\"" + store->id +
                    "\" renames nothing: a client copies each object to its new name and deletes "
                    "the old one",
                "leave \"commit\" out: an object is there when all of it is");
  }
}

// Without their size nothing says how often drives are written.    [docs/models/wear.md, eq. 1]
void check_endurance(const Design& design, Diagnostics& report) {
  for (const Component& storage : design.storage) {
    const models::KindInfo* kind = models::find_kind(Role::storage, storage.kind);
    if (kind == nullptr || !is_chosen(Role::storage, storage, "endurance.dwpd")) continue;
    std::string fields;
    bool given = false;
    for (const models::PartInfo* part : models::parts_of(*kind)) {
      if (part->capacity.empty() || part->in_tb()) continue;
      given = given || storage.find(part->capacity) != nullptr;
      if (!fields.empty()) fields += " or ";
      fields += "\"" + std::string(part->capacity) + "\"";
    }
    if (given) continue;
    const std::string no_effect = "\"endurance.dwpd\" has no effect";
    report.warn("rule", pointer_of(storage, "endurance.dwpd"),
                fields.empty() ? no_effect +
                                     ": nothing says how much the drives of a storage "
                                     "system of type \"" +
                                     storage.kind + "\" hold"
                               : no_effect + " unless " + fields + " is given",
                fields.empty() ? "leave it out" : "say so, or leave it out");
  }
}

// Collectives alone use links between switches of the compute network.    [docs/models/network.md,
// eq. 5]
void check_compute_links(const Design& design, Diagnostics& report) {
  constexpr std::string_view kKey = "compute_link.rate";
  const Component& fabric = design.fabric;
  if (!is_chosen(Role::fabric, fabric, kKey) ||
      std::ranges::any_of(design.jobs, [&](const JobDesign& job) {
        return models::uses_compute_network(job, fabric);
      }))
    return;
  const bool converged = models::fabric_params(fabric).converged;
  report.warn("rule", pointer_of(fabric, kKey),
              "\"" + std::string(kKey) + "\" has no effect: " +
                  (converged ? "the fabric is converged, so collectives use its one network"
                             : "no job has collectives whose time is computed"),
              converged ? "write \"link.rate\", or leave it out"
                        : "give a job its \"communication\", or leave it out");
}

}  // namespace

void check_idle_values(const Design& design, Diagnostics& report) {
  base::for_each_component(
      design, [&](const std::string&, std::string_view role, const Component& component) {
        const models::RoleInfo* info = models::find_role(role);
        if (info == nullptr) return;
        check_late(design, *info, component, report);
        for (const Need& need : kNeeds) {
          if (need.role != info->role || holds(component, need)) continue;
          for (const std::string_view key : chosen(component, need))
            report.warn(
                "rule", pointer_of(component, key),
                "\"" + std::string(key) + "\" has no effect unless " + in_words(component, need),
                "say so, or leave it out");
        }
      });
  check_restores(design, report);
  check_overheads(design, report);
  check_idle_hosts(design, report);
  check_limits(design, report);
  check_renames(design, report);
  check_compute_links(design, report);
  check_endurance(design, report);
}

}  // namespace stallcast::scenarios
