#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/bounds/job_dates.hpp"
#include "models/bounds/kept_saves.hpp"
#include "models/bounds/part_counts.hpp"
#include "models/bounds/parts.hpp"
#include "models/bounds/space.hpp"
#include "models/contract/access.hpp"
#include "models/contract/capacity.hpp"
#include "models/contract/replay_program.hpp"
#include "models/contract/rows.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/metric.hpp"

/// What lies where, and what comes. docs/models/capacity.md.
namespace stallcast::models {
namespace {

using namespace detail;

constexpr double kRounded = 0.01;   // of what a stage brings: samples are cut, not data of others
constexpr double kSwollen = 1.005;  // less are the ends of large files
constexpr const char *kStored = "docs/models/capacity.md, eq. 2", *kQuota = "capacity.size";

/// Collects what lies where.
class Surveyor {
 public:
  explicit Surveyor(const Design& design) : design_(design), dates_(job_dates(design)) {}

  std::vector<Room> run() {
    for (const Component& storage : design_.storage) measure(storage);
    find_saves();
    for (std::size_t j = 0; j < design_.jobs.size(); ++j) {
      if (design_.jobs[j].dataset) add_dataset(design_.jobs[j]);
      if (saves_[j]) add_saves(j);
    }
    for (const Component& tenant : design_.tenants) add_tenant(tenant);
    const std::vector<StageNode> stages = stage_graph(design_);
    for (std::size_t s = 0; s < stages.size(); ++s) add_stage(stages, s);
    for (Room& space : out_)
      if (space.per_host) join_classes(space);
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

  /// Where files of `storage` end: what a cache stands in front of; inside hosts, that of `hosts`.
  /// nullptr: nothing says how much it holds.
  Room* home(std::string storage, const std::string& hosts) {
    for (std::size_t hops = 0; hops <= design_.storage.size(); ++hops) {
      const Component* component = design_.find_storage(storage);
      const Value* over = component == nullptr ? nullptr : component->find("over");
      if (over == nullptr) break;
      storage = over->text;
    }
    const auto it = std::find_if(out_.begin(), out_.end(),
                                 [&](const Room& space) { return space.storage == storage; });
    if (it == out_.end() || !it->per_host) return it == out_.end() ? nullptr : &*it;
    Room& own = inside_.try_emplace({it->storage, hosts}, *it).first->second;
    own.hosts = hosts;
    return &own;
  }
  static std::string hosts_of(const JobDesign& job) { return job_params(job.job).hosts; }

  // Each host has its own drives: what jobs on other hosts have there takes no room of theirs.
  //    [docs/models/capacity.md, eq. 2]
  void join_classes(Room& space) const {
    Room joined = space;
    std::optional<Seconds> full;
    Bytes there;  // where it is full first
    for (const auto& [place, own] : inside_) {
      if (place.first != space.storage) continue;
      if (joined.hosts.empty() || own.needed() > joined.needed()) {
        joined.stored = own.stored;
        joined.hosts = own.hosts;
      }
      if (const auto date = own.full_after(); date && (!full || *date < *full)) {
        full = date;
        joined.coming = own.coming;
        there = own.needed();
      }
      joined.written = std::max(joined.written, own.written);
    }
    if (full) joined.less = joined.needed() - there;
    space = std::move(joined);
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
      Room* space = home(place.storage, hosts_of(job));
      if (space == nullptr || !std::isfinite(samples)) continue;
      const Value* name = job.dataset->find("name");
      if (name != nullptr && !named_.insert({space, name->text}).second) continue;
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
      to_be_brought_[{space, job.job.id}] = space->stored.back().bytes;
      const Bytes all = sized ? *data.size : data.sample * samples;
      const Bytes file = std::min(all, data.sample * sample_access(job).stored_in_file());
      swell(space->stored.back(), swollen(*space, file), file);
    }
  }

  // What retention keeps, and the save that comes next.    [docs/models/capacity.md, eq. 2 and 4]
  void add_saves(std::size_t j) {
    const JobDesign& job = design_.jobs[j];
    const KeptSaves& saves = *saves_[j];
    const CheckpointParams& p = saves.params;
    for (const std::string& tier : saves.tiers) {
      Room* space = room_for(tier, job);
      if (space == nullptr) continue;
      const double share = space->per_host ? 1.0 / saves.holders : 1.0;
      const Bytes file = saves.state / saves.files;
      const double times = swollen(*space, file);
      const std::int64_t drains = saves.drains(tier);
      const Rate come =
          saves.state * (share * times) / (saves.interval * static_cast<double>(drains));
      const std::string of = " of job \"" + job.job.id + "\"";
      add_coming(
          *space,
          {.rate = come * p.left_part(drains),
           .what = "saves" + of + " that are never deleted",
           .less = p.keep_last ? "" : "\"keep\": { \"last\": 3 }" + of + " deletes older saves",
           .rule = rule_of(saves, drains)},
          dates_[j]);
      space->written += come * (p.mean_part(drains) * dates_[j].share());
      const ThereOf there = there_.empty() ? ThereOf{} : there_.at(space)[j];
      if (!there.kept) continue;
      const double count_of = saves.count(tier, there.next), equal = saves.whole(tier, there.next);
      Rule rule{"saves * size / ratio",
                kStored,
                {figure("saves", equal, Dimension::number, "whole ones that take as much"),
                 {"size", metric::checkpoint(job.job.id, "size")},
                 {"ratio", "jobs[" + job.job.id + "].checkpoint.compress.ratio"}}};
      if (space->per_host) {
        rule.equation += " / hosts";
        rule.terms.push_back(figure("hosts", saves.holders, Dimension::number,
                                    "that share it, as much as the fullest holds"));
      }
      const std::string part = saves.tiers.size() > 1 ? "checkpoints." + tier : "checkpoints";
      space->stored.push_back({metric::of_job(job.job.id, part), saves.state * (equal * share),
                               count(count_of) + (count_of > 1.0 ? " saves" : " save") + " of " +
                                   text(saves.state * share) +
                                   (p.keep_last && there.next ? ", the next one included" : ""),
                               std::move(rule)});
      swell(space->stored.back(), times, file);
    }
  }

  Room* room_for(const std::string& tier, const JobDesign& job) {
    return in_memory(tier) || tier == kLocalNvme ? nullptr : home(tier, hosts_of(job));
  }

  // After a job comes another, and after a row of them such a row.  [docs/models/capacity.md, eq.
  // 4]
  static void add_coming(Room& space, Coming stays, const JobDates& dates) {
    if (stays.rate <= Rate{}) return;
    space.coming.push_back(stays);
    if (dates.in_row == 1) return;
    space.coming.back().from = dates.begin, space.coming.back().until = dates.end;
    stays.rate = stays.rate * dates.share(), stays.from = dates.row;
    space.coming.push_back(std::move(stays));
  }

  static std::string rule_of(const KeptSaves& saves, std::int64_t drains) {
    return text(saves.state) + " each " + text(saves.interval * static_cast<double>(drains)) +
           (saves.params.every_steps ? " of compute alone: they come later in truth" : "");
  }

  // Of saves of jobs in a row not all are there at one time.    [docs/models/capacity.md, eq. 2]
  void find_saves() {
    for (const JobDesign& job : design_.jobs) {
      const bool known = job.checkpoint && design_.find_host(job_params(job.job).hosts) != nullptr;
      saves_.push_back(known ? std::optional(kept_saves(design_, job)) : std::nullopt);
    }
    if (std::none_of(dates_.begin(), dates_.end(),
                     [](const JobDates& dates) { return dates.in_row > 1; }))
      return;
    std::map<const Room*, std::vector<std::pair<Bytes, Bytes>>> taken;
    for (std::size_t j = 0; j < saves_.size(); ++j)
      for (const std::string& tier : saves_[j] ? saves_[j]->tiers : std::set<std::string>{}) {
        const Room* space = room_for(tier, design_.jobs[j]);
        if (space == nullptr) continue;
        const KeptSaves& of = *saves_[j];
        const Bytes one = of.state * ((space->per_host ? 1.0 / of.holders : 1.0) *
                                      swollen(*space, of.state / of.files));
        auto& each = taken[space];
        each.resize(saves_.size());
        auto& [stays, goes] = each[j];
        stays += one * of.whole(tier, false);
        goes += one * (of.whole(tier, true) - of.whole(tier, false));
      }
    const JobOrder order(design_);
    for (const auto& [space, each] : taken) there_[space] = there_at_one_time(order, each);
  }

  // What a stage brings; data sets of jobs that follow it are a part of that, and counted already.
  //    [docs/models/capacity.md, eq. 2]
  void add_stage(const std::vector<StageNode>& stages, std::size_t at) {
    const StageNode& node = stages[at];
    Room* space = node.work.to.empty() ? nullptr : home(node.work.to, node.move.hosts);
    if (space == nullptr || node.written <= Bytes{}) return;
    const double hosts = space->per_host ? node.hosts : 1.0;
    const Bytes all = node.written / hosts;
    Bytes more = all;
    for (const StageNode& job : stages) {
      if (!brings_data(stages, at, job)) continue;
      const auto data = to_be_brought_.find({space, job.job->job.id});
      if (data == to_be_brought_.end()) continue;
      const Bytes part = std::min(more, data->second);
      more -= part;
      data->second -= part;
    }
    if (more <= all * kRounded) return;
    space->stored.push_back({metric::of_stage(node.id, "written"), more,
                             text(node.read) + " read x " + count(node.work.ratio) +
                                 (hosts > 1.0 ? " / " + count(hosts) + " hosts" : "") +
                                 (more < all ? " - " + text(all - more) + " of data sets" : "")});
    swell(space->stored.back(), swollen(*space, node.written_file), node.written_file);
  }

  void add_tenant(const Component& tenant) {
    const Value* on = tenant.find("on");
    const Value* hosts = tenant.find("hosts");
    Room* space = on == nullptr ? nullptr : home(on->text, hosts == nullptr ? "" : hosts->text);
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
  std::map<std::pair<std::string, std::string>, Room> inside_;  ///< by storage and host class
  std::set<std::pair<const Room*, std::string>> named_;
  /// Of data sets, by room and job, what no stage has brought so far.
  std::map<std::pair<const Room*, std::string>, Bytes> to_be_brought_;
  std::vector<JobDates> dates_;
  std::vector<std::optional<KeptSaves>> saves_;          ///< by number of the job
  std::map<const Room*, std::vector<ThereOf>> there_{};  ///< by room; empty: all of them
};

}  // namespace

std::vector<Room> spaces(const Design& design) { return Surveyor(design).run(); }

}  // namespace stallcast::models
