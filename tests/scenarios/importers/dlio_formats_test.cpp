#include "tests/scenarios/importers/dlio_support.hpp"

namespace dlio_formats_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("HDF5 keeps its chunks and is opened for every sample by an indexed loader") {
  const std::vector<std::string> common{"dataset.format=hdf5", "dataset.num_samples_per_file=20",
                                        "dataset.enable_chunking=True",
                                        "dataset.chunk_size=1048576"};
  const ImportResult result = import(kImages, common);
  const Json data = job(result)["dataset"];
  CHECK(data["format"] == "hdf5");
  CHECK(data["samples_per_file"] == 20);
  CHECK(data["samples"] == 5600 * 20);
  CHECK(data["reopen"] == true);
  CHECK(data["order"] == "random");
  CHECK(in_base(data["chunk"], Dimension::bytes) == 1048576.0);
  CHECK_FALSE(has(result, Severity::warning, "approximation"));
  std::vector<std::string> threads = common;
  threads.push_back("reader.data_loader=tensorflow");
  const Json iterated = job(import(kImages, threads))["dataset"];
  CHECK_FALSE(iterated.contains("reopen"));
  CHECK(iterated["order"] == "sequential");
}

TEST_CASE("an indexed Parquet row costs its whole file, and that is said") {
  const ImportResult result =
      import(kImages, {"dataset.format=parquet", "dataset.num_samples_per_file=4"});
  const Json data = job(result)["dataset"];
  CHECK(data["format"] == "parquet");
  CHECK(in_base(data["row_group"], Dimension::bytes) == 4.0 * 146600628.0);
  CHECK(data["order"] == "random");
  CHECK(has(result, Severity::warning, "read-amplification"));
  const ImportResult alone = import(kImages, {"dataset.format=parquet"});
  CHECK_FALSE(has(alone, Severity::warning, "read-amplification"));
}

}  // namespace dlio_formats_test
