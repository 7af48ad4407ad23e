#include <array>
#include <cmath>
#include <random>

#include "calibration/measure/importers/tool_text.hpp"
#include "tests/calibration/importer_fixtures.hpp"

namespace stallcast::calibration {
namespace {

std::string tool_of(const std::string& name) {
  std::string best;
  for (const ResultImporter& importer : result_importers()) {
    const std::string prefix =
        std::string(importer.id).substr(0, std::string(importer.id).find("-results"));
    if (name.starts_with(prefix) && prefix.size() > best.size()) best = prefix;
  }
  return best == "dlio" ? "dlio-results" : best;
}

bool finite(const Measurement& m) {
  bool good = m.size.finite() && m.rate.finite() && m.ops.finite() && std::isfinite(m.depth);
  if (m.latency) good = good && m.latency->finite();
  for (const auto& [key, value] : m.figures) good = good && std::isfinite(value);
  return good;
}

TEST_CASE("the table of importers is sorted, and finds its rows") {
  const auto rows = result_importers();
  CHECK(rows.size() == 12);
  CHECK(std::is_sorted(rows.begin(), rows.end(),
                       [](const auto& a, const auto& b) { return a.id < b.id; }));
  for (const ResultImporter& row : rows) CHECK(find_result_importer(row.id) == &row);
  CHECK(find_result_importer("dd") == nullptr);
}

TEST_CASE("every fixture is recognised by its own importer and by no other") {
  for (const std::string& name : all_fixtures()) {
    const std::string text = fixture(name);
    INFO(name);
    for (const ResultImporter& importer : result_importers())
      CHECK(importer.recognises(text) == (importer.id == tool_of(name)));
  }
}

TEST_CASE("no importer recognises what is not a result") {
  for (const char* text : {"", "{}", "hello", "{ \"schema\": \"stallcast.measurements/1\" }",
                           "a,b,c\n1,2,3\n", "Device sda is full\n"})
    CHECK(recognise_results(text) == nullptr);
}

TEST_CASE("every fixture gives records and no error") {
  for (const std::string& name : all_fixtures()) {
    INFO(name);
    const Imported f = import_fixture(tool_of(name), name);
    CHECK_FALSE(f.diagnostics.has_errors());
    CHECK_FALSE(f.set.measurements.empty());
    for (const Measurement& m : f.set.measurements) {
      CHECK(finite(m));
      CHECK_FALSE(m.origin.empty());
      CHECK_FALSE(m.operation.empty());
    }
  }
}

/// A text that is cut, or has bytes, words or lines changed.
std::string spoiled(const std::string& text, int how, std::mt19937& random) {
  const auto any = [&](std::size_t size) { return static_cast<std::size_t>(random()) % size; };
  std::string out = text;
  switch (how % 5) {
    case 0:  // cut anywhere
      return out.substr(0, any(out.size()));
    case 1: {  // other bytes
      constexpr std::string_view kBytes("\0\xFF{}[]\":,.-09eE \n\t=", 19);
      for (int i = 0; i < 3; ++i) out[any(out.size())] = kBytes[any(kBytes.size())];
      return out;
    }
    case 2: {  // a number that is none, or is too large
      const std::size_t digit = out.find_first_of("123456789", any(out.size()));
      if (digit == std::string::npos) return out;
      constexpr std::array<const char*, 6> kNumbers{"-",     "1e999", "nan", "99999999999999999999",
                                                    "1.2.3", "-7"};
      return out.replace(digit, 1, kNumbers[any(kNumbers.size())]);
    }
    case 3: {  // a line is gone
      const std::size_t begin = out.find('\n', any(out.size()));
      if (begin == std::string::npos) return out;
      const std::size_t end = out.find('\n', begin + 1);
      return out.erase(begin, (end == std::string::npos ? out.size() : end) - begin);
    }
    default: {  // a stretch is there twice
      const std::size_t begin = any(out.size());
      return out.insert(begin, text.substr(begin, any(200)));
    }
  }
}

TEST_CASE("spoiled files never throw, and give records or say what is wrong") {
  std::mt19937 random(42);
  for (const std::string& name : all_fixtures()) {
    const std::string text = fixture(name);
    const int rounds = text.size() > 20000 ? 15 : 120;
    for (int i = 0; i < rounds; ++i) {
      const std::string bad = spoiled(text, i, random);
      INFO(name << ", round " << i);
      Imported f;
      REQUIRE_NOTHROW(f = import_text(tool_of(name), bad));
      (void)recognise_results(bad);
      REQUIRE((!f.set.measurements.empty() || f.diagnostics.has_errors()));
      for (const Measurement& m : f.set.measurements) {
        REQUIRE(finite(m));
        const bool negative = m.rate < Rate{} || m.ops < OpRate{} || m.size < Bytes{};
        REQUIRE((!negative || flagged(m, "inconsistent")));
      }
      for (const Diagnostic& d : f.diagnostics.items())
        REQUIRE(
            (d.severity == Severity::warning || (d.position.line > 0 && d.position.column > 0)));
    }
  }
}

TEST_CASE("an empty file of each tool is an error") {
  for (const ResultImporter& importer : result_importers())
    CHECK(import_text(std::string(importer.id), "").diagnostics.has_errors());
}

TEST_CASE("a file of another tool is refused with that tool's name") {
  for (const char* id : {"ior", "fio"}) {
    const Imported f = import_text(id, fixture("mdtest.txt"));
    CHECK(f.diagnostics.items().back().hint == "it looks like output of mdtest");
  }
}

TEST_CASE("a JSON file that is cut says where its object began") {
  const std::string text = fixture("fio-text-before.json");
  const Imported f = import_text("fio", text.substr(0, text.size() / 2));
  CHECK(f.places() == std::vector<std::string>{"3:1 truncated"});
}

TEST_CASE("a member of another type is an error at its place") {
  const Imported f = import_text(
      "fio", replaced(fixture("fio-randread.json"), "\"iops\": 40000.0", "\"iops\": \"many\""));
  REQUIRE(f.places().size() == 1);
  CHECK(f.places().front() == "29:17 number");
}

TEST_CASE("numbers are read in the locale they were printed in") {
  CHECK(tool_number("0.52") == 0.52);
  CHECK(tool_number("0,52") == 0.52);
  CHECK_FALSE(tool_number("1.234,5"));
  CHECK_FALSE(tool_number("1,234,567"));
  CHECK_FALSE(tool_number("nan"));
  CHECK_FALSE(tool_number("1e999"));
  CHECK_FALSE(tool_number(""));
}

TEST_CASE("sizes of benchmarks are powers of 1024 whatever the case of the prefix") {
  CHECK(tool_size("4k")->in(unit::B) == 4096);
  CHECK(tool_size("1 MiB")->in(unit::B) == 1048576);
  CHECK(tool_size("262144 bytes")->in(unit::B) == 262144);
  CHECK(tool_size("1M")->in(unit::B) == 1048576);
  CHECK(tool_size("8g")->in(unit::GiB) == 8);
  CHECK_FALSE(tool_size("fast"));
}

TEST_CASE("at most fifty faults of one file are listed") {
  std::string text =
      " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n";
  for (int i = 0; i < 200; ++i) text += " 4096 x y z w\n";
  CHECK(import_text("perftest", text).diagnostics.items().size() <= 52);
}

}  // namespace
}  // namespace stallcast::calibration
