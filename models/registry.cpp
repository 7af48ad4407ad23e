#include "models/registry.hpp"

#include <array>
#include <cassert>
#include <vector>

#include "models/rows.hpp"

namespace stallcast::models {
namespace {

// Rows are sorted by id within a role (registry_test.cpp holds them to it).
const std::array kStorage{
    StorageRow{
        {"beegfs",
         "BeeGFS: chunks over targets, connections per server, directories owned by one server",
         {},
         beegfs_fields()},
        make_beegfs},
    StorageRow{{"daos",
                "DAOS behind dfuse: server NICs, erasure coding by the client, distributed keys",
                {},
                daos_fields()},
               make_daos},
    StorageRow{{"gpfs",
                "GPFS (IBM Storage Scale): blocks over all NSD servers, tokens, prefetch limit",
                {},
                gpfs_fields()},
               make_gpfs},
    StorageRow{{"lustre",
                "Lustre parallel file system: MDS queue, OSS network, OSTs",
                {},
                lustre_fields()},
               make_lustre},
    StorageRow{{"nfs",
                "NFS: controllers of a NAS or a managed service, TCP connections, read-ahead",
                {},
                nfs_fields()},
               make_nfs},
    StorageRow{
        {"s3",
         "S3 and compatible object stores: first byte, connections, request rate of prefixes",
         {},
         s3_fields()},
        make_s3},
    StorageRow{{"weka",
                "WEKA: N+2 stripes over all backends, client cores, distributed metadata",
                {},
                weka_fields()},
               make_weka}};

const std::array kFormats{
    FormatRow{{"hdf5", "HDF5 files of many samples", dataset_common_fields(), hdf5_fields()},
              hdf5_access},
    FormatRow{{"mds", "shards downloaded ahead (MosaicML Streaming)", dataset_common_fields(),
               mds_fields()},
              mds_access},
    FormatRow{{"npz", "one NumPy archive per sample", dataset_common_fields(), npz_fields()},
              npz_access},
    FormatRow{{"parquet", "row groups of Parquet files, whole or some columns",
               dataset_common_fields(), parquet_fields()},
              parquet_access},
    FormatRow{{"raw", "one file per sample", dataset_common_fields(), raw_fields()}, raw_access},
    FormatRow{
        {"tfrecord", "TFRecord files of many samples", dataset_common_fields(), tfrecord_fields()},
        tfrecord_access},
    FormatRow{{"tokens", "memory-mapped token file, read at random places (Megatron)",
               dataset_common_fields(), tokens_fields()},
              tokens_access},
    FormatRow{
        {"webdataset", "tar shards (WebDataset)", dataset_common_fields(), webdataset_fields()},
        webdataset_access}};

const std::array kLoaders{
    LoaderRow{{"ideal",
               "work-conserving loader: the best any loader could do",
               loader_common_fields(),
               {}},
              ideal_policy},
    LoaderRow{
        {"pytorch", "PyTorch DataLoader, map style, in-order delivery", loader_common_fields(), {}},
        pytorch_policy},
    LoaderRow{{"tensorflow",
               "tf.data: interleaved reads make up one batch at a time",
               loader_common_fields(),
               {}},
              tensorflow_policy}};

const std::array kSteps{
    StepRow{{"flops", "step time from model FLOPs, GPU peak and MFU", step_common_fields(),
             step_flops_fields()},
            flops_step},
    StepRow{{"given", "step time as measured", step_common_fields(), step_given_fields()},
            given_step}};

const std::array kCheckpoints{
    CheckpointRow{{"async", "snapshot to host memory, written while training goes on",
                   checkpoint_common_fields(), checkpoint_async_fields()},
                  async_style},
    CheckpointRow{
        {"sync", "training waits until the save is durable", checkpoint_common_fields(), {}},
        sync_style}};

const std::array kHosts{KindInfo{"host", "GPU server", {}, host_fields()}};
const std::array kFabrics{KindInfo{
    "switched", "switched network, non-blocking unless a bisection is given", {}, fabric_fields()}};
const std::array kJobs{
    KindInfo{"training", "synchronous data-parallel training", {}, job_fields()}};
const std::array kModels{KindInfo{"dense", "dense model with Adam", {}, model_fields()}};
const std::array kRuns{
    KindInfo{"run", "length, seeds and detail of the simulation", {}, run_fields()}};

constexpr std::array<RoleInfo, 10> kRoles{{{Role::host, "host", "", "host"},
                                           {Role::fabric, "fabric", "type", "switched"},
                                           {Role::storage, "storage", "type", ""},
                                           {Role::job, "job", "", "training"},
                                           {Role::model, "model", "", "dense"},
                                           {Role::step, "step", "type", "given"},
                                           {Role::dataset, "dataset", "format", ""},
                                           {Role::loader, "loader", "type", "pytorch"},
                                           {Role::checkpoint, "checkpoint", "mode", "sync"},
                                           {Role::run, "run", "", "run"}}};

template <class Rows>
const std::vector<KindInfo>& infos_of(const Rows& rows) {
  static const std::vector<KindInfo> infos = [&] {
    std::vector<KindInfo> out;
    for (const auto& row : rows) out.push_back(row.info);
    return out;
  }();
  return infos;
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
  return kRoles.front();
}

std::span<const KindInfo> kinds(Role role) {
  switch (role) {
    case Role::host:
      return kHosts;
    case Role::fabric:
      return kFabrics;
    case Role::storage:
      return infos_of(kStorage);
    case Role::job:
      return kJobs;
    case Role::model:
      return kModels;
    case Role::step:
      return infos_of(kSteps);
    case Role::dataset:
      return infos_of(kFormats);
    case Role::loader:
      return infos_of(kLoaders);
    case Role::checkpoint:
      return infos_of(kCheckpoints);
    case Role::run:
      return kRuns;
  }
  return {};
}

const KindInfo* find_kind(Role role, std::string_view id) {
  for (const KindInfo& info : kinds(role))
    if (info.id == id) return &info;
  return nullptr;
}

const StorageRow& storage_row(std::string_view kind) { return row_of(kStorage, kind); }
const FormatRow& format_row(std::string_view kind) { return row_of(kFormats, kind); }
const LoaderRow& loader_row(std::string_view kind) { return row_of(kLoaders, kind); }
const StepRow& step_row(std::string_view kind) { return row_of(kSteps, kind); }
const CheckpointRow& checkpoint_row(std::string_view kind) { return row_of(kCheckpoints, kind); }

}  // namespace stallcast::models
