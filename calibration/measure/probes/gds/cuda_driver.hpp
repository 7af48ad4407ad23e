#pragma once

#include <cstddef>
#include <string>

#include "calibration/measure/probes/gds/libraries.hpp"

/// The part of the CUDA driver API that the probe calls, declared by ourselves.
namespace stallcast::calibration::gds {

using DevicePointer = unsigned long long;

/// Functions of libcuda.so.1; they return 0 on success. [CUDA Driver API reference]
struct CudaDriver {
  int (*init)(unsigned flags) = nullptr;
  int (*driver_version)(int* version) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device)(int* device, int ordinal) = nullptr;
  int (*device_name)(char* name, int size, int device) = nullptr;
  int (*retain_context)(void** context, int device) = nullptr;
  int (*release_context)(int device) = nullptr;
  int (*use_context)(void* context) = nullptr;
  int (*allocate)(DevicePointer* at, std::size_t bytes) = nullptr;
  int (*free)(DevicePointer at) = nullptr;
  int (*allocate_pinned)(void** at, std::size_t bytes, unsigned flags) = nullptr;
  int (*free_pinned)(void* at) = nullptr;
  int (*to_device)(DevicePointer to, const void* from, std::size_t bytes) = nullptr;
  int (*to_host)(void* to, DevicePointer from, std::size_t bytes) = nullptr;
  int (*to_device_async)(DevicePointer to, const void* from, std::size_t bytes,
                         void* stream) = nullptr;
  int (*to_host_async)(void* to, DevicePointer from, std::size_t bytes, void* stream) = nullptr;
  int (*make_stream)(void** stream, unsigned flags) = nullptr;
  int (*destroy_stream)(void* stream) = nullptr;
  int (*wait_for_stream)(void* stream) = nullptr;
  int (*error_name)(int result, const char** name) = nullptr;
};

/// Throws Trouble when a function is missing.
[[nodiscard]] CudaDriver bind_cuda(const Library& library);

/// Throws Trouble "WHAT: CUDA_ERROR_..." unless `result` is 0.
void check(const CudaDriver& cuda, int result, const std::string& what);

/// The primary context of the first device, current in the thread that made it.
class CudaContext {
 public:
  /// Initializes the driver. Throws Trouble.
  explicit CudaContext(const CudaDriver& cuda);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  /// For other threads. Throws Trouble.
  void use() const;
  [[nodiscard]] const CudaDriver& cuda() const { return cuda_; }
  [[nodiscard]] std::string device_name() const;

 private:
  const CudaDriver& cuda_;
  int device_ = 0;
  void* context_ = nullptr;
};

/// Memory of the device.
class DeviceBuffer {
 public:
  DeviceBuffer(const CudaDriver& cuda, std::size_t bytes);
  ~DeviceBuffer() { cuda_.free(at_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  [[nodiscard]] DevicePointer at() const { return at_; }

 private:
  const CudaDriver& cuda_;
  DevicePointer at_ = 0;
};

/// Page-locked memory of the host.
class PinnedBuffer {
 public:
  PinnedBuffer(const CudaDriver& cuda, std::size_t bytes);
  ~PinnedBuffer() { cuda_.free_pinned(at_); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(at_); }

 private:
  const CudaDriver& cuda_;
  void* at_ = nullptr;
};

class Stream {
 public:
  explicit Stream(const CudaDriver& cuda);
  ~Stream() {
    cuda_.wait_for_stream(at_);
    cuda_.destroy_stream(at_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] void* at() const { return at_; }

 private:
  const CudaDriver& cuda_;
  void* at_ = nullptr;
};

}  // namespace stallcast::calibration::gds
