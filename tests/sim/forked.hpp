#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// SimGrid's engine is one per process, so every test case of it runs in a child of its own.
namespace stallcast::tests {

/// What `work` returned in a forked child. Throws when the child died or threw.
template <class Work>
std::vector<double> in_child(Work&& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    close(ends[0]);
    int status = 0;
    try {
      const std::vector<double> values = std::forward<Work>(work)();
      const char* at = reinterpret_cast<const char*>(values.data());
      std::size_t left = values.size() * sizeof(double);
      while (left > 0) {
        const ssize_t wrote = write(ends[1], at, left);
        if (wrote <= 0) _exit(3);
        at += wrote;
        left -= static_cast<std::size_t>(wrote);
      }
    } catch (const std::exception&) {
      status = 2;
    }
    _exit(status);
  }
  close(ends[1]);
  std::vector<char> bytes;
  char block[4096];
  for (ssize_t got = 0; (got = read(ends[0], block, sizeof block)) > 0;) {
    bytes.insert(bytes.end(), block, block + got);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("child ended with " + std::to_string(status));
  std::vector<double> values(bytes.size() / sizeof(double));
  for (std::size_t i = 0; i < values.size() * sizeof(double); ++i) {
    reinterpret_cast<char*>(values.data())[i] = bytes[i];
  }
  return values;
}

}  // namespace stallcast::tests
