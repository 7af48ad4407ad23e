// libFuzzer's side: `stallcast-fuzz --target=NAME [libFuzzer's options] CORPUS...`; `--list` prints
// the table.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "fuzz/mutate_json.hpp"
#include "fuzz/target.hpp"

// NOLINTBEGIN(readability-identifier-naming): libFuzzer's names
extern "C" {
int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned int seed);
std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                      const std::uint8_t* two, std::size_t two_size,
                                      std::uint8_t* out, std::size_t most, unsigned int seed);
}

namespace {

using stallcast::fuzz::Target;

const Target* chosen = nullptr;

/// Of CPU time: what a busy machine adds is no fault.
constexpr std::clock_t kMostSeconds = 10;

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::size_t put(const std::string& text, std::uint8_t* out, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kTarget = "--target=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view word = (*argv)[i];
    if (word.starts_with(kTarget))
      chosen = stallcast::fuzz::find_target(word.substr(kTarget.size()));
    if (word != "--list") continue;
    for (const Target& t : stallcast::fuzz::targets())
      std::printf("%s\t%zu\t%s\t%s\n", t.name.data(), t.longest, t.seeds.data(), t.words.data());
    std::exit(0);
  }
  if (chosen == nullptr) {
    std::fputs("--target=NAME is missing; --list lists them\n", stderr);
    std::exit(2);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::clock_t began = std::clock();
  chosen->run(text_of(data, size));
  stallcast::fuzz::require(std::clock() - began < kMostSeconds * CLOCKS_PER_SEC,
                           "an input takes less than 10 s");
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned int seed) {
  // Now and then bytes, so that it is not JSON for ever.
  if (!chosen->mutates_json || seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  return put(stallcast::fuzz::mutate_json(text_of(data, size), {}, most, seed), data, most);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                      const std::uint8_t* two, std::size_t two_size,
                                      std::uint8_t* out, std::size_t most, unsigned int seed) {
  if (chosen->mutates_json)
    return put(
        stallcast::fuzz::mutate_json(text_of(one, one_size), text_of(two, two_size), most, seed),
        out, most);
  const std::size_t head = one_size == 0 ? 0 : seed % one_size;
  const std::size_t tail = two_size == 0 ? 0 : (seed / 7) % two_size;
  std::string text(text_of(one, head));
  text += text_of(two + tail, two_size - tail);
  return put(text, out, most);
}
// NOLINTEND(readability-identifier-naming)
