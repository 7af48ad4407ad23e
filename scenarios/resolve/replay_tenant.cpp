#include "scenarios/resolve/replay_tenant.hpp"

#include <filesystem>

#include "models/contract/replay_program.hpp"
#include "scenarios/resolve/tenants_of_type.hpp"

namespace stallcast::scenarios {
namespace {

/// Another text in its place: faults of it are still where the program is written.
void rename(Tree& tree, const std::string& at, const std::string& name) {
  const Origin written = tree.origins.at(at);
  put(tree, at, Json(name), written.document);
  tree.origins[at] = written;
}

}  // namespace

void find_programs(Tree& tree, const std::string& file, bool files, Documents& documents,
                   Reporter& report) {
  for (const auto& [at, tenant] : tenants_of_type(tree, "replay")) {
    const Json name = tenant.value("program", Json());
    if (!name.is_string()) continue;
    if (name == "") report.error("file", at + "/program", "the program is a file, not \"\"");
    if (!files) {
      report.error("file", at + "/program", "files cannot be read here",
                   "replay it with stallcast run on your machine");
      rename(tree, at + "/program", "");  // nobody looks for it
    }
    if (!files || name == "") continue;
    const std::filesystem::path path =
        std::filesystem::path(file).parent_path() / name.get<std::string>();
    rename(tree, at + "/program", std::filesystem::absolute(path).lexically_normal().string());
    const auto program = models::ReplayProgram::open(path.string());
    if (program.ok() && !tenant.contains("sha256"))
      put(tree, at + "/sha256", Json(program->sha256()), documents.add_option(file));
  }
}

}  // namespace stallcast::scenarios
