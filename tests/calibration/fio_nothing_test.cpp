#include "calibration/fit/cells.hpp"
#include "tests/calibration/importer_fixtures.hpp"

/// Jobs of fio that moved nothing, or nothing of a storage system.
namespace stallcast::calibration {
namespace {

// 5 is EIO: of a job that moved nothing there is no record to flag.
TEST_CASE("a fio job that failed and moved nothing is warned of") {
  std::string text = fixture("fio-randread.json");
  text = replaced(text, "\"total_ios\": 400000", "\"total_ios\": 0");
  text = replaced(text, "\"error\": 0", "\"error\": 5");
  const Imported f = import_text("fio", text);
  CHECK(f.set.measurements.empty());
  REQUIRE_FALSE(f.diagnostics.items().empty());
  CHECK(f.diagnostics.items().front().code == "failed");
  CHECK(f.diagnostics.items().front().message.find("failed with error 5 (") != std::string::npos);
}

TEST_CASE("fio that moves nothing, or memory, measures no storage") {
  const std::string text = fixture("fio-randread.json");
  const auto flags = [&](const char* engine, const char* path) {
    const std::string changed = replaced(replaced(text, "io_uring", engine), "/mnt/t/file", path);
    return flagged(import_text("fio", changed).at(0), "no-storage");
  };
  CHECK(flags("null", "f"));
  CHECK(flags("rdma", "f"));
  CHECK(flags("psync", "/dev/shm/f"));
  CHECK_FALSE(flags("psync", "/dev/nvme0n1"));
  Measurement none;
  none.flags = {"no-storage"};
  CHECK(fit::unfit_flag(none) == "no-storage");
}

}  // namespace
}  // namespace stallcast::calibration
