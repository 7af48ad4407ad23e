#include <algorithm>
#include <utility>

#include "models/bounds/flows.hpp"
#include "models/bounds/save_parts.hpp"
#include "models/contract/training.hpp"
#include "stallcast/metric.hpp"

/// A restore after the run in closed form: docs/models/checkpoint.md, "Restore".
namespace stallcast::models::detail {
namespace {

constexpr const char* kRestore = "docs/models/checkpoint.md, restore";
constexpr const char* kPasses = "docs/models/checkpoint.md, eq. 7";
constexpr const char* kEqBroadcast = "docs/models/checkpoint.md, eq. 13";

class RestoreDeriver {
 public:
  RestoreDeriver(const JobDemand& d, const CheckpointParams& p, const CheckpointLayout& layout,
                 const Plant& plant)
      : d_(d),
        p_(p),
        saved_(layout),
        plant_(plant),
        host_(plant.host(d.host)),
        name_(metric::of_job(d.id, "restore.")),
        tier_(p.restore_from    ? *p.restore_from
              : p.tiers.empty() ? p.to
                                : p.tiers.front()),
        mode_(p.restore) {
    if (tier_ == kLocalNvme) tier_ = Plant::drives_of(d.host);
    if (mode_ == "all" && (in_memory(tier_) || plant.storage(tier_).own_of_host())) mode_ = "once";
    read_ = layout;
    read_.writers = mode_ == "own"   ? layout.writers
                    : mode_ == "all" ? layout.readers_all
                                     : layout.readers_once;
    of_rank_ = read_.of_rank();
    of_host_ = read_.of_host(d.layout.spread());
  }

  std::vector<Derivation> run() {
    sizes();
    if (tier_ == kPeerMemory)
      from_peers();
    else if (!in_memory(tier_))
      read();
    if (mode_ == "once" && saved_.receivers > 0.0 && saved_.broadcast > Bytes{}) broadcast();
    if (p_.snapshot != "none" && !d_.layout.gds_saves) {
      const bool together = read_.writers.size() == 1;
      lines_.push_back(copy_bound(name_, {of_rank_, of_host_, together}, d_, p_, host_));
    }
    if (p_.compresses_on_gpu())
      line("compress.bound", of_rank_ / p_.compress_rate, "the GPUs decompress",
           {"rank / rate", kPasses, {rank(), {"rate", d_.input("checkpoint.compress.rate")}}});
    return std::move(lines_);
  }

 private:
  void line(const std::string& what, const Measure& is, const std::string& sentence,
            Rule rule = {}) {
    lines_.push_back(derived(name_ + what, is, sentence, std::move(rule)));
  }
  [[nodiscard]] Term rank() const { return {"rank", name_ + "size.rank"}; }
  [[nodiscard]] Term ratio() const { return {"ratio", d_.input("checkpoint.compress.ratio")}; }
  /// As of a save, where it is as much.
  [[nodiscard]] Rule as_saved(const char* what, Bytes here, Bytes there) const {
    if (here != there) return {};
    return {"saved", kRestore, {{"saved", metric::checkpoint(d_.id, what)}}};
  }

  void sizes() {
    const RankSpread spread = d_.layout.spread();
    line("size.rank", of_rank_, "most that one rank reads, restore.read " + mode_,
         as_saved("size.rank", of_rank_, saved_.of_rank()));
    line("size.host", of_host_, "most that the ranks of one host read, restore.read " + mode_,
         as_saved("size.host", of_host_, saved_.of_host(spread)));
    line("size", read_.size(), "all that is read, restore.read " + mode_,
         as_saved("size", read_.size(), saved_.size()));
  }

  void from_peers() {
    const Plant::Narrowest way = plant_.between_hosts(d_.host, 0);
    const bool ports = host_.nic() <= way.rate;
    const Rate rate = std::min(host_.nic(), way.rate);
    Rule rule{ports ? "host / nic" : "host / way",
              kRestore,
              {{"host", name_ + "size.host"},
               figure(ports ? "nic" : "way", rate.in(unit::Bps), Dimension::rate,
                      ports ? "ports of a host" : way.resource + " of one host")}};
    if (p_.compresses_on_gpu()) {
      rule.equation += " / ratio";
      rule.terms.push_back(ratio());
    }
    line("read.bound", p_.copied(of_host_) / rate,
         ports ? "from peers through the ports"
               : "from peers through the memory, PCIe and links between sockets of a host",
         std::move(rule));
  }

  // max(S / max flow, S_host / host, S_rank / (threads stream)), then the passes.
  void read() {
    const graph::NodeId source = plant_.storage(tier_).read_source();
    const bool gds = d_.layout.gds_saves;
    const MinCut flow = named_cut(
        name_ + "flow", plant_,
        plant_.topology().max_flow({&source, 1}, plant_.mounts(d_.host, tier_, true, gds)), lines_);
    const Passage way{.all = p_.stored(read_.size()),
                      .host = p_.stored(of_host_),
                      .rank = p_.stored(of_rank_),
                      .part = 1.0 / p_.compress_ratio,
                      .flow = flow.value,
                      .stem = name_,
                      .storage = tier_,
                      .reading = true,
                      .reference = kRestore};
    Slowest least = slowest_of(way, p_, d_, plant_);
    line("read.bound", least.time, least.formula, std::move(least.rule));
    passes();
  }

  void passes() {
    const CpuPasses cpu = restore_passes(p_, of_rank_);
    if (cpu.total <= Seconds{}) return;
    Rule rule{"", kPasses, {rank()}};
    bool stored = false;
    const auto pass = [&](bool there, const char* symbol, const char* field, bool smaller) {
      if (!there) return;
      rule.equation += (rule.equation.empty() ? "1 / " : " + 1 / ") + std::string(symbol);
      if (smaller && p_.compress_ratio > 1.0) rule.equation += " / ratio", stored = true;
      rule.terms.push_back({symbol, d_.input(std::string("checkpoint.") + field)});
    };
    pass(p_.encrypt.has_value(), "encrypt", "encrypt", true);
    pass(p_.checksum.has_value(), "checksum", "checksum", true);
    pass(p_.compresses_on_cpu(), "rate", "compress.rate", false);
    pass(p_.serializer == "torch" || p_.serializer == "dcp", "deserialize", "restore.deserialize",
         p_.compresses_on_gpu());
    rule.equation = "rank * (" + rule.equation + ") / threads";
    rule.terms.push_back({"threads", d_.input("checkpoint.threads")});
    if (stored) rule.terms.push_back(ratio());
    line(std::string(cpu.worst) + ".bound", cpu.total, "CPU passes of one rank, in turn",
         std::move(rule));
  }

  // What others lack leaves rank 0; else it enters every host, and goes on between its GPUs.
  void broadcast() {
    const Rate nvlink = host_.nvlink_payload();
    if (p_.layout == "rank0")
      return line("broadcast.bound",
                  std::max(p_.copied(saved_.gathered) / host_.nic(),
                           p_.copied(saved_.gathered_inside) / nvlink),
                  "rank 0 hands out what the others lack",
                  {"max(outside / nic, inside / nvlink)",
                   kEqBroadcast,
                   {bytes("outside", saved_.gathered), port(),
                    bytes("inside", saved_.gathered_inside), link()}});
    const double ranks = d_.layout.ranks_per_host(), hosts = d_.layout.hosts;
    const double entering = p_.broadcasts_over_nvlink() ? std::min(ranks, saved_.parts) : ranks;
    const double inside = std::max(0.0, d_.layout.ranks - hosts * entering);
    const double outside = std::max(0.0, saved_.receivers - inside);
    const Bytes part = p_.copied(saved_.broadcast);
    const Seconds passed = inside > 0.0 ? part / nvlink : Seconds{};
    line("broadcast.bound", std::max(part * (outside / hosts) / host_.nic(), passed),
         "what the others lack enters every host",
         {inside > 0.0 ? "max(part * outside / hosts / nic, part / nvlink)"
                       : "part * outside / hosts / nic",
          kEqBroadcast,
          {bytes("part", saved_.broadcast),
           figure("outside", outside, Dimension::number, "ranks that get theirs over NICs"),
           {"hosts", d_.host_input("count")},
           port(),
           link()}});
  }
  [[nodiscard]] Term bytes(const char* symbol, Bytes b) const {
    return figure(symbol, p_.copied(b).in(unit::B), Dimension::bytes,
                  p_.compresses_on_gpu() ? "of the state as it is stored, that others lack"
                                         : "of the state, that others lack");
  }
  [[nodiscard]] Term port() const {
    return figure("nic", host_.nic().in(unit::Bps), Dimension::rate, "ports of a host");
  }
  [[nodiscard]] Term link() const {
    return figure("nvlink", host_.nvlink_payload().in(unit::Bps), Dimension::rate,
                  "payload of NVLink");
  }

  const JobDemand& d_;
  const CheckpointParams& p_;
  const CheckpointLayout& saved_;
  const Plant& plant_;
  const HostParams& host_;
  std::string name_, tier_, mode_;
  CheckpointLayout read_;  ///< who reads in place of who writes
  Bytes of_rank_, of_host_;
  std::vector<Derivation> lines_;
};

}  // namespace

std::vector<Derivation> restore_parts(const JobDemand& d, const CheckpointParams& p,
                                      const CheckpointLayout& layout, const Plant& plant) {
  return RestoreDeriver(d, p, layout, plant).run();
}

}  // namespace stallcast::models::detail
