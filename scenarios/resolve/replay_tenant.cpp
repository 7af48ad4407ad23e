#include "scenarios/resolve/replay_tenant.hpp"

#include "models/contract/replay_program.hpp"
#include "scenarios/resolve/named_files.hpp"
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
      rename_file(tree, at + "/program", "");  // nobody looks for it
    }
    if (!files || name == "") continue;
    const std::string path = named_file(tree, at + "/program", file, documents);
    rename_file(tree, at + "/program", whole_path(path));
    const auto program = models::ReplayProgram::open(path);
    if (program.ok() && !tenant.contains("sha256"))
      put(tree, at + "/sha256", Json(program->sha256()), documents.add_option(file));
  }
}

}  // namespace stallcast::scenarios
