#include "calibration/measure/probes/gds/movers.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "calibration/measure/probes/buffers.hpp"

namespace stallcast::calibration::gds {
namespace {

using probing::Buffers;

/// pread or pwrite of a whole block.
void transfer(int fd, std::byte* buffer, std::size_t size, std::uint64_t offset, bool reading) {
  const auto at = static_cast<off_t>(offset);
  const ssize_t moved = reading ? pread(fd, buffer, size, at) : pwrite(fd, buffer, size, at);
  const std::string trouble = transfer_trouble(moved, size, errno);
  if (!trouble.empty())
    throw Trouble(std::string(reading ? "read" : "write") + " of the probe's file: " + trouble);
}

/// A device buffer with random bytes, and the comparison with the file.
class Base : public BlockMover {
 public:
  explicit Base(const MoverParts& parts) : parts_(parts), device_(cuda(), parts.size) {
    Buffers random(parts.size);
    probing::fill_random({random.data(), parts.size}, parts.seed);
    check(cuda(), cuda().to_device(device_.at(), random.data(), parts.size), "cuMemcpyHtoD");
  }
  void verify(std::uint64_t offset) override {
    if (parts_.fd < 0) return;
    move(offset, true);
    drain();
    Buffers expected(parts_.size), seen(parts_.size);
    transfer(parts_.fd, expected.data(), parts_.size, offset, true);
    check(cuda(), cuda().to_host(seen.data(), where(), parts_.size), "cuMemcpyDtoH");
    if (std::memcmp(expected.data(), seen.data(), parts_.size) != 0)
      throw Trouble("the device holds other bytes than the file after a read");
  }

 protected:
  [[nodiscard]] const CudaDriver& cuda() const { return parts_.context.cuda(); }
  /// Device memory of the last block that was read.
  [[nodiscard]] virtual DevicePointer where() const { return device_.at(); }

  const MoverParts parts_;
  DeviceBuffer device_;
};

/// Storage and copy one after the other; without a file, only the copy.
template <class Memory>
class Serial : public Base {
 public:
  Serial(const MoverParts& parts, Memory memory)
      : Base(parts), memory_(std::move(memory)), host_(memory_->data()) {
    probing::fill_random({host_, parts.size}, parts.seed);
  }
  void move(std::uint64_t offset, bool reading) override {
    if (reading) {
      if (parts_.fd >= 0) transfer(parts_.fd, host_, parts_.size, offset, true);
      check(cuda(), cuda().to_device(device_.at(), host_, parts_.size), "cuMemcpyHtoD");
    } else {
      check(cuda(), cuda().to_host(host_, device_.at(), parts_.size), "cuMemcpyDtoH");
      if (parts_.fd >= 0) transfer(parts_.fd, host_, parts_.size, offset, false);
    }
  }
  [[nodiscard]] std::string buffers() const override {
    if constexpr (requires { memory_->kind(); })
      return std::string(memory_->kind());
    else
      return "pinned";
  }

 private:
  Memory memory_;
  std::byte* host_;
};

/// A block is on its way to the device while the next is read, and from it while one is written.
class Overlapped : public Base {
 public:
  explicit Overlapped(const MoverParts& parts)
      : Base(parts), slots_{{Slot(cuda(), parts), Slot(cuda(), parts)}} {}
  void move(std::uint64_t offset, bool reading) override {
    Slot& slot = slots_[next_ = (next_ + 1) % slots_.size()];
    if (reading) {
      wait(slot);
      transfer(parts_.fd, slot.host.data(), parts_.size, offset, true);
      check(
          cuda(),
          cuda().to_device_async(slot.device.at(), slot.host.data(), parts_.size, slot.stream.at()),
          "cuMemcpyHtoDAsync");
      return;
    }
    if (!slot.filled) fetch(slot);
    Slot& after = slots_[(next_ + 1) % slots_.size()];
    if (!after.filled) fetch(after);
    wait(slot);
    transfer(parts_.fd, slot.host.data(), parts_.size, offset, false);
    slot.filled = false;
  }
  void drain() override {
    for (Slot& slot : slots_) wait(slot);
  }
  [[nodiscard]] std::string buffers() const override { return "pinned, two"; }

 private:
  struct Slot {
    Slot(const CudaDriver& cuda, const MoverParts& parts)
        : host(cuda, parts.size), device(cuda, parts.size), stream(cuda) {
      probing::fill_random({host.data(), parts.size}, parts.seed + 1);
      check(cuda, cuda.to_device(device.at(), host.data(), parts.size), "cuMemcpyHtoD");
    }
    PinnedBuffer host;
    DeviceBuffer device;
    Stream stream;  // destroyed first: it waits for what uses the buffers
    bool filled = false;
  };
  [[nodiscard]] DevicePointer where() const override { return slots_[next_].device.at(); }
  void wait(Slot& slot) {
    check(cuda(), cuda().wait_for_stream(slot.stream.at()), "cuStreamSynchronize");
  }
  void fetch(Slot& slot) {
    check(cuda(),
          cuda().to_host_async(slot.host.data(), slot.device.at(), parts_.size, slot.stream.at()),
          "cuMemcpyDtoHAsync");
    slot.filled = true;
  }

  std::array<Slot, 2> slots_;
  std::size_t next_ = 0;
};

class ByCuFile : public Base {
 public:
  explicit ByCuFile(const MoverParts& parts) : Base(parts) {
    if (parts.registered)
      check(parts.api->register_buffer(base(), parts.size, 0), "cuFileBufRegister");
  }
  ~ByCuFile() override {
    if (parts_.registered) parts_.api->deregister_buffer(base());
  }
  ByCuFile(const ByCuFile&) = delete;
  ByCuFile& operator=(const ByCuFile&) = delete;
  void move(std::uint64_t offset, bool reading) override {
    const auto at = static_cast<off_t>(offset);
    errno = 0;
    const ssize_t moved = reading ? parts_.api->read(parts_.handle, base(), parts_.size, at, 0)
                                  : parts_.api->write(parts_.handle, base(), parts_.size, at, 0);
    const std::string trouble = transfer_trouble(moved, parts_.size, errno);
    if (!trouble.empty())
      throw Trouble(std::string(reading ? "cuFileRead: " : "cuFileWrite: ") + trouble);
  }
  [[nodiscard]] std::string buffers() const override {
    return parts_.registered ? "device, registered" : "device, not registered";
  }

 private:
  [[nodiscard]] void* base() const { return reinterpret_cast<void*>(device_.at()); }
};

template <class Memory>
std::unique_ptr<BlockMover> serial(const MoverParts& parts, Memory memory) {
  return std::make_unique<Serial<Memory>>(parts, std::move(memory));
}

}  // namespace

std::unique_ptr<BlockMover> make_mover(Way way, const MoverParts& parts) {
  MoverParts no_file = parts;
  no_file.fd = -1;
  const CudaDriver& cuda = parts.context.cuda();
  switch (way) {
    case Way::pageable:
      return serial(parts, std::make_unique<Buffers>(parts.size));
    case Way::pinned:
      return serial(parts, std::make_unique<PinnedBuffer>(cuda, parts.size));
    case Way::direct_pinned:
      return std::make_unique<Overlapped>(parts);
    case Way::cufile:
      return std::make_unique<ByCuFile>(parts);
    case Way::copy_pageable:
      return serial(no_file, std::make_unique<Buffers>(parts.size));
    case Way::copy_pinned:
      return serial(no_file, std::make_unique<PinnedBuffer>(cuda, parts.size));
  }
  throw Trouble("no such way");
}

}  // namespace stallcast::calibration::gds
