#include "scenarios/importers/terraform.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "engine/base/jsonc.hpp"
#include "stallcast/scenario.hpp"

namespace terraform_test {

using namespace stallcast;
using Catch::Matchers::Contains;
using scenarios::FieldFate;
using scenarios::ImportResult;

namespace {

// What `terraform show -json` prints of a plan, cut to what is read, and a resource that is not.
constexpr const char* kPlan = R"({
  "format_version": "1.2", "terraform_version": "1.9.5",
  "planned_values": { "root_module": {
    "resources": [
      { "address": "aws_fsx_lustre_file_system.scratch", "mode": "managed",
        "type": "aws_fsx_lustre_file_system", "name": "scratch",
        "values": { "deployment_type": "PERSISTENT_2", "storage_capacity": 19200,
                    "per_unit_storage_throughput": 250, "storage_type": "SSD" } },
      { "address": "aws_instance.gpu[0]", "mode": "managed", "type": "aws_instance", "name": "gpu",
        "index": 0, "values": { "instance_type": "p5.48xlarge" } },
      { "address": "aws_instance.gpu[1]", "mode": "managed", "type": "aws_instance", "name": "gpu",
        "index": 1, "values": { "instance_type": "p5.48xlarge" } },
      { "address": "aws_instance.login", "mode": "managed", "type": "aws_instance", "name": "login",
        "values": { "instance_type": "t3.large" } },
      { "address": "data.aws_s3_bucket.old", "mode": "data", "type": "aws_s3_bucket", "name": "old",
        "values": { "bucket": "old" } } ],
    "child_modules": [ { "address": "module.data", "resources": [
      { "address": "module.data.aws_s3_bucket.scratch", "mode": "managed", "type": "aws_s3_bucket",
        "name": "scratch", "values": { "bucket": "training" } } ] } ] } }
})";

ImportResult import(const std::string& text, const scenarios::ImportOptions& options = {}) {
  return scenarios::import_terraform(text, "plans/prod.json", options);
}

std::string with(const char* from, const char* to) {
  std::string text = kPlan;
  text.replace(text.find(from), std::string(from).size(), to);
  return text;
}

base::Json scenario(const ImportResult& result) {
  for (const Diagnostic& d : result.diagnostics.items()) INFO(d.message);
  REQUIRE_FALSE(result.diagnostics.has_errors());
  return base::Json::parse(result.scenario);
}

}  // namespace

TEST_CASE("a plan becomes storage of its size and hosts of its instances") {
  // 19200 GiB in OSTs of 1.2 TiB: 15.6, so 16.
  const base::Json root = scenario(import(kPlan));
  CHECK(root["id"] == "prod");
  CHECK(root["storage"][0]["id"] == "scratch");
  CHECK(root["storage"][0]["use"] == "storage/fsx-lustre-p2-250");
  CHECK(root["storage"][0]["ost"]["count"] == 16);
  CHECK(root["cluster"]["hosts"][0]["use"] == "host/aws-p5.48xlarge");
  CHECK(root["cluster"]["hosts"][0]["count"] == 2);
  CHECK(root["cluster"]["fabric"]["use"] == "fabric/efa-p5");
}

TEST_CASE("modules are followed, names stay different, and what is looked up is not made") {
  const base::Json storage = scenario(import(kPlan))["storage"];
  REQUIRE(storage.size() == 2);
  CHECK(storage[1]["id"] == "scratch-2");
  CHECK(storage[1]["use"] == "storage/s3-standard");
}

TEST_CASE("an imported plan is a scenario") {
  const auto loaded = Scenario::read({.file = "prod.json", .text = import(kPlan).scenario});
  for (const Diagnostic& d : loaded.diagnostics().items()) INFO(d.pointer << d.message);
  CHECK_FALSE(loaded.diagnostics().has_errors());
}

TEST_CASE("every resource that is known leads to a product of the catalogue") {
  const std::pair<const char*, const char*> cases[] = {
      {R"("aws_fsx_lustre_file_system", "name": "scratch",
        "values": { "deployment_type": "SCRATCH_2", "storage_capacity": 1200 })",
       "storage/fsx-lustre-p1-200"},
      {R"("aws_fsx_lustre_file_system", "name": "scratch",
        "values": { "deployment_type": "PERSISTENT_1", "storage_type": "HDD",
                    "storage_capacity": 6000, "per_unit_storage_throughput": 12 })",
       "storage/fsx-lustre-hdd-12"},
      {R"("azurerm_managed_lustre_file_system", "name": "scratch",
        "values": { "sku_name": "AMLFS-Durable-Premium-500", "storage_capacity_in_tb": 48 })",
       "storage/azure-lustre-500"},
      {R"("google_lustre_instance", "name": "scratch",
        "values": { "capacity_gib": "18000", "per_unit_storage_throughput": "1000" })",
       "storage/google-lustre-1000"},
      {R"("aws_efs_file_system", "name": "scratch", "values": { "throughput_mode": "elastic" })",
       "storage/efs-elastic"},
      {R"("google_storage_bucket", "name": "scratch", "values": {})", "storage/gcs"},
      {R"("azurerm_storage_account", "name": "scratch", "values": {})", "storage/azure-blob"},
      {R"("aws_s3_directory_bucket", "name": "scratch", "values": {})", "storage/s3-express"}};
  for (const auto& [resource, product] : cases) {
    INFO(product);
    const std::string plan =
        R"({"planned_values":{"root_module":{"resources":[{"address":"a","type":)" +
        std::string(resource) + "}]}}}";
    scenarios::ImportOptions options;
    options.hosts = 4;
    const ImportResult result = import(plan, options);
    CHECK(scenario(result)["storage"][0]["use"] == product);
    CHECK_FALSE(
        Scenario::read({.file = "x.json", .text = result.scenario}).diagnostics().has_errors());
  }
}

TEST_CASE("an EFS that is not elastic has the throughput that it was bought with") {
  const auto of = [](const std::string& values) {
    scenarios::ImportOptions options;
    options.hosts = 4;
    return import(
        R"({"planned_values":{"root_module":{"resources":[{"address":"aws_efs_file_system.a",
        "type":"aws_efs_file_system","name":"a","values":)" +
            values + "}]}}}",
        options);
  };
  const auto warned = [](const ImportResult& result) {
    std::string out;
    for (const Diagnostic& d : result.diagnostics.items())
      if (d.code == "throughput") out += d.message;
    return out;
  };
  // 8 MiB/s of metered bytes: those written, and a third of those read.
  const ImportResult eight =
      of(R"({"throughput_mode": "provisioned", "provisioned_throughput_in_mibps": 8})");
  CHECK(scenario(eight)["storage"][0]["head"]["write"] == "8 MiB/s");
  CHECK(scenario(eight)["storage"][0]["head"]["read"] == "24 MiB/s");
  CHECK(warned(eight).empty());
  CHECK_FALSE(
      Scenario::read({.file = "x.json", .text = eight.scenario}).diagnostics().has_errors());
  // What is stored decides, which no plan says: bursting is also what the provider takes.
  for (const char* values : {R"({"throughput_mode": "bursting"})", "{}"}) {
    CHECK(scenario(of(values))["storage"][0]["head"]["write"] == "100 MiB/s");
    CHECK_THAT(warned(of(values)), Contains("50 KiB/s for each GiB"));
  }
  CHECK_THAT(warned(of(R"({"throughput_mode": "provisioned"})")), Contains("provisioned"));
  const ImportResult elastic = of(R"({"throughput_mode": "elastic"})");
  CHECK_FALSE(scenario(elastic)["storage"][0].contains("head"));
  CHECK(warned(elastic).empty());
}

TEST_CASE("what cannot be read is said with its place") {
  const auto first = [](const std::string& plan) {
    const ImportResult result = import(plan);
    CHECK(result.scenario.empty());
    REQUIRE(result.diagnostics.has_errors());
    const Diagnostic& d = result.diagnostics.items().front();
    CHECK_FALSE(d.hint.empty());
    return std::to_string(d.position.line) + " " + d.message;
  };
  CHECK_THAT(first("{}"), Contains("not a plan or state of Terraform"));
  CHECK_THAT(first("[1]"), Contains("not a plan or state of Terraform"));
  CHECK_THAT(first(R"({"values": {"root_module": {}}})"), Contains("no storage that is known"));
  CHECK_THAT(
      first(with("\"per_unit_storage_throughput\": 250", "\"per_unit_storage_throughput\": 7")),
      Contains("7 no product of the catalogue"));
  CHECK(import("{").diagnostics.has_errors());
}

TEST_CASE("node groups and several kinds of GPU hosts are followed as far as a job goes") {
  const auto group = [](const std::string& values) {
    return with(R"("type": "aws_instance", "name": "login",
        "values": { "instance_type": "t3.large" })",
                (R"("type": "aws_eks_node_group", "name": "pool", "values": )" + values).c_str());
  };
  const auto fate = [](const ImportResult& result) {
    for (const auto& field : result.fields)
      if (field.source == "aws_instance.login")
        return std::string(field.fate == FieldFate::mapped ? "mapped " : "ignored ") + field.note;
    return std::string();
  };
  const ImportResult same = import(group(
      R"({ "instance_types": ["p5.48xlarge"], "scaling_config": [ { "desired_size": 6 } ] })"));
  CHECK(scenario(same)["cluster"]["hosts"][0]["count"] == 8);  // and two instances
  CHECK(fate(same) == "mapped host/aws-p5.48xlarge");
  for (
      const char* none :
      {"{}", R"({ "instance_types": ["p5.48xlarge"] })",
       R"({ "instance_types": [], "scaling_config": [] })",
       R"({ "instance_types": [7], "scaling_config": [ { "desired_size": 6 } ] })",
       R"({ "instance_types": "p5", "scaling_config": [ 7 ] })",
       R"({ "instance_types": ["p5.48xlarge"], "scaling_config": [ { "desired_size": false } ] })"}) {
    INFO(none);
    CHECK(fate(import(group(none))) == "ignored no nodes are asked for");
  }
  const ImportResult other = import(group(
      R"({ "instance_types": ["p4d.24xlarge"], "scaling_config": [ { "desired_size": "4" } ] })"));
  CHECK(fate(other) == "ignored the job runs on another kind of host");
  CHECK(scenario(other)["cluster"]["hosts"][0]["use"] == "host/aws-p5.48xlarge");
  CHECK_THAT(other.diagnostics.items()[0].message,
             Contains("several kinds of GPU hosts; the job runs on \"host/aws-p5.48xlarge\""));
  const ImportResult huge = import(group(
      R"({ "instance_types": ["p5.48xlarge"], "scaling_config": [ { "desired_size": 1e300 } ] })"));
  CHECK(scenario(huge)["cluster"]["hosts"][0]["count"] == 1e300);
}

TEST_CASE("options say what a plan does not") {
  scenarios::ImportOptions options;
  options.hosts = 5;
  options.accelerators = 40;
  const base::Json root = scenario(import(kPlan, options));
  CHECK(root["cluster"]["hosts"][0]["count"] == 5);
  CHECK(root["jobs"][0]["accelerators"] == 40);
  const std::string alone = R"({ "values": { "root_module": { "resources": [ { "address": "a",
    "type": "aws_s3_bucket", "name": "my.bucket", "values": {} }, { "address": "b",
    "type": "aws_s3_bucket", "name": "", "values": {} }, { "address": "c",
    "type": "random_id", "values": {} }, { "type": "aws_s3_bucket" }, 7 ], "child_modules": [ 7 ] } } })";
  const ImportResult without = import(alone);
  const base::Json made = scenario(without);
  CHECK(made["cluster"]["hosts"][0]["count"] == 8);
  CHECK_FALSE(made["cluster"].contains("fabric"));
  CHECK(made["storage"].size() == 2);
  CHECK(made["storage"][0]["id"] == "my-bucket");
  CHECK(made["storage"][1]["id"] == "unnamed");
  CHECK_THAT(without.diagnostics.items()[0].message, Contains("8 are a placeholder"));
  for (const auto& field : without.fields)
    if (field.source == "c") CHECK(field.note == "no storage and no GPU instance");
  CHECK(scenario(import(alone, options))["cluster"]["hosts"][0]["count"] == 5);
}

TEST_CASE("file systems without their rate or size are what is left of them") {
  const auto storage = [](const std::string& resource) {
    return scenario(import(R"({"values":{"root_module":{"resources":[{"address":"a","type":)" +
                           resource + "}]}}}"))["storage"][0];
  };
  const base::Json scratch = storage(R"("aws_fsx_lustre_file_system", "name": "s", "values": {})");
  CHECK(scratch["use"] == "storage/fsx-lustre-p1-200");
  CHECK_FALSE(scratch.contains("ost"));
  CHECK(storage(R"("aws_fsx_lustre_file_system", "name": "s",
    "values": { "deployment_type": "PERSISTENT_1", "per_unit_storage_throughput": 50 })")["use"] ==
        "storage/fsx-lustre-p1-50");
  CHECK(storage(R"("aws_efs_file_system", "name": "s",
    "values": { "throughput_mode": "bursting" })")["use"] == "storage/efs-elastic");
  CHECK(storage(R"("aws_fsx_lustre_file_system", "name": "s",
    "values": { "storage_capacity": 1e290 })")["ost"]["count"]
            .is_number_float());
}

TEST_CASE("what became of each resource is told, and what is a placeholder is warned of") {
  const ImportResult result = import(kPlan);
  const auto fate = [&](const std::string& source) {
    for (const auto& field : result.fields)
      if (field.source == source) return field.fate;
    FAIL(source);
    return FieldFate::ignored;
  };
  CHECK(fate("aws_instance.gpu[1]") == FieldFate::mapped);
  CHECK(fate("aws_instance.login") == FieldFate::ignored);
  REQUIRE(result.diagnostics.items().size() == 1);
  CHECK_THAT(result.diagnostics.items()[0].message, Contains("placeholder"));
  // The placeholder itself is as a scenario should be.
  const Scenario read = Scenario::read({.file = "plan.json", .text = result.scenario});
  REQUIRE(read.ok());
  for (const Diagnostic& d : read.diagnostics().items()) CHECK(d.message == "");
}

}  // namespace terraform_test
