#include "ui/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/diagnostic.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/trace_option.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::cli {
namespace {

constexpr std::size_t kHelpColumn = 28;

/// "  NAME   help", the help wrapped behind its column.
std::string help_line(const std::string& name, const std::string& help) {
  const std::string title = "  " + name;
  if (title.size() + 2 <= kHelpColumn)
    return report::wrapped(report::left(title, kHelpColumn), help, kHelpColumn);
  return title + "\n" + report::wrapped(std::string(kHelpColumn, ' '), help, kHelpColumn);
}

/// CLI11's messages in our style; names of arguments stay as they are.
std::string in_our_style(std::string message) {
  const auto upper = [&](std::size_t i) {
    return i < message.size() && std::isupper(static_cast<unsigned char>(message[i])) != 0;
  };
  if (upper(0) && !upper(1))
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  if (message.ends_with('.')) message.pop_back();
  if (const std::size_t at = message.find(" is required"); at != std::string::npos)
    message.replace(at, std::string::npos, " is missing");
  return message;
}

/// What is wrong with a value, and what to do; an empty hint points to the help.
struct Fault {
  std::string message;
  std::string hint;
};

/// Options and arguments whose files are read, and those whose files are written.
constexpr std::array<std::string_view, 14> kRead = {
    "SCENARIO", "FILE",       "MEASUREMENTS", "TRACE",     "BASE",       "HEAD",      "CASES",
    "--policy", "--scenario", "--observed",   "--profile", "--baseline", "--storage", "--on"};
constexpr std::array<std::string_view, 6> kWritten = {
    "--output", "--report", "--trace", "--keep-program", "--picture", "--keep-trace"};

template <std::size_t N>
bool named(const CLI::Option& option, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), option.get_name(option.get_positional())) !=
         names.end();
}

/// Of "junit:out.xml" what follows the kind of report.
std::string file_of(const std::string& option, const std::string& word) {
  const std::size_t colon = option == "--report" ? word.find(':') : std::string::npos;
  return option != "--report" ? word : colon == std::string::npos ? "" : word.substr(colon + 1);
}

/// Whether both are there, and one regular file, by whatever path.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return !a.empty() && std::filesystem::is_regular_file(a, error) &&
         std::filesystem::equivalent(a, b, error) && !error;
}

/// Where parse() puts what is declared instead of parsing; nullptr but in options_of().
thread_local std::vector<OptionHelp>* asked = nullptr;

}  // namespace

struct CommandLine::Impl {
  explicit Impl(const Verb& v) : verb(v), app(std::string(v.summary)) {
    app.set_help_flag();
    app.allow_extras();
  }
  const Verb& verb;
  CLI::App app;
  CommonOptions* common = nullptr;
  std::string time_limit, backend;
  std::optional<std::int64_t> jobs;
  bool no_fold = false, no_fast_forward = false;
  std::map<std::string, std::vector<std::string>, std::less<>> words;  ///< by option
  std::vector<std::unique_ptr<std::string>> numbers;          ///< texts of `integer` options
  std::vector<std::function<std::optional<Fault>()>> checks;  ///< run after parsing

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out = {"--help", "--version"};
    for (const CLI::Option* o : app.get_options()) {
      for (const std::string& name : o->get_lnames()) out.push_back("--" + name);
      for (const std::string& name : o->get_snames()) out.push_back("-" + name);
    }
    return out;
  }
  /// Arguments first, then options in the order in which they were declared.
  [[nodiscard]] std::vector<OptionHelp> described() const {
    std::vector<OptionHelp> out;
    for (const bool positional : {true, false})
      for (const CLI::Option* o : app.get_options()) {
        if (o->get_positional() != positional) continue;
        OptionHelp help;
        help.positional = positional;
        help.name = positional ? o->get_name(true) : "--" + o->get_lnames().front();
        if (!o->get_snames().empty()) help.short_name = "-" + o->get_snames().front();
        if (!positional && o->get_items_expected_max() > 0) help.placeholder = o->get_type_name();
        help.help = o->get_description();
        help.group = positional ? "Arguments" : o->get_group();
        help.required = o->get_required();
        help.many = positional && o->get_expected_max() > 1;
        if (const auto found = words.find(help.name); found != words.end())
          help.words = found->second;
        out.push_back(std::move(help));
      }
    for (const auto& [name, what] :
         {std::pair{"--help", "this text"}, std::pair{"--version", "the version of stallcast"}}) {
      OptionHelp& help = out.emplace_back();
      help.name = name;
      help.help = what;
      help.group = "Options";
    }
    return out;
  }
  [[nodiscard]] std::string help() const {
    const std::vector<OptionHelp> options = described();
    std::string out = usage_of(verb, options) + "\n\n" + std::string(verb.summary) + "\n";
    std::string group;
    for (const OptionHelp& o : options) {
      if (o.group != group) out += "\n" + o.group + "\n";
      group = o.group;
      out += help_line((o.short_name.empty() ? "" : o.short_name + ", ") + o.name +
                           (o.placeholder.empty() ? "" : " " + o.placeholder),
                       o.help);
    }
    return out;
  }
  /// A file that would be written over what is read.
  [[nodiscard]] std::optional<Fault> written_over() const {
    for (const CLI::Option* to : app.get_options()) {
      if (!named(*to, kWritten)) continue;
      for (const std::string& word : to->results()) {
        const std::string file = file_of(to->get_name(), word);
        for (const CLI::Option* from : app.get_options()) {
          if (!named(*from, kRead)) continue;
          for (const std::string& input : from->results())
            if (same_file(file, input))
              return Fault{to->get_name() + " would write over \"" + input + "\", which is read (" +
                               from->get_name(from->get_positional()) + ")",
                           "name another file: what is written there is no longer the input"};
        }
      }
    }
    return std::nullopt;
  }
  int usage_error(const std::string& message, const std::string& hint) const {
    print_error("stallcast " + std::string(verb.name) + ": " + message,
                hint.empty() ? "see \"stallcast " + std::string(verb.name) + " --help\"" : hint);
    return static_cast<int>(ExitCode::bad_input);
  }
};

std::vector<OptionHelp> options_of(const Verb& verb) {
  std::vector<OptionHelp> out;
  asked = &out;
  static_cast<void>(verb.run(verb, {}));  // declares, and ends in parse()
  asked = nullptr;
  return out;
}

std::string usage_of(const Verb& verb, std::span<const OptionHelp> options) {
  std::string out = "usage: stallcast " + std::string(verb.name);
  for (const OptionHelp& o : options)
    if (o.positional)
      out += " " + (o.required ? o.name : "[" + o.name + "]") + (o.many ? "..." : "");
  return out + " [options]";
}

CommandLine::CommandLine(const Verb& verb) : impl_(std::make_unique<Impl>(verb)) {}
CommandLine::~CommandLine() = default;

void CommandLine::positional(std::string_view name, std::string& target, std::string_view help,
                             bool required) {
  impl_->app.add_option(std::string(name), target, std::string(help))->required(required);
}

void CommandLine::positionals(std::string_view name, std::vector<std::string>& target,
                              std::string_view help, bool required) {
  impl_->app.add_option(std::string(name), target, std::string(help))->required(required);
}

void CommandLine::flag(std::string_view name, bool& target, std::string_view help) {
  impl_->app.add_flag(std::string(name), target, std::string(help));
}

void CommandLine::text(std::string_view name, std::string& target, std::string_view placeholder,
                       std::string_view help) {
  impl_->app.add_option(std::string(name), target, std::string(help))
      ->type_name(std::string(placeholder));
}

void CommandLine::texts(std::string_view name, std::vector<std::string>& target,
                        std::string_view placeholder, std::string_view help) {
  // One value each: "--set a=1 FILE" must not swallow FILE.
  impl_->app.add_option(std::string(name), target, std::string(help))
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name(std::string(placeholder));
}

void CommandLine::integer(std::string_view name, std::optional<std::int64_t>& target,
                          std::int64_t minimum, std::string_view help) {
  impl_->numbers.push_back(std::make_unique<std::string>());
  const std::string& text = *impl_->numbers.back();
  impl_->app.add_option(std::string(name), *impl_->numbers.back(), std::string(help))
      ->type_name("N");
  impl_->checks.emplace_back([&, minimum, name = std::string(name)]() -> std::optional<Fault> {
    if (text.empty()) return std::nullopt;
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    if (const auto parsed = std::from_chars(text.data(), end, value);
        parsed.ec != std::errc() || parsed.ptr != end)
      return Fault{name + ": \"" + text + "\" is not a whole number", ""};
    if (value < minimum) return Fault{name + " must be at least " + std::to_string(minimum), ""};
    target = value;
    return std::nullopt;
  });
}

void CommandLine::takes(std::string_view name, std::vector<std::string> words) {
  impl_->words.insert_or_assign(std::string(name), std::move(words));
}

void CommandLine::output_options(CommonOptions& options, std::string_view what) {
  impl_->common = &options;
  text("-o,--output", options.output, "FILE", what);
  flag("--quiet", options.quiet, "no progress and no warnings on standard error");
  flag("--no-color", options.no_color, "no colours (also with NO_COLOR set)");
}

void CommandLine::verbose_option(CommonOptions& options, std::string_view what) {
  flag("-v,--verbose", options.verbose, what);
}

void CommandLine::format_option(CommonOptions& options, report::Pages pages) {
  std::string formats = report::formats_of(pages);
  text("--format", options.format, "NAME", formats.replace(4, 0, " (default)"));
  takes("--format", report::format_names(pages));
}

void CommandLine::scenario_options(CommonOptions& options) {
  texts("--set", options.sets, "PATH=VALUE",
        "override a value of the scenario, as in storage.ost.count=48; repeatable");
  text("--variant", options.variant, "NAME", "use this variant of the scenario");
  text("--profile", options.profile, "FILE", "take fitted values from this calibration profile");
}

void CommandLine::run_options(CommonOptions& options, unsigned ahead) {
  const bool limited = std::isfinite(options.time_limit_s);
  text("--time-limit", impl_->time_limit, "DURATION",
       "stop after this wall-clock time and report what is known (default " +
           (limited ? base::print_quantity(options.time_limit_s, Dimension::time) : "none") + ")");
  integer("--jobs", impl_->jobs, 1,
          "simulations at a time (default: one per core" +
              (ahead > 0 ? " and " + std::to_string(ahead) + " more)" : ")"));
  impl_->checks.emplace_back([this, ahead, &options]() -> std::optional<Fault> {
    constexpr std::int64_t kMostJobs = 4096;
    if (impl_->jobs.value_or(1) > kMostJobs)
      return Fault{"--jobs must be at most " + std::to_string(kMostJobs), ""};
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    options.jobs = impl_->jobs.value_or(cores + ahead);
    if (impl_->time_limit.empty()) return std::nullopt;
    const auto limit = base::parse_quantity(impl_->time_limit, Dimension::time);
    if (!limit.value.has_value()) return Fault{"--time-limit: " + limit.message, limit.hint};
    if (!(*limit.value > 0.0)) return Fault{"--time-limit must be above 0 s", ""};
    options.time_limit_s = *limit.value;
    return std::nullopt;
  });
}

void CommandLine::trace_options(TraceOptions& options) {
  text("--trace", options.file, "FILE",
       "write what happens in the first replica for https://ui.perfetto.dev");
  text("--trace-window", options.window, "TIMES",
       "of the run: 60s (default, from its start) or \"10 min..11 min\"");
  text("--trace-ranks", options.ranks, "LIST",
       "of each job, by how long they wait: worst:2,median,best (default one of each), or all");
  impl_->checks.emplace_back([&options]() -> std::optional<Fault> {
    const Result<TimelineRequest> request = timeline_request(options);
    if (request.ok()) return std::nullopt;
    return Fault{request.failure().message, request.failure().hint};
  });
}

void CommandLine::simulation_options(CommonOptions& options) {
  integer("--seed", options.seed, 0, "first random seed (default: the scenario's)");
  integer("--replicas", options.replicas, 1,
          "simulations with different seeds (default: the scenario's)");
  run_options(options);
  flag("--timing", options.timing, "report wall-clock time; the report is then not reproducible");
  flag("--strict-range", options.strict_range,
       "exit 3 when a prediction leaves the range its profile was fitted in");
  flag("--no-fold", impl_->no_fold, "simulate every rank by itself (run.fold)");
  flag("--no-fast-forward", impl_->no_fast_forward,
       "simulate what repeats instead of counting it (run.fast_forward)");
  text("--backend", impl_->backend, "NAME",
       "fluid (default) or comm, SimGrid's own transfers, to compare (run.backend)");
  impl_->checks.emplace_back([this, &options]() -> std::optional<Fault> {
    constexpr std::int64_t kMostReplicas = 10000;
    if (options.replicas.value_or(1) > kMostReplicas)
      return Fault{"--replicas must be at most " + std::to_string(kMostReplicas), ""};
    if (impl_->no_fold) options.sets.emplace_back("run.fold=false");
    if (impl_->no_fast_forward) options.sets.emplace_back("run.fast_forward=false");
    if (!impl_->backend.empty()) options.sets.push_back("run.backend=" + impl_->backend);
    return std::nullopt;
  });
}

std::optional<int> CommandLine::parse(std::span<const std::string> args) {
  if (asked != nullptr) {
    *asked = impl_->described();
    return static_cast<int>(ExitCode::ok);
  }
  const std::vector<std::string> known = impl_->names();
  for (const std::string& arg : args) {
    if (arg == "--") break;
    if (arg == "--help" || arg == "-h") {
      return print(impl_->help());
    }
    if (!arg.starts_with("-") || arg == "-") continue;
    if (std::isdigit(static_cast<unsigned char>(arg[1])) != 0) continue;  // a negative number
    const std::string name = arg.substr(0, arg.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (name == "--format")
      return impl_->usage_error("it has no --format: what it writes has one form", "");
    return impl_->usage_error("unknown option \"" + name + "\"", suggestion(name, known, ""));
  }
  try {
    // CLI11 takes the arguments from the back.
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    impl_->app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return impl_->usage_error(in_our_style(error.what()), "");
  }
  auto extras = impl_->app.remaining();
  // What ends the options is no argument.
  if (const auto end = std::find(extras.begin(), extras.end(), "--"); end != extras.end())
    extras.erase(end);
  if (!extras.empty())
    return impl_->usage_error("unexpected argument \"" + extras.front() + "\"", "");
  for (const auto& check : impl_->checks)
    if (const auto fault = check()) return impl_->usage_error(fault->message, fault->hint);
  if (const auto fault = impl_->written_over())
    return impl_->usage_error(fault->message, fault->hint);
  if (impl_->common != nullptr) apply_terminal_options(*impl_->common);
  return std::nullopt;
}

}  // namespace stallcast::cli
