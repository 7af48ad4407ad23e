#include <array>

#include "models/contract/capacity.hpp"
#include "models/contract/credits.hpp"
#include "models/contract/rows.hpp"
#include "models/storage/kinds.hpp"

/// Kinds of storage systems.
namespace stallcast::models {
namespace {

using base::FieldInfo;

// Whatever it is, it has a price in all, or one of each TB that is bought or rented.
constexpr std::array kAnyStorage{
    whole("system"),
    holding_by("capacity.size",
               included(counted_by(part<"capacity">("TB", ""),
                                   FieldInfo{"capacity.size", Dimension::bytes, base::kOptional,
                                             "capacity that is paid for, after copies and parity: "
                                             "prices below are those of 1 TB",
                                             base::kPositive})))};
constexpr std::array kBeegfs{holding<"target">("targets", "target.count"),
                             part<"server">("servers", "server.count"),
                             part<"mds">("metadata servers", "mds.count")};
constexpr std::array kServers{holding<"server">("servers", "server.count")};
constexpr std::array kCacheServers{part<"server">("servers", "server.count")};
constexpr std::array kCephfs{holding<"osd">("OSDs", "osd.count"),
                             part<"server">("servers", "server.count"),
                             part<"mds">("metadata servers", "mds.count")};
constexpr std::array kChunkstore{holding<"node">("storage nodes", "node.count"),
                                 part<"meta">("metadata servers", "meta.count")};
constexpr std::array kCxl{holding<"device">("memory devices", "device.count")};
constexpr std::array kHdfs{holding<"datanode">("DataNodes", "datanode.count"),
                           part<"namenode">("NameNodes", "namenode.count")};
constexpr std::array kLocal{
    holding_by("drive.size", in_every_host(part<"drive">("drives", "drive.count")))};
constexpr std::array kLustre{holding_by("ost.capacity", part<"ost">("OSTs", "ost.count")),
                             part<"oss">("OSSs", "oss.count"), part<"mdt">("MDTs", "mdt.count")};
constexpr std::array kNfs{part<"head">("heads", "head.count"),
                          holding<"shelf">("shelves", "shelf.count")};
constexpr std::array kNvmeof{
    part<"target">("targets", "target.count"),

    holding_by("drive.size", included(part<"drive">("drives", "drive.count", "target.count")))};
constexpr std::array kSan{included(part<"port">("ports", "port.count"))};
constexpr std::array kWeka{holding<"backend">("backends", "backend.count")};

constexpr Count kTargetCount{"targets", "target.count", "targets", "target", "target"};
constexpr Count kServerCount{"servers", "server.count", "servers", "server", "server"};
constexpr Count kMdsCount{"mds", "mds.count", "MDS", "mds", "metadata"};
constexpr Count kDriveCount{"drives", "drive.count", "drives", "drive", "target"};
constexpr std::array kBeegfsCounts{kTargetCount, kServerCount, kMdsCount};
constexpr std::array kServerCounts{kServerCount};
constexpr std::array kCephfsCounts{kServerCount,
                                   Count{"osds", "osd.count", "OSDs", "osd", "target"}, kMdsCount};
constexpr std::array kChunkstoreCounts{Count{"nodes", "node.count", "nodes", "node", "server"}};
constexpr std::array kCxlCounts{Count{"devices", "device.count", "devices", "device", "target"}};
constexpr std::array kHdfsCounts{
    Count{"datanodes", "datanode.count", "DataNodes", "datanode", "server"}};
constexpr std::array kLocalCounts{
    Count{"drives", "drive.count", "drives per host", "drive", "target"}};
constexpr std::array kLustreCounts{Count{"osts", "ost.count", "OSTs", "ost", "target"},
                                   Count{"oss", "oss.count", "OSS", "oss", "server"},
                                   Count{"mdts", "mdt.count", "MDTs", "mdt", "metadata"}};
constexpr std::array kNfsCounts{
    Count{"controllers", "head.count", "controllers", "controller", "server"},
    Count{"shelves", "shelf.count", "shelves"}};
constexpr std::array kNvmeofCounts{kTargetCount, kDriveCount};
constexpr std::array kS3Counts{kServerCount, Count{"prefixes", "prefixes", "prefixes"}};
constexpr std::array kSanCounts{Count{"ports", "port.count", "ports", "port", "server"}};
constexpr std::array kWekaCounts{
    Count{"backends", "backend.count", "backends", "backend", "server"}};

// Kinds without a file that many write in pieces.    [docs/models/storage.md, eq. 10]
constexpr std::string_view kWholeFiles = "its clients write files and objects whole";
constexpr std::string_view kOneHost = "each host has drives and files of its own";
constexpr std::string_view kNoMeasurement = "none was measured of what such pieces cost here";

using Of = Remedy::Of;
/// More of the hardware that a resource is of; twice of it where few are had.
constexpr Remedy more(std::string_view part, std::string_view field, double factor = 1.25) {
  return {part, Of::self, field, factor, {}, false, true};
}
/// Twice as many of them for a file.
constexpr Remedy spread(std::string_view part, std::string_view field) {
  return {part, Of::self, field, 2.0, {}, false, false, false, true};
}
/// A file on all of them.
constexpr Remedy on_all(std::string_view part) {
  return {part, Of::self, "stripe.count", 0.0, "0", false, false, false, true};
}
/// New files on all of them in turn, none of which then has more than others.
constexpr Remedy in_turn(std::string_view part) {
  return {part, Of::self, "placement", 0.0, "round-robin", false, false, false, true};
}
/// Twice as many requests of one process at a time, of those that go this way.
constexpr Remedy at_a_time(std::string_view part, std::string_view field, Remedy::Way way) {
  return {.part = part, .field = field, .factor = 2.0, .way = way};
}
constexpr std::array kBeegfsRemedies{in_turn("target"), more("target", "target.count"),
                                     on_all("target"), more("mds", "mds.count", 2.0)};
constexpr std::array kCephfsRemedies{more("osd", "osd.count"), more("mds", "mds.count", 2.0)};
constexpr std::array kChunkstoreRemedies{on_all("target"), more("target", "node.count"),
                                         more("node", "node.count"),
                                         more("meta", "meta.count", 2.0)};
// Devices of a pool are drives that serve cache lines.
constexpr std::array kCxlRemedies{more("drives", "device.count")};
// Data and names of these lie on all servers.
constexpr std::array kDaosRemedies{more("target", "server.count"), more("keys", "server.count")};
constexpr std::array kGpfsRemedies{more("nsd", "server.count"), more("inodes", "server.count")};
constexpr std::array kHdfsRemedies{more("disk", "datanode.count"),
                                   more("datanode", "datanode.count"),
                                   more("namenode", "namenode.count", 2.0)};
constexpr std::array kLustreRemedies{
    in_turn("ost"),           more("ost", "ost.count"),      spread("ost", "stripe.count"),
    more("oss", "oss.count"), more("mdt", "mdt.count", 2.0), more("router", "router.count")};
constexpr std::array kNfsRemedies{more("head", "head.count"), more("network", "head.count"),
                                  more("shelf", "shelf.count")};
constexpr std::array kNvmeofRemedies{more("target", "target.count")};
constexpr std::array kS3Remedies{Remedy{"prefixes", Of::self, "prefixes", 2.0},
                                 Remedy{"first_byte", Of::loader, "workers", 2.0},
                                 Remedy{"connection", Of::loader, "workers", 2.0},
                                 at_a_time("connection", "get.parallel", Remedy::Way::reads),
                                 at_a_time("connection", "put.parallel", Remedy::Way::writes),
                                 at_a_time("put", "put.parallel", Remedy::Way::writes)};
constexpr std::array kSanRemedies{more("port", "port.count")};
constexpr std::array kWekaRemedies{more("drives", "backend.count"),
                                   more("backend", "backend.count"),
                                   more("metadata", "backend.count")};

// What they alone report.
constexpr std::array<std::string_view, 3> kCacheFigures{"hit", "link.*", "dirty.peak"};
constexpr std::array<std::string_view, 3> kS3Figures{"throttled", "tries.most", "ramped"};

/// What it may be filled with, how long its drives last, and its credits.
std::span<const FieldInfo> common_fields() {
  static const std::vector<FieldInfo> all = [] {
    const auto capacity = capacity_fields(), credits = credit_fields();
    std::vector<FieldInfo> out(capacity.begin(), capacity.end());
    out.insert(out.end(), credits.begin(), credits.end());
    return out;
  }();
  return all;
}

StorageRow row(std::string_view id, std::string_view summary, const StorageKind& kind,
               std::span<const PartInfo> parts, std::span<const Count> counts,
               std::span<const Remedy> remedies = {}, std::string_view refuses_pieces = {},
               std::span<const std::string_view> figures = {}) {
  return {{id,
           summary,
           common_fields(),
           kind.fields,
           kAnyStorage,
           parts,
           remedies,
           {},
           counts,
           figures},
          kind.make,
          refuses_pieces};
}

// Sorted by id (registry_test.cpp holds them to it).
const std::array kStorage{
    row("beegfs",
        "BeeGFS: chunks over targets, connections per server, directories owned by one server",
        beegfs_kind(), kBeegfs, kBeegfsCounts, kBeegfsRemedies),
    row("cache",
        "cache servers in front of another storage system: admission, eviction, write-back",
        cache_kind(), kCacheServers, kServerCounts, {}, kWholeFiles, kCacheFigures),
    row("cephfs", "CephFS: OSDs, copies or erasure codes through primaries, placement groups, MDS",
        cephfs_kind(), kCephfs, kCephfsCounts, kCephfsRemedies),
    row("chunkstore",
        "chunk stores: 3FS (chains of replicas), Tectonic (codes computed by the client)",
        chunkstore_kind(), kChunkstore, kChunkstoreCounts, kChunkstoreRemedies, kNoMeasurement),
    row("cxl", "pool of CXL memory: cache lines in flight, ports, devices", cxl_kind(), kCxl,
        kCxlCounts, kCxlRemedies, kNoMeasurement),
    row("daos", "DAOS behind dfuse: server NICs, erasure coding by the client, distributed keys",
        daos_kind(), kServers, kServerCounts, kDaosRemedies),
    row("gpfs", "GPFS (IBM Storage Scale): blocks over all NSD servers, tokens, prefetch limit",
        gpfs_kind(), kServers, kServerCounts, kGpfsRemedies),
    row("hdfs", "HDFS: NameNode, blocks on single disks, pipelines of copies", hdfs_kind(), kHdfs,
        kHdfsCounts, kHdfsRemedies, kWholeFiles),
    row("local", "drives inside each host: NVMe, SATA or disks, RAID, decoding drives",
        local_kind(), kLocal, kLocalCounts, {}, kOneHost),
    row("lustre", "Lustre parallel file system: MDS queue, OSS network, OSTs", lustre_kind(),
        kLustre, kLustreCounts, kLustreRemedies),
    row("measured", "storage known by measurements on its clients: fitted laws, limiters, lines",
        measured_kind(), {}, {}, {}, kNoMeasurement),
    row("nfs", "NFS: controllers of a NAS or a managed service, TCP connections, read-ahead",
        nfs_kind(), kNfs, kNfsCounts, kNfsRemedies),
    row("nvmeof", "NVMe over Fabrics (RDMA, TCP): drives in targets, striped over all of them",
        nvmeof_kind(), kNvmeof, kNvmeofCounts, kNvmeofRemedies, kOneHost),
    row("s3", "S3 and compatible object stores: first byte, connections, request rate of prefixes",
        s3_kind(), kServers, kS3Counts, kS3Remedies, kWholeFiles, kS3Figures),
    row("san", "block array behind FC, iSCSI or SMB: ports, controllers, paths, locks", san_kind(),
        kSan, kSanCounts, kSanRemedies, kNoMeasurement),
    row("weka", "WEKA: N+2 stripes over all backends, client cores, distributed metadata",
        weka_kind(), kWeka, kWekaCounts, kWekaRemedies)};

}  // namespace

std::span<const StorageRow> storage_rows() { return kStorage; }

}  // namespace stallcast::models
