#include "scenarios/resolve/replay_tenant.hpp"

#include <filesystem>

#include "models/contract/replay_program.hpp"

namespace stallcast::scenarios {

void find_programs(Tree& tree, const std::string& file, bool files, Documents& documents,
                   Reporter& report) {
  const Json* tenants = find(tree.root, "/tenants");
  if (tenants == nullptr || !tenants->is_array()) return;
  for (std::size_t i = 0; i < tenants->size(); ++i) {
    const std::string at = "/tenants" + base::pointer_token(i);
    const Json tenant = *find(tree.root, at);
    if (!tenant.is_object() || tenant.value("type", Json()) != "replay") continue;
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
