#include "calibration/observe/live/open_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <vector>

#include "calibration/observe/live/proc_files.hpp"
#include "calibration/observe/tally.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::live {
namespace {

constexpr std::size_t kMostDescriptorsLooked = 1024;  // of one process at one look

/// File systems that hold no data, and cannot be asked how large they are without waiting.
bool is_virtual(std::string_view fs_type) {
  constexpr std::array<std::string_view, 9> kVirtual{"proc",   "sysfs",   "devtmpfs",
                                                     "devpts", "cgroup2", "cgroup",
                                                     "mqueue", "debugfs", "securityfs"};
  return std::find(kVirtual.begin(), kVirtual.end(), fs_type) != kVirtual.end();
}

/// File systems whose reads the kernel counts for the process that asked (task_io_account_read):
/// those on block devices, in memory, and of NFS and SMB.
bool counts_fetches(std::string_view fs_type) {
  constexpr std::array<std::string_view, 23> kCounted{
      "ext2",    "ext3",  "ext4",  "xfs",   "btrfs",   "f2fs", "jfs",      "gfs2",
      "ocfs2",   "vfat",  "exfat", "ntfs3", "iso9660", "udf",  "squashfs", "erofs",
      "overlay", "tmpfs", "ramfs", "nfs",   "nfs4",    "cifs", "smb3"};
  return std::find(kCounted.begin(), kCounted.end(), fs_type) != kCounted.end();
}

}  // namespace

bool is_data(std::string_view path) {
  if (!path.starts_with('/') || path.ends_with(" (deleted)")) return false;
  for (const std::string_view folder : {"/proc/", "/sys/", "/dev/", "/etc/", "/run/", "/usr/lib/",
                                        "/usr/share/", "/memfd:", "/SYSV"})
    if (path.starts_with(folder)) return false;
  for (const std::string_view part : {"/site-packages/", "/dist-packages/", "/stallcast-observe-"})
    if (path.find(part) != path.npos) return false;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view end : {".py", ".pyc", ".so"})
    if (name.ends_with(end)) return false;
  return name.find(".so.") == name.npos;
}

OpenFiles::Row* OpenFiles::row(const std::string& path, double size) {
  if (!is_data(path)) return nullptr;
  auto it = rows_.find(path);
  if (it == rows_.end()) {
    if (rows_.size() >= kMostOpen) return ++untracked_, nullptr;
    it = rows_.emplace(path, Row{}).first;
  }
  it->second.size = std::max(it->second.size, size);
  return &it->second;
}

void OpenFiles::add(const std::string& path, Bytes size) {
  if (Row* found = row(path, size.in(unit::B))) found->read = true;
}

std::uint64_t OpenFiles::read() const {
  return static_cast<std::uint64_t>(
      std::count_if(rows_.begin(), rows_.end(), [](const auto& one) { return one.second.read; }));
}
std::uint64_t OpenFiles::written() const {
  return static_cast<std::uint64_t>(std::count_if(
      rows_.begin(), rows_.end(), [](const auto& one) { return one.second.written; }));
}

void OpenFiles::descriptors(const std::string& process) {
  std::size_t looked = 0;
  for (const std::int64_t number : proc_numbers(process + "/fd")) {
    if (number <= 2) continue;  // standard streams
    if (++looked > kMostDescriptorsLooked) return;
    const std::string link = process + "/fd/" + std::to_string(number);
    const std::string path = proc_link(link);
    if (!is_data(path)) continue;
    struct stat info {};
    if (stat(link.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    Row* found = row(path, static_cast<double>(info.st_size));
    if (found == nullptr) continue;
    const std::string about = proc_text(process + "/fdinfo/" + std::to_string(number));
    const long flags = std::strtol(std::string(proc_value(about, "flags")).c_str(), nullptr, 8);
    found->read = found->read || (flags & O_ACCMODE) != O_WRONLY;
    found->written = found->written || (flags & O_ACCMODE) != O_RDONLY;
  }
}

/// Data that is mapped is read past all calls, and its descriptor may be closed.
void OpenFiles::mappings(const std::string& process) {
  std::set<std::string> programs, data;
  const std::string text = proc_text(process + "/maps");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const std::size_t slash = line.find('/');
    if (slash == line.npos) continue;
    const std::size_t rights = line.find(' ');
    const std::string path(line.substr(slash));
    const bool runs = rights + 3 < line.size() && line[rights + 3] == 'x';
    torch_ = torch_ || (runs && path.find("/libtorch_python.so") != path.npos);
    (runs ? programs : data).insert(path);
  }
  const auto size_of = [](const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)
               ? std::optional(static_cast<double>(info.st_size))
               : std::nullopt;
  };
  const auto keep = [&](std::map<std::string, double>& of, const std::string& path) {
    if (of.size() < kMostOpen && of.count(path) == 0) of[path] = size_of(path).value_or(0.0);
  };
  for (const std::string& path : programs) keep(mapped_programs_, path);
  for (const std::string& path : data) {
    if (programs.count(path) > 0) continue;
    if (!is_data(path)) {
      keep(mapped_programs_, path);
    } else if (const auto size = size_of(path)) {
      add(path, Bytes::from(*size, unit::B));
      keep(mapped_data_, path);
    }
  }
}

Bytes OpenFiles::mapped(bool programs) const {
  double sum = 0.0;
  for (const auto& [path, size] : mapped_data_) sum += size;
  if (programs)
    for (const auto& [path, size] : mapped_programs_) sum += size;
  return Bytes::from(sum, unit::B);
}

void OpenFiles::look(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  descriptors(process);
  mappings(process);
}

void OpenFiles::tell(const NameKeeper& names, Observation& out) const {
  if (rows_.empty()) return;
  ObservedFiles& files = out.files.emplace();
  files.count = rows_.size();
  files.untracked = untracked_;
  std::vector<std::pair<double, const std::string*>> by_size;
  BytesTally extents;
  std::map<std::string, ObservedMount> mounts;
  std::map<std::string, const MountPoint*> points;
  for (const auto& [path, row] : rows_) {
    const double size = row.size;
    by_size.emplace_back(size, &path);
    extents.add(Bytes::from(size, unit::B));
    if (const MountPoint* point = table_.of(path)) {
      ++mounts[point->path].files;
      points[point->path] = point;
    }
  }
  files.extent = extents.distribution();
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  files.folded = by_size.size() > kFiles ? by_size.size() - kFiles : 0;
  by_size.resize(std::min(by_size.size(), kFiles));
  for (const auto& [size, path] : by_size) {
    ObservedFile& file = files.largest.emplace_back();
    file.name = names.file(*path);
    const MountPoint* point = table_.of(*path);
    file.mount = point != nullptr ? names.mount(point->path) : "";
    file.extent = Bytes::from(size, unit::B);
  }
  for (auto& [path, mount] : mounts) {
    const MountPoint& point = *points[path];
    mount.mount = names.mount(path);
    mount.fs_type = point.fs_type;
    out.mounts.push_back(mount);
    if (!out.host) continue;
    ObservedHostMount& at = out.host->mounts.emplace_back();
    at.mount = mount.mount;
    at.fs_type = point.fs_type;
    at.options = point.options;
    struct statvfs space {};
    if (!is_virtual(point.fs_type) && statvfs(path.c_str(), &space) == 0)
      at.capacity = Bytes::from(
          static_cast<double>(space.f_blocks) * static_cast<double>(space.f_frsize), unit::B);
  }
  std::stable_sort(out.mounts.begin(), out.mounts.end(),
                   [](const auto& a, const auto& b) { return a.files > b.files; });
}

std::optional<double> page_cache_share(Bytes read, Bytes fetched, Bytes mapped) {
  constexpr double kMappedShare = 0.05;
  if (!(read > Bytes{}) || fetched > read) return std::nullopt;
  if (std::min(fetched, mapped) > read * kMappedShare) return std::nullopt;
  return 1.0 - fetched / read;
}

void leave_out_uncounted(Observation& out) {
  if (out.mounts.empty() || counts_fetches(out.mounts.front().fs_type)) return;
  const auto sample = out.figures.find("sample_fetched_bytes");
  const bool counted = sample != out.figures.end()
                           ? sample->second > 0.0
                           : out.reading && out.reading->from_device &&
                                 *out.reading->from_device > out.reading->bytes * 0.5;
  if (counted) return;
  for (const char* name : {"page_cache_share", "sample_page_cache_share", "sample_fetched_bytes"})
    out.figures.erase(name);
  if (out.reading) out.reading->from_device.reset();
  if (out.writing) out.writing->from_device.reset();
  out.notes.push_back("the kernel does not count what " + out.mounts.front().fs_type +
                      " fetches: how much of the data the page cache had is not known");
}

std::vector<std::string> OpenFiles::on(std::string_view fs_type, std::size_t most) const {
  std::vector<std::string> out;
  for (const auto& [path, row] : rows_) {
    if (out.size() >= most) break;
    const MountPoint* point = table_.of(path);
    if (point != nullptr && point->fs_type == fs_type) out.push_back(path);
  }
  return out;
}

}  // namespace stallcast::calibration::live
