#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/library/templates.hpp"
#include "tests/scenarios/support.hpp"

namespace coverage_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

/// "storage/lustre": a kind of a role.
std::string name_of(models::Role role, std::string_view kind) {
  return std::string(models::role_info(role).id) + "/" + std::string(kind);
}

void add_kinds(const Design& design, std::set<std::string>& out) {
  using models::Role;
  for (const Component& host : design.hosts) out.insert(name_of(Role::host, host.kind));
  out.insert(name_of(Role::fabric, design.fabric.kind));
  for (const Component& storage : design.storage) out.insert(name_of(Role::storage, storage.kind));
  out.insert(name_of(Role::run, design.run.kind));
  for (const Component& tenant : design.tenants) out.insert(name_of(Role::tenant, tenant.kind));
  for (const Component& stage : design.stages) out.insert(name_of(Role::stage, stage.kind));
  for (const Component& failure : design.failures) out.insert(name_of(Role::failure, failure.kind));
  for (const JobDesign& job : design.jobs) {
    out.insert(name_of(Role::job, job.job.kind));
    out.insert(name_of(Role::model, job.model.kind));
    out.insert(name_of(Role::step, job.step.kind));
    if (job.dataset) out.insert(name_of(Role::dataset, job.dataset->kind));
    if (job.loader) out.insert(name_of(Role::loader, job.loader->kind));
    if (job.checkpoint) out.insert(name_of(Role::checkpoint, job.checkpoint->kind));
    if (job.communication) out.insert(name_of(Role::communication, job.communication->kind));
    if (job.recovery) out.insert(name_of(Role::recovery, job.recovery->kind));
    if (job.elastic) out.insert(name_of(Role::elastic, job.elastic->kind));
  }
}

/// The kinds that scenarios of the library use, variants included.
std::set<std::string> kinds_of_library() {
  std::set<std::string> out;
  for (const scenarios::Template& t : scenarios::templates()) {
    const std::string file = "scenarios/library/" + std::string(t.name) + ".json";
    const auto base = load_file(file);
    add_kinds(design_of(base), out);
    for (const std::string& variant : base.variants())
      add_kinds(design_of(Scenario::read({.file = file, .variant = variant})), out);
  }
  return out;
}

/// A storage kind has a page of its own; the page that other kinds share names them as code or as
/// the first cell of a row.
bool has_page(models::Role role, std::string_view kind) {
  std::stringstream text;
  text << std::ifstream(models::page_of(role, kind)).rdbuf();
  const std::string name(kind), page = text.str();
  const auto named = [&](const std::string& how) { return page.find(how) != std::string::npos; };
  return role == models::Role::storage ? !page.empty()
                                       : named("`" + name + "`") || named("\n| " + name + " |");
}

/// Roles whose kinds somebody chooses; the others have one kind, named as the role.
std::vector<models::RoleInfo> chosen_roles() {
  std::vector<models::RoleInfo> out;
  for (const models::RoleInfo& role : models::roles())
    if (!role.selector.empty()) out.push_back(role);
  return out;
}

}  // namespace

TEST_CASE("every role has a page in docs/models") {
  for (const models::RoleInfo& role : models::roles()) {
    INFO(models::page_of(role.role));
    CHECK(std::filesystem::exists(models::page_of(role.role)));
  }
}

TEST_CASE("every kind has a page in docs/models that names it") {
  std::vector<std::string> missing;
  for (const models::RoleInfo& role : chosen_roles())
    for (const models::KindInfo& kind : models::kinds(role.role))
      if (!has_page(role.role, kind.id)) missing.push_back(name_of(role.role, kind.id));
  INFO("without a page: " << base::join(missing, ", "));
  CHECK(missing.empty());
}

/// Kinds that live on a file of the user, which no scenario of the library can bring along, and the
/// page that shows how to use them.
const std::map<std::string, std::string> kOfFiles = {{"tenant/replay", "docs/reference/replay.md"}};

TEST_CASE("kinds that live on files are shown by a page") {
  for (const auto& [name, page] : kOfFiles) {
    std::stringstream text;
    text << std::ifstream(page).rdbuf();
    const std::string kind = name.substr(name.find('/') + 1);
    CHECK(text.str().find("\"type\": \"" + kind + "\"") != std::string::npos);
  }
}

TEST_CASE("every kind is used by a scenario of the library") {
  std::set<std::string> used = kinds_of_library();
  for (const auto& [name, page] : kOfFiles) used.insert(name);
  std::vector<std::string> missing;
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role))
      if (!used.contains(name_of(role.role, kind.id)))
        missing.push_back(name_of(role.role, kind.id));
  INFO("used by no scenario: " << base::join(missing, ", "));
  CHECK(missing.empty());
}

TEST_CASE("every product is of a kind that has a page and a scenario") {
  const std::set<std::string> used = kinds_of_library();
  std::vector<std::string> missing;
  for (const models::CatalogueEntry& entry : models::catalogue()) {
    const bool chosen = !models::role_info(entry.role).selector.empty();
    if (!used.contains(name_of(entry.role, entry.kind)) ||
        (chosen && !has_page(entry.role, entry.kind)))
      missing.push_back(entry.id);
  }
  INFO("of a kind without a page or a scenario: " << base::join(missing, ", "));
  CHECK(missing.empty());
}

}  // namespace coverage_test
