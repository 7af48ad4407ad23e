#include "engine/base/files.hpp"
#include "engine/base/sha256.hpp"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

namespace stallcast::base {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("stallcast-files-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  [[nodiscard]] auto entries() const {
    return std::distance(fs::directory_iterator(path), fs::directory_iterator());
  }
};

}  // namespace

TEST_CASE("a file without an end is refused, not read until memory is gone") {
  const auto text = read_file("/dev/zero");
  REQUIRE_FALSE(text.ok());
  CHECK(text.failure().exit == ExitCode::bad_input);
  CHECK(text.failure().message == "cannot read /dev/zero: File too large");
}

TEST_CASE("what is written is read back, byte for byte, and leaves nothing else behind") {
  const Folder folder;
  const std::string content("a\0b\r\n\xFF", 6);
  REQUIRE(write_file(folder.path / "f", "old").ok());
  REQUIRE(write_file(folder.path / "f", content).ok());
  CHECK(read_file(folder.path / "f").value() == content);
  CHECK(folder.entries() == 1);
}

TEST_CASE("a file that is replaced keeps its permissions and links stay links") {
  const Folder folder;
  REQUIRE(write_file(folder.path / "f", "old").ok());
  fs::permissions(folder.path / "f", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("f", folder.path / "link");
  REQUIRE(write_file(folder.path / "link", "new").ok());
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(read_file(folder.path / "f").value() == "new");
  CHECK(fs::status(folder.path / "f").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("faults of the file system say which file and why") {
  const Folder folder;
  const auto missing = read_file(folder.path / "none");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.failure().exit == ExitCode::bad_input);
  CHECK_THAT(missing.failure().message, Catch::Contains("none: No such file or directory"));
  CHECK_FALSE(read_file(folder.path).ok());
  CHECK_FALSE(write_file(folder.path / "no" / "f", "x").ok());
  CHECK_FALSE(write_file(folder.path, "x").ok());
  CHECK(folder.entries() == 0);
}

TEST_CASE("devices are written to, never replaced") {
  REQUIRE(write_file("/dev/null", "x").ok());
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("SHA-256 matches the vectors of FIPS 180-4") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("SHA-256 of a file is that of its bytes, whatever pieces it is read in") {
  const Folder folder;
  for (const std::size_t size : {0U, 3U, 1U << 16, (1U << 16) + 1, 200000U}) {
    const std::string bytes(size, 'a');
    REQUIRE(write_file(folder.path / "f", bytes).ok());
    const auto found = sha256_of_file(folder.path / "f");
    REQUIRE(found.ok());
    CHECK(*found == sha256(bytes));
  }
  CHECK_FALSE(sha256_of_file(folder.path / "none").ok());
  CHECK_FALSE(sha256_of_file(folder.path).ok());
}

}  // namespace stallcast::base
