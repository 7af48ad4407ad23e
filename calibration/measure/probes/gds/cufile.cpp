#include "calibration/measure/probes/gds/cufile.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace stallcast::calibration::gds {
namespace {

// [NVIDIA cuFile API reference, CUfileOpError]
constexpr std::array<std::pair<int, const char*>, 7> kErrors{{
    {5001, "the cuFile driver is not initialized"},
    {5007, "the platform is not supported"},
    {5008, "this kind of file is not supported"},
    {5019, "the file is open with a wrong flag"},
    {5026, "the setting cannot be changed while the driver is open"},
    {5027, "the memory or file is not registered"},
    {5049, "compat mode is off"},
}};
constexpr int kFirst = 5001, kLast = 5050;

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

CuFile bind_cufile(const Library& library) {
  CuFile api;
  bind(library, api.open, {"cuFileDriverOpen"});
  bind(library, api.close, {"cuFileDriverClose_v2", "cuFileDriverClose"});
  bind(library, api.properties, {"cuFileDriverGetProperties"});
  bind(library, api.register_file, {"cuFileHandleRegister"});
  bind(library, api.deregister_file, {"cuFileHandleDeregister"});
  bind(library, api.register_buffer, {"cuFileBufRegister"});
  bind(library, api.deregister_buffer, {"cuFileBufDeregister"});
  bind(library, api.read, {"cuFileRead"});
  bind(library, api.write, {"cuFileWrite"});
  const auto optional = [&](auto*& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(find_symbol(library, {name}));
  };
  optional(api.version, "cuFileGetVersion");
  optional(api.stats_level, "cuFileSetStatsLevel");
  optional(api.stats_start, "cuFileStatsStart");
  optional(api.counters, "cuFileGetStatsL3");
  return api;
}

std::string cufile_text(int error) {
  for (const auto& [code, text] : kErrors)
    if (code == error) return text + (" (" + std::to_string(error) + ")");
  return "error " + std::to_string(error);
}

void check(CuFileError result, const std::string& what) {
  if (result.error == 0) return;
  const std::string cuda = result.cuda == 0 ? "" : ", CUDA error " + std::to_string(result.cuda);
  throw Trouble(what + ": " + cufile_text(result.error) + cuda);
}

std::string transfer_trouble(ssize_t moved, std::size_t wanted, int error_number) {
  if (moved == static_cast<ssize_t>(wanted)) return "";
  const auto is_cufile = [](ssize_t code) { return code >= kFirst && code <= kLast; };
  if (moved == -1 && !is_cufile(error_number)) return std::generic_category().message(error_number);
  const ssize_t code = moved == -1 ? error_number : (moved < 0 ? -moved : moved);
  if (is_cufile(code)) return cufile_text(static_cast<int>(code));
  return moved < 0 ? "returned " + std::to_string(moved)
                   : "moved " + std::to_string(moved) + " of " + std::to_string(wanted) + " bytes";
}

std::filesystem::path write_settings(const CuFileSettings& settings,
                                     const std::filesystem::path& folder) {
  const auto word = [](bool value) { return value ? "true" : "false"; };
  const std::filesystem::path file = folder / "cufile.json";
  std::ofstream out(file);
  out << "{\n  \"logging\": {\"dir\": " << json_text(folder.string())
      << ", \"level\": \"ERROR\"},\n"
      << "  \"profile\": {\"nvtx\": false, \"cufile_stats\": 3},\n"
      << "  \"properties\": {\n"
      << "    \"allow_compat_mode\": " << word(settings.allow_compat) << ",\n"
      << "    \"force_compat_mode\": " << word(settings.force_compat) << ",\n"
      << "    \"use_pci_p2pdma\": " << word(settings.p2pdma) << "\n  }\n}\n";
  if (!out.flush()) throw Trouble("cannot write " + file.filename().string());
  return file;
}

void point_to_settings(const std::filesystem::path& file) {
  for (const char* name : {"CUFILE_ALLOW_COMPAT_MODE", "CUFILE_FORCE_COMPAT_MODE",
                           "CUFILE_USE_PCIP2PDMA", "CUFILE_LOGGING_LEVEL", "CUFILE_LOGFILE_PATH"})
    unsetenv(name);
  setenv("CUFILE_ENV_PATH_JSON", file.c_str(), 1);
}

// The level is set while the driver is closed, as other parameters are; a library that refuses it
// is asked again once it is open.
CuFileDriver::CuFileDriver(const CuFile& api) : api_(api) {
  const bool can_count = api.counters != nullptr && api.stats_level != nullptr;
  bool set = can_count && api.stats_level(3).error == 0;
  check(api.open(), "cuFileDriverOpen");
  if (can_count && !set) set = api.stats_level(3).error == 0;
  if (set && api.stats_start != nullptr) api.stats_start();
  counting_ = set;
}

CuFileProperties CuFileDriver::properties() const {
  CuFileProperties out{};
  check(api_.properties(&out), "cuFileDriverGetProperties");
  return out;
}

int CuFileDriver::version() const {
  int version = 0;
  return api_.version != nullptr && api_.version(&version).error == 0 ? version : 0;
}

bool CuFileDriver::counters(CuFileCounters& into) const {
  into = {};
  return counting_ && api_.counters(&into).error == 0;
}

namespace {

int opened_again(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const int again =
      flags < 0 ? -1 : open(path.c_str(), (flags & (O_ACCMODE | O_DIRECT)) | O_CLOEXEC);
  if (again < 0) throw Trouble("cannot open the file again: " + std::string(std::strerror(errno)));
  return again;
}

}  // namespace

CuFileHandle::CuFileHandle(const CuFile& api, int fd) : api_(api), file_(opened_again(fd)) {
  CuFileDescriptor descriptor{};
  descriptor.type = 1;
  descriptor.fd = file_.get();
  check(api.register_file(&at_, &descriptor), "cuFileHandleRegister");
}

}  // namespace stallcast::calibration::gds
