#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "models/storage/drives.hpp"

/// The fields of kinds with drives; each kind adds its own.
namespace stallcast::models {

inline constexpr std::string_view kRaidLevels[] = {"0", "10", "5", "6"};

inline constexpr auto kDriveFields = [] {
  using namespace base;
  return std::array{
      field("drive.count", &DriveParams::count, kRequired, "drives in one host (or target)",
            up_to(4096)),
      field("drive.size", &DriveParams::size, kOptional,
            "capacity of one drive; without it nothing is checked", kPositive),
      field("drive.read", &DriveParams::read, "7 GB/s", "sequential read of one drive",
            between("3.2 GB/s", "14.5 GB/s",
                    cited(kPositive, "Gen4 NVMe: 6.8-7.2 GB/s (Solidigm D7-P5510, Micron 9400)"),
                    "NVMe drives of the catalogue: Gen3 3.2 GB/s to Gen5 14.5")),
      field("drive.write", &DriveParams::write, "4.2 GB/s",
            "sequential write of one drive, steady state",
            between("1.5 GB/s", "10.5 GB/s",
                    cited(kPositive, "Solidigm D7-P5510: 4.19 GB/s; Gen4 drives 3.8-7"),
                    "NVMe drives of the catalogue: consumer 1.5 GB/s to Gen5 10.5")),
      field("drive.read_iops", &DriveParams::read_iops, "1000 kops/s",
            "random 4 KiB reads of one drive with a deep queue",
            between("600 kops/s", "3300 kops/s",
                    assumed(kPositive, "Gen4 NVMe 0.8-1.6 M/s, from memory"),
                    "NVMe drives of the catalogue: Gen3 640 kops/s to Gen5 3300")),
      field("drive.write_iops", &DriveParams::write_iops, "200 kops/s",
            "random 4 KiB writes of one drive that is full already, with a deep queue",
            between("40 kops/s", "675 kops/s",
                    assumed(kPositive, "Gen4 NVMe of one write a day 150-300 k/s, from memory"),
                    "expert range: QLC 40 k/s; Micron 7600 MAX 675 k/s by its data sheet")),
      field("drive.latency", &DriveParams::latency, "80 us",
            "one read on an idle drive besides its data",
            between("60 us", "120 us", assumed(kNonNegative, "TLC NVMe 70-90 us, from memory"),
                    "expert range: 70-90 us as cited; cloud and QLC drives up to 120")),
      field("drive.latency_p99", &DriveParams::latency_p99, kOptional,
            "99th percentile of that time; a read of several drives waits for the slowest; absent: "
            "all reads take the same. 1.5 times idle, 3-10 times under writes (expert values)",
            kPositive),
      field("drive.write_latency", &DriveParams::write_latency, "15 us",
            "until a flushed write is safe",
            between("8 us", "40 us",
                    assumed(kNonNegative, "NVMe with power-loss protection 10-20 us, from memory"),
                    "expert range: 10-20 us as cited; busy caches take longer")),
      field("drive.seek", &DriveParams::seek, "0 ms",
            "time a drive is busy before a random request: seek and rotation of a disk",
            kNonNegative),
      field(
          "drive.write_cost", &DriveParams::write_cost, "1",
          "drive time of a byte written while others read, over one written alone",
          between("1", "2",
                  assumed(kAtLeastOne, "1 for sequential writes, up to 2 with garbage collection"),
                  "as cited: 1 for sequential writes, up to 2 with garbage collection")),
      field("drive.read_slowdown", &DriveParams::read_slowdown, "2",
            "latency of a read while others write, over one alone",
            between("1.2", "5",
                    assumed(kAtLeastOne,
                            "p99 3-10 times as long under sustained writes; the mean less"),
                    "expert range: p99 3-10 times as cited, the mean less")),
      field("drive.burst", &DriveParams::burst, "0 B",
            "what one drive takes in at \"drive.burst_write\" before it slows down (SLC cache)",
            kNonNegative),
      field("drive.burst_write", &DriveParams::burst_write, kOptional,
            "write rate of one drive until its burst is used up", kPositive),
      field("raid.level", &DriveParams::raid, "0", "how data lies on the drives: 0, 5, 6 or 10",
            one_of(kRaidLevels)),
      field("raid.chunk", &DriveParams::chunk, "512 KiB", "bytes on one drive before the next",
            assumed(kPositive, "Linux md default; 128-512 KiB are usual")),
      field("request", &DriveParams::request, "128 KiB",
            "most that is asked for at one time: read_ahead_kb, or the reader's own block",
            cited(kPositive, "Linux default read_ahead_kb")),
      field("depth", &DriveParams::depth, "1", "requests one process keeps in flight",
            assumed(up_to(1e6), "loader workers read one piece after the other")),
      field("open", &DriveParams::open, "11 us", "time to open one file",
            between(
                "4 us", "30 us",
                cited(kNonNegative, "stas00/ml-engineering, storage chapter: 11 us on local NVMe"),
                "expert range: one system gave 11 us; cores and file systems differ")),
      field("create", &DriveParams::create, "30 us", "time to create one file",
            between("10 us", "100 us", assumed(kNonNegative),
                    "expert range: a few times an open; journals differ")),
      field("client.stream", &DriveParams::stream, "2.5 GB/s",
            "most one process moves through the page cache; not with O_DIRECT",
            between("1.5 GB/s", "4 GB/s",
                    assumed(kPositive, "copy and page handling of one core, 2-3 GB/s"),
                    "expert range: 2-3 GB/s as cited; slower cores 1.5, large folios 4"))};
}();

/// Fields of the drives of `P`, which derives from DriveParams, then its `own`.
template <class P, std::size_t N>
constexpr std::array<base::Field<P>, kDriveFields.size() + N> with_drives(
    const std::array<base::Field<P>, N>& own) {
  return base::joined<P>(kDriveFields, own);
}

}  // namespace stallcast::models
