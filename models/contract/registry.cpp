#include "models/contract/registry.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <vector>

#include "models/contract/capacity.hpp"
#include "models/contract/credits.hpp"
#include "models/contract/elastic.hpp"
#include "models/contract/rows.hpp"

namespace stallcast::models {
namespace {

using base::FieldInfo;

constexpr std::array kHostParts{computing<"">(whole("servers", "count")),
                                included(computing<"gpu">(part<"gpu">("GPUs", "gpus", "count"))),
                                included(part<"nic">("network ports", "nic.count", "count"))};

const std::array kHosts{KindInfo{"host", "GPU server", {}, host_fields(), {}, kHostParts}};
const std::array kJobs{
    KindInfo{"training", "synchronous data-parallel training", {}, job_fields()}};
const std::array kModels{KindInfo{"dense", "dense model with Adam", {}, model_fields()}};
const std::array kRecoveries{
    KindInfo{"restart", "detection, replacement, start and restore", {}, recovery_fields()}};
const std::array kElastics{KindInfo{
    "schedule", "GPUs go to inference and come back at fixed hours", {}, elastic_fields()}};
const std::array kRuns{
    KindInfo{"run", "length, seeds and detail of the simulation", {}, run_fields()}};

using Of = Remedy::Of;

// Of the remedies of a resource those of the first part that fits are taken, all of them.
constexpr std::array kHostRemedies{
    Remedy{"client", Of::storage, "client.nconnect", 2.0},
    Remedy{"client", Of::storage, "client.cores", 2.0},
    Remedy{"client", Of::storage, "client.slots", 2.0},
    Remedy{"client", Of::storage, "client.connections", 2.0},
    Remedy{"client", Of::storage, "client.rpcs_in_flight", 2.0},
    Remedy{"client", Of::storage, "client.dirty", 2.0},
    Remedy{"client", Of::storage, "client.prefetch", 2.0},
    Remedy{"client", Of::storage, "client.paths", 2.0},
    Remedy{"nic", Of::self, "nic.rate", 2.0, {}, true, true},
    Remedy{"nic", Of::self, "nic.count", 2.0},
    Remedy{"compute_nic", Of::self, "compute_nic.rate", 2.0, {}, true},
    Remedy{"nvme", Of::self, "nvme.write", 2.0},
    Remedy{"nvme", Of::self, "nvme.read", 2.0},
    Remedy{"cpu", Of::loader, "workers", 2.0},
    Remedy{"cpu", Of::loader, "workers", 0.5},
    Remedy{"gds", Of::loader, "workers", 2.0},
    Remedy{"gds", Of::checkpoint, "threads", 2.0},
    Remedy{"gpu.copy", Of::loader, "copy", 0.0, "pinned"},
    Remedy{"memory", Of::self, "memory.bandwidth", 2.0}};
constexpr std::array kFabricRemedies{Remedy{"", Of::self, "bisection", 1.25, {}, true},
                                     Remedy{"", Of::self, "port.rate", 2.0, {}, true}};
constexpr std::array kStorageRemedies{
    Remedy{"client.stream", Of::checkpoint, "direct", 0.0, "true"},
    Remedy{"client.stream", Of::checkpoint, "threads", 2.0},
    Remedy{"client.stream", Of::loader, "workers", 2.0},
    Remedy{"client.core", Of::loader, "workers", 2.0},
    Remedy{"client.stream", Of::self, "client.prefetch", 2.0},
    Remedy{"client.tls", Of::loader, "workers", 2.0},
    Remedy{"client", Of::self, "client.rpcs_in_flight", 2.0},
    Remedy{"directory", Of::checkpoint, "directories", 0.0, "own"},
    Remedy{"server", Of::self, "server.count", 1.25, {}, false, true},
    Remedy{"drives", Of::self, "drive.count", 1.25, {}, false, true}};
constexpr std::array kJobRemedies{
    Remedy{"limit", Of::self, "limit", 2.0},
    Remedy{"limit_operations", Of::self, "limit_operations", 2.0},
    Remedy{"loader.pin", Of::loader, "pin.rate", 2.0},
    Remedy{"loader", Of::loader, "workers", 2.0},
    Remedy{"spares", Of::recovery, "spares", 2.0, {}, false, true},
    Remedy{"checkpoint.flush_rate", Of::checkpoint, "flush_rate", 2.0},
    Remedy{"checkpoint.threads", Of::checkpoint, "threads", 2.0},
    Remedy{"checkpoint.serialize", Of::checkpoint, "serializer", 0.0, "none"},
    Remedy{"checkpoint.serialize", Of::checkpoint, "threads", 2.0},
    Remedy{"checkpoint.work", Of::checkpoint, "threads", 2.0},
    Remedy{"checkpoint.work", Of::checkpoint, "serializer", 0.0, "none"}};

constexpr std::array kStageRemedies{Remedy{"workers", Of::self, "workers", 2.0}};

constexpr std::array kLoaderHabits{Habit{{"data", "cpu", "metadata"}, "workers", 2.0, {}, true},
                                   Habit{{"data"}, "prefetch", 2.0}};
constexpr std::array kDatasetHabits{Habit{{"data"}, "cache.policy", 0.0, "random"}};
constexpr std::array kCheckpointHabits{Habit{{"checkpoint"}, "every", 2.0},
                                       Habit{{"checkpoint"}, "every_steps", 2.0},
                                       Habit{{"checkpoint"}, "buffers", 2.0}};
constexpr std::array kRecoveryHabits{Habit{{"restart"}, "spares", 2.0}};

constexpr std::array kHostCounts{Count{"nics", "nic.count", "NICs"},
                                 Count{"accelerators", "count", "hosts", {}, {}, false},
                                 Count{"hosts", "count", "hosts", {}, {}, false}};
constexpr std::array kDatasetCounts{Count{"cache", "cache.size", "cache"}};
constexpr std::array kLoaderCounts{Count{"workers", "workers", "workers", {}, {}, false, 64}};

constexpr std::string_view kIoProbe = "stallcast probe io",
                           kNetworkProbe = "stallcast probe network",
                           kMemoryProbe = "stallcast probe memory",
                           kLoaderProbe = "stallcast probe loader",
                           kMetadataProbe = "stallcast probe metadata",
                           kJobRun = "one run of the job on a few hosts",
                           kMemoryInUse = "free, while the job runs",
                           kFlashWritten = "the drives' counters of what was written to flash",
                           kObjectRun = "a load test of the bucket, such as warp",
                           kSetting = "";  // somebody chose it: nothing measures it
constexpr std::array kHostMeasures{MeasuredBy{"nic.", kNetworkProbe},
                                   MeasuredBy{"compute_nic.", kNetworkProbe},
                                   MeasuredBy{"cpu.tcp", kNetworkProbe},
                                   MeasuredBy{"nvme.", kIoProbe},
                                   MeasuredBy{"gds.", "stallcast probe gds"},
                                   MeasuredBy{"memory.reserved", kMemoryInUse},
                                   MeasuredBy{"memory.process", kMemoryInUse},
                                   MeasuredBy{"memory.", kMemoryProbe},
                                   MeasuredBy{"gpu.", kMemoryProbe},
                                   MeasuredBy{"cpu.copy", kMemoryProbe},
                                   MeasuredBy{"nvlink.", kMemoryProbe},
                                   MeasuredBy{"cpu.reserved", kSetting},
                                   MeasuredBy{"cpu.", kLoaderProbe}};
constexpr std::array kNetworkMeasures{
    MeasuredBy{"connections", kSetting},
    MeasuredBy{"incast.", "several hosts that send to one at once, with iperf3"},
    MeasuredBy{"", kNetworkProbe}};
// What a pair of hosts cannot show: how communication and computing go together.
constexpr std::array kCommunicationMeasures{MeasuredBy{"hop", kNetworkProbe},
                                            MeasuredBy{"", kJobRun}};
constexpr std::array kStorageMeasures{
    MeasuredBy{"mdt.", kMetadataProbe},
    MeasuredBy{"mds.", kMetadataProbe},
    MeasuredBy{"meta.", kMetadataProbe},
    MeasuredBy{"namenode.", kMetadataProbe},
    MeasuredBy{"open", kMetadataProbe},
    MeasuredBy{"create", kMetadataProbe},
    MeasuredBy{"metadata.", kMetadataProbe},
    MeasuredBy{"directory.", kMetadataProbe},
    MeasuredBy{"lock.", kMetadataProbe},
    MeasuredBy{"head.creates", kMetadataProbe},
    MeasuredBy{"server.open", kMetadataProbe},
    MeasuredBy{"server.creates", kMetadataProbe},
    MeasuredBy{"backend.open", kMetadataProbe},
    MeasuredBy{"backend.creates", kMetadataProbe},
    MeasuredBy{"client.open_requests", kMetadataProbe},
    MeasuredBy{"server.nic", kNetworkProbe},
    MeasuredBy{"oss.nic", kNetworkProbe},
    MeasuredBy{"node.nic", kNetworkProbe},
    MeasuredBy{"target.nic", kNetworkProbe},
    MeasuredBy{"router.", kNetworkProbe},
    MeasuredBy{"link.", kNetworkProbe},
    MeasuredBy{"endurance.", kFlashWritten},
    MeasuredBy{"capacity.", "df of the file system"},
    MeasuredBy{"pg.", "ceph osd df"},
    MeasuredBy{"hsm.", "one recall from the archive"},
    MeasuredBy{"ost.degraded_rate", "a read while a drive is rebuilt"},
    MeasuredBy{"connection.", kObjectRun},
    MeasuredBy{"get.", kObjectRun},
    MeasuredBy{"put.", kObjectRun},
    MeasuredBy{"first_byte", kObjectRun},
    MeasuredBy{"burst", kObjectRun},
    MeasuredBy{"retry.", kSetting},
    MeasuredBy{"inode.", kSetting},
    MeasuredBy{"client.short_io", kSetting},
    MeasuredBy{"client.prefetch", kSetting},
    MeasuredBy{"client.in_flight", kSetting},
    MeasuredBy{"", kIoProbe}};
constexpr std::array kLoaderMeasures{MeasuredBy{"", kLoaderProbe}};
constexpr std::array kJobMeasures{MeasuredBy{"", kJobRun}};

constexpr std::array<RoleInfo, 16> kRoles{
    {{Role::host, "host", "", "host", "host", kHostRemedies, {}, kHostCounts, kHostMeasures},
     {Role::fabric,
      "fabric",
      "type",
      "switched",
      "network",
      kFabricRemedies,
      {},
      {},
      kNetworkMeasures},
     {Role::storage, "storage", "type", "", "*", kStorageRemedies, {}, {}, kStorageMeasures},
     {Role::job, "job", "", "training", "training", kJobRemedies, {}, {}, kJobMeasures},
     {Role::model, "model", "", "dense", "compute", {}, {}, {}, kJobMeasures},
     {Role::step, "step", "type", "given", "compute", {}, {}, {}, kJobMeasures},
     {Role::dataset,
      "dataset",
      "format",
      "",
      "formats",
      {},
      kDatasetHabits,
      kDatasetCounts,
      kLoaderMeasures},
     {Role::loader,
      "loader",
      "type",
      "pytorch",
      "dataloader",
      {},
      kLoaderHabits,
      kLoaderCounts,
      kLoaderMeasures},
     {Role::checkpoint,
      "checkpoint",
      "mode",
      "sync",
      "checkpoint",
      {},
      kCheckpointHabits,
      {},
      kJobMeasures},
     {Role::communication,
      "communication",
      "type",
      "ddp",
      "communication",
      {},
      {},
      {},
      kCommunicationMeasures},
     {Role::tenant, "tenant", "type", "", "tenants"},
     {Role::stage, "stage", "type", "", "stages", kStageRemedies},
     {Role::recovery, "recovery", "", "restart", "failures", {}, kRecoveryHabits},
     {Role::elastic, "elastic", "", "schedule", "elastic"},
     {Role::failure, "failure", "type", "", "failures"},
     {Role::run, "run", "", "run", "fast-forward"}}};

template <class Rows>
const std::vector<KindInfo>& infos_of(const Rows& rows) {
  static const std::vector<KindInfo> infos = [&] {
    std::vector<KindInfo> out;
    for (const auto& row : rows) out.push_back(row.info);
    return out;
  }();
  return infos;
}

/// The first part of a kind, common ones first, of which `is` is true; nullptr when there is none.
template <class Is>
const PartInfo* find_part(const KindInfo& kind, const Is& is) {
  for (const auto parts : {kind.common_parts, kind.parts})
    for (const PartInfo& part : parts)
      if (is(part)) return &part;
  return nullptr;
}

template <class Is>
bool any_part(const KindInfo& kind, const Is& is) {
  return find_part(kind, is) != nullptr;
}

template <class Rows>
const auto& row_of(const Rows& rows, std::string_view kind) {
  for (const auto& row : rows)
    if (row.info.id == kind) return row;
  assert(false && "kinds are checked when a scenario is resolved");
  return rows.front();
}

}  // namespace

std::span<const RoleInfo> roles() { return kRoles; }

const RoleInfo& role_info(Role role) {
  for (const RoleInfo& info : kRoles)
    if (info.role == role) return info;
  assert(false && "a role without a row has no kinds, and nothing may be read as one");
  return kRoles.front();
}

const RoleInfo* find_role(std::string_view id) {
  for (const RoleInfo& info : kRoles)
    if (info.id == id) return &info;
  return nullptr;
}

std::span<const KindInfo> kinds(Role role) {
  static const std::map<Role, std::span<const KindInfo>> all{
      {Role::host, kHosts},
      {Role::fabric, infos_of(fabric_rows())},
      {Role::storage, infos_of(storage_rows())},
      {Role::job, kJobs},
      {Role::model, kModels},
      {Role::step, infos_of(step_rows())},
      {Role::dataset, infos_of(format_rows())},
      {Role::loader, infos_of(loader_rows())},
      {Role::checkpoint, infos_of(checkpoint_rows())},
      {Role::recovery, kRecoveries},
      {Role::elastic, kElastics},
      {Role::failure, infos_of(failure_rows())},
      {Role::communication, infos_of(communication_rows())},
      {Role::tenant, infos_of(tenant_rows())},
      {Role::stage, infos_of(stage_rows())},
      {Role::run, kRuns}};
  return all.at(role);
}

const KindInfo* find_kind(Role role, std::string_view id) {
  for (const KindInfo& info : kinds(role))
    if (info.id == id) return &info;
  return nullptr;
}

std::string page_of(Role role, std::string_view kind) {
  const RoleInfo& info = role_info(role);
  const std::string_view own = kind.empty() ? info.id : kind;
  return "docs/models/" + std::string(info.page == "*" ? own : info.page) + ".md";
}

std::vector<const FieldInfo*> price_fields(std::span<const PartInfo> parts) {
  std::vector<const FieldInfo*> out;
  for (const PartInfo& part : parts) {
    if (part.own) out.push_back(&*part.own);
    if (part.holds) out.push_back(&*part.holds);
    out.push_back(&part.price);
    out.push_back(&part.rent);
    if (part.in_tb()) continue;
    out.push_back(&part.power);
    if (part.idle) out.push_back(&*part.idle);
    out.push_back(&part.space);
  }
  return out;
}

std::vector<const FieldInfo*> fields_of(const KindInfo& kind) {
  std::vector<const FieldInfo*> out;
  for (const auto fields : {kind.common, kind.fields})
    for (const FieldInfo& field : fields) out.push_back(&field);
  for (const auto parts : {kind.common_parts, kind.parts})
    for (const FieldInfo* field : price_fields(parts)) out.push_back(field);
  return out;
}

const FieldInfo* find_field(Role role, const Component& component, std::string_view key) {
  const KindInfo* kind = find_kind(role, component.kind);
  if (kind == nullptr) return nullptr;
  for (const FieldInfo* field : fields_of(*kind))
    if (field->key == key) return field;
  return nullptr;
}

const PartInfo* part_priced_by(const KindInfo& kind, const FieldInfo& field) {
  return find_part(kind, [&](const PartInfo& part) {
    for (const FieldInfo* priced : {&part.price, &part.rent, &part.power, &part.space})
      if (priced->key == field.key) return true;
    return false;
  });
}

bool is_for_costs(const KindInfo& kind, const FieldInfo& field) {
  return part_priced_by(kind, field) != nullptr ||
         any_part(kind, [&](const PartInfo& p) { return p.own && p.own->key == field.key; });
}

bool counts(const KindInfo& kind, const Component& component, const FieldInfo& field) {
  if (!field.limits.with.empty() && component.find(field.limits.with) == nullptr) return false;
  if (is_for_costs(kind, field)) return is_bought(kind, component);
  const auto among = [&](std::span<const FieldInfo> fields) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const FieldInfo& f) { return f.key == field.key; });
  };
  if (among(credit_fields())) return has_credits(component);
  return !among(capacity_fields()) || says_capacity(kind, component);
}

bool is_bought(const KindInfo& kind, const Component& component) {
  return any_part(kind, [&](const PartInfo& p) { return component.find(p.price.key) != nullptr; });
}

bool says_capacity(const KindInfo& kind, const Component& component) {
  return any_part(kind, [&](const PartInfo& p) {
    return !p.capacity.empty() && component.find(p.capacity) != nullptr;
  });
}

std::vector<const PartInfo*> parts_of(const KindInfo& kind) {
  std::vector<const PartInfo*> out;
  for (const auto parts : {kind.common_parts, kind.parts})
    for (const PartInfo& part : parts) out.push_back(&part);
  return out;
}

const StorageRow& storage_row(std::string_view kind) { return row_of(storage_rows(), kind); }
const FormatRow& format_row(std::string_view kind) { return row_of(format_rows(), kind); }
const LoaderRow& loader_row(std::string_view kind) { return row_of(loader_rows(), kind); }
const StepRow& step_row(std::string_view kind) { return row_of(step_rows(), kind); }
const CheckpointRow& checkpoint_row(std::string_view kind) {
  return row_of(checkpoint_rows(), kind);
}
const FabricRow& fabric_row(std::string_view kind) { return row_of(fabric_rows(), kind); }
const CommunicationRow& communication_row(std::string_view kind) {
  return row_of(communication_rows(), kind);
}
const TenantRow& tenant_row(std::string_view kind) { return row_of(tenant_rows(), kind); }
const StageRow& stage_row(std::string_view kind) { return row_of(stage_rows(), kind); }
const FailureRow& failure_row(std::string_view kind) { return row_of(failure_rows(), kind); }

}  // namespace stallcast::models
