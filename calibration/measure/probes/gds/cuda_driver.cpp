#include "calibration/measure/probes/gds/cuda_driver.hpp"

#include <array>

namespace stallcast::calibration::gds {

CudaDriver bind_cuda(const Library& library) {
  CudaDriver cuda;
  bind(library, cuda.init, {"cuInit"});
  bind(library, cuda.driver_version, {"cuDriverGetVersion"});
  bind(library, cuda.device_count, {"cuDeviceGetCount"});
  bind(library, cuda.device, {"cuDeviceGet"});
  bind(library, cuda.device_name, {"cuDeviceGetName"});
  bind(library, cuda.retain_context, {"cuDevicePrimaryCtxRetain"});
  bind(library, cuda.release_context, {"cuDevicePrimaryCtxRelease_v2"});
  bind(library, cuda.use_context, {"cuCtxSetCurrent"});
  bind(library, cuda.allocate, {"cuMemAlloc_v2"});
  bind(library, cuda.free, {"cuMemFree_v2"});
  bind(library, cuda.allocate_pinned, {"cuMemHostAlloc"});
  bind(library, cuda.free_pinned, {"cuMemFreeHost"});
  bind(library, cuda.to_device, {"cuMemcpyHtoD_v2"});
  bind(library, cuda.to_host, {"cuMemcpyDtoH_v2"});
  bind(library, cuda.to_device_async, {"cuMemcpyHtoDAsync_v2"});
  bind(library, cuda.to_host_async, {"cuMemcpyDtoHAsync_v2"});
  bind(library, cuda.make_stream, {"cuStreamCreate"});
  bind(library, cuda.destroy_stream, {"cuStreamDestroy_v2"});
  bind(library, cuda.wait_for_stream, {"cuStreamSynchronize"});
  bind(library, cuda.error_name, {"cuGetErrorName"});
  return cuda;
}

void check(const CudaDriver& cuda, int result, const std::string& what) {
  if (result == 0) return;
  const char* name = nullptr;
  if (cuda.error_name(result, &name) != 0 || name == nullptr) name = "unknown error";
  throw Trouble(what + ": " + name + " (" + std::to_string(result) + ")");
}

CudaContext::CudaContext(const CudaDriver& cuda) : cuda_(cuda) {
  check(cuda, cuda.init(0), "cuInit");
  int count = 0;
  check(cuda, cuda.device_count(&count), "cuDeviceGetCount");
  if (count == 0) throw Trouble("the CUDA driver sees no device");
  check(cuda, cuda.device(&device_, 0), "cuDeviceGet");
  check(cuda, cuda.retain_context(&context_, device_), "cuDevicePrimaryCtxRetain");
  try {
    use();
  } catch (const Trouble&) {
    cuda.release_context(device_);
    throw;
  }
}

CudaContext::~CudaContext() { cuda_.release_context(device_); }

void CudaContext::use() const { check(cuda_, cuda_.use_context(context_), "cuCtxSetCurrent"); }

std::string CudaContext::device_name() const {
  std::array<char, 128> name{};
  check(cuda_, cuda_.device_name(name.data(), static_cast<int>(name.size()) - 1, device_),
        "cuDeviceGetName");
  return name.data();
}

DeviceBuffer::DeviceBuffer(const CudaDriver& cuda, std::size_t bytes) : cuda_(cuda) {
  check(cuda, cuda.allocate(&at_, bytes), "cuMemAlloc");
}

PinnedBuffer::PinnedBuffer(const CudaDriver& cuda, std::size_t bytes) : cuda_(cuda) {
  check(cuda, cuda.allocate_pinned(&at_, bytes, 0), "cuMemHostAlloc");
}

Stream::Stream(const CudaDriver& cuda) : cuda_(cuda) {
  constexpr unsigned kNonBlocking = 1;  // not ordered with the default stream
  check(cuda, cuda.make_stream(&at_, kNonBlocking), "cuStreamCreate");
}

}  // namespace stallcast::calibration::gds
