#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/temporary_folder.hpp"
#include "stallcast/result.hpp"

/// Scenarios as they were in an earlier revision. Reads through the program `git`; changes nothing
/// in the repository: no checkout, no hook, no index of the user's.
namespace stallcast::client {

/// The folder that contains everything: the nearest parent of `start` with a `.git`; `start` itself
/// when there is none.
[[nodiscard]] std::filesystem::path repository_root(const std::filesystem::path& start);

/// `path` relative to the repository around the working folder, with forward slashes: how reports
/// name files. A path outside of it stays as it is.
[[nodiscard]] std::string repository_path(const std::string& path);

/// The scenario files of one revision in a temporary folder, which is gone with this object.
class GitTree {
 public:
  /// All files of `revision` that scenarios may be (JSON, fio jobs), what they name of others
  /// (programs of replays), and `also`, which are relative to the root. Fails with bad_input for an
  /// unknown revision or without git.
  [[nodiscard]] static Result<GitTree> at(const std::string& revision,
                                          std::span<const std::string> also = {});

  /// Paths of JSON files that the working folder no longer has.
  [[nodiscard]] std::vector<std::string> gone() const;

  /// Where a file that is now at `path` was; "" when the revision has none there.
  [[nodiscard]] std::string same(const std::string& path) const;

  /// Where the file with this path relative to the root is now; it need not exist.
  [[nodiscard]] std::filesystem::path file(const std::string& path) const {
    return folder() / path;
  }

 private:
  explicit GitTree(base::TemporaryFolder work) : work_(std::move(work)) {}
  [[nodiscard]] std::filesystem::path folder() const { return work_.path() / "tree"; }
  base::TemporaryFolder work_;  ///< with what git needs beside the files
};

}  // namespace stallcast::client
