#include "stallcast/label.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"

namespace stallcast::label {
namespace {

/// How the id that a resource's name holds is said.
enum class Owner { none, of, of_hosts };

struct Row {
  std::string_view role;  ///< first word of the name
  std::string_view part;  ///< behind the id, without a direction; "*" stands for one word
  std::string_view words;
  Owner owner;
  DrawnIn place;  ///< in a drawing of the system
};

using enum Owner;

/// A whole storage system: all that it is made of, where no single part limits.
constexpr std::string_view kWhole = "combined parts";

constexpr Row kRows[] = {
    {"failure", "", "outage", of, DrawnIn::limit},
    {"storage", "", "bandwidth", of, DrawnIn::media},
    {"storage", "array", "array", of, DrawnIn::media},
    {"storage", "backend", "backends", of, DrawnIn::entry},
    {"storage", "backend.cpu", "cores of the backends", of, DrawnIn::entry},
    {"storage", "backend.nic", "backend NICs", of, DrawnIn::entry},
    {"storage", "cache.copy", "copies into the cache", of, DrawnIn::limit},
    {"storage", "capacity", "room", of, DrawnIn::limit},
    {"storage", "client", "clients", of, DrawnIn::limit},
    {"storage", "client.core", "core of a client", of, DrawnIn::entry},
    {"storage", "client.stream", "stream of a client", of, DrawnIn::limit},
    {"storage", "client.tls", "TLS of a client", of, DrawnIn::entry},
    {"storage", "client.put", "PUTs of a client", of, DrawnIn::limit},
    {"storage", "connection", "single connection", of, DrawnIn::entry},
    {"storage", "copy", "copies by a core", of, DrawnIn::limit},
    {"storage", "datanode", "DataNodes", of, DrawnIn::entry},
    {"storage", "datanode.nic", "DataNode NICs", of, DrawnIn::entry},
    {"storage", "device", "volumes", of, DrawnIn::media},
    {"storage", "directories", "directories", of, DrawnIn::metadata},
    {"storage", "directory", "directory", of, DrawnIn::metadata},
    {"storage", "disk", "disks", of, DrawnIn::media},
    {"storage", "drives", "drives", of, DrawnIn::media},
    {"storage", "drives.latency", "latency of the drives", of, DrawnIn::media},
    {"storage", "first_byte", "wait for the first byte", of, DrawnIn::limit},
    {"storage", "head", "controllers", of, DrawnIn::entry},
    {"storage", "inodes", "inode updates", of, DrawnIn::metadata},
    {"storage", "keys", "key operations", of, DrawnIn::metadata},
    {"storage", "latency", "latency", of, DrawnIn::limit},
    {"storage", "limit", "limit", of, DrawnIn::limit},
    {"storage", "lock", "locks", of, DrawnIn::limit},
    {"storage", "md", "metadata targets", of, DrawnIn::metadata},
    {"storage", "mds", "MDSs", of, DrawnIn::metadata},
    {"storage", "mdt", "MDTs", of, DrawnIn::metadata},
    {"storage", "mdt.data", "data on MDTs", of, DrawnIn::metadata},
    {"storage", "media", "media", of, DrawnIn::media},
    {"storage", "meta", "metadata servers", of, DrawnIn::metadata},
    {"storage", "metadata", "metadata", of, DrawnIn::metadata},
    {"storage", "namenode", "NameNode", of, DrawnIn::metadata},
    {"storage", "network.nic", "network", of, DrawnIn::entry},
    {"storage", "node", "nodes", of, DrawnIn::entry},
    {"storage", "node.nic", "node NICs", of, DrawnIn::entry},
    {"storage", "nsd", "NSDs", of, DrawnIn::media},
    {"storage", "open", "file opens", of, DrawnIn::metadata},
    {"storage", "opens", "file opens", of, DrawnIn::metadata},
    {"storage", "osd", "OSDs", of, DrawnIn::media},
    {"storage", "oss", "OSSs", of, DrawnIn::entry},
    {"storage", "oss.nic", "OSS NICs", of, DrawnIn::entry},
    {"storage", "ost", "OSTs", of, DrawnIn::media},
    {"storage", "ost.lock", "extent locks", of, DrawnIn::limit},
    {"storage", "port", "ports", of, DrawnIn::entry},
    {"storage", "port.nic", "port NICs", of, DrawnIn::entry},
    {"storage", "prefixes", "prefixes", of, DrawnIn::limit},
    {"storage", "provisioned", "provisioned throughput", of, DrawnIn::limit},
    {"storage", "put", "PUTs", of, DrawnIn::limit},
    {"storage", "rename", "copies in place of renames", of, DrawnIn::limit},
    {"storage", "requests", "requests", of, DrawnIn::limit},
    {"storage", "router", "LNet routers", of, DrawnIn::entry},
    {"storage", "server", "servers", of, DrawnIn::entry},
    {"storage", "server.nic", "server NICs", of, DrawnIn::entry},
    {"storage", "server.back_nic", "server back NICs", of, DrawnIn::entry},
    {"storage", "shared", "pieces of shared files", of, DrawnIn::limit},
    {"storage", "shared_file", "pieces of shared files", of, DrawnIn::limit},
    {"storage", "shelf", "drive shelves", of, DrawnIn::media},
    {"storage", "space", "cache", of, DrawnIn::media},
    {"storage", "target", "targets", of, DrawnIn::media},
    {"storage", "target.nic", "target NICs", of, DrawnIn::entry},
    {"storage", "wear", "endurance of the drives", of, DrawnIn::limit},
    {"host", "", kWhole, of_hosts, DrawnIn::limit},
    {"host", "client.*", "storage clients", of_hosts, DrawnIn::media},
    {"host", "client.*.gds", "GPUDirect storage clients", of_hosts, DrawnIn::media},
    {"host", "compute_nic", "compute NICs", of_hosts, DrawnIn::media},
    {"host", "cpu", "CPU cores", of_hosts, DrawnIn::media},
    {"host", "gds", "GPUDirect Storage", of_hosts, DrawnIn::media},
    {"host", "gpu.copy", "host-GPU copies", none, DrawnIn::media},
    {"host", "gpu.decode", "GPU decoders", of_hosts, DrawnIn::media},
    {"host", "gpu.peer", "GPU peer path", of_hosts, DrawnIn::media},
    {"host", "memory", "memory", of_hosts, DrawnIn::media},
    {"host", "memory.snapshot", "memory copies of snapshots", of_hosts, DrawnIn::media},
    {"host", "nic", "NICs", of_hosts, DrawnIn::entry},
    {"host", "numa", "links between sockets", of_hosts, DrawnIn::media},
    {"host", "nvlink", "NVLink", of_hosts, DrawnIn::media},
    {"host", "nvme.drives", "local NVMe drives", of_hosts, DrawnIn::media},
    {"host", "nvme.drives.latency", "latency of local NVMe drives", of_hosts, DrawnIn::media},
    {"host", "opens", "file opens", of_hosts, DrawnIn::media},
    {"host", "pcie.down", "PCIe from memory", of_hosts, DrawnIn::media},
    {"host", "pcie.up", "PCIe towards memory", of_hosts, DrawnIn::media},
    {"host", "slow", "slow hosts", of_hosts, DrawnIn::limit},
    {"job", "barrier", "slowest rank", of, DrawnIn::limit},
    {"job", "checkpoint", "work and threads of saves", of, DrawnIn::limit},
    {"job", "checkpoint.checksum", "checksums of saves", of, DrawnIn::limit},
    {"job", "checkpoint.coordinate", "coordination of saves", of, DrawnIn::limit},
    {"job", "checkpoint.flush_rate", "flush rate of saves", of, DrawnIn::limit},
    {"job", "checkpoint.serialize", "serialization of saves", of, DrawnIn::limit},
    {"job", "checkpoint.thread", "saving thread", of, DrawnIn::limit},
    {"job", "checkpoint.threads", "number of saving threads", of, DrawnIn::limit},
    {"job", "checkpoint.work", "work of saves", of, DrawnIn::limit},
    {"job", "compute", "compute", of, DrawnIn::limit},
    {"job", "communication", "communication of ranks", of, DrawnIn::limit},
    {"job", "loader.pin", "copies to pinned memory", of, DrawnIn::limit},
    {"job", "elastic", "GPU lending", of, DrawnIn::limit},
    {"job", "limit", "bandwidth limit", of, DrawnIn::limit},
    {"job", "limit_operations", "limit of requests", of, DrawnIn::limit},
    {"job", "warm_up", "warm-up of the first step", of, DrawnIn::limit},
    {"stage", "rate", "speed", of, DrawnIn::limit},
    {"tenant", "limit", "bandwidth limit", of, DrawnIn::limit},
    {"tenant", "replicas", "copies of the model", of, DrawnIn::limit},
    {"tenant", "limit_operations", "limit of requests", of, DrawnIn::limit},
};

/// Last words that say which way, or which of several measures of one part.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kDirections = {
    {{"read", "read"},
     {"write", "write"},
     {"get", "GET"},
     {"put", "PUT"},
     {"busy", "time in use"},
     {"ops", "operations"},
     {"requests", "small requests in flight"},
     {"uplink", "uplinks"},
     {"local", "local links"},
     {"in", "in"}}};

/// Names of kinds where their ids are not what people write.
struct KindRow {
  std::string_view role, kind, words;
};
constexpr KindRow kKinds[] = {
    {"storage", "beegfs", "BeeGFS"},
    {"storage", "cache", "cache"},
    {"storage", "cephfs", "CephFS"},
    {"storage", "chunkstore", "chunk store"},
    {"storage", "cxl", "CXL memory"},
    {"storage", "daos", "DAOS"},
    {"storage", "gpfs", "GPFS"},
    {"storage", "hdfs", "HDFS"},
    {"storage", "local", "local drives"},
    {"storage", "lustre", "Lustre"},
    {"storage", "measured", "measured storage"},
    {"storage", "nfs", "NFS"},
    {"storage", "nvmeof", "NVMe over Fabrics"},
    {"storage", "s3", "object store"},
    {"storage", "san", "SAN"},
    {"storage", "weka", "WEKA"},
    {"dataset", "hdf5", "HDF5 files"},
    {"dataset", "mds", "MDS shards"},
    {"dataset", "npz", "NumPy archives"},
    {"dataset", "parquet", "Parquet files"},
    {"dataset", "petastorm", "Parquet files (Petastorm)"},
    {"dataset", "raw", "single files"},
    {"dataset", "tfrecord", "TFRecord files"},
    {"dataset", "tokens", "a token file"},
    {"dataset", "webdataset", "WebDataset shards"},
};

/// The word of `part` that "*" of `pattern` stands for; none where it does not fit.
std::optional<std::string_view> word_of(std::string_view pattern, std::string_view part) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  const std::string_view before = pattern.substr(0, star), behind = pattern.substr(star + 1);
  if (part.size() <= before.size() + behind.size() || !part.starts_with(before) ||
      !part.ends_with(behind))
    return std::nullopt;
  const std::string_view word = part.substr(star, part.size() - before.size() - behind.size());
  return word.find('.') == std::string_view::npos ? std::optional(word) : std::nullopt;
}

bool fits(std::string_view pattern, std::string_view part) {
  return pattern == part || word_of(pattern, part);
}

const Row* find_row(std::string_view role, std::string_view part) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.role == role && fits(r.part, part); });
  return row == std::end(kRows) ? nullptr : row;
}

/// A name taken apart. Directions are the last words of the part that have no row.
struct Taken {
  std::string_view role, id, part;
  std::vector<std::string_view> directions;
  const Row* row = nullptr;
};

Taken take_apart(std::string_view name) {
  Taken out;
  const auto word = [&] {
    const std::size_t dot = name.find('.');
    const std::string_view first = name.substr(0, dot);
    name.remove_prefix(dot == std::string_view::npos ? name.size() : dot + 1);
    return first;
  };
  out.role = word();
  if (out.role != "fabric") out.id = word();
  out.part = name;
  while ((out.row = find_row(out.role, out.part)) == nullptr && !out.part.empty()) {
    const std::size_t dot = out.part.rfind('.');
    const std::string_view last = out.part.substr(dot == std::string_view::npos ? 0 : dot + 1);
    const auto known = std::find_if(kDirections.begin(), kDirections.end(),
                                    [&](const auto& d) { return d.first == last; });
    if (known == kDirections.end()) break;
    out.directions.insert(out.directions.begin(), known->second);
    out.part = dot == std::string_view::npos ? std::string_view() : out.part.substr(0, dot);
  }
  return out;
}

std::string spaced(std::string_view words) {
  std::string out(words);
  std::replace(out.begin(), out.end(), '.', ' ');
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

/// Rates of a storage system have a direction; without one it is all of it.
std::string_view words_of(const Taken& name) {
  const bool whole = name.role == "storage" && name.part.empty() && name.directions.empty();
  return whole ? kWhole : name.row->words;
}

/// "fabric.node.area.uplink.read": links of a topology's level.
std::string of_fabric(const Taken& name) {
  const std::string_view level = name.part.substr(name.part.rfind('.') + 1);
  if (name.part == "port") return "ports of switches";
  if (name.part == "compute_link") return "links of the compute network";
  return level.empty() ? "fabric" : "fabric, " + spaced(level);
}

}  // namespace

std::string of_resource(std::string_view resource) {
  if (are_several(resource)) return of_several(each_of(resource));
  const Taken name = take_apart(resource);
  std::string out;
  if (name.role == "fabric") {
    out = of_fabric(name);
  } else if (name.row == nullptr) {
    out = spaced(name.part.empty() ? resource : name.part);
    if (!name.part.empty() && !name.id.empty()) out += " of " + std::string(name.id);
  } else {
    out = words_of(name);
    if (name.row->owner == Owner::of) out += " of " + std::string(name.id);
    if (name.row->owner == Owner::of_hosts) out += " of " + std::string(name.id) + " hosts";
    if (const auto word = word_of(name.row->part, name.part)) out += ", " + std::string(*word);
  }
  for (std::size_t i = 0; i < name.directions.size(); ++i)
    out += (i == 0 ? " (" : ", ") + std::string(name.directions[i]);
  return name.directions.empty() ? out : out + ")";
}

std::string limits(std::string_view resource, bool waited) {
  return (waited ? "waits most for the " : "limited by the ") + of_resource(resource);
}

bool knows(std::string_view resource) {
  const Taken name = take_apart(resource);
  return name.role == "fabric" || name.row != nullptr;
}

NamedPart part_of(std::string_view resource) {
  const Taken name = take_apart(resource);
  if (name.role == "fabric") {
    const std::size_t dot = name.part.rfind('.');
    return {name.part, dot == std::string_view::npos ? "links" : name.part.substr(dot + 1),
            DrawnIn::media};
  }
  if (name.row == nullptr) return {name.part, name.part, DrawnIn::limit};
  return {name.part, words_of(name), name.row->place};
}

std::string of_kind(std::string_view role, std::string_view kind) {
  for (const KindRow& row : kKinds)
    if (row.role == role && row.kind == kind) return std::string(row.words);
  return role == "storage" || role == "dataset" ? spaced(kind) : std::string();
}

std::string of_count(std::string_view name) {
  constexpr std::string_view kCount = ".count";
  const std::string_view resource =
      name.ends_with(kCount) ? name.substr(0, name.size() - kCount.size()) : name;
  // Of a whole system nothing is counted: "storage.ost.count" leaves out whose OSTs they are.
  const bool part = std::count(resource.begin(), resource.end(), '.') > 1;
  return part && knows(resource) ? of_resource(resource) : std::string(name);
}

}  // namespace stallcast::label
