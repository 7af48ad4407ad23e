#include "models/contract/host.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kPeers[] = {"none", "nvlink", "root", "switch"};
constexpr FieldLimits kSmt{.minimum = 0.25, .maximum = 4.0};

constexpr std::array<Field<HostParams>, 40> kHost{
    field("count", &HostParams::count, kRequired, "servers of this class", up_to(1e7)),
    field("gpus", &HostParams::gpus, "8", "GPUs in one server; 0: only tenants run there",
          up_to(4096, kNonNegative)),
    field("gpu.peak", &HostParams::gpu_peak, "989 TFLOP/s",
          "dense bf16 peak of one GPU (not the sparse figure)",
          cited(kPositive, "H100 SXM 989.4 TFLOP/s dense (catalogue)")),
    field("gpu.copy", &HostParams::gpu_copy, "55 GB/s",
          "pinned copy between host and one GPU, one direction",
          between("45 GB/s", "57 GB/s",
                  cited(kPositive, "PCIe Gen5 x16, 55.4 GB/s measured (catalogue)"),
                  "expert range: idle Gen5 links 53-57 GB/s, less when all GPUs copy")),
    field("gpu.copy_pageable", &HostParams::gpu_copy_pageable, "8 GB/s",
          "the same from pageable memory",
          between("6 GB/s", "18 GB/s", assumed(kPositive, "6-12 GB/s"),
                  "as assumed; 17 GB/s measured with an H200 from 16 MiB on huge pages, "
                  "docs/validation/gpu.md")),
    field("cpu.cores", &HostParams::cores, "64", "physical cores of one server", up_to(65536)),
    field("memory.size", &HostParams::memory, "1 TB", "DRAM of one server", kPositive),
    field("memory.reserved", &HostParams::memory_reserved, "8 GB",
          "DRAM of one server that neither processes nor the page cache get",
          between("4 GB", "40 GB", assumed(kNonNegative, "kernel, drivers, daemons"),
                  "expert range: huge pages and storage daemons take tens of GB")),
    field("memory.process", &HostParams::memory_process, "1 GB",
          "private memory of one training or loader process, batches left out",
          between("0.4 GB", "4 GB", assumed(kNonNegative, "Python with a framework imported"),
                  "expert range: file lists and indices in Python add to 0.4-1 GB of imports")),
    field("memory.dirty", &HostParams::memory_dirty, "20 %",
          "part of the page cache that may be written and not yet stored: processes that write "
          "wait beyond it",
          cited(up_to(1.0, kPositive), "vm.dirty_ratio of Linux")),
    field("shm.size", &HostParams::shm, kOptional,
          "shared memory that worker processes hand batches over in; half of the DRAM when not "
          "given (Linux tmpfs), 64 MiB in a container (Docker)",
          kPositive),
    field("memory.bandwidth", &HostParams::memory_bandwidth, "400 GB/s",
          "DRAM bandwidth of one server, data sheet",
          between("300 GB/s", "920 GB/s",
                  assumed(kPositive,
                          "2 sockets, 8 channels of DDR5-4800 each: 614 GB/s; 400 is cautious"),
                  "two sockets: DDR4-3200 410, DDR5-4800 of 12 channels 921 GB/s; some unfilled")),
    field("nic.rate", &HostParams::nic_rate, "400 Gb/s",
          "one network port that reaches the storage", kPositive),
    field("nic.count", &HostParams::nic_count, "1", "such ports in one server", up_to(1024)),
    field("nic.efficiency", &HostParams::nic_efficiency, "95 %", "payload share of the line rate",
          between("88 %", "97 %", assumed(kPositiveShare, "RDMA with 4 KiB MTU 92-97 %"),
                  "as cited; MLPerf Storage v1.0 clients filled an NDR port to 89-90 %")),
    field("nvme.read", &HostParams::nvme_read, kOptional, "local NVMe of one server, read",
          kPositive),
    field("nvme.write", &HostParams::nvme_write, kOptional, "local NVMe of one server, write",
          kPositive),
    field("nvlink.rate", &HostParams::nvlink, "450 GB/s",
          "what one GPU exchanges with the others of its server, each direction; PCIe where there "
          "is no NVLink",
          cited(kPositive, "NVLink4 of the H100 (catalogue)")),
    field("compute_nic.rate", &HostParams::compute_nic_rate, "400 Gb/s",
          "one port for communication between GPUs, used unless the fabric is converged",
          cited(kPositive, "DGX H100: 8 x 400 Gb/s (catalogue)")),
    field("compute_nic.count", &HostParams::compute_nic_count, kOptional,
          "such ports in one server; absent: one per GPU", up_to(1024)),
    field("cpu.copy", &HostParams::cpu_copy, "2.5 GB/s",
          "bytes one core reads through the page cache in a second: system calls and copies",
          between("1.5 GB/s", "4 GB/s", assumed(kPositive, "0.3-0.6 s per GB"),
                  "as cited; recent cores with large folios reach 4 GB/s")),
    field(
        "cpu.direct", &HostParams::cpu_direct, "21.6 GiB/s",
        "bytes one core reads with O_DIRECT into pinned memory in a second",
        between("8 GiB/s", "25 GiB/s",
                cited(kPositive, "gds-bench.farmgpu.net: POSIX reads of one thread, 16 MiB blocks"),
                "expert range: blocks below 16 MiB and slower links get less")),
    field("cpu.tcp", &HostParams::cpu_tcp, "15 Gb/s", "bytes one core moves over TCP in a second",
          between("8 Gb/s", "30 Gb/s", assumed(kPositive, "TCP receive 10-20 Gb/s per core"),
                  "expert range: as cited; jumbo frames and offloads up to 30 Gb/s")),
    field(
        "cpu.tls", &HostParams::cpu_tls, "4.5 GB/s",
        "bytes one core encrypts or decrypts in a second, where a storage client uses TLS",
        between("2 GB/s", "6 GB/s", assumed(kPositive, "AES-256-GCM 3-6 GB/s per core with AES-NI"),
                "as cited; records and copies around it take up to a third")),
    field("opens", &HostParams::opens, kOptional,
          "files that the processes of one server open in a second, wherever they lie; absent: no "
          "limit but the storage's. TensorFlow readers of DLIO: 5130 /s on 128 hardware threads",
          kPositive),
    field(
        "cpu.smt", &HostParams::smt, "1",
        "what a core does with all its threads, and all others, busy over one alone: 1.25 when SMT "
        "is on; below 1 where cores share clock, caches or a hypervisor's",
        between("1", "1.35", assumed(kSmt, "the second thread adds 20-35 %; 1 is off, or cautious"),
                "as cited: 1 where it is off, 1.35 at most where it is on")),
    field("cpu.reserved", &HostParams::reserved, "0",
          "cores per GPU that loaders do not get: 1 where the training process never sleeps, more "
          "for daemons of the storage",
          between("0", "1",
                  assumed(kNonNegative, "emulated accelerators (DLIO) sleep while they compute"),
                  "as described: a training process that polls keeps one core")),
    field("pcie.switches", &HostParams::switches, "4",
          "PCIe switches of one server; GPUs, network ports and drives are spread over them",
          assumed(up_to(1024), "4 in servers of 8 GPUs")),
    field("pcie.uplink", &HostParams::uplink, kOptional,
          "link between one PCIe switch and its CPU, each direction; without it it does not limit",
          kPositive),
    field("numa.link", &HostParams::socket_link, kOptional,
          "link between the sockets, each direction; without it it does not limit", kPositive),
    field("numa.remote", &HostParams::remote, "0 %",
          "share of the data that crosses sockets: 50 % when ports are on one socket only",
          between("0 %", "50 %", kShare,
                  "as described: 50 % where ports or drives are on one socket")),
    field("gds.p2p", &HostParams::p2p, "switch",
          "how ports and drives reach a GPU past host memory: below one PCIe switch, across the "
          "root complex, through a GPU below their switch and NVLink, or not at all (cuFile then "
          "falls back to bounce buffers)",
          one_of(kPeers)),
    field("gds.root", &HostParams::root_share, "65 %",
          "share of the GPU's link that peers get across the root complex",
          between("50 %", "80 %", assumed(kPositiveShare, "50-80 %"), "as cited")),
    field("gds.socket", &HostParams::socket_share, "60 %",
          "share of that which is left for the data that crosses sockets (numa.remote)",
          between("35 %", "85 %", assumed(kPositiveShare, "peers across UPI or xGMI"),
                  "expert range: differs by generation and by what else crosses the sockets")),
    field("gds.stream", &HostParams::gds_stream, "12.6 GiB/s",
          "most one thread reads into a GPU, or writes out of it, with cuFile",
          between("6 GiB/s", "16 GiB/s",
                  cited(kPositive, "gds-bench.farmgpu.net: GDS reads of one thread, 16 MiB blocks"),
                  "expert range: smaller blocks get less, newer links more")),
    field("slow.count", &HostParams::slow_count, "0",
          "stragglers: servers that are slower than the others, the last of the class; 1 % of a "
          "large cluster at 90 % of its speed is usual",
          up_to(1e7, kNonNegative)),
    field("slow.compute", &HostParams::slow_compute, "100 %",
          "share of the others' speed at which GPUs of stragglers compute", kPositiveShare),
    field("slow.nic", &HostParams::slow_nic, "100 %",
          "share of their rate that network ports of stragglers have", kPositiveShare),
    field("slow.from", &HostParams::slow_from, "0 s",
          "date in the run from which on stragglers are slow", kNonNegative),
    field("slow.until", &HostParams::slow_until, kOptional,
          "date in the run at which they are as fast as the others again; absent: never",
          kPositive)};

}  // namespace

// peer = copy, below one switch; copy x root / (1 - x + x / socket) across the root complex, of
// which a share x crosses the sockets, one piece after the other.    [docs/models/host.md, eq. 4]
Rate HostParams::peer() const {
  if (p2p == "nvlink") return std::min(gpu_copy, nvlink_payload());
  if (p2p != "root") return gpu_copy;
  const double x = remote.in(unit::ratio);
  return gpu_copy * (root_share.in(unit::ratio) / (1.0 - x + x / socket_share.in(unit::ratio)));
}

HostParams host_params(const Component& component) { return bind<kHost>(component); }
std::span<const FieldInfo> host_fields() { return kInfos<kHost>; }

}  // namespace stallcast::models
