#include "engine/base/lock.hpp"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace stallcast::base {
namespace {

bool is_there(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

bool claim(int fd) {
  const bool taken = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !taken && is_there(fd);
}

bool claim_abandoned(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0 && is_there(fd); }

}  // namespace stallcast::base
