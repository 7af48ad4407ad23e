#include "engine/base/whole_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/temporary_folder.hpp"

namespace stallcast::base {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    out.push_back(entry.path().filename());
  std::sort(out.begin(), out.end());
  return out;
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

/// No file of this process grows beyond `bytes` while this exists.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// Sets TMPDIR while it exists.
class TemporaryPlace {
 public:
  explicit TemporaryPlace(const fs::path& place) {
    if (const char* text = std::getenv("TMPDIR")) before_ = text;
    setenv("TMPDIR", place.c_str(), 1);
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;
  ~TemporaryPlace() {
    if (before_)
      setenv("TMPDIR", before_->c_str(), 1);
    else
      unsetenv("TMPDIR");
  }

 private:
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("a file stays as it is until what takes its place is complete") {
  const auto folder = TemporaryFolder::make("whole");
  REQUIRE(folder.ok());
  put(folder->path() / "f", "old");
  {
    const auto next = FileReplacement::of(folder->path() / "f");
    REQUIRE(next.ok());
    REQUIRE((*next)->write("new").ok());
    CHECK(read_file(folder->path() / "f").value() == "old");
  }
  CHECK(names_in(folder->path()) == std::vector<std::string>{"f"});
  CHECK(read_file(folder->path() / "f").value() == "old");
  const auto next = FileReplacement::of(folder->path() / "f");
  REQUIRE((*next)->write("new").ok());
  REQUIRE((*next)->commit().ok());
  CHECK(read_file(folder->path() / "f").value() == "new");
}

TEST_CASE("what a killed program left goes with the next replacement, what others write stays") {
  const auto folder = TemporaryFolder::make("whole");
  REQUIRE(folder.ok());
  const fs::path file = folder->path() / "f";
  const auto other = FileReplacement::of(file);
  REQUIRE(other.ok());
  const std::string alive = names_in(folder->path()).front();
  for (const char* name : {"f.tmp.1.0", "f.tmp.1.note", "g.tmp.1.0", "f.tmp."})
    put(folder->path() / name, "");
  REQUIRE(write_file(file, "x").ok());
  CHECK_THAT(names_in(folder->path()), Catch::UnorderedEquals(std::vector<std::string>{
                                           "f", "f.tmp.", "f.tmp.1.note", "g.tmp.1.0", alive}));
  REQUIRE((*other)->write("y").ok());
  REQUIRE((*other)->commit().ok());
  CHECK(read_file(file).value() == "y");
}

TEST_CASE("a file that cannot grow is a failure, and the old one is still there") {
  const auto folder = TemporaryFolder::make("whole");
  REQUIRE(folder.ok());
  const fs::path file = folder->path() / "f";
  put(file, "old");
  const FileLimit limit(1000);
  const auto written = write_file(file, std::string(2000, 'x'));
  REQUIRE_FALSE(written.ok());
  CHECK(written.failure().exit == ExitCode::bad_input);
  CHECK(names_in(folder->path()) == std::vector<std::string>{"f"});
  CHECK(read_file(file).value() == "old");
}

TEST_CASE("text is appended whole or not at all") {
  const auto folder = TemporaryFolder::make("whole");
  REQUIRE(folder.ok());
  const fs::path file = folder->path() / "f";
  REQUIRE(append_file(file, "one\n").ok());
  REQUIRE(append_file(file, "two\n").ok());
  CHECK(read_file(file).value() == "one\ntwo\n");
  {
    const FileLimit limit(1000);
    CHECK_FALSE(append_file(file, std::string(2000, 'x')).ok());
  }
  CHECK(read_file(file).value() == "one\ntwo\n");
  CHECK(append_file("/dev/null", "x").ok());
  CHECK_FALSE(append_file(folder->path(), "x").ok());
}

TEST_CASE("a temporary folder goes with its owner, and what a killed one left with the next") {
  const auto outer = TemporaryFolder::make("whole");
  REQUIRE(outer.ok());
  const TemporaryPlace place(outer->path());
  const auto mine = TemporaryFolder::make("mine");
  REQUIRE(mine.ok());
  const pid_t killed = fork();
  if (killed == 0) {
    const auto theirs = TemporaryFolder::make("mine");
    if (theirs.ok()) put(theirs->path() / "f", "x");
    raise(SIGKILL);
  }
  waitpid(killed, nullptr, 0);
  fs::create_directory(outer->path() / "stallcast-mine-other-name");
  CHECK(names_in(outer->path()).size() == 3);
  {
    const auto next = TemporaryFolder::make("mine");
    REQUIRE(next.ok());
    put(next->path() / "f", "x");
    CHECK(names_in(outer->path()).size() == 3);
    CHECK(fs::exists(mine->path()));
  }
  CHECK(names_in(outer->path()).size() == 2);
}

TEST_CASE("a folder whose contents are kept is removed only when it is empty") {
  const auto outer = TemporaryFolder::make("whole");
  REQUIRE(outer.ok());
  const TemporaryPlace place(outer->path());
  { CHECK(TemporaryFolder::make("kept", TemporaryFolder::Contents::kept).ok()); }
  CHECK(names_in(outer->path()).empty());
  {
    const auto folder = TemporaryFolder::make("kept", TemporaryFolder::Contents::kept);
    REQUIRE(folder.ok());
    put(folder->path() / "f", "x");
  }
  CHECK(names_in(outer->path()).size() == 1);
  { CHECK(TemporaryFolder::make("kept", TemporaryFolder::Contents::kept).ok()); }
  CHECK(names_in(outer->path()).size() == 1);
}

TEST_CASE("without a place for temporary files the message says what to set") {
  const TemporaryPlace place("/dev/null/none");
  const auto folder = TemporaryFolder::make("whole");
  REQUIRE_FALSE(folder.ok());
  CHECK(folder.failure().exit == ExitCode::bad_input);
  CHECK(folder.failure().hint == "set TMPDIR to one");
}

}  // namespace stallcast::base
