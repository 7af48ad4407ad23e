#pragma once

#include <span>
#include <string>
#include <string_view>

/// The verbs of `stallcast`. To add one: its .cpp, its declaration here, and a row in verbs.cpp.
namespace stallcast::cli {

/// One verb. `run` gets the arguments after the verb and returns the exit code.
struct Verb {
  std::string_view name;
  std::string_view group;    ///< heading in the help
  std::string_view summary;  ///< one line
  int (*run)(const Verb& verb, std::span<const std::string> args);
};

/// In the order of the help.
[[nodiscard]] std::span<const Verb> verbs();
/// nullptr when there is no such verb.
[[nodiscard]] const Verb* find_verb(std::string_view name);

int replay_verb(const Verb& verb, std::span<const std::string> args);
int run_verb(const Verb& verb, std::span<const std::string> args);
int plan_verb(const Verb& verb, std::span<const std::string> args);
int compare_verb(const Verb& verb, std::span<const std::string> args);
int grow_verb(const Verb& verb, std::span<const std::string> args);
int explain_verb(const Verb& verb, std::span<const std::string> args);
int lint_verb(const Verb& verb, std::span<const std::string> args);
int resolve_verb(const Verb& verb, std::span<const std::string> args);
int schema_verb(const Verb& verb, std::span<const std::string> args);
int init_verb(const Verb& verb, std::span<const std::string> args);
int catalog_verb(const Verb& verb, std::span<const std::string> args);
int validate_verb(const Verb& verb, std::span<const std::string> args);
int probe_verb(const Verb& verb, std::span<const std::string> args);
int ci_verb(const Verb& verb, std::span<const std::string> args);
int check_verb(const Verb& verb, std::span<const std::string> args);
int diff_verb(const Verb& verb, std::span<const std::string> args);
int calibrate_verb(const Verb& verb, std::span<const std::string> args);
int import_verb(const Verb& verb, std::span<const std::string> args);
int observe_verb(const Verb& verb, std::span<const std::string> args);
int serve_verb(const Verb& verb, std::span<const std::string> args);
int completion_verb(const Verb& verb, std::span<const std::string> args);
int man_verb(const Verb& verb, std::span<const std::string> args);
int sweep_verb(const Verb& verb, std::span<const std::string> args);

}  // namespace stallcast::cli
