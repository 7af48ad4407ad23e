#pragma once

#include <memory>
#include <span>
#include <string>

#include "models/contract/storage.hpp"

/// The kinds of storage systems: what makes each, and its fields.
namespace stallcast::models {

/// Lustre: models/storage/lustre.cpp, docs/models/lustre.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_lustre(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> lustre_fields();

/// NFS, a NAS or a managed service: models/storage/nfs.cpp, docs/models/nfs.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_nfs(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> nfs_fields();

/// S3 and compatible object stores: models/storage/s3.cpp, docs/models/s3.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_s3(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> s3_fields();

/// GPFS (IBM Storage Scale): models/storage/gpfs.cpp, docs/models/gpfs.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_gpfs(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> gpfs_fields();

/// WEKA: models/storage/weka.cpp, docs/models/weka.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_weka(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> weka_fields();

/// BeeGFS: models/storage/beegfs.cpp, docs/models/beegfs.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_beegfs(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> beegfs_fields();

/// DAOS: models/storage/daos.cpp, docs/models/daos.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_daos(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> daos_fields();

/// CephFS: models/storage/cephfs.cpp, docs/models/cephfs.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_cephfs(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> cephfs_fields();

/// Chunk stores (3FS, Tectonic): models/storage/chunkstore.cpp, docs/models/chunkstore.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_chunkstore(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> chunkstore_fields();

/// HDFS: models/storage/hdfs.cpp, docs/models/hdfs.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_hdfs(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> hdfs_fields();

/// Block arrays (FC, iSCSI, SMB): models/storage/san.cpp, docs/models/san.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_san(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> san_fields();
/// Drives inside each host: models/storage/local.cpp, docs/models/local.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_local(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> local_fields();
/// The drives that the fields `nvme` of a host class speak of, as such a store; `name` begins the
/// names of its resources.    [docs/models/local.md, eq. 8]
[[nodiscard]] std::unique_ptr<StorageModel> make_host_drives(const std::string& name, Rate read,
                                                             Rate write);

/// Storage known by measurements: models/storage/measured.cpp, docs/models/measured.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_measured(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> measured_fields();

/// A cache in front of another storage system: models/storage/cache.cpp, docs/models/cache.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_cache(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> cache_fields();

/// A pool of CXL memory: models/storage/cxl.cpp, docs/models/cxl.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_cxl(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> cxl_fields();

/// NVMe over Fabrics: models/storage/nvmeof.cpp, docs/models/nvmeof.md.
[[nodiscard]] std::unique_ptr<StorageModel> make_nvmeof(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> nvmeof_fields();

}  // namespace stallcast::models
