#include "models/bounds/space.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/accelerators.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/bounds/part_counts.hpp"
#include "models/bounds/parts.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/contract/access.hpp"
#include "models/contract/capacity.hpp"
#include "models/contract/replay_program.hpp"
#include "models/contract/rows.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using namespace detail;

constexpr double kSwollen = 1.005;  // less are the ends of large files
constexpr const char *kStored = "docs/models/capacity.md, eq. 2", *kQuota = "capacity.size";

/// Collects what lies where.
class Surveyor {
 public:
  explicit Surveyor(const Design& design) : design_(design) {}

  std::vector<Room> run() {
    for (const Component& storage : design_.storage) measure(storage);
    for (const JobDesign& job : design_.jobs) {
      if (job.dataset) add_dataset(job);
      if (job.checkpoint) add_saves(job);
    }
    for (const Component& tenant : design_.tenants) add_tenant(tenant);
    const std::vector<StageNode> stages = stage_graph(design_);
    for (std::size_t s = 0; s < stages.size(); ++s) add_stage(stages, s);
    return std::move(out_);
  }

 private:
  // C = n c (1 - o) (data share) fill    [docs/models/capacity.md, eq. 1]
  void measure(const Component& storage) {
    const KindInfo* kind = find_kind(Role::storage, storage.kind);
    if (kind == nullptr || !says_capacity(*kind, storage)) return;
    const CapacityParams p = capacity_params(storage);
    // What its parts hold, else what is paid for.
    const auto parts = parts_of(*kind);
    const auto part = std::find_if(parts.rbegin(), parts.rend(), [&](const PartInfo* each) {
      return !each->capacity.empty() && storage.find(each->capacity) != nullptr;
    });
    const bool whole = (*part)->in_tb();
    Room out{.storage = storage.id,
             .size = std::string((*part)->capacity),
             .count = whole ? "" : std::string((*part)->count),
             .noun = std::string((*part)->noun)};
    const Bytes one = Bytes::from(base::number_of(storage, out.size), unit::B);
    const double of = (*part)->of.empty() ? 1.0 : base::number_of(storage, (*part)->of);
    out.parts = whole ? 1.0 : base::number_of(storage, out.count);
    out.per_host = in_each_host(storage, **part);
    out.raw = one * (out.parts * of);
    out.drive_writes = whole ? std::nullopt : p.drive_writes;
    out.warranty = p.warranty;
    out.worn = p.amplification;
    if (!whole) out.keeping = Keeping(storage, (*part)->of.empty() ? 0.0 : of);
    const double data = out.keeping.data(out.parts);
    const double fill = p.fill.in(unit::ratio), own = whole ? 0.0 : p.overhead.in(unit::ratio);
    out.media = 1.0 / data;
    out.filled = one * (of * (1.0 - own) * fill);
    out.usable = out.raw * (data * (1.0 - own) * fill);
    if (!whole) out.formula = count(out.parts * of) + " " + out.noun + " x ";
    out.formula += text(one);
    if (data < 1.0) out.formula += " x " + text(data, Dimension::ratio) + " data";
    if (own > 0.0)
      out.formula += " x " + text(1.0 - own, Dimension::ratio) + " left by the file system";
    out.formula += " x " + text(fill, Dimension::ratio) + " filled";
    // Of parts that hold more no more is to be had than what is paid for.
    const Bytes paid = Bytes::from(base::number_of(storage, kQuota), unit::B);
    out.quota = !whole && paid > Bytes{} && paid * fill < out.usable;
    if (out.quota || whole) {
      out.paid = paid;
      out.held = whole ? Bytes::infinity() : out.usable;
    }
    if (out.quota) {
      out.size = kQuota;
      out.usable = paid * fill;
      out.formula = text(paid) + " x " + text(fill, Dimension::ratio) +
                    " filled, less than what the " + out.noun + " hold";
    }
    if (p.other > Bytes{})
      out.stored.push_back({metric::of_storage(storage.id, "capacity.other"), p.other, "given"});
    out_.push_back(std::move(out));
  }

  /// Where files of `storage` end: what a cache stands in front of. nullptr: nothing says how much
  /// it holds.
  Room* home(std::string storage) {
    for (std::size_t hops = 0; hops <= design_.storage.size(); ++hops) {
      const Component* component = design_.find_storage(storage);
      const Value* over = component == nullptr ? nullptr : component->find("over");
      if (over == nullptr) break;
      storage = over->text;
    }
    const auto it = std::find_if(out_.begin(), out_.end(),
                                 [&](const Room& space) { return space.storage == storage; });
    return it == out_.end() ? nullptr : &*it;
  }

  /// What it takes of room for a byte in files of this size: 1 of large ones, and of a quota, which
  /// is of data.    [docs/models/capacity.md, eq. 2]
  double swollen(const Room& space, Bytes file) const {
    if (space.quota || space.count.empty() || !(file > Bytes{})) return 1.0;
    const Component& storage = *design_.find_storage(space.storage);
    const auto model = storage_row(storage.kind).make(storage);
    const double times = model->stored(file) / model->stored(Bytes::infinity());
    return times > kSwollen ? times : 1.0;
  }
  static void swell(Stored& stored, double times, Bytes file) {
    if (times == 1.0) return;
    stored.bytes = stored.bytes * times;
    stored.formula += " x " + hundredths(times) + " in files of " + text(file);
    if (stored.rule.equation.empty()) return;
    stored.rule.equation += " * small";
    stored.rule.terms.push_back(figure("small", times, Dimension::number,
                                       "copies and parity of such files over those of large ones"));
  }

  // Jobs that name the same data set share one.    [docs/models/capacity.md, eq. 2]
  void add_dataset(const JobDesign& job) {
    const DatasetParams data = dataset_params(*job.dataset);
    const double samples = data.sample_count();
    for (const DatasetParams::Place& place : data.places()) {
      Room* space = home(place.storage);
      if (space == nullptr || !std::isfinite(samples)) continue;
      const Value* name = job.dataset->find("name");
      if (name != nullptr && !named_.insert({space->storage, name->text}).second) continue;
      const bool sized = data.size && !data.samples;
      const std::string input = "jobs[" + job.job.id + "].dataset.";
      Rule rule{sized ? "size" : "samples * sample", kStored, {}};
      if (sized)
        rule.terms = {{"size", input + "size"}};
      else
        rule.terms = {{"samples", input + "samples"}, {"sample", input + "sample"}};
      std::string formula =
          sized ? text(*data.size) : count(samples) + " samples x " + text(data.sample);
      if (place.share < 1.0) {
        rule.equation += " * share";
        rule.terms.push_back(figure("share", place.share, Dimension::ratio, "that lies there"));
        formula += " x " + text(place.share, Dimension::ratio);
      }
      const std::string part = place.share < 1.0 ? "dataset." + place.storage : "dataset";
      space->stored.push_back({metric::of_job(job.job.id, part),
                               (sized ? *data.size : data.sample * samples) * place.share,
                               std::move(formula), std::move(rule)});
      const Bytes file = data.sample * sample_access(job).per_file();
      swell(space->stored.back(), swollen(*space, file), file);
    }
  }

  /// That only every n-th save reaches.
  static std::string last_tier(const CheckpointParams& p) {
    return p.tiers.empty() ? p.to : p.tiers.back();
  }

  double hosts_of(const JobDesign& job) const {
    const Component* host = design_.find_host(job_params(job.job).hosts);
    return host == nullptr ? 1.0 : std::max(1.0, base::number_of(*host, "count", 1.0));
  }

  // What retention keeps, and the save that comes next.    [docs/models/capacity.md, eq. 2 and 4]
  void add_saves(const JobDesign& job) {
    const CheckpointParams p = checkpoint_params(*job.checkpoint);
    std::set<std::string> tiers(p.tiers.begin(), p.tiers.end());
    tiers.insert(p.to);
    const Component* host = design_.find_host(job_params(job.job).hosts);
    if (host == nullptr) return;
    const RankSpread spread{base::accelerators(design_, job), hosts_of(job)};
    const CheckpointLayout layout = checkpoint_layout(
        p, model_params(job.model), job_params(job.job), spread.ranks, spread.most());
    const Bytes state = p.stored(layout.size());
    // Hosts that would hold it if all held as much as the one that holds most.
    const double holders = layout.size() / layout.of_host(spread);
    const double kept = p.keep_last ? static_cast<double>(*p.keep_last) + 1.0 : 1.0;
    const Seconds interval =
        p.every
            ? *p.every
            : step_row(job.step.kind).mean(job.step, model_params(job.model), host_params(*host)) *
                  static_cast<double>(p.every_steps.value_or(1));
    for (const std::string& tier : tiers) {
      Room* space = in_memory(tier) || tier == kLocalNvme ? nullptr : home(tier);
      if (space == nullptr) continue;
      const double share = space->per_host ? 1.0 / holders : 1.0;
      // The oldest one that is kept builds on up to F - 1 others.
      const std::int64_t drains = tier == last_tier(p) ? p.drain_every : 1;
      const double chain = static_cast<double>(p.chain(drains));
      const double saves = kept + chain - 1.0, whole = std::floor((saves - 1.0) / chain) + 1.0;
      const double equal = whole + p.incremental.in(unit::ratio) * (saves - whole);
      Rule rule{"saves * size / ratio",
                kStored,
                {figure("saves", equal, Dimension::number, "whole ones that take as much"),
                 {"size", metric::checkpoint(job.job.id, "size")},
                 {"ratio", "jobs[" + job.job.id + "].checkpoint.compress.ratio"}}};
      if (space->per_host) {
        rule.equation += " / hosts";
        rule.terms.push_back(figure("hosts", holders, Dimension::number,
                                    "that share it, as much as the fullest holds"));
      }
      const std::string part = tiers.size() > 1 ? "checkpoints." + tier : "checkpoints";
      space->stored.push_back({metric::of_job(job.job.id, part), state * (equal * share),
                               count(saves) + (saves > 1.0 ? " saves" : " save") + " of " +
                                   text(state * share) +
                                   (p.keep_last ? ", the next one included" : ""),
                               std::move(rule)});
      const Bytes file = state / layout.files();
      const double times = swollen(*space, file);
      swell(space->stored.back(), times, file);
      const Rate come = state * (share * times) / (interval * static_cast<double>(drains));
      if (const Rate stays = come * p.left_part(drains); stays > Rate{})
        space->coming.push_back({.rate = stays});
      space->written += come * p.mean_part(drains);
    }
  }

  // What a stage brings, but for the data set of a job that follows it, which is counted already.
  //    [docs/models/capacity.md, eq. 2]
  void add_stage(const std::vector<StageNode>& stages, std::size_t at) {
    const StageNode& node = stages[at];
    Room* space = node.work.to.empty() ? nullptr : home(node.work.to);
    if (space == nullptr || node.written <= Bytes{}) return;
    if (std::any_of(stages.begin(), stages.end(), [&](const StageNode& other) {
          return other.job != nullptr && reads_from(*other.job, node.work.to) &&
                 follows(stages, other, at) &&
                 std::isfinite(dataset_params(*other.job->dataset).sample_count());
        }))
      return;
    space->stored.push_back({metric::of_stage(node.id, "written"), node.written,
                             text(node.read) + " read x " + count(node.work.ratio)});
    swell(space->stored.back(), swollen(*space, node.written_file), node.written_file);
  }

  void add_tenant(const Component& tenant) {
    const Value* on = tenant.find("on");
    Room* space = on == nullptr ? nullptr : home(on->text);
    if (space == nullptr) return;
    const Value* stored = tenant.find("stored");
    const std::optional<ReplayHeader> trace = replayed(tenant);
    const Bytes bytes = stored != nullptr ? Bytes::from(stored->number, unit::B)
                        : trace           ? Bytes::from(trace->file_bytes, unit::B)
                                          : Bytes{};
    const bool ingests = tenant.kind == "ingest";
    const Bytes file = ingests ? Bytes::from(base::number_of(tenant, "file"), unit::B)
                       : trace && trace->files > 0 ? Bytes::from(trace->file_bytes, unit::B) /
                                                         static_cast<double>(trace->files)
                                                   : Bytes{};
    const double times = swollen(*space, file);
    if (bytes > Bytes{}) {
      space->stored.push_back({metric::of_tenant(tenant.id, "stored"), bytes,
                               stored != nullptr ? "given" : "its files"});
      swell(space->stored.back(), times, file);
    }
    if (!ingests) return;
    space->coming.push_back(ingested(tenant));
    space->coming.back().rate = space->coming.back().rate * times;
    space->written += space->coming.back().by(space->warranty) / space->warranty;
  }

  const Design& design_;
  std::vector<Room> out_;
  std::set<std::pair<std::string, std::string>> named_;
};

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
  if (paid == Bytes{} || all <= usable || all > held) return std::nullopt;
  const double least = (paid * (all / usable)).in(unit::B);
  const double figure = std::pow(10.0, std::floor(std::log10(least)) - 2.0);
  return Bytes::from(std::ceil(least / figure - 1e-9) * figure, unit::B);
}

std::optional<Seconds> Room::full_after() const {
  if (coming.empty()) return std::nullopt;
  const Bytes left = usable - needed();
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

std::vector<Room> spaces(const Design& design) { return Surveyor(design).run(); }

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
      most = each.what;
    }
  return whose(space) + " is to hold " + text(space.needed()) + ", most of it the " +
         label::of_metric(most, "", true) + ", and has room for " + text(space.usable);
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
