#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/storage/drives.hpp"
#include "models/storage/scaled_links.hpp"

namespace stallcast::models {

/// A storage system that is drives with a file system of the host on them: opens cost the host
/// time, data is limited by the drives and what lies between. Kinds say where the drives are.
///
///     reads:  source -> drives.in -> drives.out -> (read ceiling) -> kind
///     writes: kind -> (write ceiling) -> drives.in -> drives.out -> sink
class DriveStore : public StorageModel {
 public:
  void build(graph::Topology& topology, const StorageLoad& load) override;
  [[nodiscard]] graph::NodeId read_source() const final { return source_; }
  [[nodiscard]] graph::NodeId write_sink() const final { return sink_; }
  [[nodiscard]] ClientLimits client_limits() const override { return {.stream = drives_.stream}; }
  void attach(sim::Context& context, ResourceTable& resources, Seconds round_trip,
              std::uint64_t seed) final;
  sim::Task<Served> open(const Client& client, double files) final;
  sim::Task<Served> read(const Client& client, const ReadRequest& request) final;
  sim::Task<Served> write(const Client& client, const WriteRequest& request) final;
  void report(Seconds, std::vector<ResourceUse>&) const final {}
  /// Drives are the targets; kinds that put them behind servers add those.
  [[nodiscard]] double parts(StoragePart part) const override {
    return part == StoragePart::target ? drives_.drives() * std::max(sets_, 1.0) : 0.0;
  }
  [[nodiscard]] std::optional<std::string> single_copies() const override {
    if (drives_.raid != "0") return {};
    return "raid.level";
  }
  void scale(StoragePart part, double factor) override;
  void describe(sim::Ledger& ledger) override {
    for (const DriveBank& bank : banks_) bank.describe(ledger);
  }

 protected:
  DriveStore(const Component& component, const DriveParams& drives)
      : DriveStore("storage." + component.id, drives) {}
  /// `name` begins the names of its edges and resources.
  DriveStore(std::string name, const DriveParams& drives)
      : name_(std::move(name)), drives_(drives) {}

  /// Adds `sets` sets of drives that share their work; what they read goes to `out`, what is
  /// written comes from `in`. `group` ends their names. Those that nobody uses do not count.
  void add_drives(graph::Topology& topology, double sets, const std::string& group,
                  graph::NodeId out, graph::NodeId in, bool used = true);
  /// Which of them serves `client`, in the order they were added.
  [[nodiscard]] virtual std::size_t bank(const Client& client) const = 0;
  /// Resources of the servers, as far as there are some: lost with one, like its drives.
  [[nodiscard]] virtual std::vector<std::string> server_edges() const { return {}; }
  /// Time of one request on its way to the drives and back.
  [[nodiscard]] virtual Seconds turn() const { return {}; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const DriveParams& drives() const { return drives_; }
  /// Of the fabric. REQUIRES: attached.
  [[nodiscard]] Seconds round_trip() const { return round_trip_; }

 private:
  [[nodiscard]] Rate stream(bool direct) const {
    return direct ? Rate::infinity() : drives_.stream;
  }

  std::string name_;
  DriveParams drives_;
  double streams_ = 0.0, sets_ = 0.0;
  graph::NodeId source_, sink_;
  std::vector<DriveBank> banks_;
  sim::Context* context_ = nullptr;
  Seconds round_trip_;
  ScaledLinks drive_links_, server_links_;
  ResourceIndex open_resource_ = kNoResource;
  ResourceIndex stream_resource_ = kNoResource;
};

}  // namespace stallcast::models
