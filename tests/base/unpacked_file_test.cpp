#include "engine/base/unpacked_file.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <vector>

#include "engine/base/gzip.hpp"

namespace stallcast::base {
namespace {

/// A file that is gone with the end of the test.
struct Scratch {
  explicit Scratch(std::string_view content)
      : path(std::filesystem::temp_directory_path() / "stallcast-unpacked-file-test") {
    std::ofstream(path, std::ios::binary) << content;
  }
  ~Scratch() { std::filesystem::remove(path); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path path;
};

struct Unpacked {
  std::string content;
  std::string broken;
  bool packed = false;
};

/// Read in pieces of `piece` bytes.
Unpacked unpacked(std::string_view content, std::size_t piece) {
  const Scratch file(content);
  auto opened = UnpackedFile::open(file.path);
  REQUIRE(opened.ok());
  Unpacked out;
  std::vector<char> buffer(piece);
  std::size_t n = 0;
  do {
    n = opened->read(buffer);
    out.content.append(buffer.data(), n);
  } while (n == piece);
  CHECK(opened->read(buffer) == 0);
  out.broken = opened->broken();
  out.packed = opened->packed();
  return out;
}

std::string long_text() {
  std::string out;
  for (int i = 0; i < 200'000; ++i) out += std::to_string(i * 7919) + "\n";
  return out;
}

TEST_CASE("a file is read as it is, a packed one as what it packs, in pieces of any size") {
  const std::string text = long_text();
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 20U}) {
    const Unpacked plain = unpacked(text, piece), packed = unpacked(gzip(text), piece);
    CHECK(plain.content == text);
    CHECK_FALSE(plain.packed);
    CHECK(packed.content == text);
    CHECK(packed.packed);
    CHECK(packed.broken.empty());
  }
  CHECK(unpacked("", 10).content.empty());
}

TEST_CASE("members of gzip follow each other, padding behind the last is left out") {
  const Unpacked both = unpacked(gzip("one\n") + gzip("two\n") + std::string(20, '\0'), 4096);
  CHECK(both.content == "one\ntwo\n");
  CHECK(both.broken.empty());
}

TEST_CASE("gzip that ends too early or is damaged gives what comes before, and says where") {
  const std::string packed = gzip(long_text());
  const Unpacked cut = unpacked(std::string_view(packed).substr(0, packed.size() / 2), 4096);
  CHECK(cut.content.size() > 100'000);
  CHECK(long_text().starts_with(cut.content));
  CHECK(cut.broken ==
        "the gzip data ends at byte " + std::to_string(packed.size() / 2) + " of the file");
  std::string damaged = packed;
  for (std::size_t i = 0; i < 40; ++i) damaged[packed.size() / 2 + i] = '\xff';
  CHECK(unpacked(damaged, 4096).broken.starts_with("the gzip data is damaged at byte "));
}

TEST_CASE("other packings, folders and absent files are refused with what to do") {
  const Scratch zstd("\x28\xb5\x2f\xfd more");
  const auto packed = UnpackedFile::open(zstd.path);
  REQUIRE_FALSE(packed.ok());
  CHECK(packed.failure().exit == ExitCode::bad_input);
  CHECK(packed.failure().hint.starts_with("unpack it first: zstd -d "));
  CHECK_FALSE(UnpackedFile::open(std::filesystem::temp_directory_path()).ok());
  CHECK_FALSE(UnpackedFile::open("/nowhere/at/all").ok());
}

}  // namespace
}  // namespace stallcast::base
