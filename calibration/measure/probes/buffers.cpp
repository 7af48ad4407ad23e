#include "calibration/measure/probes/buffers.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

namespace stallcast::calibration::probing {
namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20U;
constexpr int kAccess = PROT_READ | PROT_WRITE, kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;

/// Whether most of the mapping that `at` lies in is on transparent huge pages.
bool on_huge_pages(const void* at, std::size_t bytes) {
  std::ifstream in("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    std::uint64_t low = 0, high = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &low, &high) == 2) {
      const auto address = reinterpret_cast<std::uintptr_t>(at);
      inside = low <= address && address < high;
    } else if (inside && line.starts_with("AnonHugePages:")) {
      std::istringstream fields(line.substr(line.find(':') + 1));
      std::uint64_t kib = 0;
      fields >> kib;
      return 2 * (kib << 10U) > bytes;
    }
  }
  return false;
}

std::uint64_t mix(std::uint64_t& state) {  // splitmix64 (Steele, Lea and Flood, 2014)
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

}  // namespace

Buffers::Buffers(std::size_t bytes, BufferPages wanted) : bytes_(bytes) {
  if (wanted == BufferPages::small || !map_reserved()) map_plain(wanted);
}

bool Buffers::map_reserved() {
  mapped_ = (bytes_ + kHuge - 1) / kHuge * kHuge;
  map_ = mmap(nullptr, mapped_, kAccess, kAnonymous | MAP_HUGETLB | MAP_POPULATE, -1, 0);
  if (map_ == MAP_FAILED) return false;
  at_ = static_cast<std::byte*>(map_);
  kind_ = "hugetlb";
  return true;
}

void Buffers::map_plain(BufferPages wanted) {
  const std::size_t whole = (bytes_ + kHuge - 1) / kHuge * kHuge;
  mapped_ = whole + kHuge;  // to start at a boundary
  map_ = mmap(nullptr, mapped_, kAccess, kAnonymous, -1, 0);
  if (map_ == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(map_);
  at_ = static_cast<std::byte*>(map_) + (kHuge - address % kHuge) % kHuge;
  madvise(at_, whole, wanted == BufferPages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  std::memset(at_, 0, whole);
  kind_ = on_huge_pages(at_, whole) ? "thp" : "pages";
}

Buffers::~Buffers() { munmap(map_, mapped_); }

void fill_random(std::span<std::byte> bytes, std::uint64_t seed) {
  std::size_t i = 0;
  for (; i + sizeof seed <= bytes.size(); i += sizeof seed) {
    const std::uint64_t word = mix(seed);
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
  if (i < bytes.size()) {
    const std::uint64_t word = mix(seed);
    std::memcpy(bytes.data() + i, &word, bytes.size() - i);
  }
}

void stamp(std::span<std::byte> bytes, std::uint64_t serial) {
  constexpr std::size_t kBlock = 4096;
  for (std::size_t i = 0; i + sizeof serial <= bytes.size(); i += kBlock) {
    std::uint64_t word = serial ^ (static_cast<std::uint64_t>(i / kBlock) << 48U);
    word = mix(word);
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
}

}  // namespace stallcast::calibration::probing
