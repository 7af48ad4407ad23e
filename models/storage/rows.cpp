#include <array>

#include "models/rows.hpp"

/// Kinds of storage systems.
namespace stallcast::models {
namespace {

// Sorted by id (registry_test.cpp holds them to it).
const std::array kStorage{
    StorageRow{
        {"beegfs",
         "BeeGFS: chunks over targets, connections per server, directories owned by one server",
         {},
         beegfs_fields()},
        make_beegfs},
    StorageRow{{"cache",
                "cache servers in front of another storage system: admission, eviction, write-back",
                {},
                cache_fields()},
               make_cache},
    StorageRow{{"cephfs",
                "CephFS: OSDs, copies or erasure codes through primaries, placement groups, MDS",
                {},
                cephfs_fields()},
               make_cephfs},
    StorageRow{{"chunkstore",
                "chunk stores: 3FS (chains of replicas), Tectonic (codes computed by the client)",
                {},
                chunkstore_fields()},
               make_chunkstore},
    StorageRow{
        {"cxl", "pool of CXL memory: cache lines in flight, ports, devices", {}, cxl_fields()},
        make_cxl},
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
    StorageRow{
        {"hdfs", "HDFS: NameNode, blocks on single disks, pipelines of copies", {}, hdfs_fields()},
        make_hdfs},
    StorageRow{{"local",
                "drives inside each host: NVMe, SATA or disks, RAID, decoding drives",
                {},
                local_fields()},
               make_local},
    StorageRow{{"lustre",
                "Lustre parallel file system: MDS queue, OSS network, OSTs",
                {},
                lustre_fields()},
               make_lustre},
    StorageRow{{"measured",
                "storage known by measurements on its clients: fitted laws, limiters, lines",
                {},
                measured_fields()},
               make_measured},
    StorageRow{{"nfs",
                "NFS: controllers of a NAS or a managed service, TCP connections, read-ahead",
                {},
                nfs_fields()},
               make_nfs},
    StorageRow{{"nvmeof",
                "NVMe over Fabrics (RDMA, TCP): drives in targets, striped over all of them",
                {},
                nvmeof_fields()},
               make_nvmeof},
    StorageRow{
        {"s3",
         "S3 and compatible object stores: first byte, connections, request rate of prefixes",
         {},
         s3_fields()},
        make_s3},
    StorageRow{{"san",
                "block array behind FC, iSCSI or SMB: ports, controllers, paths, locks",
                {},
                san_fields()},
               make_san},
    StorageRow{{"weka",
                "WEKA: N+2 stripes over all backends, client cores, distributed metadata",
                {},
                weka_fields()},
               make_weka}};

}  // namespace

std::span<const StorageRow> storage_rows() { return kStorage; }

}  // namespace stallcast::models
