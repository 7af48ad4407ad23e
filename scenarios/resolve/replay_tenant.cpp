#include "scenarios/resolve/replay_tenant.hpp"

#include <filesystem>

#include "models/contract/replay_program.hpp"
#include "scenarios/resolve/tenants_of_type.hpp"

namespace stallcast::scenarios {

void find_programs(Tree& tree, const std::string& file, bool files, Documents& documents,
                   Reporter& report) {
  for (const auto& [at, tenant] : tenants_of_type(tree, "replay")) {
    const Json name = tenant.value("program", Json());
    if (!name.is_string()) continue;
    if (name == "") report.error("file", at + "/program", "the program is a file, not \"\"");
    if (!files) {
      report.error("file", at + "/program", "files cannot be read here",
                   "replay it with stallcast run on your machine");
      put(tree, at + "/program", Json(""), documents.add_option(file));  // nobody looks for it
    }
    if (!files || name == "") continue;
    const std::filesystem::path path =
        std::filesystem::path(file).parent_path() / name.get<std::string>();
    const auto place = documents.add_option(file);
    put(tree, at + "/program", Json(std::filesystem::absolute(path).lexically_normal().string()),
        place);
    const auto program = models::ReplayProgram::open(path.string());
    if (program.ok() && !tenant.contains("sha256"))
      put(tree, at + "/sha256", Json(program->sha256()), place);
  }
}

}  // namespace stallcast::scenarios
