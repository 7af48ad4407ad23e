#include "observe/observe_support.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace stallcast::calibration {

std::string trace_file(std::string_view content) {
  static const int fd = ::memfd_create("stallcast-trace", MFD_CLOEXEC);
  REQUIRE(fd >= 0);
  REQUIRE(::ftruncate(fd, 0) == 0);
  REQUIRE(::pwrite(fd, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
  return "/proc/self/fd/" + std::to_string(fd);  // opened anew, from its first byte
}

Observation observe(std::string_view format, std::string_view content, Diagnostics& diagnostics,
                    bool names) {
  const TraceFormat* row = find_trace_format(format);
  REQUIRE(row != nullptr);
  return import_observation(*row, {trace_file(content)}, names, diagnostics);
}

Observation observe(std::string_view format, std::string_view content) {
  Diagnostics faults;
  Observation out = observe(format, content, faults);
  for (const Diagnostic& d : faults.items()) FAIL(d.message + " " + d.hint);
  return out;
}

namespace {
std::string wire_varint(std::uint64_t value) {
  std::string out;
  for (; value > 0x7F; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  return out + static_cast<char>(value);
}
}  // namespace

std::string wire_number(std::uint64_t field, std::uint64_t value) {
  return wire_varint(field << 3U) + wire_varint(value);
}
std::string wire_text(std::uint64_t field, std::string_view value) {
  return wire_varint(field << 3U | 2U) + wire_varint(value.size()) + std::string(value);
}
std::string wire_message(std::string_view content) {
  return wire_varint(content.size()) + std::string(content);
}

std::string small_kineto() {
  return R"t({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 4},
"deviceProperties": [{"id": 0, "name": "GPU", "totalGlobalMem": 1000}], "displayTimeUnit": "ns",
"baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 9, "tid": 9, "ts": 100.250, "dur": 50.5},
{"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#7", "pid": 0, "tid": 7, "ts": 110, "dur": 90},
{"ph": "X", "cat": "user_annotation", "name": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "pid": 9, "tid": 9, "ts": 101, "dur": 10.25},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 120, "dur": 4, "args": {"stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", "pid": 0, "tid": 8, "ts": 125, "dur": 6, "args": {"In msg nelems": 10, "dtype": "BFloat16"}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 126, "dur": 2, "args": {"bytes": 4096}},
{"ph": "s", "id": 1, "pid": 9, "tid": 9, "ts": 126, "cat": "ac2g", "name": "ac2g"},
{"ph": "M", "name": "process_name", "pid": "Spans", "tid": 0},
{"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 0, "dur": 9000}
]
})t";
}

std::string small_dftracer() {
  return R"t([
{"id":1,"name":"HH","cat":"dftracer","pid":40,"tid":40,"ph":"M","args":{"name":"n1","value":5}}
{"id":2,"name":"FH","cat":"dftracer","pid":40,"tid":40,"ph":"M","args":{"name":"/d/a.npz","value":7}}
{"id":3,"name":"start","cat":"dftracer","pid":40,"tid":40,"ts":1700000000000000,"dur":0,"ph":"X","args":{"hhash":5,"version":100005}}
{"id":4,"name":"open","cat":"POSIX","pid":40,"tid":41,"ts":1700000000000010,"dur":5,"ph":"X","args":{"hhash":5,"fhash":7,"ret":3}}
{"id":5,"name":"read","cat":"POSIX","pid":40,"tid":41,"ts":1700000000000020,"dur":30,"ph":"X","args":{"hhash":5,"fhash":7,"ret":4096,"fd":3}}
{"id":6,"name":"lseek64","cat":"POSIX","pid":40,"tid":41,"ts":1700000000000060,"dur":1,"ph":"X","args":{"hhash":5,"fhash":7,"ret":8192,"fd":3}}
{"id":7,"name":"read","cat":"POSIX","pid":40,"tid":41,"ts":1700000000000070,"dur":10,"ph":"X","args":{"hhash":5,"fhash":7,"ret":100,"fd":3}}
{"id":8,"name":"read","cat":"POSIX","pid":40,"tid":41,"ts":1700000000000080,"dur":10,"ph":"X","args":{"hhash":5,"fhash":7,"ret":50,"fd":3}}
{"id":9,"name":"close","cat":"POSIX","pid":40,"tid":41,"ts":1700000000000090,"dur":2,"ph":"X","args":{"hhash":5,"fhash":7,"ret":0,"fd":3}}
{"id":10,"name":"TorchFramework.compute","cat":"ai_framework","pid":40,"tid":40,"ts":1700000000000100,"dur":1000,"ph":"X","args":{"hhash":5}}
{"id":11,"name":"TorchFramework.compute","cat":"ai_framework","pid":40,"tid":40,"ts":1700000000001400,"dur":1000,"ph":"X","args":{"hhash":5}}
{"id":12,"name":"DLIOBenchmark._train","cat":"dlio_benchmark","pid":40,"tid":40,"ts":1700000000000050,"dur":3000,"ph":"X","args":{"hhash":5}}
{"id":13,"name":"PR","cat":"dftracer","pid":40,"tid":40,"ph":"M","args":{"name":"rank","value":"2"}}
{"id":14,"name":"end","cat":"dftracer","pid":40,"tid":40,"ts":1700000000003100,"dur":0,"ph":"X","args":{"hhash":5}}
]
)t";
}

std::string small_dxt() {
  return R"t(# darshan log version: 3.41
# nprocs: 2
# start_time: 1700000000
# run time: 11.5000
# metadata: lib_ver = 3.5.0
# mount entry:	/lus	lustre

# DXT_POSIX module data

# DXT, file_id: 11, file_name: /lus/x
# DXT, rank: 1, hostname: n7
# DXT, number of threads: 1
# DXT, write_count: 1, read_count: 2
# DXT, mnt_pt: /lus, fs_type: lustre
# DXT, Lustre stripe components:
#	[Component 0] stripe_ext: 0 - 1048576, stripe_size: 1048576, stripe_count: 1, OSTs: 3
#	[Component 1] stripe_ext: 1048576 - EOF, stripe_size: 4194304, stripe_count: 2, OSTs: 5 8
# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)   [OST]   Pthread-ID
 X_POSIX       1  write        0               0         1048576      0.0000      0.2500  [3]   1403
 X_POSIX       1   read        0         1048576          131072      3.5000      3.5000  [5] [8]   1404
 X_POSIX       1   read        1         1179648          131072      3.6000      3.7000  [5]   N/A

# DXT_MPIIO module data

# DXT, file_id: 11, file_name: /lus/x
# DXT, rank: 1, hostname: n7
# DXT, write_count: 1, read_count: 0
# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)   [OST]   Pthread-ID
 X_MPIIO       1  write        0               0         1048576      0.0000      0.3000   N/A
)t";
}

std::string small_iolog() {
  return "fio version 3 iolog\n"
         "30 /d/a add\n"
         "100 /d/a open\n"
         "150 /d/a read 0 4096\n"
         "1150 /d/a read 4096 8192\n"
         "1200 /d/a write 65536 4096\n"
         "1300 /d/a datasync 0 0\n"
         "2000 /d/a close\n";
}

std::string small_strace() {
  return R"t(50 1700000000.000100 openat(AT_FDCWD, "/d/a (1).npz", O_RDONLY|O_CLOEXEC) = 3 <0.000020>
50 1700000000.000200 read(3, "PK\3\"),"..., 4096) = 4096 <0.000050>
50 1700000000.000300 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD, parent_tid=[51]) = 51 <0.000010>
50 1700000000.000400 read(3,  <unfinished ...>
51 1700000000.000410 lseek(3, 65536, SEEK_SET) = 65536 <0.000002>
50 1700000000.000500 <... read resumed>"abc"..., 8192) = 8192 <0.000090>
51 1700000000.000600 pread64(3, "x"..., 100, 7) = 100 <0.000030>
50 1700000000.000650 fork() = 60 <0.000100>
60 1700000000.000700 read(3, "", 4096) = 0 <0.000001>
60 1700000000.000710 dup2(3, 9) = 9 <0.000001>
60 1700000000.000720 execve("/bin/cat", ["cat"], 0x7f /* 2 vars */) = 0 <0.000500>
60 1700000000.001300 read(9, "y"..., 10) = 10 <0.000003>
60 1700000000.001400 read(3, 0x7f, 10) = -1 EBADF (Bad file descriptor) <0.000003>
50 1700000000.001500 read(0, "z"..., 70) = 70 <0.000003>
50 1700000000.001600 openat(AT_FDCWD, "/d/none", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000004>
50 1700000000.001700 --- SIGCHLD {si_signo=SIGCHLD, si_pid=60} ---
50 1700000000.001800 close(3) = 0 <0.000002>
50 1700000000.001900 +++ exited with 0 +++
)t";
}

std::string small_chakra() {
  const auto flag = [](std::string_view name, std::uint64_t field, std::uint64_t value) {
    return wire_text(10, wire_text(1, name) + wire_number(field, value));
  };
  const auto call = [](std::uint64_t op, std::string_view path, std::uint64_t offset,
                       std::uint64_t size) {
    return wire_text(
        11,
        wire_number(1, 1) +
            wire_text(10, wire_number(1, op) + (path.empty() ? "" : wire_text(2, path)) +
                              wire_number(3, 5) + wire_number(4, offset) + wire_number(5, size)));
  };
  const auto node = [](std::uint64_t id, std::uint64_t kind, std::uint64_t start,
                       std::uint64_t length, const std::string& rest = "") {
    return wire_message(wire_number(1, id) + wire_text(2, "n") + wire_number(3, kind) +
                        wire_number(6, start) + wire_number(7, length) + rest);
  };
  return wire_message(wire_text(1, "0.0.4")) + node(1, 8, 1000, 10, call(1, "/d/a", 0, 0)) +
         node(2, 8, 1010, 40, call(5, "", 4096, 8192)) +
         node(3, 4, 1050, 100, flag("is_cpu_op", 27, 0)) +
         node(4, 4, 1050, 20, flag("is_cpu_op", 27, 1)) +
         node(5, 7, 1150, 50, flag("comm_type", 9, 2) + flag("comm_size", 9, 1 << 20)) +
         node(6, 9, 1000, 200) + node(7, 10, 1200, 30);
}

std::string small_dlio() {
  return R"t({"1": {"load": {"block1": [3.0, 0.5], "block2": [0.25], "eval": [9.0]},
 "proc": {"block1": [5.0, 1.5], "block2": [1.25], "eval": [9.5]}, "au": {"block1": 99.0}},
 "2": {"load": {"block1": [2.0]}, "proc": {"block1": [4.0]}}, "hostname": "n1"})t";
}

}  // namespace stallcast::calibration
