#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/contract/rows.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/rules/support.hpp"
#include "stallcast/units.hpp"

/// What must fit together in the state of a job and how it is saved. docs/models/checkpoint.md.
namespace stallcast::scenarios {
namespace {

constexpr std::string_view kShape[] = {"shape.vocabulary", "shape.hidden",   "shape.ffn",
                                       "shape.heads",      "shape.kv_heads", "shape.layers"};

// Share of restarts without any checkpoint that is worth a word.
constexpr double kAllLost = 1e-3;

class StateRules {
 public:
  StateRules(const Design& design, const JobDesign& job, Diagnostics& report)
      : job_(job),
        design_(design),
        report_(report),
        host_(host_of(design, job)),
        ranks_(accelerators(design, job)) {}

  void check() {
    check_shape();
    check_parallelism();
    if (!job_.checkpoint || job_.checkpoint->kind.empty()) return;
    const Component& save = *job_.checkpoint;
    check_destination(save);
    check_save_interval(job_, report_);
    check_size(save);
    check_layout(save);
    check_gds(save);
    check_commit(save);
    check_shared(save);
    check_tiers(save);
    check_durable(save);
    check_restore(save);
    check_trust(save);
    if (!report_.has_errors()) check_memory(save);
  }

 private:
  // A shape is whole or absent.
  void check_shape() {
    std::vector<std::string> missing;
    for (const std::string_view key : kShape)
      if (lacks(job_.model, key)) missing.emplace_back(key);
    if (!missing.empty() && missing.size() < std::size(kShape))
      report_.error("rule", job_.model.pointer,
                    "the shape of the model lacks \"" + missing.front() + "\"",
                    "give all six of vocabulary, hidden, ffn, heads, kv_heads and layers, or none");
    const double hidden = number(job_.model, "shape.hidden");
    if (missing.empty() && hidden > 0.0 && number(job_.model, "shape.heads") > hidden)
      report_.error("rule", pointer_of(job_.model, "shape.heads"),
                    "there are more heads than the hidden size of " + base::shortest(hidden),
                    "a head has hidden / heads elements");
  }

  void check_parallelism() {
    const double tensor = number(job_.job, "parallel.tensor", 1.0);
    const double pipeline = number(job_.job, "parallel.pipeline", 1.0);
    const double shards = tensor * pipeline;
    const std::string at =
        pointer_of(job_.job, pipeline > tensor ? "parallel.pipeline" : "parallel.tensor");
    if (ranks_ > 0.0 && std::fmod(ranks_, shards) != 0.0)
      report_.error("rule", at,
                    "tensor x pipeline = " + base::shortest(shards) + " does not divide the " +
                        base::shortest(ranks_) + " ranks of job \"" + job_.job.id + "\"",
                    "ranks = tensor x pipeline x data parallelism");
    const double layers = number(job_.model, "shape.layers", pipeline);
    if (pipeline > layers)
      report_.error("rule", pointer_of(job_.job, "parallel.pipeline"),
                    "there are more pipeline stages than the " + base::shortest(layers) +
                        " layers of the model",
                    "a stage holds at least one layer");
  }

  // A storage system, or the memory of hosts.
  void check_destination(const Component& save) {
    const Value* to = save.find("to");
    if (to == nullptr) return;
    if (!ends_in_memory(save)) {
      std::vector<std::string> names{std::string(models::kHostMemory),
                                     std::string(models::kPeerMemory)};
      for (const Component& storage : design_.storage) names.push_back(storage.id);
      if (std::find(names.begin(), names.end(), to->text) == names.end())
        report_.error("reference", pointer_of(save, "to"), "no storage system \"" + to->text + "\"",
                      allowed_hint(to->text, names));
      return;
    }
    check_tier_there(to->text, pointer_of(save, "to"), true);
    check_saves_in_memory(design_, job_, report_);
  }

  static bool ends_in_memory(const Component& save) {
    const Value* to = save.find("to");
    return to != nullptr && models::in_memory(to->text);
  }

  void check_size(const Component& save) {
    if (lacks(save, "size") && lacks(job_.model, "parameters") && lacks(job_.model, "shape.hidden"))
      report_.error("rule", save.pointer,
                    "the size of a checkpoint of job \"" + job_.job.id + "\" is unknown",
                    "add \"size\": \"2 TB\", or the model's \"parameters\"");
    const Value* serializer = save.find("serializer");
    if (serializer != nullptr && serializer->text == "tensorstore" && lacks(save, "chunk"))
      report_.error("rule", pointer_of(save, "serializer"),
                    "tensorstore writes objects, and \"chunk\" does not say how large",
                    "add \"chunk\": \"64 MiB\"");
    if (save.find("keep.every") != nullptr && lacks(save, "keep.last"))
      report_.error("rule", pointer_of(save, "keep.every"),
                    "\"keep.every\" spares old checkpoints, and without \"keep.last\" all are kept",
                    "add \"keep\": { \"last\": 3, ... }");
    if (number(save, "compress.ratio", 1.0) == 1.0 &&
        is_chosen(models::Role::checkpoint, save, "compress.rate"))
      report_.warn("rule", pointer_of(save, "compress.rate"),
                   "nothing is compressed: \"compress.ratio\" is 1", "give the ratio too");
  }

  // cuFile spares the copy to host memory; a save that goes on from there has nothing to spare.
  void check_gds(const Component& save) {
    if (number(save, "gds") == 0.0 || save.find("buffers") == nullptr) return;
    report_.error("rule", pointer_of(save, "gds"),
                  "an asynchronous save is written from its snapshot in host memory: there is "
                  "nothing for GPUDirect Storage to spare",
                  "remove \"gds\", or \"mode\": \"sync\"");
  }

  // A save that nobody flushes is in the page cache, or there is none.  [checkpoint.md, eq. 15]
  void check_commit(const Component& save) {
    const Value* commit = save.find("commit");
    const Value* to = save.find("to");
    const Component* store = to == nullptr ? nullptr : design_.find_storage(to->text);
    if (commit != nullptr && commit->text == "in-place" &&
        (save.find("keep.last") != nullptr || number(save, "incremental.fraction", 1.0) < 1.0 ||
         (store != nullptr && store->kind == "s3")))
      report_.error("rule", pointer_of(save, "commit"),
                    store != nullptr && store->kind == "s3"
                        ? "an object is replaced when all of it is there: nothing is in place"
                        : "\"commit\": \"in-place\" leaves one save: none before it is kept, and "
                          "no increment has one to build on",
                    "leave it out");
    if (commit == nullptr || commit->text != "cache") return;
    const auto refuse = [&](const std::string& why, const std::string& hint) {
      report_.error("rule", pointer_of(save, "commit"), "\"commit\": \"cache\": " + why, hint);
    };
    if (save.find("buffers") != nullptr)
      refuse("training does not wait for the writes of an asynchronous save", "remove it");
    else if (number(save, "direct") > 0.0 || number(save, "gds") > 0.0)
      refuse("these writes go past the page cache", "remove it, \"direct\" and \"gds\"");
    else if (reads_back(save))
      refuse("reading back would read the page cache", "remove it, or \"verify\"");
    else if (ends_in_memory(save))
      refuse("no file is written", "remove it");
  }

  void check_layout(const Component& save) {
    const Value *group = save.find("shard_group"), *layout = save.find("layout");
    if (group == nullptr || layout == nullptr || layout->text != "fsdp-hybrid" || ranks_ <= 0.0)
      return;
    if (std::fmod(ranks_, group->number) != 0.0)
      report_.error("rule", pointer_of(save, "shard_group"),
                    "shard groups of " + base::shortest(group->number) + " do not divide the " +
                        base::shortest(ranks_) + " ranks of job \"" + job_.job.id + "\"",
                    "the groups of fsdp-hybrid hold one copy of the state each");
  }

  // Snapshots in host memory: the limit the simulation falls back to synchronous saves at.
  void check_memory(const Component& save) {
    // Only styles that keep snapshots have buffers for them.
    const Value* durable = save.find("durable");
    const bool in_memory =
        ends_in_memory(save) || (durable != nullptr && models::in_memory(durable->text));
    if ((save.find("buffers") == nullptr && !in_memory) || host_ == nullptr || ranks_ <= 0.0)
      return;
    const models::CheckpointParams p = models::checkpoint_params(save);
    const models::RankSpread spread{ranks_, number(*host_, "count", 1.0)};
    const models::CheckpointLayout layout = models::checkpoint_layout(
        p, models::model_params(job_.model), models::job_params(job_.job), ranks_, spread.most());
    const Bytes held = models::staged_per_host(p, layout.of_host(spread), layout.size());
    const Bytes memory = Bytes::from(number(*host_, "memory.size"), unit::B);
    if (held <= models::staging_limit(memory)) return;
    if (in_memory)
      report_.error("rule", pointer_of(save, ends_in_memory(save) ? "to" : "durable"),
                    "the copies that one host holds, " +
                        base::print_quantity(held.in(unit::B), Dimension::bytes) +
                        ", do not fit in half of its " +
                        base::print_quantity(memory.in(unit::B), Dimension::bytes) + " of memory",
                    "use more hosts, fewer \"buffers\" or \"peers\", or a storage system");
    else
      report_.warn("rule", save.pointer,
                   "the snapshots of one host, " +
                       base::print_quantity(held.in(unit::B), Dimension::bytes) +
                       ", do not fit in half of its " +
                       base::print_quantity(memory.in(unit::B), Dimension::bytes) +
                       " of memory: saves will be synchronous",
                   "use more hosts, fewer \"buffers\" or \"peers\", or \"mode\": \"sync\"");
  }

  [[nodiscard]] bool is_storage(const std::string& tier) const {
    return design_.find_storage(tier) != nullptr;
  }
  [[nodiscard]] std::vector<std::string> tier_names() const {
    std::vector<std::string> names{std::string(models::kHostMemory),
                                   std::string(models::kPeerMemory),
                                   std::string(models::kLocalNvme)};
    for (const Component& storage : design_.storage) names.push_back(storage.id);
    return names;
  }

  // The hosts must have what a tier needs.
  void check_tier_there(const std::string& tier, const std::string& at, bool read) {
    if (host_ == nullptr || host_->kind.empty()) return;
    if (tier == models::kLocalNvme &&
        (lacks(*host_, "nvme.write") || (read && lacks(*host_, "nvme.read"))))
      report_.error("rule", at,
                    "host class \"" + host_->id + "\" has no local NVMe" +
                        (lacks(*host_, "nvme.write") ? "" : " to read from"),
                    "add \"nvme\": { \"read\": \"12 GB/s\", \"write\": \"8 GB/s\" } to it");
    const double others = number(*host_, "count") - 1.0;
    const double peers = number(*job_.checkpoint, "peers", 1.0);
    if (tier == models::kPeerMemory && peers > others)
      report_.error("rule", at,
                    base::shortest(peers) + " copies in the memory of other hosts, and \"" +
                        host_->id + "\" has " + base::shortest(others) + " of them",
                    "lower \"peers\", or raise the host count");
  }

  // Pieces that end anywhere cost locks and read-modify-write: a kind says how much, or takes
  // none.    [docs/models/storage.md, eq. 10]
  void check_shared(const Component& save) {
    const Value* shared = save.find("shared");
    if (shared == nullptr || shared->text != "interleaved") return;
    for (const Component& store : design_.storage)
      if (passes(save, store.id) && !store.kind.empty()) check_pieces(save, store.id, store.kind);
    if (const std::string drives(models::kLocalNvme); passes(save, drives))
      check_pieces(save, drives, "local");
  }

  void check_pieces(const Component& save, const std::string& store, const std::string& kind) {
    const std::string_view why = models::storage_row(kind).refuses_pieces;
    if (why.empty()) return;
    report_.error(
        "rule", pointer_of(save, "shared"),
        "\"" + store + "\" takes no file that several write in pieces: " + std::string(why),
        "write files of their own (\"shared\": \"no\")");
  }

  void check_tiers(const Component& save) {
    const Value* tiers = save.find("tiers");
    const Value* to = save.find("to");
    if (tiers == nullptr) return;
    const std::string at = pointer_of(save, "tiers");
    const std::vector<std::string> names = tier_names();
    for (std::size_t i = 0; i < tiers->list.size(); ++i) {
      const std::string& tier = tiers->list[i];
      const std::string item = at + base::pointer_token(i);
      if (std::find(names.begin(), names.end(), tier) == names.end())
        report_.error("reference", item, "no checkpoint tier \"" + tier + "\"",
                      allowed_hint(tier, names));
      if (std::count(tiers->list.begin(), tiers->list.begin() + static_cast<std::ptrdiff_t>(i),
                     tier) > 0)
        report_.error("rule", item, "the tier \"" + tier + "\" is named twice", "remove one");
      check_tier_there(tier, item, i + 1 < tiers->list.size() || reads_back(save));
    }
    for (std::size_t i = 0; ends_in_memory(save) && i < tiers->list.size(); ++i)
      if (!models::in_memory(tiers->list[i]))
        report_.error("rule", at + base::pointer_token(i),
                      "the checkpoint ends in \"" + to->text + "\", and passes through \"" +
                          tiers->list[i] + "\"",
                      "name it as \"to\", or leave it out");
    if (to != nullptr && !tiers->list.empty() && tiers->list.back() != to->text &&
        (is_storage(to->text) || ends_in_memory(save)))
      report_.error("rule", at + base::pointer_token(tiers->list.size() - 1),
                    "the last tier is \"" + tiers->list.back() +
                        "\", but the checkpoint goes to \"" + to->text + "\"",
                    "end \"tiers\" with \"" + to->text + "\"");
  }

  void check_durable(const Component& save) {
    const Value* durable = save.find("durable");
    if (durable != nullptr && !passes(save, durable->text))
      report_.error("rule", pointer_of(save, "durable"),
                    "no save passes through \"" + durable->text + "\"", "name one of \"tiers\"");
    const Value* to = save.find("to");
    const double drains = number(save, "drain_every", 1.0);
    const double whole = number(save, "incremental.full_every", 1.0);
    if (drains > 1.0 && number(save, "incremental.fraction", 1.0) < 1.0 &&
        std::fmod(drains, whole) != 0.0)  // [docs/models/checkpoint.md, eq. 9]
      report_.warn("rule", pointer_of(save, "drain_every"),
                   "increments go on to the last tier without what they build on, for nothing",
                   "let whole saves go on: a multiple of " + base::shortest(whole));
    if (drains > 1.0 && !ends_in_memory(save) &&
        (lacks(save, "durable") ||
         (durable != nullptr && to != nullptr && durable->text == to->text)))
      report_.error("rule", pointer_of(save, "drain_every"),
                    "saves that are not drained to the last tier would be safe nowhere",
                    "name the one of \"tiers\" that keeps them as \"durable\": not the last");
  }

  static bool reads_back(const Component& save) {
    const Value* verify = save.find("verify");
    return verify != nullptr && verify->text == "read-back";
  }

  // Saves that may be bad: how they are found out, and whether older ones are left then.
  void check_trust(const Component& save) {
    const double corrupt = number(save, "corrupt");
    if (corrupt <= 0.0 || reads_back(save)) return;
    if (lacks(save, "checksum"))
      report_.warn(
          "rule", pointer_of(save, "corrupt"),
          "saves may be bad and have no checksum: one that loads all the same goes on with "
          "wrong numbers, which is not predicted",
          "add \"checksum\": \"10 GB/s\"");
    // All that are kept are bad: p^k.    [docs/models/failures.md, eq. 10]
    const double lost = std::pow(corrupt, number(save, "keep.last", 1e6));
    if (lost > kAllLost)
      report_.warn("rule", pointer_of(save, "keep.last"),
                   "in " + base::print_quantity(lost, Dimension::ratio) +
                       " of the restarts all checkpoints that are kept are bad, and all work is "
                       "lost",
                   "keep more of them, or \"verify\": \"read-back\"");
  }

  // Whether a save comes through `tier`.
  static bool passes(const Component& save, const std::string& tier) {
    const Value* tiers = save.find("tiers");
    const Value* to = save.find("to");
    return (to != nullptr && to->text == tier) ||
           (tiers != nullptr &&
            std::find(tiers->list.begin(), tiers->list.end(), tier) != tiers->list.end());
  }

  void check_restore(const Component& save) {
    const Value* from = save.find("restore.from");
    if (from == nullptr) return;
    if (!passes(save, from->text))
      report_.error("rule", pointer_of(save, "restore.from"),
                    "no save passes through \"" + from->text + "\"",
                    "restore from one of \"tiers\", or from \"to\"");
    else
      check_tier_there(from->text, pointer_of(save, "restore.from"), true);
  }

  [[nodiscard]] bool lacks(const Component& component, std::string_view key) const {
    return scenarios::lacks(component, key, report_);
  }

  const JobDesign& job_;
  const Design& design_;
  Diagnostics& report_;
  const Component* host_;
  double ranks_;
};

}  // namespace

void check_saved_state(const Design& design, const JobDesign& job, Diagnostics& report) {
  StateRules(design, job, report).check();
}

}  // namespace stallcast::scenarios
