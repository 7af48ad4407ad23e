#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "scenarios/document/overrides.hpp"
#include "scenarios/scenario_builder.hpp"
#include "tests/scenarios/support.hpp"

/// What a scenario is built on, what it says of its places, and what it is changed to.
namespace extends_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

/// A folder of scenarios, "designs" within it, and one file beside that.
class Folder {
 public:
  Folder() {
    fs::create_directories(root() / "inner");
    write(path_ / "secret.json", kScenario);
    write(root() / "base.json", kScenario);
    write(root() / "loop.json", R"({ "extends": "loop.json" })");
    write(root() / "twice.json", R"({ "storage": [ { "id": "scratch" }, { "id": "scratch" } ] })");
    write(root() / "inner" / "more.json", R"({ "extends": "../base.json", "id": "more" })");
    fs::create_symlink(path_ / "secret.json", root() / "link.json");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  [[nodiscard]] fs::path root() const { return path_ / "designs"; }
  [[nodiscard]] Scenario read(const std::string& text, const char* name = "mine.json") const {
    return Scenario::read(
        {.file = (root() / name).string(), .text = text, .extend_root = root().string()});
  }

 private:
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  const fs::path path_ = fs::temp_directory_path() / "stallcast-extends-test";
};

}  // namespace

TEST_CASE("where files are served, a scenario extends those of their folder only") {
  const Folder folder;
  const Scenario good = folder.read(R"({ "extends": ["base.json", "inner/more.json"],
    "params": { "n": 3 },
    "storage": { "ost": { "count": "=n" } },
    "expect": [ { "that": "job.train.gpu.utilization > 50 %" } ] })");
  // Places are told as they are within the folder.
  const Design design = design_of(good);
  CHECK(design.id == "more");
  CHECK(design.file == "mine.json");
  CHECK(design.storage[0].find("ost.count")->source.where == "mine.json:3:36");
  CHECK(design.storage[0].find("ost.read")->source.where == "base.json:3:82");
  CHECK(design.expect[0].where == "mine.json:4:27");
  CHECK(good.parameters()[0].where == "mine.json:2:22");
  CHECK(good.written().where.at("/jobs/0") == "base.json:4:13");

  // What is sent is not the file that has its name; one that extends itself is told.
  CHECK(folder.read(R"({ "extends": "base.json" })", "base.json").ok());
  CHECK_THAT(remarks(folder.read(R"({ "extends": "loop.json" })").diagnostics()),
             Contains("\"loop.json\" extends itself"));

  for (const char* target : {"../secret.json", "link.json", "nowhere.json", "inner", "."}) {
    INFO(target);
    const Scenario bad = folder.read(R"({ "extends": ")" + std::string(target) + "\" }");
    CHECK_FALSE(bad.ok());
    CHECK(remarks(bad.diagnostics()) ==
          "1:14 extends /extends \"" + std::string(target) +
              "\" is not a file that may be extended here | name one by its path in the folder of "
              "scenarios\n");
  }
}

TEST_CASE("products stand for the part of a scenario that uses them") {
  const Design design = design_of(load_text(R"({
    "extends": ["catalog:host/dgx-h100", "catalog:fabric/ndr400-rail-optimized",
                "catalog:storage/ddn-ai400x2t"],
    "cluster": { "hosts": [ { "id": "dgx-h100", "count": 2 } ] },
    "jobs": [ { "hosts": "dgx-h100", "step": { "compute": "1 s" } } ] })",
                                            "test.json"));
  CHECK(design.hosts.at(0).product == "host/dgx-h100");
  CHECK(design.storage.at(0).id == "ddn-ai400x2t");
  CHECK(design.storage.at(0).product == "storage/ddn-ai400x2t");
}

TEST_CASE("what cannot be extended says why, and what could") {
  const auto fault = [](const std::string& target) {
    return remarks(load_text(R"({ "extends": )" + target + " }", "x.json").diagnostics());
  };
  CHECK(fault(R"("catalog:model/llama3-70b")") ==
        "1:14 extends /extends \"model/llama3-70b\" is part of a job and cannot be extended | name "
        "it with \"use\" where it belongs\n");
  CHECK(fault(R"("catalog:host/dgx-h10")") ==
        "1:14 extends /extends no catalogue entry \"host/dgx-h10\" | did you mean "
        "\"catalog:host/dgx-h100\"?\n");
  CHECK(fault(R"("catalog:nothing-like-it")") ==
        "1:14 extends /extends no catalogue entry \"nothing-like-it\" | `stallcast catalog list` "
        "shows all entries\n");
  CHECK_THAT(fault(R"(["catalog:host/dgx-h100", 7])"),
             Contains("1:40 type /extends/1 \"extends\" takes file names and catalogue entries"));
  CHECK_THAT(fault(R"("nowhere.json")"), Contains("cannot read \"nowhere.json\": No such file"));
  CHECK_THAT(fault("\"" + std::string(300, 'a') + "\""), Contains("\": File name too long | "));
}

TEST_CASE("a scenario that extends nothing is as it is") {
  CHECK(load_beside(R"("extends": null)").ok());
  CHECK(load_beside(R"("extends": [])").ok());
}

TEST_CASE("one storage system and lists of them are merged as variants, too") {
  const auto variant = [](const std::string& storage) {
    return load_with(
        {}, "v",
        ("{ \"scenarios\": { \"v\": { \"storage\": " + storage + " } }, " + (kScenario + 1))
            .c_str());
  };
  // Without an id it is the only one there is.
  CHECK(design_of(variant(R"({ "ost": { "count": 3 } })")).storage[0].find("ost.count")->number ==
        3);
  const Design two = design_of(variant(R"({ "id": "bucket", "type": "s3" })"));
  REQUIRE(two.storage.size() == 2);
  CHECK(two.storage[1].id == "bucket");
  CHECK(design_of(variant(R"([ { "id": "other", "type": "lustre", "ost": { "count": 2 } } ])"))
            .storage.size() == 2);
  // A list of what has no id takes the place of the other.
  const Scenario replaced = variant(R"([ { "type": "lustre", "ost": { "count": 2 } } ])");
  CHECK_THAT(remarks(replaced.diagnostics()), Contains("no storage system \"scratch\""));
  CHECK(replaced.variants().size() == 1);
}

TEST_CASE("an id that one text gives twice is an error, not merged into the first") {
  const Folder folder;
  const char* const kTwice = R"("storage": [ { "id": "scratch", "ost": { "count": 3 } },
    { "id": "scratch", "ost": { "count": 9 } } ])";
  const Scenario extended =
      folder.read(R"({ "extends": "base.json", )" + std::string(kTwice) + " }");
  CHECK(only_fault(extended) ==
        "duplicate-id two \"storage\" entries have the id \"scratch\" | give each its own id");
  CHECK_THAT(remarks(extended.diagnostics()), StartsWith("2:13 duplicate-id /storage/1/id"));
  // Said once, wherever the list is: also of a base, of a variant, and where nothing is merged.
  CHECK_THAT(only_fault(folder.read(R"({ "extends": ["base.json", "twice.json"] })")),
             StartsWith("duplicate-id"));
  CHECK_THAT(only_fault(folder.read(R"({ "extends": "base.json", "expect": [
    { "id": "a", "that": "job.train.au >= 90 %" }, { "id": "a", "that": "job.train.au >= 1 %" } ] })")),
             StartsWith("duplicate-id two \"expect\" entries have the id \"a\""));
  CHECK_THAT(only_fault(load_with({}, "v",
                                  (std::string(kScenario, std::strlen(kScenario) - 1) +
                                   R"(, "scenarios": { "v": { )" + kTwice + " } } }")
                                      .c_str())),
             StartsWith("duplicate-id"));
}

TEST_CASE("a variant that is none, or left out, is said") {
  CHECK_THAT(remarks(load_with({}, "v").diagnostics()),
             Contains("no variant \"v\" | this scenario has no variants"));
  CHECK_THAT(remarks(load_with({}, "v", R"({ "scenarios": 7 })").diagnostics()),
             Contains("type /scenarios \"scenarios\" is an object of named variants"));
  const std::string null =
      R"({ "scenarios": { "v": null, "w": {}, "x-note": 1 }, )" + std::string(kScenario + 1);
  const Scenario read = load_with({}, "v", null.c_str());
  CHECK_THAT(remarks(read.diagnostics()), Contains("no variant \"v\" | ") && Contains("w"));
  CHECK(std::vector(read.variants().begin(), read.variants().end()) ==
        std::vector<std::string>{"w"});
  const std::string number = R"({ "scenarios": { "v": 7 }, )" + std::string(kScenario + 1);
  CHECK_THAT(remarks(load_with({}, "v", number.c_str()).diagnostics()),
             Contains("type /scenarios/v the variant \"v\" is an object, not a number"));
}

TEST_CASE("a scenario knows where its values are, and shows the lines that remarks are about") {
  const Scenario read = load_with({"storage.ost.count=6"});
  CHECK(read.place("/storage/0/ost/read").line == 3);
  CHECK(read.place("/storage/0/ost/count").file == "--set storage.ost.count=6");
  CHECK(read.place("/jobs/0/loader/prefetch").line == 6);  // the nearest that is written
  CHECK(read.text() == kScenario);
  CHECK(read.file().file == "test.json");
  CHECK_FALSE(read.file().text);

  Diagnostics later;
  later.warn("rule", "/storage/0/type", "a model does not know it", "");
  later.add({Severity::error, "x", "/jobs", {"other.json", 4, 2}, "elsewhere", ""});
  read.locate(later);
  CHECK(later.items()[0].position.line == 3);
  CHECK_THAT(later.items()[0].line, Contains("\"type\": \"lustre\""));
  CHECK(line_of(later.items()[0]) ==
        "test.json:3:43: /storage/0/type: warning: a model does not know it");
  CHECK(line_of(later.items()[1]) == "other.json:4:2: /jobs: elsewhere");
  CHECK(line_of({Severity::error, "file", "", {"x.json", 0, 0}, "no", ""}) == "x.json: no");
  CHECK(line_of({Severity::error, "syntax", "", {"x.json", 1, 2}, "no", ""}) ==
        "x.json:1:2: /: no");
  CHECK(line_of({Severity::error, "fio-job", "", {"x.fio", 1, 2}, "no", ""}) == "x.fio:1:2: no");
  CHECK(line_of({Severity::error, "x", "", {"", 0, 0}, "no", ""}) == "no");
}

TEST_CASE("the first error is the failure of a scenario, whatever is warned of before it") {
  const Scenario bad = load_with({}, "", R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "nic": { "rate": "800 GB/s" } } ] },
    "jobs": [ { "id": "train", "hosts": "cpu", "step": { "compute": "1 s" } } ] })");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.diagnostics().items().at(0).severity == Severity::warning);
  CHECK(bad.failure().exit == ExitCode::bad_input);
  CHECK_THAT(bad.failure().message,
             StartsWith("test.json:3:") && Contains("no host class \"cpu\""));
}

TEST_CASE("a file that is too large, or not there, is no scenario") {
  const Scenario none = Scenario::read({.file = "nowhere.json"});
  CHECK(remarks(none.diagnostics()) ==
        "0:0 file  cannot read the file: No such file or directory | \"stallcast init\" prints a "
        "scenario to start from\n");
  CHECK(none.text().empty());
  // As `diff` names a variant: of a file that is there.
  const Scenario variant = Scenario::read({.file = "examples/exercise-512-h100-async.json#big"});
  CHECK_THAT(remarks(variant.diagnostics()),
             Contains("for a variant write examples/exercise-512-h100-async.json --variant big"));
  CHECK(none.with({}).failure().message ==
        "nowhere.json: cannot read the file: No such file or "
        "directory");
  const Scenario large = load_text(std::string((std::size_t{64} << 20U) + 1, ' '), "large.json");
  CHECK_THAT(remarks(large.diagnostics()), Contains("cannot read the file: File too large"));
}

TEST_CASE("changes are merged into the text, and come after others") {
  const Change osts{"storage.ost.count", Amount{16, ""}};
  const Change more{"storage.ost.read", Amount{6, "GB/s"}};
  const Change text{"jobs.dataset.order", JsonLiteral{"null"}};
  const Change words{"jobs.id", JsonLiteral{"not JSON"}};
  const Scenario changed = load_with({}).with(std::vector{osts}).with(std::vector{more, text});
  CHECK(design_of(changed).storage[0].find("ost.count")->number == 16);
  CHECK(design_of(changed).storage[0].find("ost.read")->number == 6e9);
  const base::Json merged = ScenarioBuilder::merged(changed);
  CHECK(merged["storage"][0]["ost"]["count"] == 16);
  CHECK(merged["storage"][0]["ost"]["read"] == "6 GB/s");
  CHECK(ScenarioBuilder::written_at(changed, "/storage/0/ost/count")->get<int>() == 8);
  CHECK(ScenarioBuilder::written_at(changed, "/storage/1") == nullptr);
  CHECK(ScenarioBuilder::merged(load_with({}).with(std::vector{words}))["jobs"][0]["id"] ==
        "not JSON");
  CHECK_THAT(
      remarks(load_with({}).with(std::vector{Change{"jobs[x].id", Amount{1, ""}}}).diagnostics()),
      Contains("no element \"x\" in jobs"));
}

TEST_CASE("paths of a tree are looked up as --set would") {
  const base::Json tree = base::Json::parse(kScenario);
  const auto look_up = [&](const std::string& path) {
    const Result<std::string> found = scenarios::pointer_of(tree, path);
    return found.ok() ? *found : found.failure().message + " | " + found.failure().hint;
  };
  CHECK(look_up("storage.ost.count") == "/storage/0/ost/count");
  CHECK(look_up("job.train.loader.workers") == "/jobs/0/loader/workers");
  CHECK(look_up("storage.osts.count") ==
        "there is no \"osts\" in storage/0 | did you mean \"ost\"? allowed: id, type, ost");
  CHECK_THAT(look_up("plan.over"), StartsWith("there is no \"plan\" in the scenario | allowed: "));
  CHECK_THAT(look_up("jobs[x]"), StartsWith("no element \"x\" in jobs | "));
  CHECK_THAT(look_up("a..b"), StartsWith("\"a..b\" is not a path | write"));
}

TEST_CASE("paths of --set that are none say so") {
  const auto set = [](const std::string& what) { return remarks(load_with({what}).diagnostics()); };
  for (const char* path : {"storage[scratch", "storage[]", "storage[scratch]ost", ".ost", "ost.",
                           "storage[scratch]..ost"}) {
    INFO(path);
    CHECK_THAT(set(std::string(path) + "=1"),
               Contains("\"" + std::string(path) + "\" is not a path | write storage.ost"));
  }
  CHECK_THAT(set("jobs[train][+]=1"), Contains("jobs/0 is an object, not a list | [+] adds"));
  CHECK_THAT(set("storage[1234567].ost.count=1"), Contains("no element \"1234567\" in storage"));
  CHECK_THAT(set("storage[7].ost.count=1"), Contains("no element \"7\" in storage"));
  CHECK_THAT(set("cluster.hosts[1x].count=1"), Contains("no element \"1x\" in cluster/hosts"));
  CHECK_THAT(set("[train].hosts=1"), Contains("no element \"train\" in the scenario | write jobs"));
  // Elements without an id that is a text have their place alone.
  const std::string odd = R"({ "jobs": [ 7, { "id": 7 }, {}, { "id": "train" } ] })";
  CHECK_THAT(remarks(load_with({"jobs[trian].hosts=1"}, "", odd.c_str()).diagnostics()),
             Contains("no element \"trian\" in jobs | did you mean \"train\"? allowed: train\n"));
  CHECK_THAT(remarks(load_with({"jobs[0].hosts=1"}, "", odd.c_str()).diagnostics()),
             Contains("\"hosts\" cannot be set: jobs/0 is a number | set jobs/0 itself"));
  CHECK_THAT(remarks(load_with({"jobs.x.y=1"}, "", R"({ "jobs": [ 7 ] })").diagnostics()),
             Contains("\"x\" cannot be set: jobs/0 is a number"));
  CHECK_THAT(set("params.x=1"), Contains("no parameter \"x\" | the scenario has no \"params\""));
  // A list is made where there is none, and goes on where there is one.
  const Scenario more = load_with(
      {"tenants[+]={\"id\": \"a\", \"type\": \"ingest\", \"on\": \"scratch\", \"hosts\": \"gpu\"}",
       "tenants[+]={\"id\": \"b\", \"type\": \"ingest\", \"on\": \"scratch\", \"hosts\": \"gpu\"}",
       "tenants[a].rate=1 GB/s", "tenants[b].rate=1 GB/s"});
  CHECK(design_of(more).tenants.size() == 2);
}

}  // namespace extends_test
