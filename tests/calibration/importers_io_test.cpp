#include "calibration/fit/cells.hpp"
#include "tests/calibration/importer_fixtures.hpp"

/// elbencho, gdsio, IOR, iostat, Darshan.
namespace stallcast::calibration {
namespace {

using namespace literals;

// 2 hosts x 4 threads x depth 2 = 16 outstanding; 4000/s x 4 ms = 16; 4000 MiB/s of 1 MiB.
TEST_CASE("elbencho CSV: threads are per host, MiB/s, milliseconds, and the last thread counts") {
  const Imported f = import_fixture("elbencho", "elbencho.csv");
  CHECK(f.set.tool_version == "3.0-40");
  const Measurement& m = f.of("write");
  CHECK(m.processes == 8);
  CHECK(m.options.at("hosts") == "2");  // what they had together is not what each has
  CHECK(m.depth == 16.0);
  CHECK(m.rate.in(unit::MiBps) == Approx(4000));
  CHECK(m.ops.in(unit::per_s) == Approx(4000));
  CHECK(m.latency->in(unit::ms) == Approx(4));
  CHECK(m.duration->in(unit::s) == Approx(4.096));
  CHECK(m.direct == true);
  CHECK(m.pattern == "sequential");
  CHECK(m.count == 16384);
  // The first thread was done at 4300/s, 7.5 % more.
  CHECK(flagged(m, "stragglers"));
  CHECK(m.figures.at("ops_when_first_done_per_s") == Approx(4300));
}

TEST_CASE("elbencho: the main columns of a mix are its writes") {
  const Imported f = import_fixture("elbencho", "elbencho.csv");
  const Measurement& read = f.of("read");
  CHECK(read.ops.in(unit::per_s) == Approx(3000));
  CHECK(read.read_share == Approx(0.75));
  CHECK(read.rate.in(unit::MiBps) == Approx(3000));
  std::size_t writes = 0;
  for (const Measurement& m : f.set.measurements)
    if (m.operation == "write" && m.read_share == 0.75) {
      CHECK(m.ops.in(unit::per_s) == Approx(1000));
      // 1000/s x 4 ms + 3000/s x 4 ms = 16: both halves together agree with the depth.
      CHECK_FALSE(flagged(m, "inconsistent"));
      ++writes;
    }
  CHECK(writes == 1);
}

TEST_CASE(
    "elbencho: metadata phases count entries, empty cells are not figures, SYNC is left out") {
  const Imported f = import_fixture("elbencho", "elbencho.csv");
  const Measurement& mkdir = f.of("mkdir");
  CHECK(mkdir.subject == Subject::metadata);
  CHECK(mkdir.ops.in(unit::per_s) == Approx(8000));
  CHECK(flagged(mkdir, "few-completions"));
  CHECK_FALSE(mkdir.duration);  // a phase under a millisecond prints 0
  CHECK(f.of("unlink").latency->in(unit::ms) == Approx(40));
  REQUIRE(f.set.ignored.size() == 1);
  CHECK(f.set.ignored.front().starts_with("line 4: 2025"));
}

// 20 480/s x 781 us = 16 = 2 threads x depth 8. 81 920 operations: the median is the 40 960th, in
// the bucket that ends at 724 us; the 99 % quantile (81 101st) in the one that ends at 1024 us.
TEST_CASE("elbencho JSON: texts are numbers, quantiles are upper edges of the histogram") {
  const Imported f = import_fixture("elbencho", "elbencho.json");
  CHECK(f.diagnostics.items().empty());
  const Measurement& m = f.of("read");
  CHECK(m.rate.in(unit::Bps) == Approx(1342177280.0));
  CHECK(m.depth == 16.0);
  CHECK(m.pattern == "random");
  CHECK(m.size == 64_KiB);
  CHECK(m.quantiles.at(0.5).in(unit::us) == Approx(724));
  CHECK(m.quantiles.at(0.99).in(unit::us) == Approx(1024));
  CHECK(m.options.at("quantiles") == "upper edges of buckets 2^(k/4) us");
  CHECK(f.of("unlink").ops.in(unit::per_s) == Approx(1950));
}

TEST_CASE("the text that elbencho prints for people is refused with the options that help") {
  const char* const kText =
      "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n"
      "WRITE       IOPS             :        2881        2881\n";
  const Imported f = import_text("elbencho", kText);
  REQUIRE(f.diagnostics.items().size() == 1);
  CHECK(f.diagnostics.has_errors());
  CHECK(f.diagnostics.items().front().hint ==
        "run elbencho with --csvfile FILE or --jsonfile FILE, and import that");
  REQUIRE(recognise_results(kText) != nullptr);
  CHECK(recognise_results(kText)->id == "elbencho");
}

TEST_CASE("an elbencho CSV line that is cut is an error with its line") {
  std::string text = fixture("elbencho.csv");
  text.resize(text.rfind("RMFILES") + 12);
  CHECK(import_text("elbencho", text).places() == std::vector<std::string>{"6:1 truncated"});
}

// 61 440 000 KiB in 10 s = 5.859 GiB/s; 6000/s x 1333 us = 8 threads.
TEST_CASE("gdsio: GiB and KiB are binary; GPUD proves no path past host memory") {
  const Imported f = import_fixture("gdsio", "gdsio.txt");
  const Measurement& m = f.at(0);
  CHECK(m.subject == Subject::gds);
  CHECK(m.size == 1_MiB);
  CHECK(m.rate.in(unit::GiBps) == Approx(5.859375));
  CHECK(m.ops.in(unit::per_s) == Approx(6000));
  CHECK(m.latency->in(unit::us) == Approx(1333.333));
  CHECK(m.depth == 8.0);
  CHECK(m.path == "gpud");
  CHECK(flagged(m, "path-unproven"));
  CHECK_FALSE(flagged(m, "inconsistent"));
}

TEST_CASE("gdsio: a result may wrap over lines, and cached transfers are not fitted") {
  const Imported f = import_fixture("gdsio", "gdsio.txt");
  const Measurement& m = f.at(1);
  CHECK(m.origin == "line 2");
  CHECK(m.count == 128000);
  CHECK(m.pattern == "random");
  CHECK(flagged(m, "cached"));
  for (const fit::FitSeries& series : fit::group({&f.set, 1}))
    if (series.id == "gds.read.random.cpu-cached-gpu") CHECK(series.cells.empty());
}

TEST_CASE("gdsio: a range of sizes gives the mean of what was moved") {
  // 6 144 000 KiB in 1000 operations.
  CHECK(import_fixture("gdsio", "gdsio.txt").at(2).size == Bytes::from(6144, unit::KiB));
}

TEST_CASE("gdsio: the latency of batches is not a response time, and 0.000 is none at all") {
  const Imported f = import_fixture("gdsio", "gdsio.txt");
  // 800/s x 1.25 ms = 1: the time per operation of one thread, while 16 are outstanding.
  CHECK_FALSE(f.at(3).latency);
  CHECK(f.at(3).figures.at("time_per_operation_s") == Approx(1.25e-3));
  CHECK(f.at(3).depth == 16.0);
  CHECK_FALSE(flagged(f.at(3), "inconsistent"));
  CHECK_FALSE(f.at(4).latency);
  CHECK(flagged(f.at(4), "few-completions"));
}

TEST_CASE("gdsio: figures in other units are refused at the unit") {
  const std::string line =
      "IoType: READ XferType: GPUD Threads: 1 DataSetSize: 1024/1024(KiB) IOSize: 4(KiB) "
      "Throughput: 0.013 GiB/sec, Avg_Latency: 264.0 usecs ops: 256 total_time 0.074 secs\n";
  CHECK(import_text("gdsio", line).set.measurements.size() == 1);
  for (const auto& [is, was] : {std::pair{"GiB/sec", "GB/sec"},
                                {"GiB/sec", "MiB/sec"},
                                {"usecs", "msecs"},
                                {" 4(KiB)", " 4(MiB)"},
                                {"1024(KiB)", "1024(MiB)"}}) {
    std::string other = line;
    other.replace(other.find(is), std::string(is).size(), was);
    const Imported f = import_text("gdsio", other);
    CHECK(f.set.measurements.empty());
    REQUIRE(f.diagnostics.items().size() == 1);
    const Diagnostic& fault = f.diagnostics.items().front();
    CHECK(fault.code == "unit");
    CHECK(fault.position.column > 40);
  }
}

TEST_CASE("a gdsio line that is cut names what is missing") {
  const Imported f =
      import_text("gdsio", "IoType: READ XferType: GPUD Threads: 8 DataSetSize: 9/9(KiB)\n");
  CHECK(f.places().front() == "1:1 truncated");
}

// 2000/s of 1 MiB over 4 tasks: 2 ms each.
TEST_CASE("IOR text: MiB/s, one record per iteration, depth is the number of tasks") {
  const Imported f = import_fixture("ior", "ior.txt");
  REQUIRE(f.set.measurements.size() == 5);  // the summary repeats them
  const Measurement& m = f.at(0);
  CHECK(f.set.tool_version == "4.0.0");
  CHECK(f.set.date == "2025-03-03T09:00:00");
  CHECK(m.rate.in(unit::MiBps) == Approx(1996));
  CHECK(m.ops.in(unit::per_s) == Approx(2000));
  CHECK(m.size == 1_MiB);
  CHECK(m.depth == 4.0);
  CHECK(m.latency->in(unit::ms) == Approx(2));
  CHECK(m.direct == true);
  CHECK(m.count == 4096);
  CHECK(m.flags.empty());
}

TEST_CASE("IOR: a run that spends its time in open contradicts itself and is not fitted") {
  // 1600 MiB/s over all phases, 3200 operations/s in the transfers alone.
  CHECK(flagged(import_fixture("ior", "ior.txt").at(3), "inconsistent"));
}

TEST_CASE("IOR: stonewalled runs count the bytes that were moved, not the rate of one task") {
  // The second run of the file: 4 GiB in 8 s = 512 MiB/s; the summary says 205 per task.
  const Imported f = import_fixture("ior", "ior.txt");
  const Measurement& m = f.at(4);
  CHECK(m.rate.in(unit::MiBps) == Approx(512));
  CHECK(m.count == 16384);
  CHECK(m.size == 256_KiB);  // "262144 bytes"
  CHECK(flagged(m, "stonewalled"));
}

TEST_CASE("IOR: buffered writes without -e, and reads without -C, may be the cache's") {
  const Imported f = import_fixture("ior", "ior.txt");
  CHECK(f.at(4).direct == false);
  CHECK(flagged(f.at(4), "cache-possible"));
  const Imported json = import_fixture("ior", "ior.json");
  CHECK(flagged(json.of("read"), "cache-possible"));
}

TEST_CASE("IOR: options of one test are not those of the next") {
  const std::string text =
      "IOR-3.3.0: MPI Coordinated Test of Parallel I/O\nCommand line        : ior -f script\n"
      "Options: \ntasks : 8\nordering in a file : random\nstonewallingTime : 30\n"
      "xfersize : 1 MiB\nResults: \n"
      "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   "
      "iter\n"
      "write     2000.00    1048576    1024.00    0.001      4.095      0.001      4.096      0\n"
      "Options: \ntasks : 4\nxfersize : 4096 bytes\nResults: \n"
      "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   "
      "iter\n"
      "write     500.00     1048576    4.00       0.001      8.190      0.001      8.192      0\n";
  const Imported f = import_text("ior", text);
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.at(0).options.at("stonewallingTime") == "30");
  CHECK(f.at(0).pattern == "random");
  CHECK(f.at(1).options.count("stonewallingTime") == 0);
  CHECK(f.at(1).options.count("nodes") == 0);
  CHECK(f.at(1).pattern == "sequential");
  CHECK(f.at(1).depth == 4.0);
}

TEST_CASE("IOR 3.0 says tasks and order in its own words") {
  const std::string text =
      "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\nBegan: Mon Mar  3 09:00:00 2025\n"
      "Command line used: ior -a POSIX -z -t 1m -b 1g -C -e\nMachine: Linux n1\n\n"
      "Test 0 started: Mon Mar  3 09:00:00 2025\nSummary:\n"
      "\tapi                = POSIX\n\ttest filename      = /mnt/a=b\n"
      "\taccess             = single-shared-file, independent\n"
      "\tordering in a file = random offsets\n\tordering inter file= no tasks offsets\n"
      "\tclients            = 8 (4 per node)\n\trepetitions        = 1\n"
      "\txfersize           = 1 MiB\n\tblocksize          = 1 GiB\n"
      "\taggregate filesize = 8 GiB\n\n"
      "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   "
      "iter\n"
      "------    ---------  ---------- ---------  --------   --------   --------   --------   "
      "----\n"
      "write     2000.00    1048576    1024.00    0.001      4.095      0.001      4.096      0\n"
      "remove    -          -          -          -          -          -          0.010      0\n";
  const Imported f = import_text("ior", text);
  REQUIRE(f.set.measurements.size() == 1);
  const Measurement& m = f.at(0);
  CHECK(m.processes == 8);
  CHECK(m.depth == 8.0);
  CHECK(m.pattern == "random");
  CHECK(m.options.at("nodes") == "2");
  CHECK(m.options.at("clients per node") == "4");
  CHECK(m.count == 8192);
  CHECK(m.flags.empty());
}

TEST_CASE("IOR JSON below what a launcher prints is read") {
  const Imported f = import_text("ior", "WARNING: no network\n" + fixture("ior.json"));
  CHECK(f.set.measurements.size() == import_fixture("ior", "ior.json").set.measurements.size());
  CHECK(f.diagnostics.items().empty());
}

TEST_CASE("IOR JSON: a latency of too few decimals is left out") {
  const Imported f = import_fixture("ior", "ior.json");
  CHECK(f.diagnostics.items().empty());
  // 8.1 ms +- 0.05 is good to 1 %; 4.0 ms is not.
  CHECK(f.of("write").latency->in(unit::ms) == Approx(8.1));
  CHECK_FALSE(f.of("read").latency);
  CHECK(f.of("read").pattern == "random");
  CHECK(f.of("read").size == 4_MiB);
  CHECK(f.of("read").depth == 8.0);
}

TEST_CASE("iostat JSON: the first report is dropped, kB are KiB, no depth is made of %util") {
  const Imported f = import_fixture("iostat", "iostat.json");
  REQUIRE(f.set.measurements.size() == 4);
  const Measurement& m = f.at(0);
  CHECK(m.rate.in(unit::KiBps) == Approx(1280000));
  CHECK(m.ops.in(unit::per_s) == Approx(10000));
  CHECK(m.size == 128_KiB);
  CHECK(m.latency->in(unit::ms) == Approx(0.8));
  CHECK(m.depth == 0.0);
  CHECK(m.figures.at("util_ratio") == Approx(1.0));
  CHECK(m.figures.at("queue_all_operations") == Approx(10.0));
  CHECK(f.diagnostics.items().front().code == "first-report");
  // 10 000/s x 0.8 ms + 1000/s x 2 ms = 10: right in the second report, 25 said in the third.
  CHECK_FALSE(flagged(m, "inconsistent"));
  CHECK(flagged(f.at(2), "inconsistent"));
  for (const fit::FitSeries& series : fit::group({&f.set, 1})) CHECK(series.cells.empty());
}

TEST_CASE("iostat text with decimal commas: MB are MiB, idle devices give no record") {
  const Imported f = import_fixture("iostat", "iostat-comma.txt");
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.of("read").rate.in(unit::MiBps) == Approx(50));
  CHECK(f.of("read").size == 256_KiB);
  CHECK(f.of("write").latency->in(unit::ms) == Approx(12));
  CHECK_FALSE(flagged(f.of("read"), "inconsistent"));  // 200 x 4 ms + 100 x 12 ms = 2
}

TEST_CASE("iostat of older versions: sectors of 512 B, and plain reports without -x") {
  const std::string old =
      "Linux 3.10 (n)\n\nDevice:  r/s w/s rsec/s wsec/s avgqu-sz await %util\nsda 1 1 8 8 0 0 0\n\n"
      "Device:  r/s w/s rsec/s wsec/s avgqu-sz await %util\nsda 100.0 0.0 2048.0 0.0 1.0 9.0 70\n";
  CHECK(import_text("iostat", old).of("read").rate.in(unit::KiBps) == Approx(1024));
  const std::string plain =
      "Linux 6.1 (n)\n\nDevice tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 1 1 1 1 1\n\n"
      "Device tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 9 2048 0 4096 0\n";
  CHECK(import_text("iostat", plain).of("read").rate.in(unit::MiBps) == Approx(2));
}

TEST_CASE("iostat: only idle reports, or only the first, is an error that says so") {
  const std::string head = "Linux 6.1 (n)\n\nDevice r/s rkB/s %util\nsda 5.00 9.00 1.00\n\n";
  const Imported one = import_text("iostat", head);
  CHECK(one.diagnostics.items().front().hint ==
        "run iostat with an interval and a count: iostat -x 1 30");
  CHECK(one.diagnostics.has_errors());
  const Imported idle =
      import_text("iostat", head + "Device r/s rkB/s %util\nsda 0.00 0.00 0.00\n");
  CHECK(idle.diagnostics.items().back().code == "idle");
}

// Two records of 1000 reads of 128 KiB, between 1 s and 11 s: 26.2 MB/s, 0.5 ms each.
TEST_CASE("iostat: reports that do not tell reads from writes are refused with what to leave out") {
  const std::string head = "Linux 6.1 (n1)\n\n";
  const Imported narrow = import_text(
      "iostat",
      head + "Device   tps   kB/s  rqm/s  await  areq-sz  aqu-sz  %util\nvda 1 2 3 4 5 6 7\n");
  CHECK(narrow.places() == std::vector<std::string>{"3:53 columns"});
  CHECK(narrow.diagnostics.items().front().hint == "run iostat without -s: iostat -x 1 30");
  const Imported human =
      import_text("iostat", head + "  r/s  rkB/s  %util Device\n 1.0  468.0k  2.0% vda\n");
  CHECK(human.diagnostics.items().front().hint ==
        "run iostat without -h and --human: iostat -x 1 30");
}

TEST_CASE("Darshan counters: summed over records, unwatched ones left out, never fitted") {
  const Imported f = import_fixture("darshan", "darshan-parser.txt");
  CHECK(f.set.tool_version == "3.4.4");
  const Measurement& m = f.of("read");
  CHECK(m.count == 2000);
  CHECK(m.size == 128_KiB);
  CHECK(m.duration->in(unit::s) == Approx(10));
  CHECK(m.rate.in(unit::MBps) == Approx(26.2144));
  CHECK(m.latency->in(unit::ms) == Approx(0.5));
  CHECK(m.processes == 2);
  CHECK(m.pattern == "sequential");
  CHECK(flagged(m, "workload"));
  CHECK(flagged(m, "cache-possible"));
  CHECK(f.of("open").count == 2);
  for (const Measurement& other : f.set.measurements) CHECK(other.operation != "fsync");
  CHECK(f.set.ignored == std::vector<std::string>{"modules STDIO (1 lines)"});
  for (const fit::FitSeries& series : fit::group({&f.set, 1})) CHECK(series.cells.empty());
}

TEST_CASE("Darshan DXT: operations under the clock's 0.1 ms have no latency and no rate") {
  const Imported f = import_fixture("darshan", "darshan-dxt.txt");
  const Measurement& write = f.of("write");
  CHECK(write.count == 6);
  CHECK(write.latency->in(unit::s) == Approx(0.25));
  CHECK(write.pattern == "sequential");
  // 6 MiB from 0 to 2.75 s.
  CHECK(write.rate.in(unit::MiBps) == Approx(6.0 / 2.75));
  const Measurement& read = f.of("read");
  CHECK(flagged(read, "time-resolution"));
  CHECK_FALSE(read.latency);
  CHECK(read.rate == Rate{});
  CHECK(read.pattern == "random");  // backwards
}

}  // namespace
}  // namespace stallcast::calibration
