#include "scenarios/importers/dlio.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/scenarios/importers/dlio_support.hpp"

namespace dlio_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("a DLIO workload becomes a job with quantities that carry units") {
  const ImportResult result = import(kImages);
  const Json root = scenario(result), train = root["jobs"][0];
  CHECK(root["id"] == "segmentation");
  CHECK(root["cluster"]["hosts"][0]["count"] == 2);
  CHECK(root["cluster"]["hosts"][0]["gpus"] == 8);
  CHECK(train["accelerators"] == 16);
  CHECK(train["epochs"] == 5);
  CHECK(train["dataset"]["format"] == "npz");
  CHECK(train["dataset"]["samples"] == 5600);
  CHECK(train["dataset"]["on"] == root["storage"][0]["id"]);
  CHECK(train["loader"]["batch"] == 7);
  CHECK(train["loader"]["workers"] == 4);
  CHECK(in_base(train["dataset"]["sample"], Dimension::bytes) == 146600628.0);
  CHECK(in_base(train["step"]["compute"], Dimension::time) == Approx(0.323));
  CHECK(in_base(train["step"]["jitter"], Dimension::ratio) == 0.0);
}

TEST_CASE("what DLIO itself costs is written with its range, by what loads") {
  const auto range = [](const Json& part, const char* key, Dimension dimension) {
    const Json& node = part[key];
    CHECK(node["why"].get<std::string>().find("MLPerf Storage v1.0") != std::string::npos);
    return std::array{in_base(node["low"], dimension), in_base(node["value"], dimension),
                      in_base(node["high"], dimension)};
  };
  const Json torch = job(import(kImages));
  CHECK(range(torch["step"], "overhead", Dimension::time) == std::array{1.5e-3, 3e-3, 6e-3});
  CHECK_FALSE(torch["step"].contains("sharing"));
  CHECK(range(torch["barrier"], "per_sqrt", Dimension::time)[1] == Approx(1.6e-3));
  CHECK(range(torch["dataset"], "parse", Dimension::rate)[1] == Approx(0.8e9));
  CHECK(range(torch["dataset"], "stream", Dimension::rate)[2] == Approx(1.82e9));
  CHECK(torch["loader"]["handover"] == "0 ms");
  CHECK_FALSE(torch["loader"].contains("iterator"));

  const auto tensorflow = [](const char* batch) {
    return job(import(kImages, {"reader.data_loader=tensorflow", "dataset.format=tfrecord",
                                std::string("reader.batch_size=") + batch}));
  };
  const Json many = tensorflow("400"), one = tensorflow("1");
  CHECK(range(many["step"], "sharing", Dimension::ratio)[1] == Approx(0.07));
  CHECK(range(one["step"], "sharing", Dimension::ratio)[1] == Approx(0.07));
  CHECK(range(many["loader"], "iterator", Dimension::time)[1] == Approx(0.15));
  CHECK(range(one["loader"], "names", Dimension::time)[1] == Approx(0.75e-6));
  CHECK_FALSE(one["dataset"].contains("stream"));
}

TEST_CASE("the stored sizes vary less than record_length_stdev says") {
  // L = 146600628, stdev = 68341808. Sides a, b ~ N(sqrt(L), stdev / (2 sqrt(L))), independent:
  // Var[ab] = stdev^2 / 2 + (stdev^2 / (4 L))^2 = (48.325e6)^2 + (7.965e6)^2 = (48.977e6)^2 B^2.
  const Json dataset = job(import(kImages))["dataset"];
  CHECK(in_base(dataset["sample_stdev"], Dimension::bytes) == Approx(48.977e6).epsilon(1e-4));
}

TEST_CASE("a batch holds the resized buffers, whatever was read") {
  const Json dataset =
      job(import(kImages, {"++workload.dataset.record_length_bytes_resize=2097152"}))["dataset"];
  CHECK(in_base(dataset["tensor"], Dimension::bytes) == 2097152.0);
}

TEST_CASE("prefetch_size counts batches per rank and 0 means two per worker") {
  // prefetch_factor = ceil(prefetch_size / read_threads), 0 -> 2; DLIO's default is 2 batches.
  const auto prefetch = [](std::vector<std::string> overrides) {
    return job(import(kImages, std::move(overrides)))["loader"]["prefetch"].get<int>();
  };
  CHECK(prefetch({}) == 1);
  CHECK(prefetch({"++workload.reader.prefetch_size=0"}) == 2);
  CHECK(prefetch({"++workload.reader.prefetch_size=9"}) == 3);
  CHECK(prefetch({"reader.read_threads=1"}) == 2);
  CHECK(prefetch({"reader.read_threads=0", "reader.prefetch_size=3"}) == 3);
}

TEST_CASE("the spelling of record_length tells the rounds of MLPerf Storage apart") {
  std::string old = kImages;
  for (std::size_t at; (at = old.find("record_length_bytes")) != std::string::npos;)
    old.replace(at, 19, "record_length");
  CHECK(job(import(kImages))["au"] == "dlio-v2");
  CHECK(job(import(old))["au"] == "dlio-v1");
  CHECK(job(import(old))["dataset"] == job(import(kImages))["dataset"]);
}

TEST_CASE("a top-level workload key changes nothing") {
  std::string wrapped = "workload:\n";
  for (std::size_t at = 1, end; at < kImages.size(); at = end + 1) {
    end = kImages.find('\n', at);
    wrapped += "  " + kImages.substr(at, end - at) + "\n";
  }
  CHECK(import(wrapped).scenario == import(kImages).scenario);
}

TEST_CASE("the bar of metric.au becomes an assertion, and no bar becomes none") {
  CHECK(scenario(import(kImages))["expect"][0]["that"] == "job.train.au >= 90 %");
  std::string without = kImages.substr(0, kImages.find("metric:"));
  CHECK_FALSE(scenario(import(without)).contains("expect"));
}

TEST_CASE("a distribution of the step time becomes its mean and relative spread") {
  struct Case {
    std::string text;
    double mean, jitter;
  };
  // Uniform on [a, b]: mean (a + b) / 2, stdev (b - a) / sqrt(12). Gamma(k, s): k s, sqrt(k) s.
  const std::vector<Case> cases{{"{mean: 0.5, stdev: 0.05}", 0.5, 0.1},
                                {"{mean: 0.5, stdev: 0.05, type: normal}", 0.5, 0.1},
                                {"{min: 0.5, max: 1.5, type: uniform}", 1.0, 1.0 / std::sqrt(12.0)},
                                {"{shape: 4, scale: 0.1, type: gamma}", 0.4, 0.5},
                                {"{scale: 0.2, type: exponential}", 0.2, 1.0},
                                {"{lam: 4, type: poisson}", 4.0, 0.5}};
  for (const Case& c : cases) {
    std::string text = kImages;
    text.replace(text.find("0.323"), 5, c.text);
    const Json step = job(import(text))["step"];
    CHECK(in_base(step["compute"], Dimension::time) == Approx(c.mean));
    CHECK(in_base(step["jitter"], Dimension::ratio) == Approx(c.jitter));
  }
}

TEST_CASE("a spread next to the mean is understood too") {
  const Json step = job(import(kImages, {"train.computation_time_stdev=0.0323"}))["step"];
  CHECK(in_base(step["jitter"], Dimension::ratio) == Approx(0.1));
}

TEST_CASE("a step without time, or with a distribution that misses a part, is an error") {
  CHECK(has(import(kImages, {"train.computation_time=0"}), Severity::error, "value"));
  CHECK(has(import(kImages, {"train.computation_time=-1"}), Severity::error, "value"));
  std::string text = kImages;
  text.replace(text.find("0.323"), 5, "{min: 1, type: uniform}");
  const ImportResult result = import(text);
  CHECK(has(result, Severity::error, "value"));
  CHECK(result.scenario.empty());
  CHECK(result.fields.empty());
}

TEST_CASE("unknown keys are reported with their place and the nearest known key") {
  std::string text = kImages;
  text.replace(text.find("read_threads"), 12, "read_thread");
  const ImportResult result = import(text);
  REQUIRE(has(result, Severity::warning, "unknown-key"));
  for (const Diagnostic& d : result.diagnostics.items()) {
    if (d.code != "unknown-key") continue;
    CHECK(d.position.line == 13);
    CHECK(d.hint == "did you mean \"reader.read_threads\"?");
    CHECK(d.pointer == "/reader/read_thread");
  }
  CHECK(note(result, "reader.read_thread")->fate == FieldFate::ignored);
}

TEST_CASE("every field of the file is accounted for exactly once") {
  const ImportResult result =
      import(kImages, {"reader.odirect=True", "dataset.data_folder=data/x", "train.seed=1"});
  for (const char* key : {"model.name", "framework", "dataset.format", "dataset.num_files_train",
                          "dataset.record_length_bytes_stdev", "reader.read_threads",
                          "train.epochs", "train.computation_time", "metric.au", "reader.odirect"})
    CHECK(std::count_if(result.fields.begin(), result.fields.end(),
                        [&](const FieldNote& f) { return f.source == key; }) == 1);
  CHECK(note(result, "dataset.data_folder")->fate == FieldFate::ignored);
  CHECK(note(result, "reader.prefetch_size")->fate == FieldFate::defaulted);
  const std::string text = print_fields(result);
  CHECK(text.find("reader.read_threads = 4 -> jobs[train].loader.workers") != std::string::npos);
  CHECK(text.find("ignored\n") != std::string::npos);
}

TEST_CASE("what the file cannot say is a placeholder that is warned about") {
  const ImportResult result = import_dlio(kImages, "w.yaml", {});
  CHECK(std::count_if(result.diagnostics.items().begin(), result.diagnostics.items().end(),
                      [](const Diagnostic& d) { return d.code == "placeholder"; }) == 3);
  CHECK_FALSE(result.diagnostics.has_errors());
  CHECK(scenario(result)["params"]["n_ost"]["doc"].get<std::string>().find("placeholder") == 0);
}

TEST_CASE("storage and cluster can come from another scenario") {
  ImportOptions options;
  options.accelerators = 16;
  options.storage_file = "site.json";
  options.storage_text = R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] }, // ours
                              "storage": [ { "id": "fast", "type": "lustre", "ost": { "count": 8 } } ] })";
  const ImportResult result = import_dlio(kImages, "w.yaml", options);
  const Json root = scenario(result);
  CHECK(root["storage"][0]["id"] == "fast");
  CHECK(root["jobs"][0]["dataset"]["on"] == "fast");
  CHECK(root["cluster"]["hosts"][0]["count"] == 4);
  CHECK_FALSE(root.contains("params"));
  // the number of hosts may differ; the hosts stay what they are there
  options.hosts = 2;
  options.storage_text =
      R"({ "cluster": { "hosts": [ { "id": "client", "count": 4, "nic": { "rate": "100 Gb/s" } } ] },
                              "storage": [ { "id": "fast", "type": "lustre", "ost": { "count": 8 } } ] })";
  const Json fewer = scenario(import_dlio(kImages, "w.yaml", options));
  CHECK(fewer["cluster"]["hosts"][0]["count"] == 2);
  CHECK(fewer["cluster"]["hosts"][0]["gpus"] == 8);
  CHECK(fewer["cluster"]["hosts"][0]["nic"]["rate"] == "100 Gb/s");
  CHECK(fewer["jobs"][0]["hosts"] == "client");
  options.hosts.reset();
  options.storage_text = R"({ "storage": [] })";
  const ImportResult without = import_dlio(kImages, "w.yaml", options);
  CHECK(has(without, Severity::error, "storage"));
  CHECK(first_error(without).position.file == "site.json");
}

TEST_CASE("a TensorFlow reader keeps its threads and counts finished batches ahead") {
  const Json train =
      job(import(kImages, {"dataset.format=tfrecord", "reader.data_loader=tensorflow",
                           "dataset.num_samples_per_file=1251", "dataset.num_files_train=1024",
                           "reader.prefetch_size=6"}));
  CHECK(train["dataset"]["format"] == "tfrecord");
  CHECK(train["dataset"]["samples_per_file"] == 1251);
  CHECK(train["dataset"]["samples"] == 1251 * 1024);
  CHECK(train["loader"]["type"] == "tensorflow");
  CHECK(train["loader"]["workers"] == 4);
  CHECK(train["loader"]["prefetch"] == 6);
}

TEST_CASE("a loader without a model of its own is approximated, and that is said") {
  const ImportResult result = import(kImages, {"reader.data_loader=dali"});
  CHECK(job(result)["loader"]["type"] == "ideal");
  CHECK(has(result, Severity::warning, "approximation"));
}

TEST_CASE("record_dims fix the size of a sample") {
  std::string text = kImages;
  const std::size_t at = text.find("  record_length_bytes:");
  text.replace(at, text.find("reader:") - at,
               "  record_dims: [512, 256, 2]\n  record_element_type: float32\n");
  // 512 x 256 x 2 elements of 4 B
  CHECK(in_base(job(import(text))["dataset"]["sample"], Dimension::bytes) == 1048576.0);
}

TEST_CASE("an unknown format is an error that lists the known ones") {
  const ImportResult result = import(kImages, {"dataset.format=npx"});
  REQUIRE(has(result, Severity::error, "format"));
  CHECK(first_error(result).hint.find("npz, npy") == 0);
}

TEST_CASE("data made in memory needs no data set") {
  CHECK_FALSE(job(import(kImages, {"dataset.format=synthetic"})).contains("dataset"));
}

TEST_CASE("checkpoints of training are counted in steps") {
  const std::vector<std::string> common{"workflow.checkpoint=True",
                                        "model.model_size_bytes=499000000"};
  const auto every = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return job(import(kImages, more))["checkpoint"]["every_steps"].get<int>();
  };
  // 5600 samples, 7 a batch, 16 accelerators: 50 steps an epoch, 5 epochs.
  CHECK(every({}) == 50);
  CHECK(every({"checkpoint.steps_between_checkpoints=20"}) == 20);
  CHECK(every({"checkpoint.epochs_between_checkpoints=2"}) == 100);
  CHECK(every({"checkpoint.checkpoint_after_epoch=5", "checkpoint.epochs_between_checkpoints=2"}) ==
        250);
  const Json saved = job(import(kImages, common))["checkpoint"];
  CHECK(saved["layout"] == "zero0");
  CHECK(in_base(saved["size"], Dimension::bytes) == 499000000.0);
}

TEST_CASE("a workload that only saves becomes steps of a pause and a save") {
  const ImportResult result = import(kSaves);
  const Json train = job(result);
  CHECK(train["steps"] == 10);
  CHECK(in_base(train["step"]["compute"], Dimension::time) == 5.0);
  CHECK(train["checkpoint"]["every_steps"] == 1);
  CHECK_FALSE(train.contains("dataset"));
  CHECK(train["model"]["shape"]["layers"] == 32);
  CHECK(train["checkpoint"]["layout"] == "zero3");
  CHECK_FALSE(train["checkpoint"].contains("restore"));
  const ImportResult loads = import(kSaves, {"checkpoint.num_checkpoints_read=10"});
  CHECK(job(loads)["checkpoint"]["restore"]["read"] == "own");
}

TEST_CASE("accelerators that do not divide into model shards are an error") {
  CHECK(has(import(kSaves, {"model.parallelism.tensor=5"}), Severity::error, "accelerators"));
}

TEST_CASE("a workload with nothing to predict is an error") {
  CHECK(has(import(kImages, {"workflow.train=False"}), Severity::error, "workflow"));
  CHECK(has(import("workflow: {train: False, checkpoint: True}\n"), Severity::error, "checkpoint"));
}

TEST_CASE("numbers out of range are errors at their place") {
  for (const char* fault :
       {"reader.batch_size=0", "train.epochs=0", "dataset.num_files_train=0", "metric.au=90",
        "reader.read_threads=-1", "dataset.record_length_bytes=0", "reader.batch_size=seven"}) {
    INFO(fault);
    CHECK(has(import(kImages, {fault}), Severity::error, "value"));
  }
}

TEST_CASE("what is imported is a scenario that loads") {
  const std::vector<std::vector<std::string>> variants{
      {},
      {"dataset.format=tfrecord", "reader.data_loader=tensorflow",
       "dataset.num_samples_per_file=9"},
      {"dataset.format=jpeg", "reader.odirect=True", "reader.preprocess_time=0.001"},
      {"dataset.format=hdf5", "dataset.enable_chunking=True", "dataset.chunk_size=1048576"},
      {"dataset.format=parquet", "dataset.num_samples_per_file=4"},
      {"dataset.format=mmap_indexed_binary", "dataset.num_samples_per_file=4"},
      {"dataset.format=synthetic"},
      {"workflow.checkpoint=True", "model.model_size_bytes=499000000"}};
  for (const std::vector<std::string>& overrides : variants)
    CHECK(faults_of_loading(import(kImages, overrides)).empty());
  CHECK(faults_of_loading(import(kSaves)).empty());
}

TEST_CASE("the table of importers is sorted and finds its rows") {
  const auto rows = importers();
  CHECK(std::is_sorted(rows.begin(), rows.end(),
                       [](const Importer& a, const Importer& b) { return a.id < b.id; }));
  REQUIRE(find_importer("dlio") != nullptr);
  CHECK(find_importer("dlio")->import == &import_dlio);
  CHECK(find_importer("nothing") == nullptr);
}

}  // namespace dlio_test
