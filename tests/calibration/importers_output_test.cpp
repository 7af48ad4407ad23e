#include <tuple>

#include "calibration/fit/cells.hpp"
#include "tests/calibration/importer_fixtures.hpp"

/// Files that are cut, of another tool, or of another output of it; and what fio writes of options
/// and flushes.
namespace stallcast::calibration {
namespace {

TEST_CASE("of an option that was given twice the last counts, as for fio") {
  const Imported f = import_text("fio", replaced(fixture("fio-randread.json"), "\"iodepth\"",
                                                 "\"iodepth\": \"8\", \"iodepth\""));
  CHECK_FALSE(f.diagnostics.has_errors());
  REQUIRE(f.diagnostics.items().size() == 1);
  CHECK(f.diagnostics.items().front().severity == Severity::warning);
  CHECK(f.at(0).depth == 32.0);
  CHECK(f.at(0).flags.empty());
}

TEST_CASE("other outputs of fio, and files of no text, say what they are") {
  const auto said = [](const std::string& text) {
    const Imported f = import_text("fio", text);
    REQUIRE(f.diagnostics.items().size() == 1);
    return f.diagnostics.items().front();
  };
  const Diagnostic terse = said("3;fio-3.33;terse;0;0;57504;57332;14333;1003\n");
  CHECK(terse.message.find("terse") != std::string::npos);
  CHECK(terse.hint.find("json+") != std::string::npos);
  CHECK(said("").message == "the file is empty");
  CHECK(said(std::string("\x1F\x8B\x08\x00", 4)).message == "the file is compressed");
  CHECK(said(std::string("\xFF\xFE{\x00", 4)).message == "the file is UTF-16");
  CHECK(recognise_results("3;fio-3.33;terse;0;0;57504\n") == find_result_importer("fio"));
}

// fio 3.33, fsync=1: 569 writes a second, 0.5 ms each and 1.7 ms with the flush.
TEST_CASE("latencies of writes that are flushed leave that out, and are not read") {
  const auto writes = [](int syncs) {
    return import_text("fio",
                       R"({"fio version": "fio-3.33", "jobs": [{"jobname": "save", "error": 0,
      "job options": {"rw": "write", "bs": "64k", "fsync": "1", "direct": "1"},
      "write": {"io_bytes": 37355520, "bw_bytes": 37318180, "iops": 569.43, "runtime": 1001,
                "total_ios": 570, "lat_ns": {"mean": 486459.6}},
      "sync": {"total_ios": )" +
                           std::to_string(syncs) +
                           R"(, "lat_ns": {"mean": 1685706.2}}, "job_runtime": 1001}]})");
  };
  const Imported f = writes(570);
  CHECK(f.places().size() == 1);
  CHECK_FALSE(f.at(0).latency);
  CHECK(f.at(0).flags.empty());
  CHECK(f.at(0).figures.at("write_alone_s") == Approx(486.4596e-6));
  CHECK(f.at(0).figures.at("sync_s") == Approx(1685.7062e-6));
  CHECK(fit::group(std::vector<MeasurementSet>{f.set}).front().left_out.empty());
  CHECK(writes(1).at(0).latency);  // at the end of the job
}

TEST_CASE("a text that ends before its tool was done is said to be cut") {
  for (const auto& [tool, name, end] : {std::tuple{"mdtest", "mdtest.txt", "-- finished"},
                                        std::tuple{"ior", "ior.txt", "Finished"}}) {
    INFO(name);
    const std::string whole = fixture(name);
    const auto cut = [](const Imported& f) {
      return std::ranges::count(f.diagnostics.items(), "truncated", &Diagnostic::code);
    };
    REQUIRE(whole.rfind(end) != std::string::npos);
    CHECK(cut(import_text(tool, whole)) == 0);
    const Imported f = import_text(tool, whole.substr(0, whole.rfind(end)));
    CHECK(cut(f) == 1);
    CHECK_FALSE(f.diagnostics.has_errors());
  }
}

TEST_CASE("what another tool wrote is said at once") {
  for (const char* id : {"elbencho", "iostat", "ior"}) {
    const Imported f = import_text(id, fixture("fio-randread.json"));
    REQUIRE(f.diagnostics.items().size() == 1);
    CHECK(f.diagnostics.items().front().hint == "it looks like output of fio");
  }
  CHECK(import_text("elbencho", "{\n}\n{\n}\n").diagnostics.items().size() == 1);
}

}  // namespace
}  // namespace stallcast::calibration
