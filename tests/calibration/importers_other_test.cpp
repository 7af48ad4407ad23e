#include "calibration/fit/cells.hpp"
#include "tests/calibration/importer_fixtures.hpp"

/// mdtest, IO500, perftest, nvbandwidth, nccl-tests, DLIO.
namespace stallcast::calibration {
namespace {

using namespace literals;

TEST_CASE("mdtest: rates are of SUMMARY rate; SUMMARY time is seconds whatever its title says") {
  const Imported f = import_fixture("mdtest", "mdtest.txt");
  CHECK(f.set.tool_version == "4.1.0+dev");
  const Measurement& m = f.of("mkdir");
  CHECK(m.subject == Subject::metadata);
  CHECK(m.ops.in(unit::per_s) == Approx(20000));
  CHECK(m.duration->in(unit::s) == Approx(0.4));
  CHECK(m.processes == 8);
  CHECK(m.depth == 8.0);
  CHECK(f.set.measurements.size() == 6);
}

TEST_CASE("mdtest: a row of zeros was not measured") {
  const Imported f = import_fixture("mdtest", "mdtest.txt");
  for (const Measurement& m : f.set.measurements) CHECK(m.operation != "rename-directory");
}

TEST_CASE("mdtest: each number of tasks has a summary of its own") {
  const auto block = [](const char* tasks, const char* rate, const char* seconds) {
    const std::string head = "   Operation    Max    Min    Mean    Std Dev\n";
    const auto row = [](const std::string& value) {
      return "   File creation  : " + value + " " + value + " " + value + " 0.000\n";
    };
    return std::string(tasks) + " tasks, 1000 files\n\nSUMMARY rate: (of 1 iterations)\n" + head +
           row(rate) + "\nSUMMARY time: (of 1 iterations)\n" + head + row(seconds) + "\n";
  };
  const Imported f =
      import_text("mdtest",
                  "mdtest-4.0.0 was launched with 4 total task(s) on 2 node(s)\n"
                  "Command line used: mdtest '-n' '1000' '-F' '-f' '1' '-l' '4' '-s' '3' '-P'\n\n" +
                      block("1", "500.000", "2.000") + block("4", "4000.000", "1.000"));
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.at(0).processes == 1);
  CHECK(f.at(0).depth == 1.0);
  CHECK(f.at(0).duration->in(unit::s) == Approx(2));
  CHECK(f.at(0).options.count("nodes") == 0);  // of the launch, not of the one task
  CHECK(f.at(1).depth == 4.0);
  CHECK(f.at(1).duration->in(unit::s) == Approx(1));
}

TEST_CASE("mdtest: with -c one task creates and removes for all") {
  const Imported f = import_text(
      "mdtest",
      "mdtest-4.0.0 was launched with 8 total task(s) on 2 node(s)\n"
      "Command line used: mdtest '-n' '1000' '-F' '-c'\nSUMMARY rate: (of 1 iterations)\n"
      "   File creation : 1000 1000 1000 0\n   File stat : 2000 2000 2000 0\n");
  CHECK(f.of("create").depth == 1.0);
  CHECK(f.of("stat").depth == 8.0);
}

TEST_CASE("mdtest: a value may be glued to its option") {
  const std::string text =
      "mdtest-4.0.0 was launched with 2 total task(s) on 1 node(s)\n"
      "Command line used: mdtest '-n1000' '-F' '-w3901' '-e=4k'\nSUMMARY rate: (of 1 iterations)\n"
      "   File creation : 1000 1000 1000 0\n   File read : 2000 2000 2000 0\n";
  const Imported f = import_text("mdtest", text);
  CHECK(f.of("create").size == 3901_B);
  CHECK(f.of("create").options.at("-n") == "1000");
  CHECK(f.of("read").size == 4_KiB);
  CHECK(f.of("read").options.count("-I") == 0);
}

TEST_CASE("mdtest: two or three iterations are as many runs of their cell") {
  const auto runs_of = [](const std::string& of, const std::string& row) {
    const Imported f = import_text("mdtest",
                                   "mdtest-4.0.0 was launched with 2 total task(s) on 1 node(s)\n"
                                   "Command line used: mdtest '-n' '1000' '-F' '-i' '" +
                                       of + "'\nSUMMARY rate: (of " + of +
                                       " iterations)\n   File creation : " + row + "\n");
    const std::vector<fit::FitSeries> series = fit::group({&f.set, 1});
    std::vector<double> out;
    for (const Seconds run : series.front().cells.front().runs)
      out.push_back(2.0 / run.in(unit::s));
    return out;
  };
  // Of 1250, 1000 and 900 the mean is 1050.
  const std::vector<double> three = runs_of("3", "1250.000 900.000 1050.000 147.196");
  REQUIRE(three.size() == 3);
  CHECK(three[0] == Approx(1250));
  CHECK(three[1] == Approx(900));
  CHECK(three[2] == Approx(1000));
  CHECK(runs_of("2", "1200.000 900.000 1050.000 150.000").size() == 2);
  // Of more the ones between are not known.
  CHECK(runs_of("5", "1250.000 900.000 1050.000 100.000") == std::vector{1050.0});
  CHECK(runs_of("1", "1050.000 1050.000 1050.000 0.000").size() == 1);
}

TEST_CASE("mdtest: iterations that differ more than threefold are flagged") {
  const Imported f = import_fixture("mdtest", "mdtest.txt");
  CHECK(flagged(f.of("create"), "unsteady"));  // 4000 to 16 000
  CHECK_FALSE(flagged(f.of("unlink"), "unsteady"));
}

TEST_CASE("mdtest: file read without -e opens, stat without -N asks the client's own cache") {
  const Imported f = import_fixture("mdtest", "mdtest.txt");
  CHECK(f.of("open").options.at("row") == "File read");
  CHECK(flagged(f.of("stat"), "cache-possible"));
  // With -e and -N, on several nodes, it reads from elsewhere.
  const Imported other = import_fixture("mdtest", "mdtest-3.x.txt");
  CHECK(other.of("read").size == 3901_B);
  CHECK_FALSE(flagged(other.of("stat"), "cache-possible"));
}

TEST_CASE("mdtest: on one node -N asks the client's own cache all the same") {
  std::string text = fixture("mdtest-3.x.txt");
  text.replace(text.find("on 4 node(s)"), 12, "on 1 node(s)");
  CHECK(flagged(import_text("mdtest", text).of("stat"), "cache-possible"));
}

TEST_CASE("mdtest 3 with colons and decimal commas reads the same") {
  const Imported f = import_fixture("mdtest", "mdtest-3.x.txt");
  CHECK(f.diagnostics.items().empty());
  CHECK(f.set.tool_version == "3.3.0");
  CHECK(f.of("create").ops.in(unit::per_s) == Approx(3000.5));
  CHECK(f.of("create").size == 3901_B);
  CHECK(f.of("stat").processes == 16);
  CHECK(f.of("stat").options.at("nodes") == "4");
}

TEST_CASE("mdtest: several runs in one file keep their own tasks") {
  const Imported f = import_text("mdtest", fixture("mdtest.txt") + fixture("mdtest-3.x.txt"));
  CHECK(f.set.measurements.size() == 9);
  CHECK(f.set.measurements.back().processes == 16);
}

TEST_CASE("IO500 text: GiB/s is binary, kIOPS a thousand, scores and timestamp are not results") {
  const Imported f = import_fixture("io500", "io500.txt");
  REQUIRE(f.set.measurements.size() == 9);
  CHECK(f.at(0).rate.in(unit::GiBps) == Approx(12.5));
  CHECK(f.at(0).duration->in(unit::s) == Approx(310));
  const Measurement& create = f.at(1);
  CHECK(create.operation == "create");
  CHECK(create.subject == Subject::metadata);
  CHECK(create.ops.in(unit::per_s) == Approx(80250));
  CHECK(flagged(create, "invalid-run"));
  CHECK_FALSE(flagged(f.at(3), "invalid-run"));
}

TEST_CASE("IO500: hard phases move 47008 B and hold 3901 B") {
  const Imported f = import_fixture("io500", "io500.txt");
  CHECK(f.at(2).size == 47008_B);
  CHECK(f.at(3).size == 3901_B);
  CHECK(f.at(6).size == Bytes{});  // a stat carries no data
}

TEST_CASE("IO500 text does not say how many processes ran: its records are not fitted") {
  const Imported f = import_fixture("io500", "io500.txt");
  for (const Measurement& m : f.set.measurements) CHECK(flagged(m, "depth-unknown"));
  for (const fit::FitSeries& series : fit::group({&f.set, 1})) CHECK(series.cells.empty());
}

TEST_CASE("IO500 ini: transfer size of the command, processes of [run], invalid by its comments") {
  const Imported f = import_fixture("io500", "io500.ini");
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.at(0).size == 2_MiB);
  CHECK(f.at(0).rate.in(unit::GiBps) == Approx(12.5));
  CHECK(f.at(0).processes == 64);
  CHECK_FALSE(flagged(f.at(0), "invalid-run"));
  CHECK(flagged(f.at(1), "invalid-run"));
  CHECK(f.set.tool_version == "io500-sc24_v1");
}

// 0.4 Mpps x 4 KiB = 1562.5 MiB/s: perftest's MB are MiB.
TEST_CASE("perftest: MB/sec is MiB/s, and a peak of 0.00 was not taken") {
  const Imported f = import_fixture("perftest", "perftest-bw.txt");
  CHECK(f.diagnostics.items().empty());
  const Measurement& m = f.at(0);
  CHECK(m.subject == Subject::network);
  CHECK(m.operation == "write");
  CHECK(m.rate.in(unit::MiBps) == Approx(1562.5));
  CHECK(m.ops.in(unit::per_s) == Approx(400000));
  CHECK(m.figures.count("peak_Bps") == 0);
  CHECK(m.depth == 256.0);  // 2 queue pairs x 128
  CHECK_FALSE(flagged(m, "inconsistent"));
  CHECK(m.options.at("cpu frequency") == "varied during the test");
}

TEST_CASE("perftest: columns that run together are parted") {
  // "3200.503125.000.050000"
  const Imported f = import_fixture("perftest", "perftest-bw.txt");
  const Measurement& m = f.at(1);
  CHECK(m.rate.in(unit::MiBps) == Approx(3125));
  CHECK(m.ops.in(unit::per_s) == Approx(50000));
  CHECK(m.figures.at("peak_Bps") == Approx(3200.5 * 1048576));
}

TEST_CASE("perftest: Gb/sec is decimal, and both directions are a path of their own") {
  const Imported f = import_fixture("perftest", "perftest-bw.txt");
  const Measurement& m = f.of("send");
  CHECK(m.rate.in(unit::Gbps) == Approx(390));
  CHECK(m.path == "bidirectional");
}

TEST_CASE("perftest: a write's latency is half a round trip, a read's a whole one") {
  const Imported f = import_fixture("perftest", "perftest-lat.txt");
  CHECK(f.of("write").latency->in(unit::us) == Approx(1.55));
  CHECK(f.of("write").options.at("latency") == "half a round trip");
  CHECK(f.of("write").quantiles.at(0.999).in(unit::us) == Approx(8));
  CHECK(f.of("read").options.at("latency") == "a whole round trip");
  CHECK(f.of("read").latency->in(unit::us) == Approx(3.2));
}

TEST_CASE("nvbandwidth: text before and after, cells are texts, N/A and waived tests are none") {
  const Imported f = import_fixture("nvbandwidth", "nvbandwidth.json");
  CHECK(f.diagnostics.items().empty());
  CHECK(f.set.tool_version == "v0.7");
  REQUIRE(f.set.measurements.size() == 8);
  CHECK(f.of("h2d").rate.in(unit::GBps) == Approx(55.25));
  CHECK(f.of("h2d").path == "ce");
  CHECK(f.of("d2d").options.at("column") == "1");
  CHECK(std::find(f.set.ignored.begin(), f.set.ignored.end(),
                  "device_to_device_memcpy_write_sm: waived") != f.set.ignored.end());
}

TEST_CASE("nvbandwidth: nanoseconds stand under the same key as GB/s") {
  const Imported f = import_fixture("nvbandwidth", "nvbandwidth.json");
  const Measurement& m = f.of("access");
  CHECK(m.latency->in(unit::ns) == Approx(820.5));
  CHECK(m.rate == Rate{});
  CHECK(f.of("d2h").path == "ce-bidirectional");
  CHECK(f.of("d2h").options.at("rate") == "of one direction, while the other copies too");
  const Imported none = import_text(
      "nvbandwidth", replaced(fixture("nvbandwidth.json"), "bandwidth (GB/s)", "bandwidth"));
  CHECK(none.diagnostics.items().front().code == "unit");
}

// 2^30 B in 5368.71 us = 200 GB/s.
TEST_CASE("nccl-tests: time and algbw are read, busbw and its average never") {
  const Imported f = import_fixture("nccl-tests", "nccl-tests.txt");
  REQUIRE(f.set.measurements.size() == 8);
  const Measurement& m = f.at(4);
  CHECK(m.operation == "allreduce");
  CHECK(m.path == "out-of-place");
  CHECK(m.size.in(unit::B) == 1073741824);
  CHECK(m.latency->in(unit::us) == Approx(5368.7));
  CHECK(m.rate.in(unit::GBps) == Approx(200));
  CHECK(m.processes == 8);
  CHECK(f.at(5).path == "in-place");
  CHECK(f.at(5).latency->in(unit::us) == Approx(5422.4));
  CHECK_FALSE(flagged(m, "inconsistent"));
  for (const Measurement& each : f.set.measurements)
    CHECK(each.rate.in(unit::GBps) < 201);  // busbw would be 350
}

TEST_CASE("nccl-tests: a small collective's algbw of 0.00 is not a rate") {
  const Imported f = import_fixture("nccl-tests", "nccl-tests.txt");
  CHECK(f.at(0).rate == Rate{});
  CHECK(f.at(0).latency->in(unit::us) == Approx(20));
}

TEST_CASE("nccl-tests: several collectives in one file, and wrong results are failed") {
  const Imported f = import_fixture("nccl-tests", "nccl-tests.txt");
  CHECK(f.of("alltoall").processes == 8);
  CHECK(flagged(f.of("alltoall", "out-of-place"), "failed"));
  CHECK_FALSE(flagged(f.of("alltoall", "in-place"), "failed"));  // N/A: not checked
  REQUIRE(f.diagnostics.items().size() == 1);
  CHECK(f.diagnostics.items().front().code == "failed");
}

TEST_CASE("DLIO: MB is 2^20, percentages are ratios, and the I/O rate is not bytes read") {
  const Imported f = import_fixture("dlio-results", "dlio-summary.json");
  CHECK(f.diagnostics.items().empty());
  const Measurement& m = f.of("train");
  CHECK(m.subject == Subject::training);
  CHECK(m.processes == 16);
  CHECK(m.figures.at("au_ratio") == Approx(0.925));
  CHECK(m.figures.at("samples_per_s") == Approx(390));
  CHECK(m.rate.in(unit::MiBps) == Approx(54525.952));
  CHECK(m.options.at("rate") == "samples/s x record length, not bytes read");
  CHECK(m.options.at("accelerators") == "emulated");
  CHECK(flagged(m, "cache-possible"));  // potential_caching on one host
  CHECK(f.set.measurements.size() == 3);
  CHECK(f.of("train-epoch").figures.at("au_ratio") == Approx(0.9));
}

TEST_CASE("DLIO: an AU above 100 % is an error with its line") {
  const auto summary = [](const char* mean) {
    return import_text("dlio-results", R"({"num_accelerators": 8, "metric": {
      "train_au_percentage": [99.0, 100.0],
      "train_au_mean_percentage": )" + std::string(mean) +
                                           "}}");
  };
  const Imported f = summary("100.3");
  CHECK(f.diagnostics.items()[0].message == "AU is a share, and this is 100.3 %");
  CHECK(f.diagnostics.items()[0].position.line == 3);
  CHECK(f.diagnostics.has_errors());
  CHECK(summary("100.0").diagnostics.items().empty());
  CHECK(summary("-1").diagnostics.has_errors());
}

TEST_CASE("DLIO: an epoch's AU above 100 % is said and taken for 100 %") {
  const Imported f = import_text("dlio-results", R"({"num_accelerators": 8, "metric": {
      "train_au_percentage": [99.0,
                              100.4]}})");
  REQUIRE(f.diagnostics.items().size() == 1);
  const Diagnostic& d = f.diagnostics.items()[0];
  CHECK(d.severity == Severity::warning);
  CHECK(d.message == "AU is a share, and that of epoch 2 is 100.4 %: taken for 100 %");
  CHECK(d.position.line == 3);
  CHECK(d.position.column == 31);
  REQUIRE(f.set.measurements.size() == 3);
  CHECK(f.set.measurements[2].figures.at("au_ratio") == 1.0);
  CHECK(f.of("train").figures.at("au_ratio") == Approx(0.995));
}

TEST_CASE("DLIO: the older name train_auu is the same figure") {
  const Imported f = import_fixture("dlio-results", "dlio-old-summary.json");
  CHECK(f.of("train").figures.at("au_ratio") == Approx(0.8));
  CHECK(f.of("train").figures.at("samples_per_s") == Approx(100));
}

TEST_CASE("DLIO checkpoints: GB is 2^30") {
  const Imported f = import_fixture("dlio-results", "dlio-checkpoint-summary.json");
  CHECK(f.of("save").subject == Subject::checkpoint);
  CHECK(f.of("save").rate.in(unit::GiBps) == Approx(20));
  CHECK(f.of("save").size.in(unit::GiB) == Approx(912));
  CHECK(f.of("save").duration->in(unit::s) == Approx(45.6));
  CHECK(f.of("restore").rate.in(unit::GiBps) == Approx(40));
}

TEST_CASE("DLIO: durations of per_epoch_stats.json are texts") {
  const Imported f = import_fixture("dlio-results", "dlio-per-epoch.json");
  CHECK(f.of("train-epoch").duration->in(unit::s) == Approx(299));
  CHECK(f.of("train-block").duration->in(unit::s) == Approx(296));
  CHECK(f.of("save").duration->in(unit::s) == Approx(2.5));
}

TEST_CASE("DLIO: checkpoints have the names of 2025, and each of them its rate") {
  const Imported f = import_text("dlio-results", R"({"1": {"start": "2025-04-04T16:33:42",
      "save_ckpt1": {"start": "a", "end": "b", "duration": 10.5, "throughput": 4.0},
      "load_ckpt1": {"start": "a", "end": "b", "duration": 5.25, "throughput": 8.0},
      "end": "2025-04-04T16:34:58"}})");
  CHECK(f.set.ignored.empty());
  REQUIRE(f.set.measurements.size() == 2);
  CHECK(f.of("save").subject == Subject::checkpoint);
  CHECK(f.of("save").duration->in(unit::s) == Approx(10.5));
  CHECK(f.of("save").rate.in(unit::GiBps) == Approx(4.0));
  CHECK(f.of("restore").duration->in(unit::s) == Approx(5.25));
}

TEST_CASE("DLIO: a mean of nothing is NaN, and left out") {
  const Imported f = import_text("dlio-results", R"({"num_accelerators": 8, "hostname": "NaN-1",
    "metric": {"train_au_percentage": [NaN], "train_throughput_samples_per_second": [-Infinity],
      "save_checkpoint_io_mean_GB_per_second": NaN, "save_checkpoint_duration_mean_seconds": NaN,
      "load_checkpoint_io_mean_GB_per_second": 12.5,
      "load_checkpoint_duration_mean_seconds": 8.4}})");
  CHECK(f.diagnostics.items().empty());
  CHECK(f.of("train").figures.empty());
  CHECK(f.of("restore").rate.in(unit::GiBps) == Approx(12.5));
  CHECK(f.set.environment.at("hostname") == "NaN-1");
  CHECK(f.set.measurements.size() == 2);
}

}  // namespace
}  // namespace stallcast::calibration
