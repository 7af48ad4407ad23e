#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>

#include "calibration/measure/probes/gds/cufile.hpp"

/// A CUDA driver and a cuFile that move bytes in host memory, for tests: device memory is ordinary
/// memory. $FAKE_CUDA: "no-device", "no-driver". $FAKE_CUFILE: "compat", "p2p", "nvfs", "mixed",
/// "uncounted" (compat without counters), "closed" (5001), "errno", "negative", "positive",
/// "short", "corrupt", "crash". At the end a line of what was left over goes to $FAKE_LOG.
namespace {

using namespace stallcast::calibration::gds;

std::string mode(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::atomic<int> device_buffers, pinned_buffers, streams, contexts, files, misaligned;
std::mutex mutex;
std::set<const void*> registered;
CuFileCounters counted;  // guarded by mutex
int level = 0;
bool opened = false;

struct File {
  int fd;
};

/// Whether the settings that the probe wrote say `"name": true`.
bool setting(const std::string& name) {
  std::ifstream in(mode("CUFILE_ENV_PATH_JSON"));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return text.find("\"" + name + "\": true") != std::string::npos;
}

/// "p2p", "nvfs" or "posix"; "" when compat mode would be needed and is off.
std::string way() {
  static std::atomic<int> turn{0};
  const std::string kind = mode("FAKE_CUFILE");
  if (setting("force_compat_mode")) return "posix";
  if (kind == "p2p" && setting("use_pci_p2pdma")) return "p2p";
  if (kind == "nvfs") return "nvfs";
  if (kind == "mixed" && turn++ % 2 == 0) return "nvfs";
  return setting("allow_compat_mode") ? "posix" : "";
}

ssize_t move(File* file, void* base, std::size_t bytes, off_t at, off_t offset, bool reading) {
  const std::string kind = mode("FAKE_CUFILE");
  if (kind == "crash") {
    std::signal(SIGSEGV, SIG_DFL);  // not what the test program does with it
    raise(SIGSEGV);
  }
  if (kind == "errno") return errno = EIO, -1;
  if (kind == "negative") return -5027;
  if (kind == "positive") return 5006;
  if (bytes % 4096 != 0 || at % 4096 != 0 || reinterpret_cast<std::uintptr_t>(base) % 4096 != 0)
    ++misaligned;
  void* to = static_cast<char*>(base) + offset;
  const ssize_t moved = reading ? pread(file->fd, to, bytes, at) : pwrite(file->fd, to, bytes, at);
  if (kind == "corrupt" && reading) static_cast<char*>(to)[bytes / 2] ^= 1;
  const std::string by = way();
  const std::lock_guard lock(mutex);
  if (level != 3) return moved;
  counted.gpus = 1;
  CuFileGpuCounters& gpu = counted.gpu[0];
  (reading ? gpu.reads : gpu.writes) += 1;
  if (by == "p2p") (reading ? gpu.p2p_reads : gpu.p2p_writes) += 1;
  if (by == "nvfs") (reading ? gpu.nvfs_reads : gpu.nvfs_writes) += 1;
  if (by == "posix") (reading ? gpu.posix_reads : gpu.posix_writes) += 1;
  return kind == "short" ? moved / 2 : moved;
}

void log_line() {
  const std::string file = mode("FAKE_LOG");
  if (file.empty()) return;
  std::ofstream(file, std::ios::app)
      << "device=" << device_buffers << " pinned=" << pinned_buffers << " streams=" << streams
      << " contexts=" << contexts << " files=" << files << " registered=" << registered.size()
      << " opened=" << opened << " misaligned=" << misaligned << "\n";
}

void* memory(std::size_t bytes) { return std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096); }

DevicePointer address(void* at) { return reinterpret_cast<DevicePointer>(at); }
void* pointer(DevicePointer at) { return reinterpret_cast<void*>(at); }

}  // namespace

extern "C" {

int cuInit(unsigned) { return mode("FAKE_CUDA") == "no-driver" ? 100 : 0; }
int cuDriverGetVersion(int* version) { return *version = 12040, 0; }
int cuDeviceGetCount(int* count) { return *count = mode("FAKE_CUDA") == "no-device" ? 0 : 1, 0; }
int cuDeviceGet(int* device, int) { return *device = 7, 0; }
int cuDeviceGetName(char* name, int size, int) {
  return std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU"), 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device != 7) return 101;
  return *context = &contexts, ++contexts, 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  --contexts;
  log_line();
  return 0;
}
int cuCtxSetCurrent(void* context) { return context == &contexts ? 0 : 201; }
int cuMemAlloc_v2(DevicePointer* at, std::size_t bytes) {
  return *at = address(memory(bytes)), ++device_buffers, 0;
}
int cuMemFree_v2(DevicePointer at) { return std::free(pointer(at)), --device_buffers, 0; }
int cuMemHostAlloc(void** at, std::size_t bytes, unsigned) {
  return *at = memory(bytes), ++pinned_buffers, 0;
}
int cuMemFreeHost(void* at) { return std::free(at), --pinned_buffers, 0; }
int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return std::memcpy(pointer(to), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return std::memcpy(to, pointer(from), bytes), 0;
}
int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, void*) {
  return cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, void*) {
  return cuMemcpyDtoH_v2(to, from, bytes);
}
int cuStreamCreate(void** stream, unsigned) { return *stream = &streams, ++streams, 0; }
int cuStreamDestroy_v2(void*) { return --streams, 0; }
int cuStreamSynchronize(void*) { return 0; }
int cuGetErrorName(int result, const char** name) {
  return *name = result == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR", 0;
}

CuFileError cuFileDriverOpen() {
  if (mode("FAKE_CUFILE") == "closed") return {5001, 0};
  return opened = true, CuFileError{};
}
CuFileError cuFileDriverClose_v2() { return opened = false, CuFileError{}; }
CuFileError cuFileDriverGetProperties(CuFileProperties* out) {
  *out = {};
  if (mode("FAKE_CUFILE") == "nvfs") out->nvfs_major = 2, out->nvfs_minor = 17;
  return {};
}
CuFileError cuFileHandleRegister(void** handle, CuFileDescriptor* descriptor) {
  if (descriptor->type != 1 || descriptor->operations != nullptr) return {5008, 0};
  // As cuFile 1.15 of CUDA 13.0 does.
  if ((fcntl(descriptor->fd, F_GETFL) & O_DIRECTORY) != 0) return {5019, 0};
  if (mode("FAKE_CUFILE") != "mixed" && way().empty()) return {5049, 0};
  return *handle = new File{descriptor->fd}, ++files, CuFileError{};
}
void cuFileHandleDeregister(void* handle) {
  delete static_cast<File*>(handle);
  --files;
}
CuFileError cuFileBufRegister(const void* at, std::size_t, int) {
  const std::lock_guard lock(mutex);
  return registered.insert(at), CuFileError{};
}
CuFileError cuFileBufDeregister(const void* at) {
  const std::lock_guard lock(mutex);
  return registered.erase(at), CuFileError{};
}
ssize_t cuFileRead(void* handle, void* base, std::size_t bytes, off_t at, off_t offset) {
  return move(static_cast<File*>(handle), base, bytes, at, offset, true);
}
ssize_t cuFileWrite(void* handle, const void* base, std::size_t bytes, off_t at, off_t offset) {
  return move(static_cast<File*>(handle), const_cast<void*>(base), bytes, at, offset, false);
}
CuFileError cuFileGetVersion(int* version) { return *version = 1150, CuFileError{}; }
CuFileError cuFileSetStatsLevel(int wanted) {
  if (mode("FAKE_CUFILE") == "uncounted") return {5000 + 7, 0};
  if (opened) return {5026, 0};
  return level = wanted, CuFileError{};
}
CuFileError cuFileStatsStart() { return {}; }
CuFileError cuFileGetStatsL3(CuFileCounters* out) {
  const std::lock_guard lock(mutex);
  std::memcpy(out, &counted, 5000);
  return {};
}
}
