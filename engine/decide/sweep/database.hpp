#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stallcast/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

/// SQLite with our errors: what cannot be read or written is a Failure with bad_input.
namespace stallcast::sweep {

/// Thrown inside engine/decide/sweep only; the store turns it into a Failure.
struct DatabaseFault {
  Failure failure;
  bool damaged = false;  ///< the file is none of ours, or not whole
};

class Database;

/// One prepared statement. Rows are stepped through; binding starts it again.
class SqlStatement {
 public:
  SqlStatement(Database& database, std::string_view sql);
  ~SqlStatement();
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;

  /// Parameters in the order of the question marks, from the first after the last `reset`.
  SqlStatement& bind(std::string_view text);
  SqlStatement& bind(std::int64_t number);
  /// The next row; false after the last, and the statement can be bound again.
  bool step();
  /// Runs a statement that gives no rows.
  void run();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;

 private:
  void reset();
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// An open file.
class Database {
 public:
  enum class Access { create, write, read };

  /// "" is a database in memory. Waits up to a minute for other processes. Throws DatabaseFault.
  Database(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Throws what SQLite says, with the path.
  [[noreturn]] void fail(const std::string& doing) const;

 private:
  friend class SqlStatement;
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// Everything or nothing: rolls back unless `commit` was called.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database_.run("BEGIN IMMEDIATE");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool done_ = false;
};

}  // namespace stallcast::sweep
