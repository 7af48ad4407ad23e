#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "calibration/profile/profile_json.hpp"
#include "engine/base/files.hpp"
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

const std::string kDrive =
    "case_id,workload,accel,num_hosts,accelerators,read_threads,client_mem_GiB,client_nic_Gbps,"
    "client_nics,drives_total,drive_model,protocol_fs\n";

TEST_CASE("no accelerator is supported where one has an AU below the bar") {
  // An HDD reads 0.1 to 0.29 GB/s, and one H100 asks for 3.2.
  const PredictedRow slow =
      rows_of(kDrive + "a,unet3d,h100,2,2,8,256,,,1,HDD,local\n").rows.front();
  const PredictedFigure& count = slow.predicted.at("accelerators");
  CHECK(count.value == 0.0);
  CHECK(count.low == 0.0);
  CHECK(count.high == 0.0);
  CHECK(slow.predicted.at("au_raw").high < 0.9);
  CHECK(has_note(slow, "accelerators: 0, as one on each host has an AU of"));
  CHECK(has_note(slow, "au: no draw reaches the bar of 90 %"));
}

TEST_CASE("accelerators that no host has the memory for are too many, and no row is refused") {
  // Workers keep 64 batches of 14.7 MB of each rank in half of 16 GiB: nine fit.
  const PredictedRow small =
      rows_of(kDrive + "a,unet3d,a100,1,4,64,16,400,1,192,PCIe 5 NVMe,Lustre\n").rows.front();
  REQUIRE(small.predicted.contains("accelerators"));
  CHECK(small.predicted.at("accelerators").value == 9.0);
  CHECK(small.predicted.at("accelerators").high == 9.0);
  CHECK(has_note(small, "accelerators: no more fit"));
  CHECK(small.predicted.at("au_raw").value > 0.9);
}

TEST_CASE("the time limit leaves the rows that were ready") {
  Diagnostics diagnostics;
  SourceOptions options;
  options.draws = kDraws;
  options.predict.run.until = base::Deadline::in(0.0);
  // Of hosts that no other test has, so that no results of theirs are kept.
  const auto out = find_source("mlperf-csv")
                       ->predict(kDrive + "a,unet3d,h100,2,2,8,251,,,1,HDD,local\n", "t.csv",
                                 options, diagnostics);
  REQUIRE(out.ok());
  REQUIRE(out->stopped.has_value());
  CHECK(out->stopped->exit == ExitCode::inconclusive);
  REQUIRE(out->rows.size() == 1);
  CHECK(out->rows.front().predicted.empty());
  CHECK(has_note(out->rows.front(), "not predicted: time limit reached"));
}

/// A run of 64 ranks that took `seconds` to save and to load, and others of its system.
std::string after_run(const std::string& seconds) {
  const std::string facts = ",WEKA,8,2x200,10 x NVMe PCIe 4,2x200\n";
  return "case_id,calibration_case,workload,hosts,accelerators_or_ranks,save_s,load_s,protocol,"
         "storage_nodes,storage_nic_Gbps_per_node,drives,client_nic_Gbps\n"
         "cal,,llama3-70b,8,64," +
         seconds + "," + seconds + facts + "same,cal,llama3-70b,8,64,," + facts +
         "other,cal,unet3d-b200,4,8,," + facts;
}

TEST_CASE("what a run says of others does not depend on how often these are drawn") {
  const auto au = [](std::size_t draws) {
    return rows_of(after_run("40"), "mlperf-v3-rows", draws).rows[2].predicted.at("au_raw");
  };
  const PredictedFigure few = au(4), many = au(24);
  CHECK(few.value == Approx(many.value).margin(0.05));
  for (const PredictedFigure& figure : {few, many}) {
    CHECK(figure.value >= figure.draws.front());
    CHECK(figure.value <= figure.draws.back());
  }
  const PredictedFigure same =
      rows_of(after_run("40"), "mlperf-v3-rows", 4).rows[1].predicted.at("save_s");
  CHECK(same.value == Approx(40.0).epsilon(0.2));
}

TEST_CASE("intervals after a run hold it, or say that nothing explains it") {
  const PredictedRow hardly = rows_of(after_run("100"), "mlperf-v3-rows").rows[1];
  CHECK(hardly.predicted.at("save_s").high >= 100.0);
  CHECK(hardly.predicted.at("load_s").high >= 100.0);
  CHECK(has_note(hardly, "draws hardly explain \"cal\": "));
  // Data sheets have nine in ten between 6 and 16 s.
  const PredictedRow never = rows_of(after_run("200"), "mlperf-v3-rows").rows[1];
  CHECK(never.predicted.at("save_s").high > 150.0);
  CHECK(never.predicted.at("load_s").high > 150.0);
  CHECK(has_note(never, "no draw explains \"cal\": data sheets"));
  for (const PredictedRow& row : {hardly, never})
    CHECK(has_note(row, "job.save.checkpoint.rank0 was "));
}

TEST_CASE("the scenario of a row that another calibrates is written with its profile") {
  const std::string folder = "mlperf_table_test_scenarios";
  std::filesystem::create_directory(folder);
  Diagnostics diagnostics;
  SourceOptions options;
  options.draws = kDraws;
  options.scenarios = folder;
  const auto out =
      find_source("mlperf-v3-rows")->predict(after_run("40"), "t.csv", options, diagnostics);
  REQUIRE(out.ok());
  CHECK_FALSE(std::filesystem::exists(folder + "/cal.profile.json"));
  const std::optional<ProfileFile> profile =
      read_profile_file(folder + "/other.profile.json", diagnostics);
  REQUIRE(profile.has_value());
  CHECK_FALSE(profile->profile.narrowed.empty());
  const auto scenario = base::read_file(folder + "/other.json");
  REQUIRE(scenario.ok());
  CHECK(scenario->find("--profile other.profile.json") != std::string::npos);
  std::filesystem::remove_all(folder);
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
