#pragma once

#include <memory>
#include <span>
#include <string>

#include "models/contract/storage.hpp"

/// The kinds of storage systems.
namespace stallcast::models {

/// Fields of a kind, and what makes a storage system of it.
struct StorageKind {
  std::span<const base::FieldInfo> fields;
  std::unique_ptr<StorageModel> (*make)(const Component&);
};

/// A storage system of class `Model`.
template <class Model>
std::unique_ptr<StorageModel> make_storage(const Component& component) {
  return std::make_unique<Model>(component);
}

/// Lustre: models/storage/lustre.cpp, docs/models/lustre.md.
[[nodiscard]] StorageKind lustre_kind();

/// NFS, a NAS or a managed service: models/storage/nfs.cpp, docs/models/nfs.md.
[[nodiscard]] StorageKind nfs_kind();

/// S3 and compatible object stores: models/storage/s3.cpp, docs/models/s3.md.
[[nodiscard]] StorageKind s3_kind();

/// GPFS (IBM Storage Scale): models/storage/gpfs.cpp, docs/models/gpfs.md.
[[nodiscard]] StorageKind gpfs_kind();

/// WEKA: models/storage/weka.cpp, docs/models/weka.md.
[[nodiscard]] StorageKind weka_kind();

/// BeeGFS: models/storage/beegfs.cpp, docs/models/beegfs.md.
[[nodiscard]] StorageKind beegfs_kind();

/// DAOS: models/storage/daos.cpp, docs/models/daos.md.
[[nodiscard]] StorageKind daos_kind();

/// CephFS: models/storage/cephfs.cpp, docs/models/cephfs.md.
[[nodiscard]] StorageKind cephfs_kind();

/// Chunk stores (3FS, Tectonic): models/storage/chunkstore.cpp, docs/models/chunkstore.md.
[[nodiscard]] StorageKind chunkstore_kind();

/// HDFS: models/storage/hdfs.cpp, docs/models/hdfs.md.
[[nodiscard]] StorageKind hdfs_kind();

/// Block arrays (FC, iSCSI, SMB): models/storage/san.cpp, docs/models/san.md.
[[nodiscard]] StorageKind san_kind();
/// Drives inside each host: models/storage/local.cpp, docs/models/local.md.
[[nodiscard]] StorageKind local_kind();
/// The drives that the fields `nvme` of a host class speak of, as such a store; `name` begins the
/// names of its resources.    [docs/models/local.md, eq. 8]
[[nodiscard]] std::unique_ptr<StorageModel> make_host_drives(const std::string& name, Rate read,
                                                             Rate write);

/// Storage known by measurements: models/storage/measured.cpp, docs/models/measured.md.
[[nodiscard]] StorageKind measured_kind();

/// A cache in front of another storage system: models/storage/cache.cpp, docs/models/cache.md.
[[nodiscard]] StorageKind cache_kind();

/// A pool of CXL memory: models/storage/cxl.cpp, docs/models/cxl.md.
[[nodiscard]] StorageKind cxl_kind();

/// NVMe over Fabrics: models/storage/nvmeof.cpp, docs/models/nvmeof.md.
[[nodiscard]] StorageKind nvmeof_kind();

}  // namespace stallcast::models
