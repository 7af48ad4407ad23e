#include "engine/decide/sweep/store.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <unistd.h>

#include "engine/decide/sweep/database.hpp"
#include "engine/decide/sweep/design_change.hpp"
#include "engine/runtime/codec/codec.hpp"

namespace store_test {

using namespace stallcast;
namespace fs = std::filesystem;
using sweep::Store;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("sweep-store-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

Design design_of(double osts) {
  Design design;
  design.id = "small";
  design.fabric = {"fabric", "ideal", "/cluster/fabric", "", {}};
  design.run = {"run", "run", "/run", "", {}};
  design.run.values["seed"] = {Dimension::count, 1.0, "", {}, {}};
  Component storage{"scratch", "lustre", "/storage/0", "", {}};
  storage.values["ost.count"] = {Dimension::count, osts, "", {}, {}};
  storage.values["ost.read"] = {Dimension::rate, 4.1e9 / 3.0, "", {}, {}};
  design.storage.push_back(storage);
  return design;
}

sweep::SweepPlan plan_of(const std::vector<double>& counts) {
  sweep::SweepPlan plan;
  plan.scenario_id = "small";
  plan.version = "1";
  plan.axes = {"storage.ost.count"};
  const sweep::DesignChanges changes(design_of(counts.front()), false);
  plan.base = changes.base();
  for (const double n : counts)
    plan.points.push_back({{std::to_string(static_cast<int>(n))},
                           codec::design_hash(design_of(n)),
                           changes.change_to(design_of(n))});
  return plan;
}

SweepOutcome done(double value) {
  SweepOutcome out;
  out.verdict = Verdict::pass;
  out.limited_by = "storage.scratch.ost";
  out.metrics["m"] = {value, "ratio", std::pair{value - 0.1, value + 0.1}};
  out.metrics["drawn"] = {value, "s", {}, std::pair{value - 0.2, value + 0.3}, value + 0.05};
  return out;
}

SweepOutcome failed() {
  SweepOutcome out;
  out.failed = true;
  out.exit = ExitCode::internal;
  out.message = "crashed";
  return out;
}

}  // namespace

TEST_CASE("designs come back from the file as they were planned") {
  const Folder folder;
  const auto store = Store::create(folder.file("s.db"), plan_of({8, 16, 32}));
  REQUIRE(store.ok());
  const auto keys = store->keys();
  REQUIRE(keys->size() == 3);
  const auto designs = store->designs(*keys, 2);
  REQUIRE(designs.ok());
  REQUIRE(designs->size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(codec::encode_identity((*designs)[i]) == codec::encode_identity(design_of(8 << i)));
  CHECK_FALSE(store->designs(std::array{(*keys)[0], std::string("another")}, 2).ok());
}

TEST_CASE("a design is known by its key, with or without the sources of its values") {
  Design with_source = design_of(16);
  with_source.storage[0].values.at("ost.count").source.where = "--set";
  const std::string key = codec::design_hash(with_source);
  for (const bool with_sources : {false, true}) {
    const sweep::DesignChanges written(design_of(8), with_sources);
    const auto read = sweep::DesignChanges::read(written.base());
    REQUIRE(read.ok());
    const std::string change = written.change_to(with_source);
    const auto design = read->apply(change, key);
    REQUIRE(design.ok());
    CHECK(design->storage[0].values.at("ost.count").source.where == (with_sources ? "--set" : ""));
    CHECK_FALSE(read->apply(change, codec::design_hash(design_of(32))).ok());
    CHECK_FALSE(read->apply("[{}]", key).ok());
  }
}

TEST_CASE("with draws designs that differ by what a value may be are two") {
  Design sure = design_of(8), open = sure;
  sure.storage[0].values.at("ost.count").range = Range{7.0, 9.0, ""};
  open.storage[0].values.at("ost.count").range = Range{2.0, 20.0, ""};
  CHECK(sweep::key_of(sure, false) == sweep::key_of(open, false));
  CHECK(sweep::key_of(sure, true) != sweep::key_of(open, true));
  const sweep::DesignChanges written(sure, true);
  const auto read = sweep::DesignChanges::read(written.base());
  REQUIRE(read.ok());
  const auto back = read->apply(written.change_to(open), sweep::key_of(open, true));
  REQUIRE(back.ok());
  CHECK(back->storage[0].values.at("ost.count").range->high == 20.0);
  CHECK_FALSE(read->apply(written.change_to(open), sweep::key_of(sure, true)).ok());
}

TEST_CASE("any change of a design comes back, of values or of more") {
  const Design base = design_of(8);
  const sweep::DesignChanges changes(base, false);
  const std::vector<std::function<void(Design&)>> edits = {
      [](Design&) {},
      [](Design& d) {
        d.run.values["x"] = {Dimension::text_list, 0, "", {"a", "b"}, {}};
      },
      [](Design& d) {
        Value& v = d.storage[0].values.at("ost.count");
        v.number = std::numeric_limits<double>::infinity();
        v.text = "a \"quoted\" text";
      },
      [](Design& d) { d.storage[0].values.erase("ost.count"); },
      [](Design& d) { d.storage[0].kind = "nfs"; },
      [](Design& d) { d.storage.push_back(d.storage[0]); },
      [](Design& d) {
        d.expect.push_back({"a", "m > 1", "error", "", ""});
      },
      [](Design& d) { d.id = "another"; },
  };
  for (const auto& edit : edits) {
    Design design = base;
    edit(design);
    const auto back = changes.apply(changes.change_to(design), codec::design_hash(design));
    REQUIRE(back.ok());
    CHECK(codec::encode_identity(*back) == codec::encode_identity(design));
  }
}

TEST_CASE("results are there after the file is opened again, one per design") {
  const Folder folder;
  const std::string path = folder.file("s.db");
  const auto plan = plan_of({8, 16, 8});  // two points of one design
  {
    auto store = Store::create(path, plan);
    REQUIRE(store.ok());
    CHECK(store->keys()->size() == 2);
    CHECK(store->keep({{plan.points[0].key, done(1.0 / 3.0)}}).ok());
  }
  const auto store = Store::open(path);
  REQUIRE(store.ok());
  const auto report = store->report();
  REQUIRE(report.ok());
  REQUIRE(report->rows.size() == 3);
  for (const std::size_t i : {0U, 2U}) {
    REQUIRE(report->rows[i].outcome);
    CHECK(report->rows[i].outcome->metrics.at("m").value == 1.0 / 3.0);  // to the bit
    CHECK(report->rows[i].outcome->metrics.at("m").ci95->second == 1.0 / 3.0 + 0.1);
    const Metric& drawn = report->rows[i].outcome->metrics.at("drawn");
    CHECK((!drawn.ci95 && drawn.median == 1.0 / 3.0 + 0.05));
    CHECK(drawn.ci90 == std::pair{1.0 / 3.0 - 0.2, 1.0 / 3.0 + 0.3});
    CHECK(report->rows[i].outcome->limited_by == "storage.scratch.ost");
  }
  CHECK_FALSE(report->rows[1].outcome);
  CHECK(report->rows[1].values == std::vector<std::string>{"16"});
}

TEST_CASE("a result that is done stays, one that failed is replaced") {
  auto plan = plan_of({8, 16});
  auto store = Store::create("", plan);
  REQUIRE(store.ok());
  const std::string &a = plan.points[0].key, &b = plan.points[1].key;
  CHECK(store->keep({{a, done(1.0)}, {b, failed()}}).ok());
  CHECK(store->finished()->at(b));
  CHECK(store->keep({{a, failed()}, {b, done(2.0)}}).ok());
  CHECK_FALSE(store->finished()->at(a));
  CHECK_FALSE(store->finished()->at(b));
}

TEST_CASE("what there is to be warned of a result is kept with it") {
  auto plan = plan_of({8, 16});
  auto store = Store::create("", plan);
  REQUIRE(store.ok());
  SweepOutcome warned = done(1.0);
  warned.warnings = {"no save was due", "outside of what was measured"};
  CHECK(store->keep({{plan.points[0].key, warned}, {plan.points[1].key, failed()}}).ok());
  const auto report = store->report();
  REQUIRE(report.ok());
  CHECK(report->rows[0].outcome->warnings == warned.warnings);
  CHECK(report->rows[0].outcome->message.empty());
  CHECK(report->rows[1].outcome->warnings.empty());
  CHECK(report->rows[1].outcome->message == "crashed");
}

TEST_CASE("what an older program kept as what limits is what was waited for most") {
  const Folder folder;
  const auto plan = plan_of({8, 16});
  const std::string path = folder.file("old.db");
  CHECK(Store::create(path, plan)->keep({{plan.points[0].key, done(1.0)}}).ok());
  sweep::Database(path, sweep::Database::Access::write)
      .run("ALTER TABLE results DROP COLUMN most_waited_for");
  const auto check_old = [](const SweepReport& report) {
    CHECK(report.rows[0].outcome->limited_by.empty());
    CHECK(report.rows[0].outcome->most_waited_for == "storage.scratch.ost");
  };
  check_old(*Store::open(path, true)->report());
  auto store = Store::open(path);
  CHECK(store->keep({{plan.points[1].key, done(2.0)}}).ok());
  const auto report = store->report();
  check_old(*report);
  CHECK(report->rows[1].outcome->limited_by == "storage.scratch.ost");
  CHECK(report->rows[1].outcome->most_waited_for.empty());
}

TEST_CASE("the same plan is resumed, another is refused, and so is what is not a sweep") {
  const Folder folder;
  const std::string path = folder.file("s.db");
  CHECK_FALSE(Store::create(path, plan_of({8, 16}))->resumed());
  CHECK(Store::create(path, plan_of({8, 16}))->resumed());
  auto other = Store::create(path, plan_of({8, 32}));
  REQUIRE_FALSE(other.ok());
  CHECK(other.failure().message.find("holds another sweep") != std::string::npos);
  auto version = plan_of({8, 16});
  version.version = "2";
  CHECK_FALSE(Store::create(path, version).ok());

  std::ofstream(folder.file("text")) << "this is not a database at all, but long enough to be one";
  CHECK(Store::open(folder.file("text")).failure().message.find("is not a sweep") !=
        std::string::npos);
  CHECK(Store::open(folder.file("missing")).failure().exit == ExitCode::bad_input);
  std::ofstream(folder.file("empty")).flush();
  CHECK_FALSE(Store::open(folder.file("empty")).ok());
  CHECK(Store::create(folder.file("empty"), plan_of({8})).ok());  // killed before it wrote anything
}

TEST_CASE("parts are brought together, and go once nothing is missing") {
  const Folder folder;
  const std::string path = folder.file("s.db");
  const auto plan = plan_of({8, 16, 32});
  auto main = Store::create(path, plan);
  REQUIRE(main.ok());
  for (const auto& [shard, point] : {std::pair{"1-of-3", 0}, {"2-of-3", 1}}) {
    auto part = Store::open_part(path, shard, *main);
    REQUIRE(part.ok());
    CHECK(part->keep({{plan.points[static_cast<std::size_t>(point)].key, done(point)}}).ok());
  }
  std::ofstream(path + ".part-3-of-3").flush();  // killed before it wrote anything
  auto report = main->report();
  REQUIRE(report.ok());
  CHECK(report->counts().missing == 3);
  REQUIRE(Store::add_parts(path, *main, *report).ok());
  CHECK(report->counts().done == 2);
  CHECK(report->parts == 2);
  CHECK(main->collect(path)->results == 2);
  CHECK(sweep::part_paths(path).size() == 3);
  {
    auto part = Store::open_part(path, "3-of-3", *main);
    REQUIRE(part.ok());
    CHECK(part->keep({{plan.points[2].key, done(2.0)}}).ok());
  }
  CHECK(main->collect(path).ok());
  CHECK(main->report()->counts().done == 3);
  CHECK(sweep::part_paths(path).empty());
}

TEST_CASE("a part of another sweep is left alone") {
  const Folder folder;
  const std::string path = folder.file("s.db");
  {
    const auto old = Store::create(path, plan_of({8}));
    auto part = Store::open_part(path, "1-of-2", *old);
    CHECK(part->keep({{plan_of({8}).points[0].key, done(1.0)}}).ok());
  }
  fs::remove(path);
  auto main = Store::create(path, plan_of({8, 16}));
  REQUIRE(main.ok());
  CHECK(main->collect(path)->results == 0);
  CHECK(main->collect(path)->left_out.size() == 1);
  CHECK(sweep::part_paths(path).size() == 1);
  CHECK_FALSE(Store::open_part(path, "1-of-2", *main).ok());
}

TEST_CASE(
    "a part that is damaged, or of another version, is named and keeps none of the others back") {
  const Folder folder;
  const std::string path = folder.file("s.db");
  const auto plan = plan_of({8, 16, 32});
  auto main = Store::create(path, plan);
  REQUIRE(main.ok());
  for (const auto& [shard, point] : {std::pair{"1-of-3", 0}, {"2-of-3", 1}, {"3-of-3", 2}}) {
    auto part = Store::open_part(path, shard, *main);
    REQUIRE(part.ok());
    CHECK(part->keep({{plan.points[static_cast<std::size_t>(point)].key, done(point)}}).ok());
  }
  fs::resize_file(path + ".part-1-of-3", 5000);  // as a node that died leaves it
  {
    sweep::Database other(path + ".part-3-of-3", sweep::Database::Access::write);
    other.run("UPDATE meta SET value = '0.9' WHERE name = 'version'");
  }
  auto report = main->report();
  REQUIRE(report.ok());
  REQUIRE(Store::add_parts(path, *main, *report).ok());
  CHECK(report->counts().done == 1);
  REQUIRE(report->left_out.size() == 2);
  CHECK(report->left_out[0].message.find("is damaged") != std::string::npos);
  CHECK(report->left_out[0].hint.find("run " + path + " --shard 1/3") != std::string::npos);
  CHECK(report->left_out[1].message.find("stallcast 0.9, models") != std::string::npos);

  const auto collected = main->collect(path);
  REQUIRE(collected.ok());
  CHECK(collected->results == 1);
  CHECK(collected->left_out.size() == 2);
  CHECK(sweep::part_paths(path).size() == 3);
  CHECK(Store::open_part(path, "1-of-3", *main).failure().hint.find("--shard 1/3") !=
        std::string::npos);
  CHECK_FALSE(Store::open_part(path, "3-of-3", *main).ok());
  for (const char* shard : {"1-of-3", "3-of-3"}) fs::remove(path + ".part-" + shard);
  for (const auto& [shard, point] : {std::pair{"1-of-3", 0}, {"3-of-3", 2}}) {
    auto part = Store::open_part(path, shard, *main);
    REQUIRE(part.ok());
    CHECK(part->keep({{plan.points[static_cast<std::size_t>(point)].key, done(point)}}).ok());
  }
  CHECK(main->collect(path)->left_out.empty());
  CHECK(main->report()->counts().done == 3);
}

}  // namespace store_test
