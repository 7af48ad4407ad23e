#include "ui/server/load_http.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "ui/server/problem.hpp"

namespace stallcast::server {

Result<MakeHttp> load_http() {
  std::error_code error;
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  // As it is built, and as it is installed.
  std::string path;
  for (const char* folder : {"lib", "libexec"}) {
    path = (beside / folder / "stallcast" / "stallcast-http.so").string();
    if (std::filesystem::exists(path, error)) break;
  }
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* make = module == nullptr ? nullptr : dlsym(module, "stallcast_make_http");
  if (make == nullptr) {
    const char* why = dlerror();
    return Failure{ExitCode::internal,
                   "the HTTP library cannot be loaded: " + std::string(why ? why : path),
                   "install libexec/stallcast next to the folder of this program"};
  }
  const auto function = reinterpret_cast<Http* (*)(Handle, Failed)>(make);
  return MakeHttp([function](Handle handle, Failed failed) {
    return std::unique_ptr<Http>(function(std::move(handle), std::move(failed)));
  });
}

std::string written(const Response& response) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + " " +
                    std::string(status_phrase(response.status)) + "\r\n";
  for (const auto& [name, value] : response.headers) out += name + ": " + value + "\r\n";
  out += "Content-Type: " + response.type +
         "\r\nContent-Length: " + std::to_string(response.body.size()) +
         "\r\nConnection: close\r\n\r\n";
  return out + response.body;
}

}  // namespace stallcast::server
