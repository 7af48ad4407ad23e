#include <algorithm>
#include <catch2/catch.hpp>

#include "observe/observe_support.hpp"

// Expected figures are counted by hand from the small traces of observe_support.cpp.
namespace stallcast::calibration {
namespace {

using namespace literals;

double seconds(Seconds t) { return t.in(unit::s); }

std::uint64_t calls(const Observation& o, std::string_view operation) {
  for (const ObservedMetadata& m : o.metadata)
    if (m.operation == operation) return m.count;
  return 0;
}

bool is_missing(const Observation& o, std::string_view path) {
  return std::find(o.missing.begin(), o.missing.end(), path) != o.missing.end();
}

TEST_CASE("kineto: a step counts once, its wait is the loader's, times keep their nanoseconds") {
  const Observation o = observe("kineto", small_kineto());
  REQUIRE(o.steps);
  CHECK(o.steps->count == 1);
  CHECK(seconds(o.steps->duration->mean) == Approx(50.5e-6));
  CHECK(seconds(o.steps->wait->mean) == Approx(10.25e-6));
  CHECK(seconds(o.steps->compute->mean) == Approx(40.25e-6));
  CHECK(o.source.dialect == "base-nanoseconds");
  REQUIRE(o.began);  // base and 100.250 us
  CHECK(o.began->in(unit::s) == Approx(1700000000.00010025).epsilon(1e-15));
  CHECK(seconds(*o.wall) == Approx(99.75e-6));  // 100.25 to the annotation's end at 200
  CHECK(o.ranks == 4);
  REQUIRE(o.processes.size() == 1);
  CHECK(o.processes[0].rank == 3);
  CHECK(o.processes[0].pid == 9);
  CHECK(o.loader->kind == "pytorch");
  CHECK(o.loader->workers == 0);
  CHECK(o.devices->kernels == 1);
  CHECK(seconds(*o.devices->kernel_time) == Approx(4e-6));
  CHECK(seconds(*o.devices->collective_time) == Approx(6e-6));
  CHECK(o.devices->to_device == 4096_B);
  REQUIRE(o.collectives.size() == 1);
  CHECK(o.collectives[0].operation == "reduce_scatter");
  CHECK(o.collectives[0].bytes == 20_B);
  CHECK(o.host->accelerators == 1);
  CHECK(o.host->accelerator_memory == 1000_B);
  CHECK(is_missing(o, "reading"));
  CHECK(is_missing(o, "steps.first_batch"));
  CHECK_FALSE(is_missing(o, "steps.wait"));
}

TEST_CASE("dftracer: offsets follow lseek, steps follow computes, the first waits for its epoch") {
  const Observation o = observe("dftracer", small_dftracer());
  CHECK(o.source.dialect == "hashed");
  CHECK(o.source.tool_version == "100005");
  REQUIRE(o.reading);
  CHECK(o.reading->operations == 3);
  CHECK(o.reading->bytes == 4246_B);
  CHECK(o.reading->sequential == 2);  // at 0, and behind the 100 bytes
  CHECK(o.reading->random == 1);      // where lseek went
  CHECK(seconds(*o.reading->time) == Approx(50e-6));
  CHECK(calls(o, "seek") == 1);
  CHECK(calls(o, "open") == 1);
  REQUIRE(o.files);
  CHECK(o.files->count == 1);
  CHECK(o.files->largest[0].name == "/d/a.npz");
  CHECK(o.files->largest[0].extent == 8342_B);
  REQUIRE(o.steps);  // 50 to 1100, 1100 to 2400
  CHECK(o.steps->count == 2);
  CHECK(o.steps->epochs == 1);
  CHECK(seconds(o.steps->duration->minimum) == Approx(1050e-6));
  CHECK(seconds(o.steps->duration->maximum) == Approx(1300e-6));
  CHECK(seconds(o.steps->wait->minimum) == Approx(50e-6));
  CHECK(seconds(o.steps->wait->maximum) == Approx(300e-6));
  CHECK(o.steps->first_batch->count == 1);
  CHECK(seconds(o.steps->first_batch->mean) == Approx(50e-6));
  REQUIRE(o.processes.size() == 1);
  CHECK(o.processes[0].rank == 2);
  CHECK(o.processes[0].pid == 40);
  CHECK(o.processes[0].host == "n1");
  CHECK(o.processes[0].threads == 2);
}

TEST_CASE(
    "dftracer: lines that a fork wrote again count once, aggregates count as many as they are") {
  std::string text = small_dftracer();
  const std::size_t read = text.find("{\"id\":5");
  const std::string again = text.substr(read, text.find('\n', read) - read + 1);
  text.insert(text.find("]\n"), again + again);
  const Observation o = observe("dftracer", text);
  CHECK(o.source.inputs[0].repeated == 2);
  CHECK(o.reading->operations == 3);
  const Observation sums = observe(
      "dftracer",
      R"({"name":"read","cat":"POSIX","type":3,"ts":1700000000000000,"ph":3,"pid":1,"tid":1,"args":{"fhash":"a","dft_cnt":4,"dur_sum":40,"ret_min":1,"ret_max":7,"ret_sum":16}}
{"name":"write","cat":"POSIX","type":3,"ts":1700000000000000,"ph":3,"pid":1,"tid":1,"args":{"fhash":"a","dft_cnt":3,"dur_sum":9,"ret":100}}
)");
  CHECK(sums.source.dialect == "numbered");
  CHECK(sums.reading->operations == 4);
  CHECK(sums.reading->bytes == 16_B);
  CHECK(sums.writing->operations == 3);
  CHECK(sums.writing->bytes == 300_B);
  CHECK_FALSE(sums.reading->latency);
}

namespace {

/// A row of DFTracer's annotations, in microseconds.
std::string annotated(const char* name, const char* category, int start, int length, int pid = 7) {
  return std::string("{\"name\":\"") + name + "\",\"cat\":\"" + category +
         "\",\"pid\":" + std::to_string(pid) +
         ",\"tid\":7,\"ts\":" + std::to_string(1'700'000'000'000'000 + start) +
         ",\"dur\":" + std::to_string(length) + ",\"ph\":\"X\",\"args\":{}}\n";
}

}  // namespace

TEST_CASE(
    "dftracer: annotated loops give steps, epochs and samples; evaluations are none of them") {
  // Two epochs of two batches: waits of 100, computes of 400; then an evaluation of one batch.
  std::string text = annotated("train", "pipeline", 0, 4000);
  for (const int epoch : {100, 2100}) {
    text += annotated("epoch.block", "pipeline", epoch, 1800);
    for (const int batch : {epoch, epoch + 500}) {
      text += annotated("fetch.iter", "dataloader", batch, 100);
      text += annotated("item", "data", batch + 10, 50);
      text += annotated("compute", "compute", batch + 100, 400);
      text += annotated("fetch.block", "dataloader", batch + 100, 400);
    }
    text += annotated("evaluate", "pipeline", epoch + 1000, 700);
    text += annotated("fetch.iter", "dataloader", epoch + 1000, 100);
    text += annotated("compute", "compute", epoch + 1100, 600);
    text += annotated("capture", "checkpoint", epoch + 1700, 60);
  }
  text += annotated("restart", "checkpoint", 10, 30);
  for (const bool marked : {true, false}) {  // with "compute", and without
    std::string rows = text;
    if (!marked)
      for (std::size_t at; (at = rows.find("\"name\":\"compute\"")) != rows.npos;)
        rows.replace(at, 16, "\"name\":\"forward\"");
    const Observation o = observe("dftracer", rows);
    REQUIRE(o.steps);
    CHECK(o.steps->marked_by == (marked ? "compute" : "fetch.block"));
    CHECK(o.steps->count == 4);
    CHECK(o.steps->epochs == 2);
    CHECK(seconds(o.steps->duration->minimum) == Approx(500e-6));
    CHECK(seconds(o.steps->duration->maximum) == Approx(500e-6));
    CHECK(seconds(o.steps->wait->mean) == Approx(100e-6));
    CHECK(o.steps->first_batch->count == 2);
    CHECK(o.samples->wall->count == 4);
    CHECK(seconds(o.samples->wall->mean) == Approx(50e-6));
    CHECK(o.saves->count == 2);
    CHECK(o.loads->count == 1);
  }
}

TEST_CASE("dftracer: epochs of processes beside each other are not one after the other") {
  std::string text;
  for (const int pid : {7, 8})
    text += annotated("epoch.block", "pipeline", 0, 500, pid) +
            annotated("compute", "compute", 100, 400, pid);
  const Observation o = observe("dftracer", text);
  CHECK(o.steps->epochs == 1);
  CHECK(o.steps->count == 2);
}

TEST_CASE("dftracer: an evaluation between steps is no wait") {
  const Observation o =
      observe("dftracer", annotated("epoch", "pipeline", 0, 3000) +
                              annotated("TorchFramework.compute", "x", 100, 100) +
                              annotated("DLIOBenchmark._eval", "x", 200, 1000) +
                              annotated("TorchFramework.compute", "x", 300, 100) +
                              annotated("TorchFramework.compute", "x", 1250, 100));
  CHECK(o.steps->count == 2);
  CHECK(seconds(o.steps->duration->maximum) == Approx(200e-6));
  CHECK(seconds(o.steps->duration->minimum) == Approx(150e-6));
}

TEST_CASE("dftracer: the first dialect writes numbers as texts, its pid is the rank") {
  const Observation o = observe("dftracer",
                                R"([
  {"id":"0","name":"worker_init","cat":"data_loader","pid":"1","tid":"8","ts":"1700000000000000","dur":"3","ph":"X","args":{"hostname":"n","epoch":1}}
{"id":"1","name":"read","cat":"POSIX","pid":"1","tid":"8","ts":"1700000000000010","dur":"3","ph":"X","args":{"hostname":"n","ret":"77","fname":"/d/a","fd":5}}
{"id":"2","name":"fread","cat":"STDIO","pid":"1","tid":"8","ts":"1700000000000020","dur":"3","ph":"X","args":{"hostname":"n","ret":"3","size":"10","fname":"/d/b"}}
)");
  CHECK(o.source.dialect == "texts");
  CHECK(o.reading->bytes == 107_B);  // 77, and three items of ten
  REQUIRE(o.processes.size() == 1);
  CHECK(o.processes[0].rank == 1);
  CHECK_FALSE(o.processes[0].pid);
  CHECK(o.loader->workers == 1);
}

TEST_CASE("darshan-dxt: bytes of X_MPIIO count once, components are a layout, times are coarse") {
  const Observation o = observe("darshan-dxt", small_dxt());
  CHECK(o.source.tool_version == "3.5.0");
  CHECK(o.source.inputs[0].records == 4);
  CHECK(o.writing->operations == 1);
  CHECK(o.writing->bytes == 1_MiB);
  CHECK(o.reading->operations == 2);
  CHECK(o.reading->sequential == 1);
  CHECK(seconds(*o.reading->time) == Approx(0.1));
  CHECK(seconds(*o.wall) == Approx(11.5));
  CHECK(o.began->in(unit::s) == 1700000000.0);
  CHECK(o.ranks == 2);
  REQUIRE(o.mounts.size() == 1);
  CHECK(o.mounts[0].fs_type == "lustre");
  CHECK(o.mounts[0].reads == 2);
  REQUIRE(o.lustre);
  CHECK(o.lustre->osts == 3);
  REQUIRE(o.lustre->layouts.size() == 1);
  CHECK(o.lustre->layouts[0].files == 1);
  REQUIRE(o.lustre->layouts[0].components.size() == 2);
  CHECK(o.lustre->layouts[0].components[1].stripe_count == 2);
  CHECK_FALSE(o.lustre->layouts[0].components[1].end);
  CHECK(o.processes[0].host == "n7");
}

TEST_CASE("iolog: version 3 has microseconds of its own, wait of version 2 is a time in ms") {
  const Observation o = observe("iolog", small_iolog());
  CHECK(o.source.dialect == "v3");
  CHECK(o.reading->bytes == 12288_B);
  CHECK(o.reading->sequential == 2);
  CHECK(o.writing->random == 1);
  CHECK(seconds(*o.wall) == Approx(1900e-6));  // from "open" on
  CHECK(calls(o, "data_sync") == 1);
  CHECK(is_missing(o, "reading.latency"));
  const Observation old =
      observe("iolog",
              "fio version 2 iolog\n/d/a add\n/d/a open\n/d/a read 0 512\n"
              "/d/a wait 40 0\n/d/a read 512 512\n/d/a wait 90 0\n/d/a close\n");
  CHECK(old.source.dialect == "v2");
  CHECK(seconds(*old.wall) == Approx(0.09));
}

TEST_CASE("iolog: a wait of three words is refused, as fio leaves it out") {
  Diagnostics faults;
  (void)observe("iolog", "fio version 2 iolog\n/d/a add\n/d/a wait 40\n", faults);
  REQUIRE(faults.items().size() == 1);
  CHECK(faults.items()[0].position.line == 3);
  CHECK(faults.items()[0].hint.find("FILE wait TIME 0") != std::string::npos);
}

TEST_CASE("strace: times of day go on after midnight") {
  const auto text = [](const char* day) {
    return std::string(
               "7 23:59:59.900000 openat(AT_FDCWD, \"/data/f\", O_RDONLY) = 3 <0.000010>\n"
               "7 23:59:59.990000 read(3, \"x\"..., 4096) = 4096 <0.001000>\n"
               "7 00:00:00.090000 read(3, \"x\"..., 4096) = 4096 <0.010000>\n"
               "8 23:59:59.995000 read(3</data/f>, \"x\"..., 4096) = 4096 <0.001000>\n") +
           day;
  };
  // A line of another task that comes late is of the day before.
  const Observation o = observe("strace", text(""));
  CHECK(o.wall->in(unit::s) == Approx(0.2).epsilon(1e-6));
  CHECK(std::any_of(o.notes.begin(), o.notes.end(),
                    [](const std::string& note) { return note.find("midnight") != note.npos; }));
  // And once more.
  const Observation two =
      observe("strace", text("7 13:00:00.000000 read(3, \"x\"..., 4096) = 4096 <0.001000>\n"
                             "7 00:00:00.000000 read(3, \"x\"..., 4096) = 4096 <0.001000>\n"));
  CHECK(two.wall->in(unit::s) == Approx(86400.101).epsilon(1e-9));
}

TEST_CASE("strace: descriptors are followed through threads, forks, dup and exec") {
  const Observation o = observe("strace", small_strace());
  REQUIRE(o.reading);
  // 4096, 8192, 100 and an end of file; 10 through the duplicate that exec left open.
  CHECK(o.reading->operations == 5);
  CHECK(o.reading->bytes == 12398_B);
  CHECK(o.files->count == 1);
  CHECK(o.files->largest[0].name == "/d/a (1).npz");
  CHECK(seconds(*o.reading->time) == Approx(174e-6));
  // 0; where the other thread went; the call's own 7; behind the 8192 bytes at 65536: two.
  CHECK(*o.reading->sequential + *o.reading->random == 5);
  CHECK(calls(o, "open") == 2);
  CHECK(calls(o, "seek") == 1);
  REQUIRE(o.processes.size() == 2);
  CHECK(o.processes[0].pid == 50);
  CHECK(o.processes[0].threads == 2);
  CHECK_FALSE(o.processes[0].rank);
  REQUIRE(o.notes.size() == 1);  // descriptor 0, and 3 that exec closed
  CHECK(o.notes[0].find("2 reads and writes of 70 bytes") == 0);
}

TEST_CASE(
    "chakra: batches are steps, collectives have bytes, proposed storage nodes are operations") {
  const Observation o = observe("chakra", small_chakra());
  CHECK(o.source.tool_version == "0.0.4");
  CHECK(o.steps->count == 1);
  CHECK(seconds(o.steps->duration->mean) == Approx(200e-6));
  CHECK(o.saves->count == 1);
  CHECK(o.devices->kernels == 1);
  CHECK(seconds(*o.devices->kernel_time) == Approx(100e-6));
  REQUIRE(o.collectives.size() == 1);
  CHECK(o.collectives[0].operation == "all_gather");
  CHECK(o.collectives[0].bytes == 1_MiB);
  CHECK(o.reading->bytes == 8192_B);
  CHECK(o.files->largest[0].name == "/d/a");
  CHECK(o.files->largest[0].extent == 12288_B);
}

TEST_CASE("chakra: a workload graph in JSON has runtimes in microseconds") {
  const Observation o = observe(
      "chakra",
      R"t({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4, "runtime": 30, "is_cpu_op": false},
{"Id": 2, "Name": "b", "NodeType": 4, "runtime": 7, "is_cpu_op": true, "data_deps": [1]},
{"Id": 3, "Name": "ncclKernel_AllGather_RING(int)", "NodeType": 7, "runtime": 5, "is_cpu_op": false}], "ngpus": 8})t");
  CHECK(o.source.inputs[0].records == 3);
  CHECK(o.devices->kernels == 1);
  CHECK(seconds(*o.devices->kernel_time) == Approx(30e-6));
  CHECK(o.figures.at("host_compute_s") == Approx(7e-6));
  REQUIRE(o.collectives.size() == 1);
  CHECK(o.collectives[0].operation == "all_gather");
}

TEST_CASE("dlio-output: checkpoints of DLIO since 2025, and of before") {
  const Observation o = observe("dlio-output", R"({"1": {"block1": {"duration": "60.00"},
      "save_ckpt1": {"duration": 10.5}, "load_ckpt1": {"duration": 5.25}, "duration": "76.00"},
      "2": {"ckpt1": {"duration": "11.50"}}, "metric": {"train_au_mean_percentage": NaN}})");
  CHECK(o.saves->count == 2);
  CHECK(seconds(o.saves->duration->mean) == Approx(11.0));
  CHECK(o.loads->count == 1);
  CHECK(seconds(o.loads->duration->mean) == Approx(5.25));
  CHECK(o.figures.count("au_ratio") == 0);
}

TEST_CASE("dlio-output: proc holds load, evaluation is left out, each epoch has a first batch") {
  const Observation o = observe("dlio-output", small_dlio());
  CHECK(o.steps->count == 4);
  CHECK(o.steps->epochs == 2);
  CHECK(seconds(o.steps->duration->mean) == Approx((5.0 + 1.5 + 1.25 + 4.0) / 4));
  CHECK(seconds(o.steps->wait->mean) == Approx((3.0 + 0.5 + 0.25 + 2.0) / 4));
  CHECK(o.steps->first_batch->count == 2);
  CHECK(seconds(o.steps->first_batch->maximum) == Approx(3.0));
}

TEST_CASE("the operations of a trace come one by one, with file, thread, time and place") {
  Diagnostics faults;
  const std::string path = trace_file(small_strace());
  auto opened = open_operations(*find_trace_format("strace"), path, 0, faults);
  REQUIRE(opened.ok());
  OperationStream& stream = **opened;
  Operation op;
  REQUIRE(stream.next(op));
  CHECK(op.kind == OperationKind::open);
  REQUIRE(stream.file(op.file) != nullptr);
  CHECK(stream.file(op.file)->name == "/d/a (1).npz");
  REQUIRE(stream.next(op));
  CHECK(op.kind == OperationKind::read);
  CHECK(op.offset == 0);
  CHECK(op.bytes == 4096_B);
  CHECK(seconds(op.start) == Approx(100e-6).epsilon(0.01));
  CHECK(seconds(*op.end - op.start) == Approx(50e-6).epsilon(1e-6));
  int rest = 0;
  while (stream.next(op)) ++rest;
  CHECK(rest == 8);  // seek, resumed read, pread, read, dup2, read, failed open, close
  CHECK_FALSE(stream.next(op));
  CHECK(stream.in_order());
  auto none = open_operations(*find_trace_format("kineto"), path, 0, faults);
  REQUIRE_FALSE(none.ok());
  CHECK(none.failure().exit == ExitCode::bad_input);
}

}  // namespace
}  // namespace stallcast::calibration
