#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "models/storage/drives.hpp"

/// The fields of kinds with drives; each kind adds its own.
namespace stallcast::models {

inline constexpr std::string_view kRaidLevels[] = {"0", "10", "5", "6"};

/// Fields of the drives of `P`, which derives from DriveParams, then its `own`. The members are
/// those of the base, so their type is given.
template <class P, std::size_t N>
constexpr std::array<base::Field<P>, N + 20> with_drives(const std::array<base::Field<P>, N>& own) {
  using namespace base;
  std::array<Field<P>, N + 20> out{
      field<P, std::int64_t>("drive.count", &P::count, kRequired, "drives in one host (or target)",
                             up_to(4096)),
      field<P, std::optional<Bytes>>("drive.size", &P::size, kOptional,
                                     "capacity of one drive; without it nothing is checked",
                                     kPositive),
      field<P, Rate>("drive.read", &P::read, "7 GB/s", "sequential read of one drive",
                     cited(kPositive, "Gen4 NVMe: 6.8-7.2 GB/s (Solidigm D7-P5510, Micron 9400)")),
      field<P, Rate>("drive.write", &P::write, "4.2 GB/s",
                     "sequential write of one drive, steady state",
                     cited(kPositive, "Solidigm D7-P5510: 4.19 GB/s; Gen4 drives 3.8-7")),
      field<P, OpRate>("drive.read_iops", &P::read_iops, "1000 kops/s",
                       "random 4 KiB reads of one drive with a deep queue",
                       assumed(kPositive, "Gen4 NVMe 0.8-1.6 M/s, from memory")),
      field<P, Seconds>("drive.latency", &P::latency, "80 us",
                        "one read on an idle drive besides its data",
                        assumed(kNonNegative, "TLC NVMe 70-90 us, from memory")),
      field<P, std::optional<Seconds>>(
          "drive.latency_p99", &P::latency_p99, kOptional,
          "99th percentile of that time; a read of several drives waits for the slowest; absent: "
          "all reads take the same. 1.5 times idle, 3-10 times under writes (expert values)",
          kPositive),
      field<P, Seconds>(
          "drive.write_latency", &P::write_latency, "15 us", "until a flushed write is safe",
          assumed(kNonNegative, "NVMe with power-loss protection 10-20 us, from memory")),
      field<P, Seconds>("drive.seek", &P::seek, "0 ms",
                        "time a drive is busy before a random request: seek and rotation of a disk",
                        kNonNegative),
      field<P, double>(
          "drive.write_cost", &P::write_cost, "1",
          "drive time of a byte written while others read, over one written alone",
          assumed(kAtLeastOne, "1 for sequential writes, up to 2 with garbage collection")),
      field<P, double>(
          "drive.read_slowdown", &P::read_slowdown, "2",
          "latency of a read while others write, over one alone",
          assumed(kAtLeastOne, "p99 3-10 times as long under sustained writes; the mean less")),
      field<P, Bytes>(
          "drive.burst", &P::burst, "0 B",
          "what one drive takes in at \"drive.burst_write\" before it slows down (SLC cache)",
          kNonNegative),
      field<P, std::optional<Rate>>("drive.burst_write", &P::burst_write, kOptional,
                                    "write rate of one drive until its burst is used up",
                                    kPositive),
      field<P, std::string>("raid.level", &P::raid, "0",
                            "how data lies on the drives: 0, 5, 6 or 10", one_of(kRaidLevels)),
      field<P, Bytes>("raid.chunk", &P::chunk, "512 KiB", "bytes on one drive before the next",
                      assumed(kPositive, "Linux md default; 128-512 KiB are usual")),
      field<P, Bytes>(
          "request", &P::request, "128 KiB",
          "most that is asked for at one time: read_ahead_kb, or the reader's own block",
          cited(kPositive, "Linux default read_ahead_kb")),
      field<P, std::int64_t>("depth", &P::depth, "1", "requests one process keeps in flight",
                             assumed(up_to(1e6), "loader workers read one piece after the other")),
      field<P, Seconds>(
          "open", &P::open, "11 us", "time to open one file",
          cited(kNonNegative, "stas00/ml-engineering, storage chapter: 11 us on local NVMe")),
      field<P, Seconds>("create", &P::create, "30 us", "time to create one file",
                        assumed(kNonNegative)),
      field<P, Rate>("client.stream", &P::stream, "2.5 GB/s",
                     "most one process moves through the page cache; not with O_DIRECT",
                     assumed(kPositive, "copy and page handling of one core, 2-3 GB/s"))};
  std::copy(own.begin(), own.end(), out.begin() + 20);
  return out;
}

}  // namespace stallcast::models
