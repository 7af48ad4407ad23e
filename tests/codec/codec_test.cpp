#include "engine/runtime/codec/codec.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "engine/runtime/codec/json_text.hpp"

namespace stallcast::codec {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Component component(std::string id, std::string kind, double number) {
  Component c{std::move(id), std::move(kind), "/x/0", "host/some", {}};
  c.values["nic.rate"] = {Dimension::rate,
                          number,
                          "",
                          {},
                          {Source::Kind::catalogue, "catalog:host/some", "a data sheet", true}};
  c.values["mode"] = {
      Dimension::text, 0, "as\"ync\n", {}, {Source::Kind::scenario, "f:1:2", "", false}};
  c.values["tiers"] = {Dimension::text_list, 0, "", {"a", "b"}, {}};
  return c;
}

Design example() {
  Design d;
  d.id = "example";
  d.file = "dir/example.json";
  d.hosts = {component("gpu", "host", 50e9), component("cpu", "host", 0.1)};
  d.fabric = component("fabric", "fat-tree", kInfinity);
  d.storage = {component("scratch", "lustre", 1.0 / 3.0)};
  d.jobs = {{component("train", "training", 1), component("model", "llm", 70e9),
             component("step", "fixed", 0.85), component("dataset", "files", 2e13),
             component("loader", "pytorch", 8), std::nullopt},
            {component("fine", "training", 1), component("model", "llm", 7e9),
             component("step", "fixed", 0.1), std::nullopt, std::nullopt,
             component("checkpoint", "async", 1800)}};
  d.run = component("run", "run", 7200);
  d.expect = {{"au", "job.train.gpu.utilization >= 95 %", "error", "because", "/expect/0",
               "for now", "2027-03-01", "a.json:3:5"}};
  return d;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("a design reads back as it was written") {
  const Design d = example();
  const std::string text = encode(d);
  CHECK(text.find('\n') == std::string::npos);
  const Result<Design> back = decode_design(text);
  REQUIRE(back.ok());
  CHECK(encode(*back) == text);
  CHECK(design_hash(*back) == design_hash(d));
  CHECK(back->file == d.file);
  CHECK(back->fabric.find("nic.rate")->number == kInfinity);
  CHECK(back->storage[0].find("nic.rate")->number == 1.0 / 3.0);
  const Value& v = *back->hosts[0].find("nic.rate");
  CHECK(v.dimension == Dimension::rate);
  CHECK(v.source.kind == Source::Kind::catalogue);
  CHECK(v.source.where == "catalog:host/some");
  CHECK(v.source.citation == "a data sheet");
  CHECK(v.source.assumption);
  CHECK(back->hosts[0].find("mode")->text == "as\"ync\n");
  CHECK(back->hosts[0].find("tiers")->list == std::vector<std::string>{"a", "b"});
  CHECK(back->hosts[0].product == "host/some");
  REQUIRE(back->jobs.size() == 2);
  CHECK(back->jobs[0].loader.has_value());
  CHECK_FALSE(back->jobs[0].checkpoint.has_value());
  CHECK_FALSE(back->jobs[1].dataset.has_value());
  CHECK(back->expect[0].why == "because");
  CHECK(back->expect[0].waive == "for now");
  CHECK(back->expect[0].until == "2027-03-01");
  CHECK(back->expect[0].where == "a.json:3:5");
}

TEST_CASE("what is written is canonical: sorted, and printed as a tree of the same would be") {
  Design d = example();
  d.tenants = {component("t", "ingest", 1e-7)};
  d.stages = {component("s", "copy", 3.5)};
  d.failures = {component("f", "host", 12345678901234567890.0)};
  d.hosts[0].id = "Zürich \u0001 \\ \x7f \xff";
  d.jobs[0].elastic = d.jobs[0].recovery = d.jobs[0].communication = component("x", "y", -0.0);
  RunResult r;
  r.metrics["b \"quoted\""] = {0.1, "s", std::pair{-kInfinity, std::nan("")}};
  r.metrics["a"] = {1e22, "ratio", {}};
  r.breakdown["train"] = {{"compute", 0.9}, {"data", 1e-5}};
  r.resources = {{"storage.s.nic", "B/s", kInfinity, 1.5e9, 3e9, 0.25}};
  r.limited_by["a"] = "b";
  for (const std::string& text : {encode(d), encode_identity(d), encode(r), encode(RunResult{})})
    CHECK(nlohmann::json::parse(text).dump() == text);
}

TEST_CASE("every dimension survives a round trip") {
  for (int i = 0; i <= static_cast<int>(Dimension::power); ++i) {
    Design d;
    d.run.values["x"].dimension = static_cast<Dimension>(i);
    const Result<Design> back = decode_design(encode(d));
    REQUIRE(back.ok());
    CHECK(back->run.find("x")->dimension == static_cast<Dimension>(i));
  }
}

TEST_CASE("what a value may be survives a round trip, and is no part of a design's identity") {
  Design d;
  d.run.values["x"].number = 2.0;
  const std::string before = encode_identity(d);
  d.run.values["x"].range = Range{1.0, kInfinity, "a \"sheet\""};
  const Result<Design> back = decode_design(encode(d));
  REQUIRE(back.ok());
  CHECK(back->run.find("x")->range == d.run.values["x"].range);
  CHECK(nlohmann::json::parse(encode(d)).dump() == encode(d));
  CHECK(encode_identity(d) == before);
}

TEST_CASE("numbers keep all their bits") {
  std::mt19937_64 random(7);
  RunResult r;
  const auto keeps = [&](double value) {
    r.simulated_s = value;
    const Result<RunResult> back = decode_run_result(encode(r));
    return back.ok() && same_bits(back->simulated_s, value);
  };
  for (const double value :
       {0.0, -0.0, kInfinity, -kInfinity, 1e308, 5e-324, 2e13, 9007199254740993.0})
    CHECK(keeps(value));
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t bits = random();
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value) && !keeps(value)) FAIL("lost bits of " << value);
  }
  r.simulated_s = std::nan("");
  CHECK(std::isnan(decode_run_result(encode(r))->simulated_s));
}

TEST_CASE("a run result reads back as it was written") {
  RunResult r;
  r.seed = std::numeric_limits<std::uint64_t>::max();
  r.metrics["job.train.step.time"] = {0.1, "s", std::pair{0.09, kInfinity}};
  r.metrics["job.train.au"] = {1.0, "ratio", {}};
  r.breakdown["train"] = {{"compute", 0.9}, {"data", 0.1}};
  r.breakdown["idle"] = {};
  r.resources = {{"storage.s.nic", "B/s", kInfinity, 1.5e9, 3e9, 0.25}};
  r.warnings = {"one", "two"};
  r.simulated_s = 7200.5;
  r.events = 123456789012345;
  const Result<RunResult> back = decode_run_result(encode(r));
  REQUIRE(back.ok());
  CHECK(encode(*back) == encode(r));
  CHECK(back->seed == r.seed);
  CHECK(back->events == r.events);
  CHECK(back->metrics.at("job.train.step.time").ci95 == r.metrics["job.train.step.time"].ci95);
  CHECK_FALSE(back->metrics.at("job.train.au").ci95.has_value());
  CHECK(back->breakdown == r.breakdown);
  CHECK(back->resources[0].capacity == kInfinity);
  CHECK(back->resources[0].blamed_share == 0.25);
  CHECK(back->warnings == r.warnings);
}

TEST_CASE("the hash ignores what serves messages only") {
  const std::string hash = design_hash(example());
  CHECK(hash.size() == 64);
  const std::vector<std::function<void(Design&)>> harmless = {
      [](Design& d) { d.file = "elsewhere.json"; },
      [](Design& d) { d.hosts[0].values["nic.rate"].source = {}; },
      [](Design& d) { d.storage[0].pointer = "/storage/7"; },
      [](Design& d) { d.hosts[0].product = ""; },
      [](Design& d) { d.expect[0].why = ""; },
      [](Design& d) { d.expect[0].waive = ""; },
  };
  for (const auto& change : harmless) {
    Design d = example();
    change(d);
    CHECK(design_hash(d) == hash);
  }
}

TEST_CASE("the hash sees every change that can move a prediction or its verdict") {
  std::vector<std::string> hashes = {design_hash(example())};
  const std::vector<std::function<void(Design&)>> changes = {
      [](Design& d) { d.hosts[0].values["nic.rate"].number = std::nextafter(50e9, 1e12); },
      [](Design& d) { d.hosts[0].values["mode"].text = "sync"; },
      [](Design& d) {
        d.hosts[0].values["tiers"].list = {"b", "a"};
      },
      [](Design& d) { d.hosts[0].values.erase("tiers"); },
      [](Design& d) { d.hosts[0].id = "gpu2"; },
      [](Design& d) { d.storage[0].kind = "nfs"; },
      [](Design& d) { std::swap(d.hosts[0], d.hosts[1]); },
      [](Design& d) { d.jobs[0].loader.reset(); },
      [](Design& d) { d.jobs.pop_back(); },
      [](Design& d) { d.run.values["seed"].number = 2; },
      [](Design& d) { d.expect[0].that = "job.train.gpu.utilization >= 96 %"; },
  };
  for (const auto& change : changes) {
    Design d = example();
    change(d);
    hashes.push_back(design_hash(d));
  }
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end());
}

TEST_CASE("numbers and texts are written as nlohmann/json writes them") {
  const auto written = [](const auto& write) {
    JsonText out;
    write(out);
    return out.take();
  };
  std::mt19937_64 random(1);
  std::vector<double> numbers = {0.0, -0.0, 1.0, -1.0, 0.1, 1e14, 1e15, -1e15, 1e16, 1e300, 5e-324};
  for (int bits = 1; bits < 64; ++bits)
    for (int i = 0; i < 200; ++i) {
      const auto whole = static_cast<double>(random() >> bits);
      for (const double n : {whole, -whole, whole + 1.0, whole + 0.5, whole / 3.0, whole * 1000.0})
        numbers.push_back(n);
    }
  for (const double n : numbers)
    REQUIRE(written([n](JsonText& out) { out.number(n); }) == nlohmann::json(n).dump());
  for (int c = 0; c < 128; ++c)
    for (std::size_t size = 1; size < 20; ++size)
      for (std::size_t at = 0; at < size; ++at) {
        std::string text(size, 'a');
        text[at] = static_cast<char>(c);
        REQUIRE(written([&](JsonText& out) { out.text(text); }) == nlohmann::json(text).dump());
      }
  for (const char* text : {"", "\xc3\xa9", "aaaaaaaa\xff", "aaaaaaa\xc3\xa9"})
    REQUIRE(written([&](JsonText& out) { out.text(text); }) ==
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

TEST_CASE("another version or a damaged text is a failure with a reason") {
  const auto reason = [](std::string_view text) {
    const Result<Design> d = decode_design(text);
    return d.ok() ? std::string("read") : d.failure().message;
  };
  CHECK(reason("") == "cannot read the design: not valid JSON");
  CHECK(reason("[]") == "cannot read the design: expected an object with \"schema\"");
  CHECK(reason("{}") == "cannot read the design: \"schema\" is missing");
  CHECK(reason(R"({"schema":"stallcast.design/2"})") ==
        "cannot read the design: its schema is \"stallcast.design/2\", this version reads "
        "\"stallcast.design/1\"");
  CHECK(decode_run_result(encode(example())).failure().exit == ExitCode::bad_input);
  const std::string text = encode(example());
  for (std::size_t n = 0; n < text.size(); ++n)
    REQUIRE_FALSE(decode_design(text.substr(0, n)).ok());
}

TEST_CASE(
    "no member of a design or run can be replaced by nonsense without a failure or a design") {
  RunResult run;
  run.metrics["m"] = {1, "s", std::pair{0.5, 1.5}};
  run.breakdown["j"]["data"] = 1;
  run.resources = {{"r", "B/s", 1, 1, 1, 1}};
  run.warnings = {"w"};
  const std::vector<nlohmann::json> nonsense = {
      nullptr, -1, "x", true, nlohmann::json::array({1}), nlohmann::json::object()};
  for (const std::string& text : {encode(example()), encode(run)}) {
    const nlohmann::json flat = nlohmann::json::parse(text).flatten();
    for (const auto& [pointer, old] : flat.items()) {
      for (const nlohmann::json& junk : nonsense) {
        nlohmann::json damaged = nlohmann::json::parse(text);
        damaged[nlohmann::json::json_pointer(pointer)] = junk;
        CHECK_NOTHROW(decode_design(damaged.dump()).ok());
        CHECK_NOTHROW(decode_run_result(damaged.dump()).ok());
      }
    }
  }
}

}  // namespace stallcast::codec
