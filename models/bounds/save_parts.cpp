#include "models/bounds/save_parts.hpp"

#include <algorithm>
#include <utility>

#include "models/contract/training.hpp"
#include "models/saving/cached_saves.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models::detail {
namespace {

constexpr const char* kEqCopy = "docs/models/checkpoint.md, eq. 2";
constexpr const char* kEqGather = "docs/models/checkpoint.md, eq. 4";
constexpr const char* kEqPasses = "docs/models/checkpoint.md, eq. 7";
constexpr const char* kEqPeers = "docs/models/checkpoint.md, eq. 14";
constexpr const char* kLayouts = "docs/models/checkpoint.md, layouts";
constexpr const char* kEqPlaces = "docs/models/checkpoint.md, eq. 17";

class Deriver {
 public:
  Deriver(const JobDemand& d, const CheckpointParams& p, const ModelParams& model,
          const CheckpointLayout& layout, const Plant& plant)
      : d_(d),
        p_(p),
        model_(model),
        layout_(layout),
        host_(plant.host(d.host)),
        to_peers_(plant.between_hosts(d.host, 0)),
        port_share_(plant.fabric().efficiency ? "cluster.fabric.efficiency"
                                              : d.host_input("nic.efficiency")),
        in_cache_(end_in_cache(p, plant)),
        name_(metric::checkpoint(d.id)),
        of_rank_(layout.of_rank()),
        of_host_(layout.of_host(d.layout.spread())),
        shaped_(p.layout.starts_with("zero") && model.has_shape() && !p.size) {}

  SaveParts run() {
    out_.quiesce = p_.quiesce;
    sizes();
    gather();
    if (p_.compresses_on_gpu()) codec();
    if (p_.snapshot != "none" && !d_.layout.gds_saves) copy();
    if (p_.quiesce + out_.snapshot > Seconds{}) {
      terms_.insert(terms_.begin(), input("quiesce", "quiesce"));
      std::string sum;
      for (const Term& term : terms_) sum += (sum.empty() ? "" : " + ") + term.symbol;
      line("snapshot.bound", p_.quiesce + out_.snapshot, "the state leaves the GPUs that save",
           {sum, kEqCopy, terms_});
    }
    if (!p_.ends_in_memory()) passes();
    if (p_.copies_to_peers()) peers();
    if (p_.flush_rate && !p_.ends_in_memory()) flush_rate();
    if (p_.coordinate > Seconds{})
      line("coordinate.bound", p_.coordinate, "given",
           {"coordinate", "docs/models/checkpoint.md, eq. 8", {input("coordinate", "coordinate")}});
    return std::move(out_);
  }

 private:
  void line(const std::string& what, const Measure& is, const std::string& sentence, Rule rule) {
    out_.lines.push_back(derived(name_ + what, is, sentence, std::move(rule)));
  }
  /// A part of the snapshot.
  void part(const std::string& what, Seconds time, const std::string& sentence, Rule rule) {
    line(what + ".bound", time, sentence, std::move(rule));
    terms_.push_back({what.substr(what.rfind('.') + 1), name_ + what + ".bound"});
    out_.snapshot += time;
  }
  [[nodiscard]] Term input(const char* symbol, const std::string& key) const {
    return {symbol, d_.input("checkpoint." + key)};
  }
  [[nodiscard]] Term of_host(const char* symbol, const char* key) const {
    return {symbol, d_.host_input(key)};
  }
  [[nodiscard]] Term rank() const { return {"rank", name_ + "size.rank"}; }
  [[nodiscard]] Term on_host() const { return {"host", name_ + "size.host"}; }
  [[nodiscard]] Term all() const { return {"size", name_ + "size"}; }
  [[nodiscard]] Term ranks() const { return {"ranks", metric::of_job(d_.id, "ranks")}; }
  [[nodiscard]] bool all_hosts_alike() const {
    return d_.layout.spread().more() == 0.0 && d_.layout.used_hosts() == d_.layout.hosts;
  }

  /// No equation: `explain` finds out which inputs count.
  [[nodiscard]] Rule rank_rule() const {
    const std::string& layout = p_.layout;
    const Term tensor{"tensor", d_.input("parallel.tensor")};
    const Term pipeline{"pipeline", d_.input("parallel.pipeline")};
    if (shaped_) return {};
    if (layout == "rank0") return {"size", kLayouts, {all()}};
    if (layout == "zero0")
      return {"size / (tensor * pipeline)", kLayouts, {all(), tensor, pipeline}};
    if (layout == "zero1" || layout == "zero2")
      return {"weights / (tensor * pipeline) + (size - weights) / ranks",
              kLayouts,
              {{"weights", name_ + "size.weights"}, tensor, pipeline, all(), ranks()}};
    if (layout != "fsdp-hybrid") return {"size / ranks", kLayouts, {all(), ranks()}};
    if (p_.shard_group) return {"size / group", kLayouts, {all(), input("group", "shard_group")}};
    if (!all_hosts_alike()) return {};
    return {"size / (ranks / hosts)", kLayouts, {all(), ranks(), of_host("hosts", "count")}};
  }
  [[nodiscard]] Rule host_rule() const {
    if (p_.layout == "rank0") return {"size", kEqPlaces, {all()}};
    if (!p_.each_its_own() || shaped_ || !all_hosts_alike()) return {};
    return {"size / hosts", kEqPlaces, {all(), of_host("hosts", "count")}};
  }

  void sizes() {
    if (!shaped_ && (p_.layout == "zero1" || p_.layout == "zero2")) {
      const auto per = [&](const char* part) {
        return Term{part, d_.input(std::string("model.state.") + part)};
      };
      line(
          "size.weights", layout_.size() * (model_.weights / model_.bytes_per_parameter()),
          "the weights of it",
          {"size * weights / (weights + master + momentum + variance + other)",
           kLayouts,
           {all(), per("weights"), per("master"), per("momentum"), per("variance"), per("other")}});
    }
    line("size.rank", of_rank_, "most that one rank saves, layout " + p_.layout, rank_rule());
    line("size.host", of_host_, "most that the ranks of one host save, layout " + p_.layout,
         host_rule());
  }

  // t = max(S (1 - R / N) / nic, S (R - 1) / N / nvlink)
  void gather() {
    const Seconds time =
        std::max(layout_.gathered / host_.nic(), layout_.gathered_inside / host_.nvlink_payload());
    if (time <= Seconds{}) return;
    const double beside = layout_.gathered_inside / layout_.size() * d_.layout.ranks + 1.0;
    part("gather", time, "the shares of the others come to rank 0",
         {"max(size * (1 - beside / ranks) / (nics * rate * efficiency), "
          "size * (beside - 1) / ranks / (share * nvlink))",
          kEqGather,
          {all(),
           beside == static_cast<double>(host_.gpus)
               ? of_host("beside", "gpus")
               : figure("beside", beside, Dimension::number, "ranks of its host"),
           ranks(),
           of_host("nics", "nic.count"),
           of_host("rate", "nic.rate"),
           {"efficiency", port_share_},
           figure("share", kNvlinkShare, Dimension::ratio, "of NVLink's data sheet as payload"),
           of_host("nvlink", "nvlink.rate")}});
  }

  void codec() {
    part("compress", of_rank_ / p_.compress_rate, "the GPUs compress",
         {"rank / rate", kEqPasses, {rank(), input("rate", "compress.rate")}});
  }

  void copy() {
    const bool together = layout_.writers.size() == 1 || !p_.compresses_on_gpu();
    Derivation made = copy_bound(name_, {of_rank_, of_host_, together}, d_, p_, host_);
    part("gpu.copy", Seconds::from(made.value, unit::s),
         "all GPUs that save copy at once, by their links and the memory of hosts",
         std::move(made.rule));
  }

  [[nodiscard]] Term mean_part() const {
    return figure("part", p_.mean_part(), Dimension::ratio,
                  "mean share of the state that a save writes: increments");
  }

  // Named as the run blames them: for the longest. Into the page cache each thread copies, too.
  void passes() {
    const Bytes state = of_rank_ * p_.mean_part();
    CpuPasses cpu = save_passes(p_, state);
    if (in_cache_)
      cpu.add("copy", p_.stored(state) / static_cast<double>(p_.threads) / host_.cpu_copy);
    if (cpu.total <= Seconds{}) return;
    out_.passes = cpu.total;
    Rule rule{"", kEqPasses, {rank()}};
    bool stored = false;
    const auto pass = [&](bool there, const char* symbol, const std::string& from, bool smaller) {
      if (!there) return;
      rule.equation += (rule.equation.empty() ? "1 / " : " + 1 / ") + std::string(symbol);
      if (smaller && p_.compress_ratio > 1.0) rule.equation += " / ratio", stored = true;
      rule.terms.push_back({symbol, from});
    };
    const bool serializes = p_.serializer == "torch" || p_.serializer == "dcp";
    pass(serializes, "serialize", d_.input("checkpoint.serialize"), p_.compresses_on_gpu());
    pass(p_.compresses_on_cpu(), "rate", d_.input("checkpoint.compress.rate"), false);
    pass(p_.checksum.has_value(), "checksum", d_.input("checkpoint.checksum"), true);
    pass(p_.encrypt.has_value(), "encrypt", d_.input("checkpoint.encrypt"), true);
    pass(in_cache_, "copy", d_.host_input("cpu.copy"), true);
    rule.equation = "rank * (" + rule.equation + ") / threads";
    rule.terms.push_back(input("threads", "threads"));
    if (stored) rule.terms.push_back(input("ratio", "compress.ratio"));
    if (p_.mean_part() < 1.0) {
      rule.equation += " * part";
      rule.terms.push_back(mean_part());
    }
    line(std::string(cpu.worst) + ".bound", cpu.total, "CPU passes of one rank, in turn",
         std::move(rule));
  }

  void flush_rate() {
    const Bytes written = p_.stored(layout_.size()) * p_.mean_part();
    line("flush_rate.bound", written / *p_.flush_rate, "all writers are held to it",
         {"written / rate",
          "docs/models/checkpoint.md",
          {{"written", name_ + (written < layout_.size() ? "written" : "size")},
           input("rate", "flush_rate")}});
  }

  // Through what is narrowest of the host that saves most.
  void peers() {
    const double copies = static_cast<double>(p_.peers);
    const bool ports = host_.nic() <= to_peers_.rate;
    out_.peers =
        p_.copied(of_host_) * (p_.mean_part() * copies) / std::min(host_.nic(), to_peers_.rate);
    Rule rule{ports ? "peers * host / (nics * rate * efficiency)" : "peers * host / way",
              kEqPeers,
              {{"peers", d_.input("checkpoint.peers"), copies, Dimension::number,
                "copies in the memory of other hosts"},
               on_host()}};
    if (ports)
      for (const Term& term : {of_host("nics", "nic.count"), of_host("rate", "nic.rate"),
                               Term{"efficiency", port_share_}})
        rule.terms.push_back(term);
    else
      rule.terms.push_back(figure("way", to_peers_.rate.in(unit::Bps), Dimension::rate,
                                  to_peers_.resource + " of one host"));
    if (p_.compresses_on_gpu()) {
      rule.equation += " / ratio";
      rule.terms.push_back(input("ratio", "compress.ratio"));
    }
    if (p_.mean_part() < 1.0) {
      rule.equation += " * part";
      rule.terms.push_back(mean_part());
    }
    line(p_.to == kPeerMemory ? "save.bound" : "peers.bound", out_.peers,
         count(copies) + (copies > 1.0 ? " copies" : " copy") + " to peers through " +
             (ports ? "the ports" : "the memory, PCIe and links between sockets of a host"),
         std::move(rule));
  }

  const JobDemand& d_;
  const CheckpointParams& p_;
  const ModelParams& model_;
  const CheckpointLayout& layout_;
  const HostParams& host_;
  Plant::Narrowest to_peers_;  ///< of what copies to peers cross in a host
  std::string port_share_;     ///< the input that says what of the ports' rate is payload
  bool in_cache_;              ///< saves end, for training, in the page cache
  std::string name_;
  Bytes of_rank_, of_host_;
  bool shaped_;              ///< a layout cuts the tensors of a model
  std::vector<Term> terms_;  ///< of the snapshot
  SaveParts out_;
};

}  // namespace

// t = max(S_rank / copy, S_host / DRAM, S_host / PCIe switches), of S_rank where the ranks of a
// host do not copy at the same time: they compressed different parts before, or read them.
Derivation copy_bound(const std::string& name, const Copied& copied, const JobDemand& d,
                      const CheckpointParams& p, const HostParams& host) {
  const auto of_host = [&](const char* symbol, const char* key) {
    return Term{symbol, d.host_input(key)};
  };
  const bool pageable = p.snapshot == "pageable";
  Seconds time = copied.rank / (pageable ? host.gpu_copy_pageable : host.gpu_copy);
  Rule rule{
      "rank / copy",
      kEqCopy,
      {{"rank", name + "size.rank"}, of_host("copy", pageable ? "gpu.copy_pageable" : "gpu.copy")}};
  const Bytes at_once = copied.together ? copied.host : copied.rank;
  const std::string symbol = copied.together ? "host" : "rank";
  time = std::max(time, at_once / (host.memory_bandwidth * kDramShare));
  rule.equation = "max(rank / copy, " + symbol + " / (share * memory)";
  if (copied.together) rule.terms.push_back({"host", name + "size.host"});
  rule.terms.push_back(figure("share", kDramShare, Dimension::ratio, "of DRAM's data sheet"));
  rule.terms.push_back(of_host("memory", "memory.bandwidth"));
  if (host.uplink) {
    time = std::max(time, at_once / (*host.uplink * static_cast<double>(host.switches)));
    rule.equation += ", " + symbol + " / (switches * uplink)";
    rule.terms.push_back(of_host("switches", "pcie.switches"));
    rule.terms.push_back(of_host("uplink", "pcie.uplink"));
  }
  rule.equation += ")";
  if (p.compresses_on_gpu()) {
    time = time / p.compress_ratio;
    rule.equation += " / ratio";
    rule.terms.push_back({"ratio", d.input("checkpoint.compress.ratio")});
  }
  return derived(name + "gpu.copy.bound", time,
                 "all GPUs copy at once, by their links and the memory of hosts", std::move(rule));
}

Seconds SaveParts::save(const CheckpointParams& p, bool blocking, Seconds flush) const {
  if (!p.streams()) return quiesce + snapshot + passes + flush;
  const Seconds written = std::max(passes, flush);
  return quiesce + (blocking ? std::max(snapshot, written) : snapshot + written);
}

SaveParts save_parts(const JobDemand& d, const CheckpointParams& p, const ModelParams& model,
                     const CheckpointLayout& layout, const Plant& plant) {
  return Deriver(d, p, model, layout, plant).run();
}

}  // namespace stallcast::models::detail
