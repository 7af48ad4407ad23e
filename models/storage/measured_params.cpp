#include "models/storage/measured_params.hpp"
#include "models/storage/striping.hpp"

#include <algorithm>
#include <array>

#include "models/contract/storage.hpp"
#include "models/storage/kinds.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kScopes[] = {"host", "shared"};
constexpr std::string_view kLatencyOf[] = {"file", "request"};
constexpr std::string_view kLines[] = {"own", "shared"};
constexpr std::string_view kRefills[] = {"slices", "steady"};

constexpr std::array kMeasuredFields{
    field("scope", &MeasuredParams::scope, "host",
          "what was measured: a device that every host has for itself, or one that all share",
          one_of(kScopes)),
    // How requests wait.
    field("read.law", &MeasuredParams::read_law, "line", "how reads wait for each other",
          one_of(kResponseLaws)),
    field("read.latency", &MeasuredParams::read_latency, kRequired,
          "part of a read that does not grow with what is outstanding (alpha); --profile fills it",
          kNonNegative),
    field("read.latency_of", &MeasuredParams::read_latency_of, "request",
          "law fifo: what pays the latency, each request, or each file once (the rest of it is "
          "read ahead)",
          one_of(kLatencyOf)),
    field("read.per_op", &MeasuredParams::read_per_op, "0 s",
          "time of a server per read besides its bytes", kNonNegative),
    field("read.rate", &MeasuredParams::read, kRequired,
          "bytes one server reads per second; --profile fills it", kPositive),
    field(
        "read.lanes", &MeasuredParams::read_lanes, "1",
        "laws line and mva: reads that one server serves at one time; one that is alone takes its "
        "time as many times as long",
        kAtLeastOne),
    field("read.private", &MeasuredParams::read_private, "0 %",
          "law line: part of its time at read.rate among read.readers that a read takes by itself, "
          "however many there are; the rest is a line that all share",
          kShare),
    field("read.readers", &MeasuredParams::read_readers, "1",
          "law line: reads in flight that read.rate was seen with, where read.private is given",
          kAtLeastOne),
    field("read.stream", &MeasuredParams::read_stream, kOptional,
          "laws roofline and throttle: bytes per second of one read alone; law fifo: what a server "
          "reads per second of files of more than one request",
          kPositive),
    field("read.copy", &MeasuredParams::read_copy, kOptional,
          "bytes one core of the reading process takes in per second, after each request (law "
          "fifo); absent: the host's own copies",
          kPositive),
    field("write.law", &MeasuredParams::write_law, "line", "how writes wait for each other",
          one_of(kResponseLaws)),
    field(
        "write.latency", &MeasuredParams::write_latency, kOptional,
        "part of a write that does not grow with what is outstanding; needed where anybody writes",
        kNonNegative),
    field("write.per_op", &MeasuredParams::write_per_op, "0 s",
          "time of a server per write besides its bytes", kNonNegative),
    field("write.rate", &MeasuredParams::write, kOptional,
          "bytes one server writes per second; needed where anybody writes", kPositive),
    field("write.lanes", &MeasuredParams::write_lanes, "1", "as read.lanes, of writes",
          kAtLeastOne),
    field("write.stream", &MeasuredParams::write_stream, kOptional,
          "as read.stream, of writes: of one alone, or of files of more than one request",
          kPositive),
    field("write.copy", &MeasuredParams::write_copy, kOptional,
          "bytes one core copies into the page cache per second, before the file is flushed; "
          "absent: the measured rate contains it",
          kPositive),
    field("write.request", &MeasuredParams::write_request, "1 MiB",
          "most that is written at one time",
          between("256 KiB", "4 MiB",
                  assumed(kPositive,
                          "what file systems send of dirty pages at one time; 4 MiB on some"),
                  "expert range: 1 MiB usual, 4 MiB on some as cited; slow devices less")),
    field("write.line", &MeasuredParams::write_line, "shared",
          "where writes wait: in the line of the reads, or in one of their own", one_of(kLines)),
    field("mixed.coupling", &MeasuredParams::coupling, "1",
          "how many times as long reads and writes of one line take while both are outstanding, "
          "besides waiting for each other",
          kAtLeastOne),
    // Metadata.
    field(
        "open.latency", &MeasuredParams::open_latency, "11 us",
        "private part of an open: it does not grow with the processes that open",
        between("4 us", "30 us",
                cited(kNonNegative, "stas00/ml-engineering, storage chapter: 11 us on local NVMe"),
                "expert range: one system gave 11 us; cores and file systems differ")),
    field("open.per_op", &MeasuredParams::open_per_op, "0 s",
          "serial part of an open: time the file system is busy with it", kNonNegative),
    field("open.cached", &MeasuredParams::open_cached, "0 s",
          "time of an open of a file whose data the host's cache holds: its private part where "
          "attributes are asked for again",
          kNonNegative),
    field("open.ops", &MeasuredParams::open_ops, "0",
          "requests of the device that an open needs on average (inodes, directories): they count "
          "in limit.read_ops",
          kNonNegative),
    field(
        "open.cold_ops", &MeasuredParams::cold_ops, "0",
        "requests that bring in the inodes of a group of files when the first of it is opened: 32 "
        "of 4 KiB on ext4; they count in limit.read_ops",
        kNonNegative),
    field("open.cold_files", &MeasuredParams::cold_files, "512", "files of such a group",
          cited(kAtLeastOne, "ext4: 32 blocks of 16 inodes of 256 B are read ahead")),
    field("create.latency", &MeasuredParams::create_latency, "30 us",
          "private part of a create: it does not grow with the processes that create",
          between("10 us", "100 us", assumed(kNonNegative),
                  "expert range: a few times an open; journals differ")),
    field("create.per_op", &MeasuredParams::create_per_op, "0 s",
          "serial part of a create: time the file system is busy with it", kNonNegative),
    field("sync", &MeasuredParams::sync, "1 ms", "time of an fsync besides the bytes it waits for",
          between("0.1 ms", "10 ms",
                  assumed(kNonNegative, "one flush of the drive and a journal commit"),
                  "expert range: drives with power-loss protection 0.1 ms, others 10 ms")),
    // How files are read.
    field("request", &MeasuredParams::request, "128 KiB",
          "most that is asked for at one time: read_ahead_kb, or the reader's own block",
          cited(kPositive, "Linux default read_ahead_kb")),
    field("depth", &MeasuredParams::depth, "1", "requests one process keeps in flight",
          assumed(up_to(1e6), "loader workers read one piece after the other")),
    // Servers.
    field("servers", &MeasuredParams::servers, "1",
          "servers (OSTs, drives) that files lie on; rates are those of one", up_to(1e6)),
    field("stripe", &MeasuredParams::stripe, "1",
          "servers that one file lies on, in turn (law fifo)", up_to(1e6)),
    field("stripe_size", &MeasuredParams::stripe_size, "1 MiB", "piece of a file on one server",
          cited(kPositive, "Lustre default stripe size")),
    field("placement", &MeasuredParams::placement, "random",
          "how files are spread over servers (law fifo): drawn, or in turn", one_of(kPlacements)),
    // Limits in front of the device.
    field("limit.read", &MeasuredParams::limit_read, kOptional,
          "bytes per second that a limiter lets through (cloud volumes, cgroups)", kPositive),
    field("limit.read_ops", &MeasuredParams::limit_read_ops, kOptional,
          "reads per second that a limiter lets through", kPositive),
    field("limit.write", &MeasuredParams::limit_write, kOptional,
          "bytes written per second that a limiter lets through", kPositive),
    field("limit.write_ops", &MeasuredParams::limit_write_ops, kOptional,
          "writes per second that a limiter lets through", kPositive),
    field("limit.burst", &MeasuredParams::limit_burst, "100 ms",
          "what may pass at once after a rest, as time at the limited rate",
          between("20 ms", "1 s",
                  cited(kNonNegative, "Linux blk-throttle: a slice of 100 ms, 20 ms on SSDs"),
                  "expert range: 20-100 ms as cited; cloud volumes let more pass")),
    field("limit.refill", &MeasuredParams::limit_refill, "steady",
          "how what may pass comes back: steady, or in slices as long as the burst that begin with "
          "the first request after a rest (Linux blk-throttle)",
          one_of(kRefills)),
    field("jitter", &MeasuredParams::jitter, "0 %",
          "share J of every latency that is exponential: latencies x (1 - J + J Exp(1))", kShare),
    // Where the measurements end.
    field("fitted.smallest", &MeasuredParams::smallest, kOptional,
          "smallest read that was measured", kPositive),
    field("fitted.largest", &MeasuredParams::largest, kOptional, "largest read that was measured",
          kPositive),
    field("fitted.shallowest", &MeasuredParams::shallowest, kOptional,
          "fewest reads in flight that were measured; absent: one", kAtLeastOne),
    field("fitted.deepest", &MeasuredParams::deepest, kOptional,
          "most reads in flight that were measured", kAtLeastOne),
    field("fitted.write.smallest", &MeasuredParams::write_smallest, kOptional,
          "smallest write that was measured", kPositive),
    field("fitted.write.largest", &MeasuredParams::write_largest, kOptional,
          "largest write that was measured", kPositive),
    field("fitted.write.shallowest", &MeasuredParams::write_shallowest, kOptional,
          "fewest writes in flight that were measured; absent: one", kAtLeastOne),
    field("fitted.write.deepest", &MeasuredParams::write_deepest, kOptional,
          "most writes in flight that were measured", kAtLeastOne)};

// What all servers move of requests of `size` when nothing waits.
Rate most(const ResponseParams& way, std::int64_t servers, const std::optional<Rate>& limit) {
  Rate one = way.rate;
  if (way.law == ResponseLaw::fifo && way.stream.finite()) one = std::max(one, way.stream);
  return std::min(one * static_cast<double>(servers), limit.value_or(Rate::infinity()));
}

}  // namespace

MeasuredParams measured_params(const Component& component) {
  return bind<kMeasuredFields>(component);
}
std::span<const FieldInfo> measured_fields() { return kInfos<kMeasuredFields>; }

ResponseParams MeasuredParams::reads() const {
  ResponseParams out{response_law(read_law),
                     read_latency,
                     read_per_op,
                     read,
                     read_stream.value_or(Rate::infinity()),
                     read_lanes};
  if (out.law != ResponseLaw::line || read_private == Fraction{}) return out;
  // R(N) stays what it is with nothing private.                          [measured.md, eq. 10]
  constexpr double kLeast = 1e-6;  // of the demand: a device that is in no way shared has no speed
  const double shared = std::max(kLeast, 1.0 - read_private.in(unit::ratio));
  const double n = read_readers / std::min(read_readers, static_cast<double>(servers));
  out.private_demands = (1.0 - shared) / shared * std::max(n, read_lanes);
  out.per_op *= shared;
  out.rate = out.rate / shared;
  return out;
}
ResponseParams MeasuredParams::writes() const {
  return {response_law(write_law),          write_latency.value_or(Seconds{}),       write_per_op,
          write.value_or(Rate::infinity()), write_stream.value_or(Rate::infinity()), write_lanes};
}
MeasuredRange MeasuredParams::range(bool writes) const {
  return writes ? MeasuredRange{write_smallest, write_largest, write_shallowest, write_deepest}
                : MeasuredRange{smallest, largest, shallowest, deepest};
}
// The metadata servers serve a line where the device does.
ResponseParams MeasuredParams::opens() const {
  const bool fifo = response_law(read_law) == ResponseLaw::fifo;
  return {fifo ? ResponseLaw::fifo : ResponseLaw::line, open_latency, open_per_op};
}
ResponseParams MeasuredParams::creates() const {
  ResponseParams out = opens();
  out.latency = create_latency;
  out.per_op = create_per_op;
  return out;
}
Rate MeasuredParams::most_read() const { return most(reads(), servers, limit_read); }
Rate MeasuredParams::most_write() const { return most(writes(), servers, limit_write); }

}  // namespace stallcast::models
