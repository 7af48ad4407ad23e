#include "calibration/fit/cells.hpp"
#include "tests/calibration/importer_fixtures.hpp"

namespace stallcast::calibration {
namespace {

using namespace literals;

// 400 000 reads of 4 KiB in 10 s: 40 000/s, 163.84 MB/s; 40 000/s x 800 us = 32 outstanding.
TEST_CASE("fio rates are bytes, times nanoseconds, options those of job and [global]") {
  const Imported f = import_fixture("fio", "fio-randread.json");
  CHECK(f.diagnostics.items().empty());
  CHECK(f.set.tool_version == "3.36");
  CHECK(f.set.date == "2023-11-14T22:13:20Z");
  CHECK(f.set.sha256.size() == 64);
  CHECK(f.set.environment.at("disks") == "nvme1n1");
  const Measurement& m = f.at(0);
  REQUIRE(f.set.measurements.size() == 1);
  CHECK(m.subject == Subject::io);
  CHECK(m.operation == "read");
  CHECK(m.pattern == "random");
  CHECK(m.size == 4_KiB);
  CHECK(m.rate.in(unit::MBps) == Approx(163.84));
  CHECK(m.ops.in(unit::per_s) == Approx(40000));
  CHECK(m.latency->in(unit::us) == Approx(800));
  CHECK(m.quantiles.at(0.99).in(unit::ms) == Approx(1.5));
  CHECK(m.quantiles.size() == 3);
  CHECK(m.quantiles.count(0.999) == 1);  // 99.9 / 100.0 is 0.9990000000000001
  CHECK(m.depth == 32.0);
  CHECK(m.processes == 1);
  CHECK(m.direct == true);
  CHECK(m.read_share == 1.0);
  CHECK(m.count == 400000);
  CHECK(m.duration->in(unit::s) == Approx(10));
  CHECK(m.cores == Approx(0.25));
  CHECK(m.options.at("ioengine") == "io_uring");
  CHECK(m.options.at("mem") == "malloc");
  CHECK(m.flags.empty());
}

TEST_CASE("fio members that no one reads are listed once per object") {
  const Imported f = import_fixture("fio", "fio-two-processes.json");
  const auto& ignored = f.set.ignored;
  const auto jobs = std::find_if(ignored.begin(), ignored.end(),
                                 [](const std::string& s) { return s.starts_with("jobs[]: "); });
  REQUIRE(jobs != ignored.end());
  CHECK(jobs->find("iodepth_level") != std::string::npos);
  CHECK(jobs->find("majf") != std::string::npos);
  CHECK(ignored.size() < 10);
  for (const std::string& line : ignored) CHECK_FALSE(line.starts_with("jobs[].write"));
}

TEST_CASE("fio's latency is lat_ns, which includes the submission, not clat_ns") {
  // Without lat_ns there is no latency, rather than the shorter one.
  std::string text = fixture("fio-randread.json");
  text = replaced(text, "\"lat_ns\"", "\"other_ns\"");
  const Imported f = import_text("fio", text);
  CHECK_FALSE(f.at(0).latency);
}

TEST_CASE("text before the JSON is passed over, and synchronous engines have depth 1 per process") {
  // 4 processes of psync: iodepth=16 does nothing. 800/s x 5 ms = 4 outstanding.
  const Imported f = import_fixture("fio", "fio-text-before.json");
  CHECK(f.diagnostics.items().empty());
  const Measurement& m = f.at(0);
  CHECK(m.processes == 4);
  CHECK(m.depth == 4.0);
  CHECK(m.pattern == "sequential");
  CHECK(m.direct == false);
  CHECK(flagged(m, "cache-possible"));
  CHECK(m.options.at("quantiles") == "of completion, without submission");
  CHECK(m.cores == Approx(1.0));
}

TEST_CASE("entries of one fio job become one record, with weighted mean latency and no quantiles") {
  // 10 000/s at 800 us and 20 000/s at 400 us: 30 000/s at (10 x 800 + 20 x 400) / 30 = 533.3 us,
  // and 8 + 8 outstanding.
  const Imported f = import_fixture("fio", "fio-two-processes.json");
  REQUIRE(f.set.measurements.size() == 1);
  const Measurement& m = f.at(0);
  CHECK(m.ops.in(unit::per_s) == Approx(30000));
  CHECK(m.latency->in(unit::us) == Approx(533.333).epsilon(1e-4));
  CHECK(m.depth == 16.0);
  CHECK(m.processes == 2);
  CHECK(m.quantiles.empty());
  CHECK_FALSE(flagged(m, "concurrent-jobs"));
  CHECK_FALSE(flagged(m, "inconsistent"));
}

TEST_CASE("a fio job on several hosts is one record of all of them") {
  // fio --client: entries of both hosts are in client_stats, as processes of one are in jobs.
  std::string text = replaced(fixture("fio-two-processes.json"), "\"jobs\"", "\"client_stats\"");
  const std::string name = "\"jobname\": \"p\",";
  const std::size_t first = text.find(name), second = text.find(name, first + 1);
  REQUIRE(second != std::string::npos);
  text.insert(second, "\"hostname\": \"node2\", ").insert(first, "\"hostname\": \"node1\", ");
  const std::string two = "\"numjobs\": \"2\"", one = "\"numjobs\": \"1\"";
  for (const double each : {1.0, 2.0}) {  // processes of a host, told as one by group_reporting
    if (each == 1.0) text = replaced(replaced(text, two, one), two, one);
    if (each == 2.0) text = replaced(replaced(text, one, two), one, two);
    const Imported f = import_text("fio", text);
    REQUIRE(f.set.measurements.size() == 1);
    CHECK(f.at(0).ops.in(unit::per_s) == Approx(30000));
    CHECK(f.at(0).depth == 16.0 * each);
    CHECK(static_cast<double>(f.at(0).processes) == 2.0 * each);
    CHECK(f.at(0).options.at("hosts") == "2");
    CHECK_FALSE(flagged(f.at(0), "concurrent-jobs"));
  }
}

TEST_CASE("jobs merged by group_reporting keep no options, and no fit reads them") {
  const Imported f = import_fixture("fio", "fio-merged.json");
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.places() == std::vector<std::string>{"13:5 merged-jobs"});
  for (const Measurement& m : f.set.measurements) {
    CHECK(flagged(m, "merged-jobs"));
    CHECK(m.depth == 0.0);
    CHECK(m.options.count("bs") == 0);
  }
  CHECK(f.at(0).size == 128_KiB);  // what was moved, not what bs= says
  CHECK(fit::group({&f.set, 1}).front().cells.empty());
}

TEST_CASE("jobs that run side by side, and jobs that are paced, are not fitted") {
  const Imported f = import_fixture("fio", "fio-concurrent.json");
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(flagged(f.at(0), "concurrent-jobs"));
  CHECK(f.at(0).depth == 16.0);
  CHECK(flagged(f.at(1), "rate-limited"));
  CHECK(f.at(1).depth == 0.0);  // the queue is not kept full
  for (const fit::FitSeries& series : fit::group({&f.set, 1})) CHECK(series.cells.empty());
}

TEST_CASE("a pace of 0 is none, and depths have prefixes as sizes do") {
  const std::string text = fixture("fio-randread.json");
  for (const char* pace : {R"("rate_iops": "0", "thinktime": "0")", R"("rate": "0,0")"}) {
    const Imported f = import_text(
        "fio", replaced(text, R"("iodepth": "32")", std::string(R"("iodepth": "32", )") + pace));
    CHECK(f.at(0).flags.empty());
    CHECK(f.at(0).depth == 32.0);
  }
  const Imported paced = import_text(
      "fio", replaced(text, R"("iodepth": "32")", R"("iodepth": "32", "rate_iops": "0,100")"));
  CHECK(flagged(paced.at(0), "rate-limited"));
  // 40 000/s x 25.6 ms = 1024 outstanding.
  std::string deep = replaced(text, R"("iodepth": "32")", R"("iodepth": "1k")");
  deep = replaced(deep, "800000.0", "25600000.0");
  const Imported f = import_text("fio", deep);
  CHECK(f.at(0).depth == 1024.0);
}

TEST_CASE("processes of a fio job that stop at different times say so") {
  // One of two ran for 3 s, the other for 6.
  std::string text = fixture("fio-two-processes.json");
  const std::size_t second = text.find("\"runtime\": 3000", text.find("\"iops\": 20000.0"));
  text.replace(second, 15, "\"runtime\": 6000");
  const Imported f = import_text("fio", text);
  REQUIRE(f.diagnostics.items().size() == 1);
  CHECK(f.diagnostics.items()[0].message ==
        "processes of \"p\" stopped at different times: the longest ran 2 times as long as "
        "the shortest");
  CHECK(flagged(f.at(0), "merged-jobs"));
}

TEST_CASE("reads and writes that fio tells as one are one record with the share of the options") {
  // 40 000/s x 800 us = 32 outstanding.
  std::string text = replaced(fixture("fio-randread.json"), R"("rw": "randread")",
                              R"("rw": "randrw", "rwmixread": "70", "unified_rw_reporting": "1")");
  text = replaced(text, R"("read": {)", R"("mixed": {)");
  const Imported f = import_text("fio", text);
  CHECK(f.diagnostics.items().empty());
  REQUIRE(f.set.measurements.size() == 1);
  CHECK(f.at(0).operation == "mixed");
  CHECK(f.at(0).read_share == Approx(0.7));
  CHECK(f.at(0).depth == 32.0);
  CHECK(f.at(0).size == 4_KiB);
  CHECK(f.at(0).flags.empty());
  // Of two sizes nothing tells how much of each was moved.
  const Imported sizes = import_text("fio", replaced(text, R"("bs": "4k")", R"("bs": "4k,64k")"));
  CHECK(flagged(sizes.at(0), "merged-jobs"));
  const Imported reads = import_text("fio", replaced(text, "randrw", "randread"));
  CHECK(reads.at(0).operation == "read");
  CHECK(reads.at(0).read_share == 1.0);
}

TEST_CASE("a fio mix of reads and writes is two records that share one depth") {
  // 30 000/s x 500 us + 10 000/s x 700 us = 22 = iodepth; neither alone is.
  const Imported f = import_fixture("fio", "fio-mixed.json");
  CHECK(f.diagnostics.items().empty());
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.at(0).read_share == Approx(0.75));
  CHECK(f.at(1).read_share == Approx(0.75));
  CHECK(f.at(1).operation == "write");
  CHECK_FALSE(flagged(f.at(0), "inconsistent"));
  CHECK(fit::group({&f.set, 1}).front().cells.empty());
}

TEST_CASE(
    "io_uring holds more than an iodepth that is not a power of two: Little's law says what") {
  // 40 000/s x 800 us = 32 were outstanding, where 24 were asked for.
  const std::string text = replaced(fixture("fio-randread.json"), "\"32\"", "\"24\"");
  const Imported f = import_text("fio", text);
  CHECK(f.diagnostics.items().empty());
  CHECK(f.at(0).depth == 32.0);
  CHECK(flagged(f.at(0), "depth-rounded"));
  // libaio holds what it is told: there the figures contradict each other.
  const Imported other = import_text("fio", replaced(text, "io_uring", "libaio"));
  CHECK(other.at(0).depth == 24.0);
  CHECK(flagged(other.at(0), "inconsistent"));
}

TEST_CASE("without latencies an io_uring depth that is rounded up is not known") {
  // --gtod_reduce=1 and --disable_lat=1 leave lat_ns with a mean of 0.
  std::string text = replaced(fixture("fio-randread.json"), "\"32\"", "\"24\"");
  text = replaced(text, "\"lat_ns\"", "\"other_ns\"");
  const Imported f = import_text("fio", text);
  CHECK(f.at(0).depth == 0.0);
  CHECK(flagged(f.at(0), "depth-rounded"));
  CHECK(flagged(f.at(0), "depth-unknown"));
  // A power of two is held as it is asked for.
  CHECK(import_text("fio", replaced(text, "\"24\"", "\"16\"")).at(0).depth == 16.0);
}

TEST_CASE("fio engines that act on files are metadata, not reads of 4 KiB") {
  // 400,000 in 10 s by one process: 40,000 /s, whatever bs and iodepth say.
  for (const auto& [engine, operation] :
       {std::pair{"filecreate", "create"}, {"filestat", "stat"}, {"filedelete", "unlink"}}) {
    const Imported f =
        import_text("fio", replaced(fixture("fio-randread.json"), "io_uring", engine));
    REQUIRE(f.set.measurements.size() == 1);
    const Measurement& m = f.at(0);
    CHECK(m.subject == Subject::metadata);
    CHECK(m.operation == operation);
    CHECK(m.ops.in(unit::per_s) == Approx(40000));
    CHECK(m.depth == 1.0);
    CHECK(m.size == Bytes{});
    CHECK(m.rate == Rate{});
    CHECK_FALSE(m.read_share);
    CHECK(flagged(m, "cache-possible") == (std::string(operation) == "stat"));
  }
}

TEST_CASE("states that fio prints of a run under way are one run") {
  // --status-interval=1 of a fio that began in one second, and one that began 8 s later.
  const auto state = [](int ms, int elapsed, const char* ios) {
    std::string out = replaced(fixture("fio-randread.json"), "1700000000123",
                               std::to_string(1'700'000'000'123 + ms));
    out = replaced(out, "\"elapsed\": 4", "\"elapsed\": " + std::to_string(elapsed));
    return replaced(out, "\"total_ios\": 400000", std::string("\"total_ios\": ") + ios);
  };
  const std::string first = state(0, 1, "150000") + state(1000, 2, "250000");
  const Imported f =
      import_text("fio", first + state(2100, 3, "350000") + state(11100, 4, "400000"));
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.at(0).count == 350000);
  CHECK(f.at(1).count == 400000);
  CHECK(f.set.ignored.back() ==
        "2 earlier states of runs (--status-interval): their last one counts");
}

TEST_CASE("groups that run side by side are concurrent") {
  // Jobs of two groups, 3 s each, of a fio that ran for 4 s: one had not waited for the other.
  std::string text = replaced(fixture("fio-concurrent.json"), "\"groupid\": 0", "\"groupid\": 1");
  const Imported f = import_text("fio", text);
  REQUIRE(f.set.measurements.size() == 2);
  for (const Measurement& m : f.set.measurements) CHECK(flagged(m, "concurrent-jobs"));
  // In 8 s they may have followed each other, unless an option says that they did not.
  const std::string four = "\"elapsed\": 4", eight = "\"elapsed\": 8";
  text = replaced(replaced(text, four, eight), four, eight);
  CHECK_FALSE(flagged(import_text("fio", text).at(0), "concurrent-jobs"));
  text = replaced(text, "\"rw\": \"write\"", "\"new_group\": \"1\", \"rw\": \"write\"");
  CHECK(flagged(import_text("fio", text).at(0), "concurrent-jobs"));
}

TEST_CASE("fio on two clients has the options of [global] twice") {
  const std::string once = "\"direct\": \"1\",";
  const std::string text = fixture("fio-randread.json");
  const Imported f = import_text("fio", replaced(text, once, once + once));
  CHECK(f.diagnostics.items().empty());
  CHECK(f.at(0).direct == true);
  // Job files that differ: whose is which, nobody says.
  const Imported other = import_text("fio", replaced(text, once, once + "\"direct\": \"0\","));
  REQUIRE(other.diagnostics.has_errors());
  CHECK(other.diagnostics.items().front().code == "duplicate-key");
}

TEST_CASE("a fio job that verifies is told as one") {
  std::string text =
      replaced(fixture("fio-merged.json"), "\"rw\":", "\"verify\": \"crc32c\", \"rw\":");
  const Imported f = import_text("fio", text);
  REQUIRE(f.diagnostics.items().size() == 1);
  CHECK(f.diagnostics.items().front().message ==
        "\"readers\" reads back what it has written (verify)");
  for (const Measurement& m : f.set.measurements) CHECK(flagged(m, "merged-jobs"));
}

TEST_CASE("throughput x latency off the depth is flagged and warned about") {
  const Imported f = import_fixture("fio", "fio-inconsistent.json");
  const Measurement& m = f.at(0);
  CHECK(flagged(m, "inconsistent"));
  CHECK(flagged(m, "failed"));  // error 5
  REQUIRE(f.diagnostics.items().size() == 1);
  CHECK(f.diagnostics.items().front().code == "inconsistent");
  CHECK(f.diagnostics.items().front().message ==
        "jobs[0].read: throughput x latency is 40, but 16 operations were to be outstanding");
  CHECK(fit::group({&f.set, 1}).front().cells.empty());
}

TEST_CASE("operations x size off the bandwidth is flagged") {
  const std::string text =
      replaced(fixture("fio-randread.json"), "\"bw_bytes\": 163840000", "\"bw_bytes\": 163840");
  CHECK(flagged(import_text("fio", text).at(0), "inconsistent"));
}

TEST_CASE("fio bw without bw_bytes is KiB/s") {
  const std::string text =
      replaced(fixture("fio-randread.json"), "\"bw_bytes\"", "\"bw_bytes_gone\"");
  CHECK(import_text("fio", text).at(0).rate.in(unit::KiBps) == Approx(160000));
}

TEST_CASE("fio 2 tells bytes in KiB and times in microseconds") {
  std::string text = fixture("fio-randread.json");
  const std::pair<const char*, const char*> changes[] = {
      {"fio-3.36", "fio-2.16"},
      {"\"io_bytes\": 1638400000", "\"io_bytes\": 1600000"},
      {"\"io_kbytes\": 1600000,", ""},
      {"\"bw_bytes\": 163840000,", ""},
      {"\"lat_ns\"", "\"lat\""},
      {"\"mean\": 800000.0", "\"mean\": 800.0"},
      {"\"99.000000\": 1500000", "\"99.000000\": 1500"}};
  for (const auto& [from, to] : changes) text = replaced(text, from, to);
  const Imported f = import_text("fio", text);
  CHECK(f.diagnostics.items().empty());
  const Measurement& m = f.at(0);
  CHECK(m.size == 4_KiB);
  CHECK(m.rate.in(unit::MBps) == Approx(163.84));
  CHECK(m.latency->in(unit::us) == Approx(800));
  CHECK(m.quantiles.at(0.99).in(unit::ms) == Approx(1.5));
  CHECK(m.depth == 32.0);
  CHECK(m.flags.empty());
  // Early ones leave the options out.
  for (const char* key : {"\"global options\"", "\"job options\""})
    text = replaced(text, key, "\"others\"");
  const Imported early = import_text("fio", text);
  CHECK(flagged(early.at(0), "depth-unknown"));
  CHECK(early.diagnostics.items().front().message.find("options of \"r\"") != std::string::npos);
  // 64 KiB are not the 4 KiB that fio takes where nobody asks for a size: no sum of other jobs.
  std::string large = fixture("fio-randread.json");
  for (const char* key : {"\"global options\"", "\"job options\""})
    large = replaced(large, key, "\"others\"");
  const std::string io = std::to_string(400000ULL * 4096);
  large = replaced(large, io.c_str(), std::to_string(400000ULL * 65536).c_str());
  const Imported one = import_text("fio", large);
  CHECK(flagged(one.at(0), "depth-unknown"));
  CHECK_FALSE(flagged(one.at(0), "merged-jobs"));
}

TEST_CASE("several runs in one fio file are all read") {
  const std::string one = fixture("fio-randread.json");
  const Imported f = import_text("fio", one + "fio: some words\n" + one);
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.at(1).origin == "run 2: jobs[0].read");
}

TEST_CASE("fio block sizes: pairs for reads and writes, kb_base, ranges") {
  const std::string text = fixture("fio-randread.json");
  const auto size_with = [&](const std::string& bs) {
    return import_text("fio", replaced(text, "\"bs\": \"4k\"", bs)).at(0).size.in(unit::B);
  };
  CHECK(size_with("\"bs\": \"4096,64k\"") == 4096);
  CHECK(size_with("\"kb_base\": \"1000\", \"bs\": \"4ki\"") == 4096);
  CHECK(size_with("\"bsrange\": \"2k-6k\"") == 4096);  // the mean of what was moved
  // On a command line kb_base comes after bs was read: 4k were 4096 B all the same.
  CHECK(size_with("\"kb_base\": \"1000\", \"bs\": \"4k\"") == 4096);
}

TEST_CASE("the sweep's files group into one series of 21 cells with two runs each") {
  std::vector<MeasurementSet> sets;
  for (const char* name : {"fio-sweep-4k.json", "fio-sweep-64k.json", "fio-sweep-1m.json"}) {
    const Imported f = import_fixture("fio", name);
    CHECK(f.diagnostics.items().empty());
    sets.push_back(f.set);
  }
  const std::vector<fit::FitSeries> series = fit::group(sets);
  REQUIRE(series.size() == 1);
  CHECK(series.front().id == "io.read.random");
  CHECK(series.front().cells.size() == 21);
  CHECK(series.front().left_out.empty());
  for (const fit::FitCell& cell : series.front().cells) CHECK(cell.runs.size() == 2);
}

TEST_CASE("the text that fio prints for people is refused with the option that helps") {
  const Imported f = import_text("fio", "r: (g=0): rw=read\nfio-3.36\n  issued rwts: total=1\n");
  REQUIRE(f.diagnostics.has_errors());
  CHECK(f.diagnostics.items().front().hint == "run fio with --output-format=json+");
}

}  // namespace
}  // namespace stallcast::calibration
