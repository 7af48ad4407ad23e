#include <algorithm>
#include <map>
#include <utility>

#include "models/storage/drive_fields.hpp"
#include "models/storage/drive_store.hpp"
#include "models/storage/kinds.hpp"

/// Drives inside each host. Equations, sources and valid range: docs/models/local.md.
namespace stallcast::models {
namespace {

using namespace base;

struct LocalParams : DriveParams {
  std::optional<Rate> decode;
  double decoded = 1.0;  ///< bytes that leave a decoding drive per stored byte

  // A drive that decodes does so while it reads: the slower of both decides.    [local.md, eq. 6]
  [[nodiscard]] DriveParams drives() const {
    DriveParams out = *this;
    if (!decode) return out;
    out.read = std::min(read, *decode);
    out.inflation = decoded;
    return out;
  }
};

constexpr auto kLocalFields = with_drives(std::array{
    field("device.decode", &LocalParams::decode, kOptional,
          "drives decode what they read (computational storage): stored bytes one drive decodes; "
          "then the host decodes nothing",
          kPositive),
    field("device.inflation", &LocalParams::decoded, "6",
          "bytes that leave a decoding drive per stored byte",
          between("5", "7",
                  cited(kPositive, "decoded images are 5-7 times as large, Mohan et al. VLDB'21"),
                  "as cited: decoded images are 5-7 times as large"))});

class Local final : public DriveStore {
 public:
  explicit Local(const Component& component) : Local(component, bind<kLocalFields>(component)) {}
  Local(std::string name, const DriveParams& drives) : DriveStore(std::move(name), drives) {}

  bool local() const override { return true; }
  bool decodes() const override { return decodes_; }

  // Every host has drives of its own: no group reaches those of another.
  void build_on_host(graph::Topology& topology, const HostSite& site) override {
    const std::size_t next = bank_of_.size();
    bank_of_[site.group] = next;
    add_drives(topology, site.hosts, "[" + std::to_string(site.group) + "]", site.in, site.out,
               site.used);
  }

  Countable countable() const override {
    return {.noun = "drives per host",
            .unit_read = drives().read,
            .unit_write = drives().fastest_write() / drives().written(),
            .per_host = true};
  }

 protected:
  std::size_t bank(const Client& client) const override { return bank_of_.at(client.host_group); }

 private:
  Local(const Component& component, const LocalParams& params)
      : DriveStore(component, params.drives()), decodes_(params.decode.has_value()) {}

  bool decodes_ = false;
  std::map<std::size_t, std::size_t> bank_of_;  ///< of a host group
};

}  // namespace

StorageKind local_kind() { return {kInfos<kLocalFields>, make_storage<Local>}; }

// One drive of the host's rates that answers at once.    [docs/models/local.md, eq. 8]
std::unique_ptr<StorageModel> make_host_drives(const std::string& name, Rate read, Rate write) {
  DriveParams drives;
  drives.read = read;
  drives.write = write;
  drives.read_iops = OpRate::infinity();
  drives.stream = Rate::infinity();
  drives.raid = "0";
  drives.chunk = drives.request = Bytes::infinity();
  return std::make_unique<Local>(name, drives);
}

}  // namespace stallcast::models
