#include <unistd.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "calibration/observe/replay/compile.hpp"
#include "calibration/observe/replay/step_sorter.hpp"
#include "tests/observe/observe_support.hpp"

namespace stallcast::calibration {
namespace {

/// A program and what was said about it.
struct Made {
  CompiledReplay compiled;
  std::vector<ReplayStep> steps;
  std::vector<ReplayThread> threads;
};

Made made_of(std::string_view format, const std::vector<std::string>& paths,
             std::vector<std::string> under = {}) {
  const std::string program = "/tmp/stallcast-test-" + std::to_string(::getpid()) + ".program";
  Diagnostics faults;
  CompileOptions options;
  options.under = std::move(under);
  auto compiled = compile_replay(*find_trace_format(format), paths, program, options, faults);
  REQUIRE(compiled.ok());
  for (const Diagnostic& fault : faults.items()) FAIL(fault.message);
  Made out{std::move(*compiled), {}, {}};
  std::FILE* file = std::fopen(program.c_str(), "rb");
  REQUIRE(file != nullptr);
  ReplayHeader header;
  REQUIRE(std::fread(&header, sizeof header, 1, file) == 1);
  CHECK(header.sha256 == out.compiled.header.sha256);
  out.steps.resize(header.steps);
  out.threads.resize(header.threads);
  REQUIRE(std::fread(out.steps.data(), sizeof(ReplayStep), header.steps, file) == header.steps);
  REQUIRE(std::fread(out.threads.data(), sizeof(ReplayThread), header.threads, file) ==
          header.threads);
  std::fclose(file);
  std::filesystem::remove(program);
  return out;
}

Made make(std::string_view format, std::string_view content, std::vector<std::string> under = {}) {
  return made_of(format, {trace_file(content)}, std::move(under));
}

bool noted(const Made& made, std::string_view text) {
  const auto& notes = made.compiled.replay.notes;
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

/// A file beside others, until the end of the test.
struct BesideOthers {
  BesideOthers(const std::string& ending, std::string_view content)
      : path("/tmp/stallcast-test-" + std::to_string(::getpid()) + ending) {
    std::ofstream(path) << content;
  }
  ~BesideOthers() { std::filesystem::remove(path); }
  std::string path;
};

constexpr std::string_view kStrace =
    "10 1700000000.000000 openat(AT_FDCWD, \"/data/a\", O_RDONLY) = 3 <0.001000>\n"
    "10 1700000000.003000 read(3, \"\", 4096) = 4096 <0.002000>\n"
    "10 1700000000.005050 read(3, \"\", 4096) = 4096 <0.002000>\n"
    "10 1700000000.010050 pread64(3, \"\", 100, 1000000) = 100 <0.001000>\n"
    "10 1700000000.012050 lseek(3, 0, SEEK_SET) = 0 <0.500000>\n"
    "11 1700000000.001000 stat(\"/data/b\", {st_mode=S_IFREG|0644}) = 0 <0.001000>\n"
    "11 1700000000.004000 stat(\"/none\", 0x7ffd) = -1 ENOENT (No such file or directory) "
    "<0.001000>\n";

}  // namespace

TEST_CASE("what an open file's client knows is no operation on the storage") {
  const Made made = make("strace",
                         "1 1700000000.000 openat(AT_FDCWD, \"/d/a\", O_RDONLY) = 3 <0.001>\n"
                         "1 1700000000.010 fstat(3, {st_mode=S_IFREG|0644}) = 0 <0.001>\n"
                         "1 1700000000.020 newfstatat(3, \"\", {st_mode=S_IFREG|0644}, "
                         "AT_EMPTY_PATH) = 0 <0.001>\n"
                         "1 1700000000.030 newfstatat(AT_FDCWD, \"/d/b\", {st_mode=S_IFREG|0644}, "
                         "0) = 0 <0.001>\n");
  CHECK(made.compiled.replay.operations == 2);
}

TEST_CASE("a path that is asked for is a file or a folder, and one without files is told") {
  const Made made = make("strace",
                         "1 1700000000.000 openat(AT_FDCWD, \"/a/x\", O_RDONLY) = 3 <0.001>\n"
                         "1 1700000000.010 openat(AT_FDCWD, \"/ab/y\", O_RDONLY) = 4 <0.001>\n"
                         "1 1700000000.020 openat(AT_FDCWD, \"/c\", O_RDONLY) = 5 <0.001>\n",
                         {"/a", "/c", "/nope"});
  CHECK(made.compiled.replay.operations == 2);
  const auto& notes = made.compiled.replay.notes;
  CHECK(std::count(notes.begin(), notes.end(),
                   "--under /nope: no file of the trace is that or lies in it") == 1);
  CHECK(std::none_of(notes.begin(), notes.end(),
                     [](const std::string& note) { return note.starts_with("--under /a"); }));
}

TEST_CASE("one process number in two files of strace is two processes") {
  const std::string text =
      "7 1700000000.000 openat(AT_FDCWD, \"/d/a\", O_RDONLY) = 3 <0.001>\n"
      "7 1700000000.010 read(3, \"\", 4096) = 4096 <0.001>\n";
  const BesideOthers one(".one", text), other(".other", text);
  const Made made = made_of("strace", {one.path, other.path});
  CHECK(made.compiled.replay.processes == 2);
  CHECK(made.compiled.replay.threads == 2);
}

TEST_CASE("iolog: what fio calls sync_file_range and syncfs are syncs") {
  const Made made = make("iolog",
                         "fio version 3 iolog\n0 /d/a add\n5 /d/a open\n10 /d/a write 0 4096\n"
                         "20 /d/a sync_file_range 0 4096\n30 /d/a syncfs 0 0\n");
  CHECK(made.compiled.replay.operations == 4);
}

TEST_CASE("bytes that pass within the kernel are told, and what follows lies behind them") {
  const Made made = make("strace",
                         "1 1700000000.000 openat(AT_FDCWD, \"/d/in\", O_RDONLY) = 3 <0.001>\n"
                         "1 1700000000.010 openat(AT_FDCWD, \"/d/out\", O_WRONLY) = 5 <0.001>\n"
                         "1 1700000000.020 sendfile(5, 3, NULL, 100000000) = 100000000 <0.2>\n"
                         "1 1700000000.300 copy_file_range(3, NULL, 5, NULL, 50000000, 0) = "
                         "50000000 <0.1>\n"
                         "1 1700000000.500 copy_file_range(3, [0], 5, [0], 1, 0) = -1 EXDEV "
                         "(Invalid cross-device link) <0.1>\n"
                         "1 1700000000.700 io_uring_enter(9, 2, 1, 0, NULL, 8) = 2 <0.001>\n"
                         "1 1700000000.710 io_submit(0x7f00, 2, [{}, {}]) = 2 <0.001>\n"
                         "1 1700000000.800 read(3, \"\", 4096) = 4096 <0.001>\n"
                         "1 1700000000.900 close(3) = 0 <0.001>\n");
  const Replay& replay = made.compiled.replay;
  CHECK(noted(made, "2 calls of sendfile or copy_file_range not replayed, of 150 MB"));
  CHECK(noted(made, "4 calls of io_uring or libaio not replayed"));
  CHECK(noted(made, "1 failed call"));
  REQUIRE(made.steps.size() == 4);
  CHECK(made.steps[2].action == ReplayAction::read);
  CHECK(made.steps[2].offset == 150000000);
  // Two opens and a read; the step behind them is the time until the close.
  CHECK(replay.operations == 3);
  CHECK(replay.requests == 3);
}

TEST_CASE("marks of strace become events of the program") {
  const Made made = make(
      "strace",
      "10 1700000000.000000 access(\"/.stallcast/pass\", F_OK) = -1 ENOENT (No such file) "
      "<0.000009>\n"
      "10 1700000000.100000 access(\"/.stallcast/ask/11/0/0\", F_OK) = -1 ENOENT (No such file)\n"
      "10 1700000000.200000 access(\"/.stallcast/want\", F_OK) = -1 ENOENT (No such file)\n"
      "11 1700000000.300000 access(\"/.stallcast/start/11/0/0\", F_OK) = -1 ENOENT (No such file)\n"
      "11 1700000000.400000 pread64(3</data/a>, \"\"..., 4096, 0) = 4096 <0.100000>\n"
      "11 1700000000.600000 access(\"/.stallcast/ready/11/0/0\", F_OK) = -1 ENOENT (No such file)\n"
      "10 1700000000.700000 access(\"/.stallcast/take/11/0/0\", F_OK) = -1 ENOENT (No such file)\n"
      "10 1700000000.900000 access(\"/.stallcast/step\", F_OK) = -1 ENOENT (No such file)\n");
  CHECK(made.compiled.header.events == 2);
  CHECK(made.compiled.header.processes == 1);  // the worker is of the process that trains
  CHECK(made.compiled.replay.operations == 1);
  const auto& training = made.compiled.replay.traced_training;
  CHECK(training.at("step").time_s == Approx(0.9));
  CHECK(training.at("wait").time_s == Approx(0.5));
  std::vector<std::pair<ReplayAction, double>> found;
  for (const ReplayStep& step : made.steps) found.emplace_back(step.action, step.gap);
  const std::vector<std::pair<ReplayAction, double>> expected = {
      {ReplayAction::pass, 0.0}, {ReplayAction::post, 0.1},
      {ReplayAction::want, 0.1}, {ReplayAction::take, 0.1},  // after the batch was ready at 0.6 s
      {ReplayAction::step, 0.2}, {ReplayAction::await, 0.2},
      {ReplayAction::read, 0.1}, {ReplayAction::post, 0.1}};
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(i);
    CHECK(found[i].first == expected[i].first);
    CHECK(found[i].second == Approx(expected[i].second).margin(1e-6));
  }
  // They are no calls on files to an import.
  const Observation seen = observe("strace",
                                   "10 1700000000.000000 access(\"/.stallcast/want\", F_OK) = -1 "
                                   "ENOENT (No such file) <0.000009>\n"
                                   "10 1700000000.100000 pread64(3</data/a>, \"\"..., 4096, 0) = "
                                   "4096 <0.100000>\n");
  CHECK(seen.metadata.empty());
}

TEST_CASE("steps on files that were opened with O_DIRECT, or were given it, pass memory by") {
  const Made made =
      make("strace",
           "10 1700000000.000000 openat(AT_FDCWD, \"/data/a\", O_RDONLY|O_DIRECT) = 3 <0.000100>\n"
           "10 1700000000.010000 read(3, \"x\"..., 4096) = 4096 <0.001000>\n"
           "10 1700000000.020000 openat(AT_FDCWD, \"/data/b\", O_RDONLY) = 4 <0.000100>\n"
           "10 1700000000.030000 read(4, \"x\"..., 4096) = 4096 <0.001000>\n"
           "10 1700000000.040000 fcntl(4, F_SETFL, O_RDONLY|O_DIRECT) = 0 <0.000010>\n"
           "10 1700000000.050000 read(4, \"x\"..., 4096) = 4096 <0.001000>\n"
           "10 1700000000.060000 fcntl(4, F_SETFL, O_RDONLY) = 0 <0.000010>\n"
           "10 1700000000.070000 read(4, \"x\"..., 4096) = 4096 <0.001000>\n");
  std::vector<bool> direct;
  for (const ReplayStep& step : made.steps)
    if (step.action == ReplayAction::read) direct.push_back(step.direct != 0);
  CHECK(direct == std::vector<bool>{true, false, true, false});
}

TEST_CASE("a program has think times, and close calls in sequence are one request") {
  const Made made = make("strace", kStrace);
  REQUIRE(made.threads.size() == 2);
  CHECK(made.threads[0].process == 0);
  CHECK(made.threads[1].process == 1);
  CHECK(made.threads[1].first == 4);
  REQUIRE(made.steps.size() == 6);
  const auto& s = made.steps;
  CHECK(s[0].action == ReplayAction::metadata);
  CHECK(s[0].gap == Approx(0.0).margin(1e-9));
  CHECK(s[1].action == ReplayAction::read);
  CHECK(s[1].calls == 2);
  CHECK(s[1].bytes == 8192);
  CHECK(s[1].offset == 0);
  CHECK(s[1].gap == Approx(2e-3 + 50e-6).epsilon(1e-4));
  CHECK(!s[1].goes_on);
  CHECK(s[2].offset == 1000000);
  CHECK(s[2].gap == Approx(3e-3).epsilon(1e-4));
  // A seek and what failed take their time at the end of the thread.
  CHECK(s[3].action == ReplayAction::none);
  CHECK(s[3].gap == Approx(0.501).epsilon(1e-4));
  CHECK(s[4].gap == Approx(1e-3).epsilon(1e-3));
  CHECK(s[5].action == ReplayAction::none);
  CHECK(s[5].gap == Approx(3e-3).epsilon(1e-3));
  const Replay& r = made.compiled.replay;
  CHECK(r.operations == 5);
  CHECK(r.trace_makespan_s == Approx(0.51205).epsilon(1e-4));
  CHECK(r.traced.at("read").operations == 3);
  CHECK(r.traced.at("read").bytes == 8292.0);
  CHECK(*r.traced.at("read").time_s == Approx(5e-3).epsilon(1e-3));
  CHECK(*r.trace_io_s == Approx(7e-3).epsilon(1e-3));
  CHECK(made.compiled.header.machines == 1);
  CHECK(made.compiled.header.files == 1);
  CHECK(made.compiled.header.file_bytes == 1000100.0);
  CHECK(r.notes.front() == "1 failed call not replayed; their time is think time");
}

TEST_CASE("files of strace are of machines, and those of -ff of processes of one") {
  // Two processes on the first machine, one on the second: blocks of two numbers.
  const BesideOthers a(".a.strace", kStrace),
      b(".b.strace", kStrace.substr(0, kStrace.find("11 ")));
  const Made two = made_of("strace", {a.path, b.path});
  CHECK(two.compiled.header.machines == 2);
  CHECK(two.compiled.header.processes == 3);
  CHECK(two.compiled.replay.processes == 3);
  CHECK(noted(two, "of 2 machines or containers"));
  Diagnostics faults;
  const TraceFormat& strace = *find_trace_format("strace");
  const Observation seen = import_observation(strace, {a.path, b.path}, true, faults);
  REQUIRE(seen.processes.size() == 3);
  CHECK(seen.processes[2].pid == 10);
  CHECK(faults.items().empty());
  CHECK(import_observation(strace, {b.path, b.path}, true, faults).processes.size() == 1);
  CHECK(faults.items().front().code == "twice");
  const Made turned = made_of("strace", {b.path, a.path});
  CHECK(turned.compiled.header.processes == 4);
  CHECK(turned.threads.back().process == 3);

  constexpr std::string_view kAlone =
      "1700000000.0 openat(AT_FDCWD, \"/d/a\", O_RDONLY) = 3 <0.001>\n";
  const BesideOthers parent(".ff.100", kAlone), child(".ff.101", kAlone);
  const Made one = made_of("strace", {parent.path, child.path});
  CHECK(one.compiled.header.machines == 1);
  CHECK(one.compiled.replay.processes == 2);
  CHECK(noted(one, "the trace is of one machine"));
}

TEST_CASE("transfers on descriptors that were open before the trace are told") {
  constexpr std::string_view kBefore = "10 1700000000.500 read(9, \"\", 4096) = 4000 <0.001>\n";
  const Made made = make("strace", std::string(kStrace) + std::string(kBefore));
  CHECK(made.compiled.replay.traced.at("read").operations == 3);
  CHECK(noted(made, "1 transfer of 4 kB not replayed, on descriptors whose opening"));
  Diagnostics faults;
  const auto none = compile_replay(*find_trace_format("strace"), {trace_file(kBefore)},
                                   "/tmp/stallcast-test.program", {}, faults);
  REQUIRE_FALSE(none.ok());
  CHECK(none.failure().hint.find("strace -y") != std::string::npos);
}

TEST_CASE("only files that are asked for are replayed") {
  const Made made = make("strace", kStrace, {"/data/b"});
  CHECK(made.compiled.replay.operations == 1);
  CHECK(made.compiled.replay.trace_makespan_s == Approx(0.51205).epsilon(1e-4));
  double time = 0.0;  // of the first thread, all of it passes
  for (std::uint64_t i = 0; i < made.threads[0].steps; ++i)
    time += made.steps[made.threads[0].first + i].gap;
  CHECK(time == Approx(0.51205).epsilon(1e-4));
}

TEST_CASE("the same trace makes the same program, another another") {
  const auto sha = [](std::string_view content) {
    return make("strace", content).compiled.header.sha256;
  };
  CHECK(sha(kStrace) == sha(kStrace));
  std::string other(kStrace);
  other.replace(other.find("<0.002000>"), 10, "<0.001000>");
  CHECK(sha(other) != sha(kStrace));
}

TEST_CASE("Darshan's writes and reads are put in order") {
  const Made made = make("darshan-dxt", small_dxt());
  for (const ReplayThread& thread : made.threads)
    for (std::uint64_t i = 1; i < thread.steps; ++i) CHECK(made.steps[thread.first + i].gap >= 0.0);
  CHECK(made.compiled.replay.operations > 0);
  CHECK(made.compiled.header.machines == 0);
}

TEST_CASE("where a trace has no ends, gaps count from starts") {
  const Made made = make("iolog",
                         "fio version 3 iolog\n0 /d/f add\n0 /d/f open\n"
                         "1000 /d/f read 0 4096\n3000 /d/f write 4096 4096\n9000 /d/f sync 0 0\n");
  REQUIRE(made.steps.size() == 4);
  CHECK(made.steps[1].from_start);
  CHECK(made.steps[1].gap == Approx(1e-3));
  CHECK(made.steps[3].action == ReplayAction::sync);
  CHECK(made.steps[3].gap == Approx(6e-3));
  CHECK(!made.compiled.replay.trace_io_s);
  CHECK(made.compiled.replay.trace_makespan_s == Approx(9e-3));
}

TEST_CASE("operations that overlap in their thread are threads of their own") {
  const Made made = make("strace",
                         "10 1700000000.000000 openat(AT_FDCWD, \"/d\", O_RDONLY) = 3 <0.001000>\n"
                         "10 1700000000.002000 pread64(3, \"\", 10, 1000) = 10 <0.010000>\n"
                         "10 1700000000.004000 pread64(3, \"\", 10, 2000) = 10 <0.002000>\n"
                         "10 1700000000.007000 pread64(3, \"\", 10, 3000) = 10 <0.002000>\n"
                         "10 1700000000.014000 pread64(3, \"\", 10, 4000) = 10 <0.001000>\n");
  REQUIRE(made.threads.size() == 2);
  CHECK(made.threads[0].steps == 3);
  CHECK(made.threads[1].steps == 2);
  CHECK(made.threads[1].process == 0);
  CHECK(made.steps[made.threads[1].first].gap == Approx(4e-3).epsilon(1e-3));
  CHECK(made.steps[made.threads[1].first + 1].gap == Approx(1e-3).epsilon(1e-3));
}

TEST_CASE("a trace without operations is refused") {
  Diagnostics faults;
  const auto none = compile_replay(*find_trace_format("kineto"), {trace_file(small_kineto())},
                                   "/tmp/stallcast-test-none", {}, faults);
  REQUIRE(!none.ok());
  CHECK(none.failure().message == "traces of kineto hold no operations on files");
  const auto empty = compile_replay(*find_trace_format("strace"), {trace_file("")},
                                    "/tmp/stallcast-test-none", {}, faults);
  REQUIRE(!empty.ok());
}

TEST_CASE("reading ends when it is told to") {
  std::string content(kStrace);
  for (int i = 0; i < 10000; ++i)
    content += "10 1700000001.000000 pread64(3, \"\", 10, 1000) = 10 <0.000001>\n";
  Diagnostics faults;
  CompileOptions options;
  options.stop = [] { return true; };
  const auto stopped = compile_replay(*find_trace_format("strace"), {trace_file(content)},
                                      "/tmp/stallcast-test-none", options, faults);
  REQUIRE(!stopped.ok());
  CHECK(stopped.failure().exit == ExitCode::inconclusive);
}

TEST_CASE("operations are sorted the same in memory and in files") {
  const auto sorted = [](std::size_t most) {
    StepSorter sorter("/tmp", most);
    std::uint64_t state = 5;
    for (int i = 0; i < 20000; ++i) {
      KeptOperation op;
      op.thread = static_cast<std::uint32_t>(base::split_mix(state) % 7);
      op.start = static_cast<double>(base::split_mix(state) % 1000);
      op.bytes = static_cast<std::uint64_t>(i);
      REQUIRE(sorter.add(op));
    }
    std::vector<std::uint64_t> out;
    REQUIRE(sorter.drain([&](const KeptOperation& op) { return out.push_back(op.bytes), true; }));
    return out;
  };
  const auto whole = sorted(100000);
  CHECK(whole.size() == 20000);
  CHECK(sorted(3000) == whole);
  CHECK(sorted(64) == whole);
  CHECK(sorted(20000) == whole);
  CHECK(!StepSorter("/nowhere", 1).add({}));
}

}  // namespace stallcast::calibration
