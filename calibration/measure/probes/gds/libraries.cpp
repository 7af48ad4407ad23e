#include "calibration/measure/probes/gds/libraries.hpp"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <cstdlib>

#include "engine/base/text.hpp"

namespace stallcast::calibration::gds {
namespace {

Library load(const char* override_variable, std::vector<std::string> names) {
  if (const char* own = std::getenv(override_variable); own != nullptr && *own != '\0')
    names = {own};
  Library library;
  for (const std::string& name : names) {
    library.tried.push_back(name);
    library.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle != nullptr) {
      link_map* map = nullptr;
      const bool known = dlinfo(library.handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
      library.file = known ? map->l_name : name;
      library.reason.clear();
      return library;
    }
    if (const char* reason = dlerror(); reason != nullptr && library.reason.empty())
      library.reason = reason;
  }
  return library;
}

void append_matches(std::vector<std::string>& names, const std::string& pattern) {
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) names.emplace_back(found.gl_pathv[i]);
  globfree(&found);
}

}  // namespace

Library load_cuda() { return load("STALLCAST_LIBCUDA", {"libcuda.so.1"}); }

Library load_cufile() {
  std::vector<std::string> names{"libcufile.so.0", "libcufile.so"};
  append_matches(names, "/usr/local/cuda*/targets/*/lib/libcufile.so.0");
  std::vector<std::string> roots{"/usr/lib", "/usr/local/lib"};
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* root = std::getenv(variable)) roots.push_back(std::string(root) + "/lib");
  for (const std::string& root : roots)
    for (const char* packages : {"site-packages", "dist-packages"})
      for (const char* part : {"cu13", "cufile"})
        append_matches(names,
                       root + "/python3*/" + packages + "/nvidia/" + part + "/lib/libcufile.so.0");
  return load("STALLCAST_LIBCUFILE", std::move(names));
}

void* find_symbol(const Library& library, std::vector<const char*> names) {
  for (const char* name : names)
    if (void* at = dlsym(library.handle, name)) return at;
  return nullptr;
}

std::string tried_text(const Library& library) { return base::join(library.tried, ", "); }

}  // namespace stallcast::calibration::gds
