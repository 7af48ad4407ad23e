#include "scenarios/resolve/resolve.hpp"

#include <algorithm>
#include <set>

#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"

namespace stallcast::scenarios {
namespace {

using models::Role;

constexpr std::string_view kClusterKeys[] = {"hosts", "fabric"};
constexpr std::string_view kJobParts[] = {"model",      "step",          "dataset",  "loader",
                                          "checkpoint", "communication", "recovery", "elastic"};

class Resolver {
 public:
  explicit Resolver(ReadContext& context) : context_(context), root_(context.tree.root) {}

  Design resolve() {
    check_keys(root_, "", kScenarioKeys, "the scenario", report());
    for (const char* key : {"id", "description", "$schema"})
      if (const Json* node = present(std::string("/") + key))
        if (const auto text = read_text(context_, std::string("/") + key, *node, key))
          if (key == std::string_view("id")) design_.id = *text;
    read_cluster();
    read_list("/storage", Role::storage, "storage", design_.storage);
    read_jobs();
    read_list("/tenants", Role::tenant, "tenant", design_.tenants);
    read_list("/stages", Role::stage, "stage", design_.stages);
    read_list("/failures", Role::failure, "failure", design_.failures);
    design_.run = read_component(context_, {Role::run, "/run", "run", "\"run\""});
    check_forms();
    return std::move(design_);
  }

 private:
  Reporter& report() { return context_.report; }
  const Json* present(const std::string& pointer) const {
    const Json* node = find(root_, pointer);
    return node != nullptr && !node->is_null() ? node : nullptr;
  }

  void read_cluster() {
    const Json* cluster = present("/cluster");
    if (cluster != nullptr && !cluster->is_object()) {
      report().error("type", "/cluster",
                     "\"cluster\" is an object, not " + std::string(type_name(*cluster)),
                     "its keys are hosts, fabric");
      return;
    }
    if (cluster != nullptr) check_keys(*cluster, "/cluster", kClusterKeys, "\"cluster\"", report());
    for (const std::string& at : items("/cluster/hosts", "host class", true))
      design_.hosts.push_back(read_item(Role::host, at, "host class", {}));
    design_.fabric =
        read_component(context_, {Role::fabric, "/cluster/fabric", "fabric", "the fabric"});
  }

  // Pointers of the objects in the list at `pointer`; ids are checked to be there and different.
  std::vector<std::string> items(const std::string& pointer, const std::string& what,
                                 bool required) {
    const Json* list = present(pointer);
    if (list == nullptr || (list->is_array() && list->empty())) {
      if (!required) return {};
      const std::string above = parent(pointer);
      std::string needed = "\"" + base::split(pointer, '/').back() + "\": [ { \"id\": ... } ]";
      if (present(above) == nullptr) needed = "\"" + above.substr(1) + "\": { " + needed + " }";
      report().error("missing", list == nullptr ? above : pointer, "the scenario has no " + what,
                     "add " + needed);
      return {};
    }
    if (!list->is_array()) {
      report().error("type", pointer,
                     "\"" + base::split(pointer, '/').back() + "\" is a list, not " +
                         std::string(type_name(*list)),
                     "write [ ... ]");
      // What was meant as its only item is there: nothing else is wrong for want of it.
      if (list->is_object()) return {pointer};
      return {};
    }
    std::vector<std::string> out;
    std::set<std::string> ids;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string at = pointer + base::pointer_token(i);
      const Json& item = (*list)[i];
      if (!item.is_object()) {
        report().error("type", at,
                       "a " + what + " is an object, not " + std::string(type_name(item)));
        continue;
      }
      const Json id = item.value("id", Json());
      if (id.is_string() && !ids.insert(id.get<std::string>()).second)
        report().error("duplicate-id", at + "/id",
                       "two " + what + " entries have the id \"" + id.get<std::string>() + "\"",
                       "give each its own id");
      if (id.is_null() && list->size() > 1)
        report().error("missing", at, "this " + what + " has no id",
                       "add \"id\": each of several needs one");
      out.push_back(at);
    }
    return out;
  }

  void read_list(const std::string& pointer, Role role, const std::string& what,
                 std::vector<Component>& out) {
    for (const std::string& at : items(pointer, what, false))
      out.push_back(read_item(role, at, what, {}));
  }

  Component read_item(Role role, const std::string& at, const std::string& what,
                      std::span<const std::string_view> parts) {
    const std::string id = read_id(at, std::string(models::role_info(role).id));
    return read_component(context_, {.role = role,
                                     .pointer = at,
                                     .id = id,
                                     .what = what + " \"" + id + "\"",
                                     .has_id = true,
                                     .parts = parts});
  }

  // Ids are parts of metric names and of --set paths.
  std::string read_id(const std::string& at, std::string fallback) {
    const Json* node = present(at + "/id");
    if (node == nullptr) return fallback;
    const auto text = read_text(context_, at + "/id", *node, "id");
    if (!text) return fallback;
    const bool plain = !text->empty() && text->find_first_of(".[]*/ \t\n\"=") == std::string::npos;
    if (!plain)
      report().error("id", at + "/id", "\"" + *text + "\" cannot be an id",
                     "use letters, digits, - and _");
    return *text;
  }

  static bool empty(const Json* list) {
    return list == nullptr || (list->is_array() && list->empty());
  }

  void read_jobs() {
    const std::vector<std::string> jobs = items("/jobs", "job", false);
    const Json *list = present("/jobs"), *tenants = present("/tenants");
    if (!context_.idle && jobs.empty() && (list == nullptr || list->is_array()) && empty(tenants) &&
        empty(present("/stages")))
      report().error(
          "missing", list == nullptr ? "" : "/jobs",
          "the scenario has neither a job nor a tenant nor a stage",
          "add \"jobs\": [ { \"id\": ... } ], \"stages\", or \"tenants\" and how long they run: "
          "\"run\": { \"duration\": \"10 min\" }");
    for (const std::string& at : jobs) {
      JobDesign job;
      job.job = read_item(Role::job, at, "job", kJobParts);
      const std::string of = " of job \"" + job.job.id + "\"";
      const auto part = [&](Role role) {
        const std::string id(models::role_info(role).id);
        return read_component(context_, {role, at + "/" + id, id, "\"" + id + "\"" + of});
      };
      job.model = part(Role::model);
      job.step = part(Role::step);
      const bool has_loader = present(at + "/loader") != nullptr;
      if (present(at + "/dataset") != nullptr) job.dataset = part(Role::dataset);
      if (job.dataset || has_loader) job.loader = part(Role::loader);
      if (present(at + "/checkpoint") != nullptr) job.checkpoint = part(Role::checkpoint);
      if (present(at + "/communication") != nullptr) job.communication = part(Role::communication);
      if (present(at + "/elastic") != nullptr) job.elastic = part(Role::elastic);
      // Whatever stops jobs, they come back, in the usual way unless they say how.
      if (present(at + "/recovery") != nullptr || !empty(present("/failures")) || job.elastic)
        job.recovery = part(Role::recovery);
      design_.jobs.push_back(std::move(job));
    }
  }

  // `scenarios` is used elsewhere; here only its form is checked.
  void check_forms() {
    if (const Json* variants = present("/scenarios")) {
      if (!variants->is_object())
        report().error("type", "/scenarios", "\"scenarios\" is an object of named variants",
                       "write { \"big\": { \"storage\": ... } }");
      else
        for (const auto& [name, patch] : variants->items())
          if (!patch.is_object() && !patch.is_null() && !name.starts_with("x-"))
            report().error(
                "type", "/scenarios" + base::pointer_token(name),
                "the variant \"" + name + "\" is an object, not " + std::string(type_name(patch)));
          else if (patch.is_object())
            check_variant(patch, name);
    }
  }

  void check_variant(const Json& patch, const std::string& name) {
    const std::string at = "/scenarios" + base::pointer_token(name);
    check_keys(patch, at, kScenarioKeys, "the variant \"" + name + "\"", report());
    for (const auto& [key, instead] :
         {std::pair{"extends", "let the scenario extend it, or make the variant a file of its own"},
          std::pair{"scenarios", "give the scenario one more variant"}})
      if (patch.contains(key))
        report().error("rule", at + base::pointer_token(key),
                       "the variant \"" + name + "\" cannot have \"" + key + "\"", instead);
  }

  ReadContext& context_;
  const Json& root_;
  Design design_;
};

}  // namespace

Design resolve(ReadContext& context) { return Resolver(context).resolve(); }

}  // namespace stallcast::scenarios
