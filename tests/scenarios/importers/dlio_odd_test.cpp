#include "scenarios/importers/dlio_costs.hpp"
#include "tests/scenarios/importers/dlio_support.hpp"

/// Workloads of DLIO that are odd but honest, and numbers that are neither.
namespace dlio_odd_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("numbers that nobody counts to are errors, not counts") {
  const auto fault = [](const std::string& text, std::vector<std::string> overrides) {
    const ImportResult result = import(text, std::move(overrides));
    CHECK(result.scenario.empty());
    return first_error(result).pointer + " " + first_error(result).message;
  };
  CHECK(fault(kImages, {"dataset.num_files_train=8e15", "dataset.num_samples_per_file=8e15"}) ==
        "/dataset/num_samples_per_file \"dataset.num_samples_per_file\" makes more than can be "
        "counted");
  CHECK(fault(kImages, {"workflow.checkpoint=True", "model.model_size_bytes=1",
                        "checkpoint.checkpoint_after_epoch=8e15"}) ==
        "/checkpoint/checkpoint_after_epoch \"checkpoint.checkpoint_after_epoch\" makes "
        "more than can be counted");
  CHECK(fault(kSaves, {"model.parallelism.tensor=1e300"}) ==
        "/model/parallelism/tensor \"1e300\" is not a whole number");
  CHECK(fault(kSaves, {"model.parallelism.pipeline=1000001"}) ==
        "/model/parallelism/pipeline \"model.parallelism.pipeline\" must be at least 1 and at most "
        "1000000");
  CHECK(fault(kSaves, {"model.num_layers=0"}) ==
        "/model/num_layers \"model.num_layers\" must be at least 1");
  CHECK(fault(kSaves, {"model.transformer.hidden_size=2.5"}) ==
        "/model/transformer/hidden_size \"2.5\" is not a whole number");
  for (const char* size : {"[512, x]", "[512, -2]", "[1e300, 1e300]", "[]"}) {
    std::string text = kImages;
    const std::size_t at = text.find("  record_length_bytes:");
    text.replace(at, text.find("reader:") - at, "  record_dims: " + std::string(size) + "\n");
    INFO(size);
    if (std::string(size) == "[]")  // as if it were not there
      CHECK(in_base(job(import(text))["dataset"]["sample"], Dimension::bytes) == 65536);
    else
      CHECK(fault(text, {}) == "/dataset/record_dims the dimensions have no size");
    CHECK(first_error(import(text, {"dataset.record_length_bytes=0",
                                    "dataset.record_element_type=float1e999"}))
              .message.find("size") != std::string::npos);
  }
}

TEST_CASE("datatypes are those that DLIO has") {
  const auto state = [](const char* type) {
    return job(import(kSaves,
                      {"model.model_datatype=" + std::string(type)}))["model"]["state"]["weights"]
        .get<double>();
  };
  CHECK(state("fp32") == 4);
  CHECK(state("bf16") == 2);
  CHECK(state("fp16") == 2);
  CHECK(state("int8") == 1);
  CHECK(state("uint8") == 1);
  const ImportResult result = import(kSaves, {"model.optimizer_datatype=fp12"});
  CHECK(first_error(result).message == "\"fp12\" is not a datatype");
  CHECK(first_error(result).hint == "fp32, fp16, bf16, int8, uint8");
}

TEST_CASE("the ranks follow from the model where nobody gives them") {
  const auto ranks = [](std::vector<std::string> overrides) {
    ImportOptions options;
    options.hosts = 4;
    options.overrides = std::move(overrides);
    const Json root = scenario(import_dlio(kSaves, "w.yaml", options));
    CHECK(root["cluster"]["hosts"][0]["gpus"].get<int>() ==
          (root["jobs"][0]["accelerators"].get<int>() + 3) / 4);
    return root["jobs"][0]["accelerators"].get<int>();
  };
  CHECK(ranks({"model.parallelism.tensor=8", "model.parallelism.pipeline=2"}) == 16);
  CHECK(ranks({"model.parallelism.tensor=8", "model.parallelism.data=-1"}) == 8);
  CHECK(ranks({"model.parallelism.tensor=8", "model.parallelism.data=3"}) == 24);
}

TEST_CASE("what is left out or only nearly the same is said") {
  const auto warning = [](std::vector<std::string> overrides, std::string_view code) {
    const ImportResult result = import(kImages, std::move(overrides));
    CHECK_FALSE(result.scenario.empty());
    for (const Diagnostic& d : result.diagnostics.items())
      if (d.code == code) return d.pointer.substr(1) + " " + d.message;
    return std::string();
  };
  CHECK(warning({"workflow.evaluation=True"}, "not-modelled") ==
        "workflow/evaluation evaluation passes are left out");
  CHECK(warning({"workflow.evaluation=False"}, "not-modelled") == "");
  CHECK(warning({"dataset.compression=gzip"}, "not-modelled") ==
        "dataset/compression compression gzip is left out: sizes are taken as stored");
  CHECK(warning({"dataset.compression=none"}, "not-modelled") == "");
  CHECK(warning({"reader.preprocess_time=0.01", "reader.preprocess_time_stdev=0.001"},
                "approximation") ==
        "reader/preprocess_time_stdev the spread of preprocess_time is left out");
  CHECK(warning({"dataset.num_samples_per_file=4"}, "approximation") ==
        "dataset/format format npz: several samples in a file are modelled as read front to back");
  CHECK(warning({"workflow.checkpoint=True", "model.model_size_bytes=1", "reader.batch_size=9999"},
                "not-modelled") ==
        "workflow/checkpoint checkpoints are left out: an epoch has no step");
  CHECK(warning({"workflow.checkpoint=True"}, "not-modelled") ==
        "workflow/checkpoint checkpoints are left out: the file does not say how large they are");
  CHECK(warning({"workflow.checkpoint=True", "model.model_size_bytes=1",
                 "checkpoint.checkpoint_after_epoch=2"},
                "approximation") ==
        "checkpoint/checkpoint_after_epoch the first save is after epoch 1, not 2");
  const Json saves = job(import(kImages, {"workflow.checkpoint=True", "model.model_size_bytes=10",
                                          "checkpoint.type=all_ranks"}))["checkpoint"];
  CHECK(saves["layout"] == "sharded");
  CHECK(in_base(saves["size"], Dimension::bytes) == 160);
}

TEST_CASE("a limit of steps ends the job, and -1 is none") {
  CHECK(job(import(kImages, {"train.total_training_steps=40"}))["steps"] == 40);
  const ImportResult none = import(kImages, {"train.total_training_steps=-1"});
  CHECK_FALSE(job(none).contains("steps"));
  CHECK(note(none, "train.total_training_steps")->note == "no limit");
}

TEST_CASE("files of several samples are read by what loads them") {
  const auto data = [](const char* format, const char* loader) {
    return job(import(kImages, {"dataset.format=" + std::string(format),
                                "reader.data_loader=" + std::string(loader),
                                "dataset.num_samples_per_file=4"}))["dataset"];
  };
  CHECK(data("hdf5", "tensorflow")["order"] == "sequential");
  CHECK_FALSE(data("hdf5", "tensorflow").contains("reopen"));
  CHECK(data("parquet", "tensorflow")["order"] == "sequential");
  CHECK_FALSE(data("parquet", "tensorflow").contains("reopen"));
  CHECK(data("mmap_indexed_binary", "pytorch")["reopen"] == true);
  CHECK_FALSE(data("mmap_indexed_binary", "tensorflow").contains("reopen"));
  CHECK_FALSE(job(import(kImages, {"reader.data_loader=synthetic"})).contains("dataset"));
  // Chunks of no size are none.
  CHECK_FALSE(job(import(kImages, {"dataset.format=hdf5", "dataset.enable_chunking=True",
                                   "dataset.chunk_size=0"}))["dataset"]
                  .contains("chunk"));
}

TEST_CASE("distributions of time that miss a part name what is missing") {
  for (const char* time :
       {"{min: 1, type: uniform}", "{max: 1, type: uniform}", "{shape: 1, type: gamma}",
        "{scale: 1, type: gamma}", "{type: exponential}", "{type: poisson}", "{type: cauchy}"}) {
    std::string text = kImages;
    text.replace(text.find("0.323"), 5, time);
    INFO(time);
    const Diagnostic d = first_error(import(text));
    CHECK(d.pointer == "/train/computation_time/type");
    CHECK(d.message.find("is not a complete distribution of time") != std::string::npos);
    CHECK(d.hint == "normal, uniform, gamma, exponential, poisson");
  }
  CHECK(first_error(import(kImages, {"train.computation_time_stdev=-1"})).message ==
        "a time cannot be negative");
}

TEST_CASE("names become ids") {
  CHECK(scenario(import(kImages, {"model.name=U-Net 3d_v2.1!"}))["id"] == "U-Net-3d_v2-1-");
  std::string text = kImages;
  text.erase(text.find("model:"), text.find("framework:") - text.find("model:"));
  CHECK(scenario(import(text))["id"] == "w");
  ImportOptions options;
  CHECK(scenario(import_dlio(text, "", options))["id"] == "imported");
}

TEST_CASE("hosts that the GPUs do not fill evenly are told of") {
  const auto uneven = [](std::int64_t hosts, std::int64_t accelerators) {
    ImportOptions options;
    options.hosts = hosts;
    options.accelerators = accelerators;
    const ImportResult result = import_dlio(kImages, "w.yaml", options);
    CHECK(job(result)["accelerators"] == accelerators);
    return has(result, Severity::warning, "uneven");
  };
  CHECK(uneven(3, 8));
  CHECK(uneven(16, 8));
  CHECK_FALSE(uneven(4, 8));
  CHECK_FALSE(uneven(8, 8));
}

TEST_CASE("storage of another scenario needs an id, and its hosts one, too") {
  const auto given = [](const std::string& storage) {
    ImportOptions options;
    options.hosts = 2;
    options.accelerators = 16;
    options.storage_file = "site.json";
    options.storage_text = storage;
    return import_dlio(kImages, "w.yaml", options);
  };
  for (const char* storage : {"[]", R"({})", R"({ "storage": {} })", R"({ "storage": [7] })",
                              R"({ "storage": [{}] })", R"({ "storage": [ { "id": 7 } ] })"}) {
    INFO(storage);
    const ImportResult result = given(storage);
    CHECK(first_error(result).code == "storage");
    CHECK(first_error(result).message == "\"site.json\" has no storage system with an id");
  }
  CHECK(first_error(given("{")).code == "syntax");
  const std::string fast = R"("storage": [ { "id": "fast", "type": "lustre" } ])";
  for (const char* cluster :
       {"7", "[7]", R"({ "hosts": [] })", R"({ "hosts": [ { "id": 7 } ] })"}) {
    INFO(cluster);
    const Json root =
        scenario(given("{ \"cluster\": " + std::string(cluster) + ", " + fast + " }"));
    CHECK(root["cluster"]["hosts"][0]["id"] == "gpu");
    CHECK(root["storage"][0]["id"] == "fast");
  }
}

TEST_CASE("files that TensorFlow's hosts open are written where nobody says how many") {
  const auto opens = [](const std::string& host) {
    ImportOptions options;
    options.accelerators = 16;
    options.storage_file = "site.json";
    options.storage_text = R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 2 )" + host +
                           R"( } ] }, "storage": [ { "id": "fast", "type": "lustre" } ] })";
    options.overrides = {"reader.data_loader=tensorflow", "dataset.format=tfrecord"};
    return scenario(import_dlio(kImages, "w.yaml", options))["cluster"]["hosts"][0]["opens"];
  };
  CHECK(in_base(opens("")["value"], Dimension::op_rate) == 4850);
  CHECK(opens(R"(, "opens": "9 kops/s")") == "9 kops/s");
}

TEST_CASE("ranks that share cores lose more on Zen 2, where they lose anything") {
  const DlioCosts& images = dlio_costs("resnet50");
  CHECK(dlio_sharing(images, false).middle == images.sharing.middle);
  CHECK(dlio_sharing(images, true).middle > images.sharing.middle);
  CHECK_FALSE(dlio_sharing(dlio_costs("unet3d"), true).given());
}

TEST_CASE("what cannot be simulated is said, and no field is of what was left out") {
  const ImportResult result =
      import(kImages + "checkpoint: {epochs_between_checkpoints: 2, model_size: 499153191}\n",
             {"workflow.checkpoint=True", "dataset.num_files_train=100"});
  const auto said =
      std::find_if(result.diagnostics.items().begin(), result.diagnostics.items().end(),
                   [](const Diagnostic& d) { return d.code == "too-few-samples"; });
  REQUIRE(said != result.diagnostics.items().end());
  CHECK(said->message.find("100 samples, and one step takes 7 for each of 16") !=
        std::string::npos);
  CHECK(faults_of_loading(result).size() == 1);
  CHECK_FALSE(job(result).contains("checkpoint"));
  for (const FieldNote& field : result.fields) {
    INFO(field.source);
    CHECK(field.target.find("checkpoint") == std::string::npos);
    if (field.source.find("heckpoint") != std::string::npos)
      CHECK(field.fate == FieldFate::ignored);
  }
  CHECK(note(result, "model.model_size_bytes")->fate == FieldFate::ignored);
  CHECK(note(result, "workflow")->value == "train");
  CHECK(note(result, "reader.prefetch_size")->note == "DLIO's default; for each worker 1");
}

TEST_CASE("keys of saves are DLIO's own where nothing is saved, too") {
  const std::string saves =
      kImages +
      "checkpoint: {type: all_ranks, mode: default, checkpoint_after_epoch: 5, "
      "epochs_between_checkpoints: 2, steps_between_checkpoints: -1, "
      "time_between_checkpoints: 5, num_checkpoints_write: 3}\n";
  for (const bool save : {false, true}) {
    CAPTURE(save);
    // Without a size, saves that are asked for are left out.
    std::vector<std::string> overrides = {save ? "workflow.checkpoint=True"
                                               : "workflow.checkpoint=False"};
    if (!save) overrides.emplace_back("model.model_size=499153191");
    const ImportResult result = import(saves, std::move(overrides));
    CHECK_FALSE(job(result).contains("checkpoint"));
    for (const Diagnostic& d : result.diagnostics.items()) CHECK(d.code != "unknown-key");
    for (const char* key :
         {"checkpoint.type", "checkpoint.mode", "checkpoint.checkpoint_after_epoch",
          "checkpoint.time_between_checkpoints"}) {
      CAPTURE(key);
      CHECK(note(result, key)->fate == FieldFate::ignored);
      CHECK(note(result, key)->note == "checkpoints are left out");
    }
  }
}

}  // namespace dlio_odd_test
