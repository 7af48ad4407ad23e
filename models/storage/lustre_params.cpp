#include "models/storage/lustre_params.hpp"
#include "models/storage/kinds.hpp"
#include "models/storage/striping.hpp"

#include <array>

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kNote = "public Lustre 2.15.3 tuning note (catalogue, read 2026-11)";
constexpr std::string_view kSmallFile = "cold small-file open 81-98 us (catalogue, read 2026-11)";
constexpr std::string_view kOnOst =
    "cold open and read on an OST: 277 us of 4 KiB, 618 us of 16 KiB; fitted (public Lustre 2.15.3 "
    "tuning note, read 2026-11)";
constexpr std::string_view kOnMdt =
    "cold open and read on an MDT: 155 us of 4 KiB, 212 us of 64 KiB; fitted (public Lustre 2.15.3 "
    "tuning note, read 2026-11)";
constexpr std::string_view kEagle = "4.06 GB/s per OST, ALCF Eagle: 650 GB/s over 160 OSTs";
constexpr std::string_view kHard =
    "IO500 2024, AI400X2T: 5.7 GiB/s of 47,008 bytes each in turn on 8 OSTs of 7.62 GB/s; fitted";

constexpr std::array<Field<LustreParams>, 60> kLustreFields{
    field("ost.count", &LustreParams::ost_count, kRequired, "object storage targets", up_to(1e7)),
    field("ost.read", &LustreParams::ost_read, "4 GB/s", "what one OST reads from its media",
          between("1 GB/s", "30 GB/s", cited(kPositive, kEagle),
                  "OSTs of the catalogue: 0.45 GB/s of old disks to 48 on flash")),
    field("ost.write", &LustreParams::ost_write, "4 GB/s",
          "what one OST writes to its media, full stripes",
          between("1 GB/s", "20 GB/s", cited(kPositive, kEagle),
                  "OSTs of the catalogue: 0.5 GB/s of old disks to 30 on flash")),
    field("ost.service", &LustreParams::ost_service, "0.17 ms",
          "time of one RPC on the server besides its data",
          between("60 us", "0.5 ms", cited(kNonNegative, kOnOst),
                  "expert range: fitted to one system; its 256 KiB reads took twice as long")),
    field(
        "ost.bulk", &LustreParams::ost_bulk, "3",
        "turns on the server, \"ost.service\" each, of an RPC whose data do not fit in its reply: "
        "request, transfer, end",
        between("2", "4", cited(kAtLeastOne, kOnOst),
                "expert range: fitted to one system; a transfer takes 2 turns at least")),
    field("ost.capacity", &LustreParams::ost_capacity, kOptional, "of one OST: for \"provisioned\"",
          kPositive),
    field("ost.seek", &LustreParams::seek, "0 ms",
          "time of a seek and rotation of one disk; 0: flash, or never more streams than disks",
          cited(kNonNegative, "disks: 4-12 ms (catalogue)")),
    field("ost.spindles", &LustreParams::spindles, "1",
          "disks or disk groups of one OST that seek alone", kAtLeastOne),
    field("ost.degraded", &LustreParams::ost_degraded, "0", "OSTs that run degraded or rebuild",
          up_to(1e7, kNonNegative)),
    field("ost.degraded_rate", &LustreParams::ost_degraded_rate, "70 %",
          "what such an OST reads and writes of its rate",
          between("50 %", "90 %",
                  assumed(kPositiveShare, "degraded reads x 0.7; a rebuild takes 10-30 %"),
                  "expert range: rebuild takes 10-30 % as cited; small groups lose half")),
    field(
        "provisioned", &LustreParams::provisioned, kOptional,
        "what a managed service gives for each TiB of ost.capacity, reads and writes, in place of "
        "ost.read and ost.write",
        kPositive),
    field("raid.data", &LustreParams::raid_data, kOptional,
          "data drives of a RAID 6, dRAID or EC stripe; without it writes cost nothing extra",
          up_to(256.0)),
    field("raid.parity", &LustreParams::raid_parity, "2", "parity drives of a stripe",
          up_to(16.0, kNonNegative)),
    field("raid.chunk", &LustreParams::raid_chunk, "128 KiB", "bytes of a stripe on one drive",
          assumed(kPositive, "128 KiB x 8 drives is one RPC of 1 MiB")),
    field("oss.count", &LustreParams::oss_count, kOptional,
          "object storage servers; without it their NICs do not limit", up_to(1e7)),
    field("oss.failed", &LustreParams::oss_failed, "0",
          "OSS that are down: their partners carry their OSTs", up_to(1e7, kNonNegative)),
    field("oss.nic", &LustreParams::oss_nic, "400 Gb/s",
          "network rate of one OSS, each direction, all its ports",
          between("100 Gb/s", "800 Gb/s", assumed(kPositive, "one NDR400 port per OSS"),
                  "expert range: one EDR port to two NDR400 ports per OSS")),
    field("router.count", &LustreParams::routers, kOptional,
          "LNet routers that all traffic between clients and servers passes; absent: none",
          up_to(1e6)),
    field("router.rate", &LustreParams::router_rate, "200 Gb/s",
          "what one router forwards, each direction",
          only_with("router.count",
                    between("90 Gb/s", "380 Gb/s",
                            assumed(kPositive, "a host with a port on either side"),
                            "expert range: one EDR port to one NDR400 port on either side"))),
    field("router.latency", &LustreParams::router_latency, "10 us",
          "time of one message in a router",
          only_with(
              "router.count",
              between("3 us", "40 us", assumed(kNonNegative, "received, queued and sent by a host"),
                      "expert range: RDMA on both sides 3-10 us, TCP on one 40 us"))),
    field("router.credits", &LustreParams::router_credits, "8",
          "messages of 1 MiB that a client has under way to one router (peer_credits)",
          only_with("router.count",
                    cited(up_to(4096.0), "peer_credits of ksocklnd and o2iblnd: 8 as they ship"))),
    field("read", &LustreParams::read_ceiling, kOptional,
          "most the whole system reads (data sheet figure)", kPositive),
    field("write", &LustreParams::write_ceiling, kOptional,
          "most the whole system writes (data sheet figure)", kPositive),
    field("mdt.count", &LustreParams::mdt_count, "1", "metadata targets", up_to(1e5)),
    field(
        "mdt.open", &LustreParams::mdt_open, "80 kops/s", "opens one MDT serves",
        between("40 kops/s", "200 kops/s",
                assumed(kPositive, "80-200 kops/s on flash; AI400X2T 264 kops/s create over 4 MDS"),
                "expert range: 80-200 as cited; AI400X2T 65 kops/s per MDT")),
    field("mdt.create", &LustreParams::mdt_create, "50 kops/s", "creates one MDT serves",
          between("14 kops/s", "100 kops/s",
                  assumed(kPositive, "AI400X2T 264 kops/s over 4 MDS, IO500 2024"),
                  "MDTs of the catalogue: 14 kops/s on disks to 95 on flash")),
    field("mdt.service", &LustreParams::mdt_service, "90 us",
          "time one cold open spends in an idle MDS",
          between("60 us", "300 us", cited(kPositive, kSmallFile),
                  "expert range: 81-98 us is one system; slower cores take longer")),
    field("mdt.data_service", &LustreParams::mdt_data_service, "45 us",
          "time one read of data on an MDT spends in an idle MDS",
          between("20 us", "150 us", cited(kNonNegative, kOnMdt),
                  "expert range: fitted to one system, within a factor of 3")),
    field("mdt.object", &LustreParams::object_cost, "7 %",
          "of mdt.service: what each further OST of a file's layout adds to opening it",
          between("4 %", "15 %",
                  cited(kNonNegative,
                        "first read 1332 us on one OST, 1481 us on 24: 6.5 us each (same note)"),
                  "expert range: the note has 6.5 and 9.5 us each, 7-11 % of an open")),
    field("mdt.read", &LustreParams::mdt_read, "5 GB/s", "data one MDT reads or writes",
          between("2 GB/s", "15 GB/s", assumed(kPositive, "a few NVMe drives"),
                  "expert range: a mirror of SAS SSDs to several NVMe drives")),
    field(
        "directory.count", &LustreParams::directories, kOptional,
        "directories that files are opened in, and tenants and stages create files in, each on an "
        "MDT drawn for it; without it opens keep all MDTs equally busy and creates are in one",
        up_to(1e6)),
    field("directory.striped", &LustreParams::directory_striped, "false",
          "each directory lies on all MDTs (lfs mkdir -c -1)"),
    field("directory.creates", &LustreParams::directory_creates, kOptional,
          "files created a second in one directory that is not striped; without it what its MDT "
          "creates",
          kPositive),
    field("dom", &LustreParams::dom, "0 B",
          "bytes at the beginning of each file that lie on its MDT",
          cited(kNonNegative, "0 is the Lustre default; Orion 256 KiB (OLCF documents)")),
    field("pfl.end", &LustreParams::pfl_end, kOptional,
          "end of the first component of a progressive layout; stripe.count holds beyond it",
          kPositive),
    field("pfl.count", &LustreParams::pfl_count, "1", "OSTs of the first component", kAtLeastOne),
    field("stripe.count", &LustreParams::stripe_count, "1", "OSTs a file lies on; 0 = all of them",
          kNonNegative),
    field("stripe.size", &LustreParams::stripe_size, "1 MiB",
          "bytes on one OST before the next: a smaller file lies on one OST",
          cited(kPositive, "Lustre default")),
    field("placement", &LustreParams::placement, "round-robin",
          "how new files are spread over OSTs", base::one_of(kPlacements)),
    field("client.rpc", &LustreParams::rpc, "4 MiB", "largest RPC",
          cited(kPositive, "max_pages_per_rpc default since 2.12")),
    field("client.short_io", &LustreParams::short_io, "4 KiB",
          "largest data that come in the reply of their RPC",
          between("4 KiB", "16 KiB",
                  cited(kNonNegative, "cold reads step between 4 and 16 KiB (same note)"),
                  "as cited: cold reads step between 4 and 16 KiB")),
    field("client.rpcs_in_flight", &LustreParams::rpcs_in_flight, "8",
          "RPCs in flight per client and OST", cited(kAtLeastOne, kNote)),
    field("client.read_ahead", &LustreParams::read_ahead, "256 MiB",
          "bytes the client reads ahead in one buffered file", cited(kPositive, kNote)),
    field("client.read_ahead_all", &LustreParams::read_ahead_all, "1 GiB",
          "bytes one host reads ahead in all its buffered files", cited(kPositive, kNote)),
    field("client.dirty", &LustreParams::dirty, "2000 MiB",
          "written bytes one client holds for one OST before the writer waits",
          cited(kPositive, kNote)),
    kBufferedStream,
    field("client.stream_direct", &LustreParams::stream_direct, "5.37 GB/s",
          "the same with O_DIRECT, per stripe",
          between("2.5 GB/s", "8 GB/s",
                  cited(kPositive, "5.0 GiB/s, one client, one stripe (catalogue, read 2026-11)"),
                  "expert range: one client was measured; cores and links differ")),
    field("client.stream_mdt", &LustreParams::stream_mdt, "1.08 GB/s",
          "most one reader or writer moves of data on an MDT",
          between("0.5 GB/s", "2.5 GB/s", cited(kPositive, kOnMdt),
                  "expert range: fitted to one system, within a factor of 2")),
    field("client.checksums", &LustreParams::checksums, "true",
          "clients compute a checksum of every RPC's data, on cores of the host",
          cited({}, "on in Lustre as it ships (osc.*.checksums=1)")),
    field("client.checksum_rate", &LustreParams::checksum_rate, "3.5 GB/s",
          "data one core computes the checksum of in a second",
          between("2 GB/s", "5 GB/s",
                  assumed(kPositive, "Lustre checksums 2-5 GB/s per core, by algorithm"),
                  "as cited: 2-5 GB/s per core, by algorithm")),
    field("client.read", &LustreParams::client_read, kOptional,
          "most one host reads through its Lustre client", kPositive),
    field("client.write", &LustreParams::client_write, kOptional,
          "most one host writes through its Lustre client", kPositive),
    field("lock", &LustreParams::lock, "55 us",
          "time to hand the lock of an OST object from one writer to the next when they share a "
          "file in pieces that do not end where stripes do",
          between("15 us", "2 ms", cited(kNonNegative, kHard),
                  "IO500 2018-2020, ior-hard write of 27 runs: 0.03-1.4 GB/s an OST of flash, "
                  "disks 0.001-0.4")),
    field("shared.read", &LustreParams::piece_read, "20 us",
          "time a piece holds its OST object, besides its data, that is read from a file others "
          "have written in such pieces",
          between("1 us", "2 ms",
                  cited(kNonNegative,
                        "IO500 2018-2020, ior-hard read of 27 runs: AI400X reads 90 % "
                        "of ior-easy, other flash 0.06-3.3 GB/s a server"),
                  "as cited; disks 0.001-1.2 GB/s a server")),
    kDelivered,
    field("commit", &LustreParams::commit, "1 ms",
          "time to make one written file durable: fsync on its OSTs, then the MDT",
          between("0.3 ms", "5 ms", assumed(kNonNegative),
                  "expert range: cache with battery 0.3 ms, flash that is flushed 5 ms")),
    field("hsm.released", &LustreParams::hsm_released, "0 %",
          "files that only the archive holds until they are read", kShare),
    field("hsm.agents", &LustreParams::hsm_agents, "4", "restores at one time, all agents together",
          assumed(kAtLeastOne)),
    field("hsm.rate", &LustreParams::hsm_rate, "0.4 GB/s", "what one restore copies back",
          between("0.1 GB/s", "1 GB/s",
                  assumed(kPositive, "one tape drive or one object stream of several parts"),
                  "expert range: one slow object stream to a new tape drive and parts")),
    field("hsm.latency", &LustreParams::hsm_latency, "1 s",
          "time before the first byte of a restore; tape 30-120 s",
          between("0.3 s", "120 s", assumed(kNonNegative, "request, agent, then an object store"),
                  "object store about 1 s, tape 30-120 s as stated"))};

}  // namespace

LustreParams lustre_params(const Component& component) {
  using P = LustreParams;
  return as_delivered(base::bind<kLustreFields>(component), &P::ost_read, &P::ost_write,
                      &P::provisioned, &P::oss_nic, &P::router_rate, &P::read_ceiling,
                      &P::write_ceiling, &P::mdt_read);
}
std::span<const base::FieldInfo> lustre_fields() { return kInfos<kLustreFields>; }

}  // namespace stallcast::models
