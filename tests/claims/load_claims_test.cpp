#include <catch2/catch.hpp>

#include "calibration/validation/claims.hpp"
#include "engine/base/text.hpp"
#include "tests/run/support.hpp"

namespace load_claims_test {

using namespace stallcast;
using namespace stallcast::calibration;
using stallcast::testing::TempFolder;
using stallcast::testing::write_all;

namespace {

/// A claims file with one claim, whose keys are `rest`.
std::string file_with(const std::string& rest) {
  return R"({ "schema": "stallcast.claims/1", "id": "f", "title": "T",
  "claims": [ { "id": "X1", "claim": "c", )" +
         rest + " } ] }";
}

LoadedClaims load(const std::string& text) {
  const TempFolder folder;
  write_all(folder.file("claims.json"), text);
  const std::vector<std::string> paths = {folder.file("claims.json")};
  const InputFiles files = open_files(paths);
  CHECK(are_claims(files));
  return load_claims(files);
}

/// What is said against a file.
std::vector<std::string> messages_of(const std::string& text) {
  std::vector<std::string> out;
  const LoadedClaims loaded = load(text);
  for (const Diagnostic& d : loaded.diagnostics.items()) {
    CHECK(d.position.line > 0);
    out.push_back(d.message);
  }
  return out;
}

/// The faults of the only claim, computed.
std::vector<std::string> faults_of(const std::string& rest) {
  const LoadedClaims loaded = load(file_with(rest));
  for (const Diagnostic& d : loaded.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE_FALSE(loaded.diagnostics.has_errors());
  const Result<Audit> done = audit(loaded, {});
  REQUIRE(done.ok());
  const AuditedClaim& claim = done->files.at(0).claims.at(0);
  CHECK(claim.id == "X1");
  CHECK(done->faultless() == claim.faults.empty());
  return claim.faults;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a figure that is as claimed makes the claim right") {
  CHECK(faults_of(R"("verdict": "right", "checks": [ { "compute": "P * 2", "with": { "P": "70e9" },
                     "claimed": "140e9" } ])") == Texts{});
}

TEST_CASE("a wrong figure is a fault of its claim") {
  CHECK(faults_of(R"("verdict": "wrong", "checks": [ { "what": "twice", "compute": "P * 2",
                     "with": { "P": "70 GB" }, "claimed": "420 GB", "correct": "150 GB", "tolerance": "1 %" } ])") ==
        Texts{"twice: computed 140 GB, expected 150 GB"});
}

TEST_CASE("a verdict that does not follow from the figures is a fault") {
  // Computed and claimed agree: the claim cannot be wrong.
  CHECK(faults_of(R"("verdict": "wrong", "checks": [ { "compute": "2 * 3", "claimed": "6" } ])") ==
        Texts{"the verdict \"wrong\" does not follow from its figures: by the rule it is right"});
  // And the other way round.
  CHECK(
      faults_of(
          R"("verdict": "right", "checks": [ { "compute": "2 * 3", "claimed": "7", "correct": "6" } ])") ==
      Texts{"the verdict \"right\" does not follow from its figures: by the rule it is wrong"});
}

TEST_CASE("a formula that does not use an input, or knows no name, is a fault") {
  CHECK(
      faults_of(
          R"("verdict": "right", "checks": [ { "compute": "6 / 1", "with": { "P": "3" }, "claimed": "6" } ])") ==
      Texts{"6 / 1: the formula does not use P"});
  CHECK(faults_of(R"("verdict": "right", "checks": [ { "compute": "Q", "claimed": "6" } ])") ==
        Texts{"Q: unknown parameter \"Q\""});
}

TEST_CASE("catalogue inputs bring their value, their mark and both ends of a range") {
  const LoadedClaims loaded = load(file_with(
      R"("verdict": "right", "checks": [
        { "compute": "b", "with": { "b": "catalog:gpu/h100-sxm#HBM bandwidth" }, "claimed": "3.35 TB/s" },
        { "compute": "t", "with": { "t": "catalog:net/tcp-kernel#latency@high" }, "claimed": "50 us" },
        { "compute": "g", "with": { "g": "catalog:host/dgx-h100#gpu.copy" }, "claimed": "55 GB/s" } ])"));
  REQUIRE_FALSE(loaded.diagnostics.has_errors());
  const Result<Audit> done = audit(loaded, {});
  REQUIRE(done.ok());
  CHECK(done->faultless());
  const auto& figures = done->files[0].claims[0].figures;
  CHECK_FALSE(figures[0].assumption);
  CHECK(figures[1].assumption);
  CHECK(figures[0].inputs[0].value == "3.35 TB/s");
  CHECK(figures[0].inputs[0].source == "HBM bandwidth of gpu/h100-sxm");
}

TEST_CASE("what is wrong in a claims file is said with its place") {
  CHECK(messages_of(file_with(R"("verdict": "rihgt", "note": "n")")) ==
        Texts{"there is no verdict \"rihgt\""});
  CHECK(messages_of(file_with(R"("verdict": "right")")) ==
        Texts{"a claim without \"checks\" needs a \"note\" that argues its verdict"});
  CHECK(messages_of(file_with(R"("verdict": "right", "checks": [ { "compute": "1" } ])")) ==
        Texts{"a check needs \"claimed\", \"test\" or \"correct\""});
  CHECK(
      messages_of(file_with(
          R"("verdict": "right", "checks": [ { "compute": "b", "claimed": "2 kB", "with": { "b": "2 B" } } ])")) ==
      Texts{"\"2 B\" may be a number or a size"});
  CHECK(
      messages_of(file_with(
          R"("verdict": "right", "checks": [ { "compute": "b", "claimed": "2 kB", "with": { "b": "catalog:gpu/h100-sxm#speed" } } ])")) ==
      Texts{"the catalogue has no \"speed\" of \"gpu/h100-sxm\""});
  CHECK(
      messages_of(file_with(
          R"("verdict": "right", "checks": [ { "compute": "b", "claimed": "2 us", "with": { "b": "catalog:net/tcp-kernel#latency" } } ])")) ==
      Texts{"latency of net/tcp-kernel is a range: say @low or @high"});
  CHECK(
      messages_of(file_with(
          R"("verdict": "right", "checks": [ { "compute": "b", "claimed": "2 us", "with": { "b": "catalog:net/tcp-kernel#latency@hihg" } } ])")) ==
      Texts{"\"@hihg\" is no end of a range: say @low or @high"});
  CHECK(
      messages_of(file_with(
          R"("verdict": "right", "checks": [ { "compute": "1", "claimed": "2 s", "correct": "1 GB" } ])")) ==
      Texts{"\"claimed\" and \"correct\" are not of one unit"});
}

TEST_CASE("a warning of a scenario that two claims vary is said once") {
  const TempFolder folder;
  // 2 h hold 6 saves of every 20 min: a warning, whatever else the claims set.
  write_all(folder.file("s.json"), R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": [ { "id": "fs", "type": "beegfs", "target": { "count": 4 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
                "checkpoint": { "to": "fs", "every": "20 min", "size": "1 GB" } } ],
    "run": { "duration": "2 h" } })");
  write_all(folder.file("claims.json"), file_with(R"("verdict": "right", "checks": [
    { "compute": "n", "claimed": "6", "with": { "n": { "scenario": "s.json", "metric": "m" } } },
    { "compute": "n", "claimed": "6",
      "with": { "n": { "scenario": "s.json", "set": ["cluster.hosts[gpu].count=2"], "metric": "m" } } } ])"));
  const std::vector<std::string> paths = {folder.file("claims.json")};
  const LoadedClaims loaded = load_claims(open_files(paths));
  CHECK(loaded.scenarios.size() == 2);
  REQUIRE(loaded.diagnostics.items().size() == 1);
  CHECK(loaded.diagnostics.items()[0].severity == Severity::warning);
  CHECK(loaded.diagnostics.items()[0].position.file == folder.file("s.json"));
}

TEST_CASE("each search of a scenario is for the parameter that its claim names") {
  const TempFolder folder;
  write_all(folder.file("s.json"), R"({
    "params": { "hosts": { "value": 4, "min": 1, "max": 9 }, "targets": { "value": 4, "min": 1, "max": 9 } },
    "cluster": { "hosts": [ { "id": "gpu", "count": "=hosts" } ] },
    "storage": [ { "id": "fs", "type": "beegfs", "target": { "count": "=targets" } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "steps": 3, "step": { "compute": "1 s" } } ] })");
  write_all(folder.file("claims.json"), file_with(R"("verdict": "right", "checks": [
    { "compute": "n", "claimed": "1", "with": { "n": { "plan": "s.json", "param": "targets" } } },
    { "compute": "n", "claimed": "1", "with": { "n": { "plan": "s.json", "param": "hosts" } } },
    { "compute": "n", "claimed": "1", "with": { "n": { "plan": "s.json", "param": "targets" } } } ])"));
  const std::vector<std::string> paths = {folder.file("claims.json")};
  const LoadedClaims loaded = load_claims(open_files(paths));
  REQUIRE(loaded.tasks.size() == 3);
  const auto searched = [&](std::size_t task) {
    return loaded.plans.at(loaded.tasks[task].inputs.at(0).scenario).param;
  };
  CHECK(loaded.plans.size() == 2);
  CHECK(Texts{searched(0), searched(1), searched(2)} == Texts{"targets", "hosts", "targets"});
}

TEST_CASE("files are claims when each of them says so") {
  const TempFolder folder;
  write_all(folder.file("claims.json"), file_with(R"("verdict": "right", "note": "n")"));
  write_all(folder.file("cases.json"), "{}");
  const std::vector<std::string> claims = {folder.file("claims.json"), folder.file("gone.json")};
  const std::vector<std::string> both = {folder.file("claims.json"), folder.file("cases.json")};
  CHECK(are_claims(open_files(claims)));
  CHECK(load_claims(open_files(claims)).diagnostics.items().at(0).code == "file");
  CHECK_FALSE(are_claims(open_files(both)));
  CHECK_FALSE(are_claims({}));
}

TEST_CASE("a verdict is the one that the rule makes of the figures") {
  // A figure that holds or is off; on the claim's own inputs; off against what it names.
  const auto figure = [](bool agrees, bool own = false, ClaimCounter counter = ClaimCounter::none) {
    ClaimFigure out;
    out.claimed = "1";
    out.agrees = agrees;
    out.own_inputs = own;
    out.counter = counter;
    return out;
  };
  const ClaimFigure holds = figure(true), off = figure(false), own = figure(true, true);
  const auto verdict = [](std::vector<ClaimFigure> figures, std::string_view basis = "") {
    return std::string(verdict_of(outcome_of(figures, basis)));
  };
  const auto against = [&](ClaimCounter counter) { return figure(false, false, counter); };
  CHECK(verdict({holds, holds}) == "right");
  CHECK(verdict({own}) == "right");
  CHECK(verdict({off, off}) == "wrong");
  CHECK(verdict({figure(false, true), holds}) == "wrong");
  CHECK(verdict({holds, off}) == "depends");
  CHECK(verdict({own, off}) == "inputs wrong");
  CHECK(verdict({holds, against(ClaimCounter::claim)}) == "inconsistent");
  CHECK(verdict({against(ClaimCounter::dated), off}) == "outdated");
  CHECK(verdict({own, against(ClaimCounter::conclusion)}) == "misleading");
  CHECK(verdict({against(ClaimCounter::conclusion)}) == "wrong");
  CHECK(verdict({against(ClaimCounter::published)}) == "open");
  // A figure that agrees is off against nothing, whatever it names.
  CHECK(verdict({figure(true, false, ClaimCounter::claim)}) == "right");
  CHECK(verdict({ClaimFigure{}}) == "qualitative");
  CHECK(verdict({}, "unpublished") == "open");
}

TEST_CASE("only a claim of a class that the rule names is right or wrong by its note") {
  CHECK(faults_of(R"("verdict": "wrong", "note": "n", "basis": "definition")") == Texts{});
  CHECK(faults_of(R"("verdict": "right", "note": "n")") ==
        Texts{"the verdict \"right\" does not follow from its figures: by the rule it is "
              "qualitative"});
  CHECK(
      faults_of(R"("verdict": "depends", "note": "n", "basis": "report")") ==
      Texts{"the verdict \"depends\" does not follow from its figures: by the rule it is right or "
            "wrong"});
}

TEST_CASE("a basis and what a figure is off against are checked with their place") {
  CHECK(messages_of(file_with(R"("verdict": "right", "note": "n", "basis": "memory")")) ==
        Texts{"there is no basis \"memory\""});
  CHECK(
      messages_of(file_with(
          R"("verdict": "right", "note": "n", "basis": "report", "checks": [ { "compute": "1", "test": "1" } ])")) ==
      Texts{"figures decide this claim, so it takes no \"basis\""});
  CHECK(
      messages_of(file_with(
          R"("verdict": "right", "checks": [ { "compute": "1", "test": "1", "claimed": "1" } ])")) ==
      Texts{"a check takes \"claimed\" or \"test\", not both"});
  for (const char* against : {R"({ "claim": "A1", "dated": "2024" })", R"({ "year": "2024" })"})
    CHECK(messages_of(file_with(R"("verdict": "wrong", "checks": [ { "compute": "1", "test": "2",
            "correct": "1", "against": )" +
                                std::string(against) + " } ]")) ==
          Texts{"\"against\" says of a claimed figure what it is off from"});
}

}  // namespace load_claims_test
