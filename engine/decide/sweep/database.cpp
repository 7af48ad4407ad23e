#include "engine/decide/sweep/database.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stallcast::sweep {
namespace {

constexpr int kPatienceMs = 60'000;

/// A path as an SQLite URI: only what has a meaning there is escaped.
std::string uri(const std::string& path, const char* query) {
  std::string out = "file:";
  for (const char c : path) {
    constexpr char kHex[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%')
      (out += '%') += std::string{kHex[byte >> 4U], kHex[byte & 15U]};
    else
      out += c;
  }
  return out + query;
}

bool exists(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Of a file that SQLite, which says no more, cannot open: why; 0 where nothing tells.
int why_closed(const std::string& path) {
  const bool there = exists(path);
  if (::access(there ? path.c_str() : folder_of(path).c_str(), R_OK | W_OK) != 0) return errno;
  return there ? 0 : ENOENT;
}

}  // namespace

SqlStatement::SqlStatement(Database& database, std::string_view sql) : database_(database) {
  if (sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &statement_,
                         nullptr) != SQLITE_OK)
    database.fail("read");
}

SqlStatement::~SqlStatement() { sqlite3_finalize(statement_); }

SqlStatement& SqlStatement::bind(std::string_view text) {
  // An empty view may have no pointer, which SQLite would take for NULL.
  sqlite3_bind_text64(statement_, ++bound_, text.empty() ? "" : text.data(), text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

SqlStatement& SqlStatement::bind(std::int64_t number) {
  sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

bool SqlStatement::step() {
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      reset();
      return false;
    default:
      break;
  }
  try {
    database_.fail("read or write");
  } catch (...) {
    reset();
    throw;
  }
}

void SqlStatement::run() {
  while (step()) continue;
}

void SqlStatement::reset() {
  sqlite3_reset(statement_);
  bound_ = 0;
}

std::string SqlStatement::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_, column);
  if (bytes == nullptr) return "";
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::int64_t SqlStatement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

Database::Database(const std::string& path, Access access)
    : path_(path.empty() ? ":memory:" : path) {
  // Hosts that share a file system but no memory may all read a plan that nobody writes.
  const bool still = access == Access::read && !exists(path + "-wal");
  const std::string name = path.empty() ? path_ : uri(path, still ? "?immutable=1" : "");
  const int flags =
      SQLITE_OPEN_URI | (access == Access::create  ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                         : access == Access::write ? SQLITE_OPEN_READWRITE
                                                   : SQLITE_OPEN_READONLY);
  if (sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    try {
      fail("open");
    } catch (...) {
      sqlite3_close(handle_);
      throw;
    }
  }
  sqlite3_busy_timeout(handle_, kPatienceMs);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail("read or write");
}

void Database::fail(const std::string& doing) const {
  const int code = sqlite3_errcode(handle_);
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
    throw DatabaseFault{{ExitCode::bad_input, path_ + " is not a sweep, or it is damaged",
                         "\"stallcast sweep plan SCENARIO -o FILE.db\" makes one"},
                        true};
  if (const int why = code == SQLITE_CANTOPEN ? why_closed(path_) : 0; why != 0)
    throw DatabaseFault{{ExitCode::bad_input,
                         "cannot " + doing + " " + path_ + ": " + std::strerror(why),
                         why == ENOENT && exists(folder_of(path_))
                             ? "\"stallcast sweep plan SCENARIO -o FILE.db\" makes one"
                             : "its folder has to exist, and this user has to be allowed to write "
                               "there"}};
  throw DatabaseFault{
      {ExitCode::bad_input, "cannot " + doing + " " + path_ + ": " + sqlite3_errmsg(handle_),
       code == SQLITE_BUSY       ? "another process has held it for a minute"
       : code == SQLITE_CANTOPEN ? "\"stallcast sweep plan SCENARIO -o FILE.db\" makes one"
                                 : "is the disk full, or may this user not write there?"}};
}

Transaction::~Transaction() {
  if (done_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const DatabaseFault&) {  // SQLite has rolled back already
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  done_ = true;
}

}  // namespace stallcast::sweep
