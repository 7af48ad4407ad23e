#include "scenarios/importers/terraform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "scenarios/importers/importer_parts.hpp"

namespace stallcast::scenarios {
namespace {

using base::Json;

/// A resource of the plan and where it is in the file.
struct Resource {
  std::string address, type, name, pointer;
  const Json* values = nullptr;
};

/// What a resource becomes: a product, and of a file system that is bought by size how large it is.
struct Product {
  std::string id = {};
  double bytes = 0.0;
  std::string said = {};  ///< what of the resource decided
  std::string note = {};
  Json stated = Json::object();  ///< where the resource is another than the product
  std::string warning = {}, hint = {};
};

/// Providers print numbers as texts, too. 0 when there is none.
double number(const Json& values, const char* key) {
  const auto found = values.find(key);
  if (found == values.end()) return 0.0;
  if (found->is_number()) return found->get<double>();
  if (!found->is_string()) return 0.0;
  return base::parse_quantity(found->get_ref<const std::string&>(), Dimension::number)
      .value.value_or(0.0);
}

std::string text(const Json& values, const char* key) {
  const auto found = values.find(key);
  return found != values.end() && found->is_string() ? found->get<std::string>() : "";
}

/// What is too large to be a count stays a number, which the reader of scenarios refuses.
Json count(double n) {
  return n < 9e15 ? Json(static_cast<std::int64_t>(std::ceil(n - 1e-9))) : Json(n);
}

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0, kTiB = 1024.0 * kGiB;

// Sold by capacity and by MB/s for each TiB of it. A scratch file system has 200 MB/s for each TiB.
//    [docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html; 2026-11]
Product fsx(const Json& values) {
  const std::string kind = text(values, "deployment_type");
  const std::string rate = base::shortest(number(values, "per_unit_storage_throughput"));
  Product out{.bytes = number(values, "storage_capacity") * kGiB, .said = kind + ", " + rate};
  out.id = "storage/fsx-lustre-";
  if (kind == "PERSISTENT_2") {
    out.id += "p2-" + rate;
  } else if (kind == "PERSISTENT_1") {
    out.id += (text(values, "storage_type") == "HDD" ? "hdd-" : "p1-") + rate;
  } else {
    out.id += "p1-200";
    out.said = kind.empty() ? "SCRATCH_1" : kind;
    out.note = "200 MB/s for each TiB, as this product has; what is lost with a server is not";
  }
  return out;
}

Product azure_lustre(const Json& values) {
  const std::string sku = text(values, "sku_name");  // "AMLFS-Durable-Premium-250"
  return {.id = "storage/azure-lustre-" + sku.substr(sku.rfind('-') + 1),
          .bytes = number(values, "storage_capacity_in_tb") * kTiB,
          .said = sku};
}

Product google_lustre(const Json& values) {
  const std::string rate = base::shortest(number(values, "per_unit_storage_throughput"));
  return {.id = "storage/google-lustre-" + rate,
          .bytes = number(values, "capacity_gib") * kGiB,
          .said = rate};
}

// Metered bytes are those written and a third of those read. Unless throughput is elastic a client
// has 500 MiB/s, and a file system answers 55,000 reads and 25,000 writes a second, of which a
// create takes ten as in the product.
//    [docs.aws.amazon.com/efs/latest/ug/performance.html; 2026-11]
Product efs(const Json& values) {
  constexpr double kReadsFor = 3.0, kBurst = 100.0;  // MiB/s, of up to 1 TiB
  const std::string said = text(values, "throughput_mode");
  const std::string mode = said.empty() ? "bursting" : said;  // as of the provider
  Product out{.id = "storage/efs-elastic", .said = mode};
  if (mode == "elastic") return out;
  const double provisioned = number(values, "provisioned_throughput_in_mibps");
  const double metered = mode == "provisioned" ? provisioned : kBurst;
  if (metered > 0.0) {
    const auto rate = [](double mib) { return base::shortest(mib) + " MiB/s"; };
    out.stated = {{"head",
                   {{"read", rate(kReadsFor * metered)},
                    {"write", rate(metered)},
                    {"ops", "55 kops/s"},
                    {"creates", "2500 ops/s"}}},
                  {"client", {{"connection", "500 MiB/s"}}}};
    out.said += ", " + rate(metered);
    out.note = "writes at that rate, reads at three times it";
  }
  if (mode != "provisioned") {
    out.warning = "\"throughput_mode\" " + mode +
                  ": it has 100 MiB/s, three times that for reads, while its credits last and it "
                  "holds up to 1 TiB, and then 50 KiB/s for each GiB in it; the plan does not say "
                  "how much that is";
    out.hint = "set its rates and \"credits\", docs/models/burst-credits.md";
  } else if (provisioned <= 0.0) {
    out.warning = "the plan does not say what throughput is provisioned: it is taken as elastic";
    out.hint = "set head.read and head.write";
  }
  return out;
}

Product bucket(const char* id) { return {.id = id}; }

struct StorageRow {
  std::string_view type;
  Product (*product)(const Json& values);
};
constexpr std::array kStorage{
    StorageRow{"aws_efs_file_system", efs},
    StorageRow{"aws_fsx_lustre_file_system", fsx},
    StorageRow{"aws_s3_bucket", [](const Json&) { return bucket("storage/s3-standard"); }},
    StorageRow{"aws_s3_directory_bucket", [](const Json&) { return bucket("storage/s3-express"); }},
    StorageRow{"azurerm_managed_lustre_file_system", azure_lustre},
    StorageRow{"azurerm_storage_account", [](const Json&) { return bucket("storage/azure-blob"); }},
    StorageRow{"google_lustre_instance", google_lustre},
    StorageRow{"google_storage_bucket", [](const Json&) { return bucket("storage/gcs"); }}};

class TerraformImport : private ScenarioImport {
 public:
  TerraformImport(const std::string& plan, const std::string& file, const ImportOptions& options)
      : options_(options), document_(base::parse_jsonc(plan, file, result_.diagnostics)) {}

  ImportResult run() && {
    if (!diags().has_errors()) convert();
    return std::move(*this).ended();
  }

 private:
  void say(Severity severity, const char* code, const std::string& pointer, std::string message,
           std::string hint) {
    diags().add({severity, code, pointer, base::locate(document_, pointer), std::move(message),
                 std::move(hint)});
  }

  void convert() {
    const Json* root = &document_.root;
    std::string at;
    for (const char* key : {"planned_values", "values"})
      if (root->is_object() && root->contains(key))
        at = base::pointer_token(key) + base::pointer_token("root_module");
    if (at.empty() || !root->contains(Json::json_pointer(at))) {
      say(Severity::error, "format", "", "this is not a plan or state of Terraform in JSON",
          "print it with \"terraform show -json plan.out\"");
      return;
    }
    collect(root->at(Json::json_pointer(at)), at);
    scenario_["id"] = id_of(std::filesystem::path(document_.file).stem().string());
    for (const Resource& resource : resources_) add(resource);
    if (scenario_.value("storage", Json::array()).empty()) {
      say(Severity::error, "empty", at, "the plan makes no storage that is known here",
          "known: " + known_types());
      return;
    }
    add_hosts();
    add_placeholder_job(options_, "a plan", "gpu", base::locate(document_, ""), scenario_, result_);
  }

  void collect(const Json& module, const std::string& pointer) {
    const auto list = [&](const char* key) {
      return module.is_object() && module.contains(key) && module[key].is_array() ? &module[key]
                                                                                  : nullptr;
    };
    if (const Json* resources = list("resources"))
      for (std::size_t i = 0; i < resources->size(); ++i) {
        const Json& r = (*resources)[i];
        if (!r.is_object() || !r.contains("values") || !r["values"].is_object()) continue;
        if (text(r, "mode") == "data") continue;  // looked up, not made
        resources_.push_back({text(r, "address"), text(r, "type"), text(r, "name"),
                              pointer + "/resources" + base::pointer_token(i), &r["values"]});
      }
    if (const Json* children = list("child_modules"))
      for (std::size_t i = 0; i < children->size(); ++i)
        collect((*children)[i], pointer + "/child_modules" + base::pointer_token(i));
  }

  void add(const Resource& resource) {
    const auto row = std::find_if(kStorage.begin(), kStorage.end(),
                                  [&](const StorageRow& r) { return r.type == resource.type; });
    if (row != kStorage.end()) return add_storage(resource, row->product(*resource.values));
    if (resource.type == "aws_instance")
      return add_instances(resource, text(*resource.values, "instance_type"), 1.0);
    if (resource.type == "aws_eks_node_group") return add_node_group(resource);
    note(FieldFate::ignored, resource.address, "", "", "no storage and no GPU instance");
  }

  void add_storage(const Resource& resource, const Product& product) {
    const models::CatalogueEntry* entry = models::find_product(product.id);
    if (entry == nullptr) {
      say(Severity::error, "product", resource.pointer + "/values",
          "no product of the catalogue is " + resource.type + " with " + product.said,
          "\"stallcast catalog list\" lists those there are");
      return;
    }
    Json storage{{"id", id_of(resource.name)}, {"use", product.id}};
    std::string said = product.said;
    if (product.bytes > 0.0) {
      const auto each =
          std::ranges::find(entry->values, "ost.capacity", &models::CatalogueValue::key);
      storage["ost"]["count"] =
          count(product.bytes / base::parse_quantity(each->text, Dimension::bytes).value.value());
      said += ", " + base::exact_quantity(product.bytes, Dimension::bytes);
    }
    storage.update(product.stated);
    if (!product.warning.empty())
      say(Severity::warning, "throughput", resource.pointer + "/values",
          resource.address + ": " + product.warning, product.hint);
    note(FieldFate::mapped, resource.address, said,
         "storage[" + storage["id"].get<std::string>() + "]",
         product.id + (product.note.empty() ? "" : "; " + product.note));
    scenario_["storage"].push_back(std::move(storage));
  }

  void add_node_group(const Resource& resource) {
    const Json& values = *resource.values;
    const auto list = [&](const char* key) -> const Json* {
      const auto found = values.find(key);
      return found != values.end() && found->is_array() && !found->empty() ? &found->front()
                                                                           : nullptr;
    };
    const Json *type = list("instance_types"), *scaling = list("scaling_config");
    const double nodes =
        scaling != nullptr && scaling->is_object() ? number(*scaling, "desired_size") : 0.0;
    if (type == nullptr || !type->is_string() || nodes < 1.0)
      return note(FieldFate::ignored, resource.address, "", "", "no nodes are asked for");
    add_instances(resource, type->get<std::string>(), nodes);
  }

  void add_instances(const Resource& resource, const std::string& type, double count) {
    const std::string id = "host/aws-" + type;
    if (models::find_product(id) == nullptr)
      return note(FieldFate::ignored, resource.address, type, "", "no GPU host of the catalogue");
    const auto known = std::find_if(instances_.begin(), instances_.end(),
                                    [&](const auto& i) { return i.first == id; });
    (known == instances_.end() ? instances_.emplace_back(id, 0.0) : *known).second += count;
    servers_.push_back({resource.address, type, id});
  }

  void add_hosts() {
    // The job has hosts of one kind: servers of another are in no scenario.
    for (const Server& s : servers_) {
      const bool used = s.product == instances_.front().first;
      note(used ? FieldFate::mapped : FieldFate::ignored, s.address, s.type,
           used ? "cluster.hosts" : "", used ? s.product : "the job runs on another kind of host");
    }
    Json host{{"id", "gpu"}};
    if (instances_.empty()) {
      host["count"] = options_.hosts.value_or(8);
      if (!options_.hosts)
        say(Severity::warning, "placeholder", "",
            "the plan makes no GPU host that is known here; 8 are a placeholder",
            "give --hosts N, and edit what a host is");
      note(FieldFate::defaulted, "", "", "cluster.hosts", "placeholder");
    } else {
      host["use"] = instances_.front().first;
      host["count"] = options_.hosts ? Json(*options_.hosts) : count(instances_.front().second);
      if (instances_.size() > 1)
        say(Severity::warning, "hosts", "",
            "there are several kinds of GPU hosts; the job runs on \"" + instances_.front().first +
                "\"",
            "add the others to \"hosts\" for jobs of their own");
    }
    scenario_["cluster"]["hosts"] = Json::array({std::move(host)});
    if (!instances_.empty() && instances_.front().first.starts_with("host/aws-p5"))
      scenario_["cluster"]["fabric"]["use"] = "fabric/efa-p5";
  }

  static std::string known_types() {
    std::vector<std::string> out;
    for (const StorageRow& row : kStorage) out.emplace_back(row.type);
    return base::join(out, ", ");
  }

  /// Of a name, which may hold what an id must not; no two are alike.
  std::string id_of(const std::string& name) {
    std::string out;
    for (const char c : name)
      out += std::string_view(".[]*/ \t\"=").find(c) == std::string_view::npos ? c : '-';
    if (out.empty()) out = "unnamed";
    return ids_.take(out);
  }

  const ImportOptions& options_;
  base::JsonDocument document_;
  std::vector<Resource> resources_;
  std::vector<std::pair<std::string, double>> instances_;  ///< product and how many
  /// A resource that makes servers.
  struct Server {
    std::string address, type, product;
  };
  std::vector<Server> servers_;
  UniqueIds ids_;
};

}  // namespace

bool is_terraform(std::string_view text) {
  return base::trim(text).starts_with('{') && text.find("\"root_module\"") != text.npos &&
         text.find("\"terraform_version\"") != text.npos;
}

ImportResult import_terraform(const std::string& text, const std::string& file,
                              const ImportOptions& options) {
  return TerraformImport(text, file, options).run();
}

}  // namespace stallcast::scenarios
