#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/calibration/mlperf_rows.hpp"

/// Names, counts and results of rows of MLPerf Storage; what is predicted of them is tested in
/// mlperf_csv_test.cpp.
namespace stallcast::calibration {
namespace {

constexpr const char* kFirst =
    "case_id,calibration_case,system_key,workload,accel,num_hosts,accelerators,au_mean_pct,"
    "protocol_fs\n";

TEST_CASE("of saves and loads only those whose runs differ by a quarter are not scored") {
  const std::string head =
      "case_id,workload,hosts,accelerators_or_ranks,protocol,drives,save_s,save_s_sd,load_s,"
      "load_s_sd\n";
  const RowValidation both = rows_of(head + "saves,llama3-8b,1,8,local,1 x D7-PS1010,12,3,8,0.1\n" +
                                         "loads,llama3-8b,1,8,local,1 x D7-PS1010,12,0.1,8,2\n" +
                                         "neither,llama3-8b,1,8,local,1 x D7-PS1010,12,0.1,8,0.1\n",
                                     "mlperf-v3-rows");
  REQUIRE(both.rows.size() == 3);
  CHECK(both.rows[0].unscored == std::vector<std::string>{"save_s"});
  CHECK(has_note(both.rows[0], "save_s: runs differ by a quarter"));
  CHECK(both.rows[1].unscored == std::vector<std::string>{"load_s"});
  CHECK(both.rows[2].unscored.empty());
  const RowValidation kind = rows_of(
      "kind,system,storage,hosts,accelerators_or_ranks,workload,duration_s,duration_sd_s\n"
      "save,s,Azure 125 MB/s/TiB x 160 TiB,2,8,llama3-8b,8,4\n");
  CHECK(kind.rows[0].unscored == std::vector<std::string>{"save_s"});
}

TEST_CASE("counts that are none are errors, and what cannot be a utilization is not scored") {
  const std::string head = "kind,system,storage,hosts,accelerators_or_ranks,workload,au_pct\n";
  const auto faults = [&](const std::string& row) { return predict(head + row + "\n").faults; };
  CHECK(faults("training,s,local,-2,4,unet3d-b200,") ==
        std::vector<std::string>{"error t.csv:2:18 range"});
  CHECK(faults("training,s,local,1,-4,unet3d-b200,") ==
        std::vector<std::string>{"error t.csv:2:20 range"});
  CHECK(faults("training,s,local,1,1.5,unet3d-b200,") ==
        std::vector<std::string>{"error t.csv:2:20 range"});
  CHECK(faults("training,s,local,1,,unet3d-b200,") ==
        std::vector<std::string>{"warning t.csv:2:20 unknown"});
  const PredictedRow many = rows_of(head + "training,s,local,1,1,unet3d-b200,974\n").rows.front();
  CHECK(many.measured.empty());
  CHECK(has_note(many, "\"974\" in column \"au_pct\" is taken as not known"));
  const RowValidation first =
      rows_of(std::string(kFirst) + "a,,mic,unet3d,h100,1,1,964.432,local\n");
  CHECK(has_note(first.rows[0], "\"964.432\" in column \"au_mean_pct\""));
  CHECK_FALSE(first.rows[0].measured.contains("au"));
}

TEST_CASE("rows have names of their own, and one without a name does not calibrate itself") {
  const std::string head = "kind,system,storage,hosts,accelerators_or_ranks,workload\n";
  const RowValidation three = rows_of(head +
                                      "training,s,local,1,2,unet3d-b200\n"
                                      "training,s,local,4,8,unet3d-b200\n"
                                      "training,s,local,4,8,unet3d-b200\n");
  REQUIRE(three.rows.size() == 3);
  CHECK(three.rows[0].case_id == "s:training:unet3d-b200:h1:n2");
  CHECK(three.rows[1].case_id == "s:training:unet3d-b200:h4:n8");
  CHECK(three.rows[2].case_id == "s:training:unet3d-b200:h4:n8 #2");
  const RowValidation nameless = rows_of(std::string(kFirst) + ",,mic,unet3d,h100,1,1,96,local\n");
  REQUIRE(nameless.rows.size() == 1);
  CHECK(nameless.rows[0].case_id == "row 1");
  CHECK_FALSE(nameless.rows[0].calibrates);
}

}  // namespace
}  // namespace stallcast::calibration
