#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "calibration/validation/claims.hpp"

namespace claims_test {

using namespace stallcast;

namespace {

constexpr const char* kFolder = "calibration/claims";

/// The claims list, computed once for all tests of this program.
const Audit& computed() {
  static const Audit out = [] {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder))
      if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    const calibration::LoadedClaims loaded =
        calibration::load_claims(calibration::open_files(paths));
    for (const Diagnostic& d : loaded.diagnostics.items())
      UNSCOPED_INFO(d.position.file << ":" << d.position.line << ": " << d.message);
    REQUIRE_FALSE(loaded.diagnostics.has_errors());
    predict::PredictOptions options;
    options.run.worker = STALLCAST_SIM_PATH;
    options.run.jobs = 2;
    options.run.crash_directory = std::filesystem::temp_directory_path().string();
    Result<Audit> audit = calibration::audit(loaded, options);
    if (!audit.ok()) FAIL(audit.failure().message);
    return std::move(audit).value();
  }();
  return out;
}

template <class Visit>
void each_claim(Visit visit) {
  for (const ClaimsFile& file : computed().files)
    for (const AuditedClaim& claim : file.claims) visit(claim);
}

bool simulated(const AuditedClaim& claim) {
  return std::any_of(claim.figures.begin(), claim.figures.end(),
                     [](const ClaimFigure& f) { return f.simulated; });
}

}  // namespace

TEST_CASE("every claim comes out as it is recorded, by its id") {
  each_claim([](const AuditedClaim& claim) {
    DYNAMIC_SECTION(claim.id) {
      for (const std::string& fault : claim.faults) FAIL_CHECK(claim.id << ": " << fault);
      CHECK(calibration::follows(claim.verdict, claim.outcome));
      for (const ClaimFigure& figure : claim.figures) CHECK(figure.correct_holds);
    }
  });
}

TEST_CASE("what a figure is off against is a claim of the list, or has its date") {
  std::set<std::string> ids;
  each_claim([&](const AuditedClaim& claim) { ids.insert(claim.id); });
  each_claim([&](const AuditedClaim& claim) {
    for (const ClaimFigure& figure : claim.figures) {
      INFO(claim.id << ": " << figure.against);
      CHECK((figure.counter != ClaimCounter::claim || ids.contains(figure.against)));
      CHECK((figure.counter != ClaimCounter::dated || figure.against.starts_with("20")));
    }
  });
}

TEST_CASE("all 362 claims of the five texts are there") {
  std::set<std::string> ids;
  each_claim([&](const AuditedClaim& claim) { ids.insert(claim.id); });
  std::set<std::string> wanted;
  for (const auto& [text, count] : {std::pair{'A', 60}, std::pair{'B', 34}, std::pair{'C', 39},
                                    std::pair{'D', 162}, std::pair{'E', 67}})
    for (int i = 1; i <= count; ++i) {
      const std::string number = std::to_string(i);
      wanted.insert(text + std::string(3 - number.size(), '0') + number);
    }
  CHECK(ids == wanted);
}

TEST_CASE("what a calculator must get right is computed from scenarios, not only by a formula") {
  // Units per GPU and in all; bytes per parameter; flush rate against stall; Little's law; shares
  // of a client; utilization and time; bytes per FLOP; drives for 160 GB/s; and the exercise.
  const std::set<std::string> wanted = {"A024", "C014", "D015", "D016", "D063", "D081", "D129",
                                        "D133", "D153", "D154", "D155", "E031", "E032", "E033"};
  std::set<std::string> found;
  each_claim([&](const AuditedClaim& claim) {
    if (wanted.contains(claim.id) && simulated(claim)) found.insert(claim.id);
  });
  CHECK(found == wanted);
}

TEST_CASE("every verdict is used, and most claims have a figure of ours") {
  std::set<std::string> verdicts;
  int figures = 0;
  each_claim([&](const AuditedClaim& claim) {
    verdicts.insert(claim.verdict);
    figures += claim.figures.empty() ? 0 : 1;
  });
  CHECK(verdicts.size() == kClaimVerdicts.size());
  CHECK(2 * figures > 362);
}

}  // namespace claims_test
