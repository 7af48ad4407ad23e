#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "engine/base/files.hpp"
#include "engine/base/temporary_folder.hpp"
#include "engine/runtime/run/find_worker.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "engine/runtime/run/warm_worker.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/server/settings.hpp"
#include "ui/server/sockets.hpp"

namespace stallcast::cli {
namespace {

constexpr const char* kTokenVariable = "STALLCAST_TOKEN";
constexpr std::size_t kShortestToken = 16;

struct ServeWords {
  std::string host = "127.0.0.1";
  std::string token_file;
  std::string root;
  std::vector<std::string> names;
  bool until_eof = false;
  std::optional<std::int64_t> port, threads, runs, queue, body_kb, connections, memory_mb;
};

void declare(CommandLine& line, CommonOptions& options, ServeWords& words) {
  line.text("--host", words.host, "ADDRESS",
            "listen here (default 127.0.0.1); any but this machine's own needs a token");
  line.integer("--port", words.port, 0, "listen on this port (default 8080; 0: any that is free)");
  line.text("--token-file", words.token_file, "FILE",
            "clients must send the token in FILE (default: the one in $STALLCAST_TOKEN, if set)");
  line.texts("--host-name", words.names, "NAME",
             "clients may call this server NAME, too; repeatable");
  line.text("--root", words.root, "FOLDER",
            "scenarios may extend files in FOLDER (default: catalogue entries only)");
  line.integer("--runs", words.runs, 1, "simulate so many requests at a time (default 2)");
  line.integer("--queue", words.queue, 0, "so many more may wait (default 64)");
  line.integer("--threads", words.threads, 1, "answer requests with so many threads (default 4)");
  line.integer("--connections", words.connections, 1, "at most so many at a time (default 2000)");
  line.integer("--max-body", words.body_kb, 1, "largest scenario in kB (default 1000)");
  line.integer("--memory", words.memory_mb, 1, "memory of one simulation in MB (default 2000)");
  line.flag("--until-eof", words.until_eof,
            "end with standard input, too: with the program that started it");
  line.text("--profile", options.profile, "FILE",
            "take fitted values from this calibration profile");
  options.time_limit_s = 60.0;
  line.run_options(options);
}

/// The token, or "" when there is none.
Result<std::string> token_of(const ServeWords& words) {
  std::string token;
  std::string from;
  if (!words.token_file.empty()) {
    const auto text = base::read_file(words.token_file);
    if (!text.ok()) return text.failure();
    token = *text;
    from = words.token_file;
  } else if (const char* value = std::getenv(kTokenVariable); value != nullptr) {
    token = value;
    from = std::string("$") + kTokenVariable;
  }
  while (!token.empty() && std::string_view(" \t\r\n").find(token.back()) != std::string_view::npos)
    token.pop_back();
  // Workers are started with the environment of the server: they need not know.
  (void)unsetenv(kTokenVariable);
  if (from.empty()) return token;
  for (const char c : token)
    if (c <= ' ' || c > '~')
      return Failure{ExitCode::bad_input, "the token of " + from + " has spaces or odd characters",
                     "make one with: openssl rand -hex 32"};
  if (token.size() < kShortestToken)
    return Failure{ExitCode::bad_input,
                   "the token of " + from + " is shorter than " + std::to_string(kShortestToken) +
                       " characters",
                   "make one with: openssl rand -hex 32"};
  return token;
}

}  // namespace

int serve_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  ServeWords words;
  CommandLine line(verb);
  declare(line, options, words);
  if (const auto exit = line.parse(args)) return *exit;

  server::ServerSettings settings;
  const Result<std::string> token = token_of(words);
  if (!token.ok()) return report_failure(token.failure());
  settings.token = *token;
  if (settings.token.empty() && !server::is_loopback(words.host))
    return refuse("listening on " + words.host + " needs a token",
                  "put one into a file for --token-file, or into $" + std::string(kTokenVariable));
  if (words.port.value_or(8080) > 65535) return refuse("--port: there are 65535 ports");
  const Result<std::string> worker = run::find_worker("");
  if (!worker.ok()) return report_failure(worker.failure());
  const Result<std::string> sandbox = run::sandbox_of(*worker);
  if (!sandbox.ok()) return report_failure(sandbox.failure());
  if (sandbox->starts_with("none"))
    print_error("stallcast serve: simulations run without a sandbox: " + sandbox->substr(6), "");
  // Where designs of crashed simulations are saved: nobody else's business.
  using base::TemporaryFolder;
  const auto folder = TemporaryFolder::make("serve", TemporaryFolder::Contents::kept);
  if (!folder.ok()) return report_failure(folder.failure());
  settings.session = settings_of(options);
  settings.session.worker = *worker;
  settings.session.crash_directory = folder->path();
  settings.session.memory_mb = static_cast<double>(words.memory_mb.value_or(2000));
  // A run that is not ended by the clock, for it is not looked at, ends by what it takes.
  settings.session.cpu_s = static_cast<int>(std::min(2.0 * options.time_limit_s + 10.0, 1e6));
  settings.time_limit_s = options.time_limit_s;
  if (!words.root.empty()) {
    std::error_code error;
    const auto root = std::filesystem::canonical(words.root, error);
    if (error || !std::filesystem::is_directory(root, error))
      return refuse("--root: \"" + words.root + "\" is not a folder");
    settings.root = root.string();
  }
  settings.until_eof = words.until_eof;
  settings.hosts = words.names;
  settings.sessions = static_cast<std::size_t>(words.runs.value_or(2));
  settings.queue = static_cast<std::size_t>(words.queue.value_or(64));
  settings.listener.host = words.host;
  settings.listener.port = static_cast<int>(words.port.value_or(8080));
  settings.listener.threads = static_cast<std::size_t>(words.threads.value_or(4));
  settings.listener.connections = static_cast<std::size_t>(words.connections.value_or(2000));
  settings.listener.limits.body = static_cast<std::size_t>(words.body_kb.value_or(1000)) * 1000;
  if (!options.profile.empty()) {
    const client::Reading probe = client::Session(settings.session).read({.text = "{}"});
    for (const Diagnostic& d : probe.diagnostics.items())
      if (d.position.file == options.profile) {
        print_diagnostics(probe.diagnostics, options.quiet);
        return static_cast<int>(ExitCode::bad_input);
      }
  }

  settings.log = [](const std::string& line) { print_error("stallcast serve: " + line, ""); };
  const Result<int> ended = server::serve(settings, [&](int port) {
    const bool v6 = words.host.find(':') != std::string::npos;
    write_stdout("stallcast serves http://" + (v6 ? "[" + words.host + "]" : words.host) + ":" +
                 std::to_string(port) + "/\n");
    // What came before the server listened for signals is for it, too.
    if (const int early = run::interrupt_flag(); early != 0) (void)raise(early);
  });
  if (!ended.ok()) return report_failure(ended.failure());
  return *ended == 0 ? 0 : 128 + *ended;
}

}  // namespace stallcast::cli
