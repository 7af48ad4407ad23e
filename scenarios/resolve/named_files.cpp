#include "scenarios/resolve/named_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

/// Files that tenants name: programs of replays, and job files of fio.
namespace stallcast::scenarios {
namespace {

constexpr std::string_view kTenants = "/tenants/";
constexpr std::string_view kFields[] = {"/program", "/job_file"};

bool names_a_file(const Tree& tree, const std::string& at) {
  const auto ends = [&](std::string_view field) { return at.ends_with(field); };
  if (at.find(kTenants) == std::string::npos || std::ranges::none_of(kFields, ends)) return false;
  const Json* name = find(tree.root, at);
  return name != nullptr && name->is_string() && *name != "";
}

}  // namespace

std::string named_file(const Tree& tree, const std::string& at, const std::string& file,
                       const Documents& documents) {
  const std::size_t document = tree.origins.at(at).document;
  const bool beside = documents.is_option(document);
  const std::filesystem::path folder =
      std::filesystem::path(beside ? file : documents[document].file).parent_path();
  return (folder / find(tree.root, at)->get<std::string>()).string();
}

void rename_file(Tree& tree, const std::string& at, const std::string& name) {
  const Origin written = tree.origins.at(at);
  put(tree, at, Json(name), written.document);
  tree.origins[at] = written;
}

void name_by_whole_paths(Tree& tree, const std::string& file, const Documents& documents) {
  std::vector<std::string> found;
  for (const auto& [at, origin] : tree.origins)
    if (names_a_file(tree, at)) found.push_back(at);
  for (const std::string& at : found)
    rename_file(tree, at, whole_path(named_file(tree, at, file, documents)));
}

std::string whole_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace stallcast::scenarios
