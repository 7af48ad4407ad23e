#include "ui/cli/scenario_input.hpp"

#include <algorithm>
#include <cstdio>

#include "engine/base/files.hpp"
#include "engine/base/read_buffer.hpp"

namespace stallcast::cli {
namespace {

std::string read_stdin() {
  std::string text;
  base::ReadBuffer buffer;
  for (std::size_t n = 0; text.size() <= base::kLargestFile &&
                          (n = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0;)
    text.append(buffer.data(), n);
  return text;
}

}  // namespace

ScenarioFile source_of(const std::string& path, const CommonOptions& options) {
  ScenarioFile source{.file = path, .sets = options.sets, .variant = options.variant};
  if (path != "-") return source;
  source.file = "<stdin>";
  source.text = read_stdin();
  return source;
}

client::Settings settings_of(const CommonOptions& options) {
  return {.jobs = static_cast<int>(options.jobs), .profile = options.profile};
}

client::Question question_of(const CommonOptions& options, ProgressBar& bar) {
  client::Question out;
  out.time_limit_s = options.time_limit_s;
  out.on_progress = [&bar](double done) { bar.show(done); };
  if (options.seed.has_value()) out.seed = static_cast<std::uint64_t>(*options.seed);
  out.replicas = static_cast<int>(options.replicas.value_or(0));
  out.strict_range = options.strict_range;
  return out;
}

predict::PredictOptions predict_options(const CommonOptions& options, ProgressBar& bar) {
  predict::PredictOptions out;
  out.run.jobs = static_cast<int>(options.jobs);
  out.run.until = base::Deadline::in(options.time_limit_s);
  out.run.on_progress = [&bar](double done) { bar.show(done); };
  if (options.seed.has_value()) out.seed = static_cast<std::uint64_t>(*options.seed);
  out.replicas = static_cast<int>(options.replicas.value_or(0));
  return out;
}

report::Style report_style(const CommonOptions& options) {
  return {.colour = wants_colour(options), .timing = options.timing, .full = options.verbose};
}

ExitCode exit_of(Verdict verdict) {
  return verdict == Verdict::fail           ? ExitCode::answer_no
         : verdict == Verdict::inconclusive ? ExitCode::inconclusive
                                            : ExitCode::ok;
}

bool read_scenario(const client::Session& session, client::DiffOperand& operand, bool quiet,
                   Diagnostics& said) {
  if (operand.input.result) return true;
  client::Reading reading = session.read(operand.file);
  client::show_places(operand, reading.diagnostics);
  Diagnostics fresh;
  for (const Diagnostic& d : reading.diagnostics.items())
    if (std::none_of(said.items().begin(), said.items().end(), [&](const Diagnostic& known) {
          return known.message == d.message && known.position.file == d.position.file &&
                 known.position.line == d.position.line &&
                 known.position.column == d.position.column;
        }))
      fresh.add(d);
  print_diagnostics(fresh, quiet);
  for (Diagnostic& d : fresh.items()) said.add(std::move(d));
  operand.input.scenario = std::move(reading.scenario);
  return operand.input.scenario.has_value();
}

}  // namespace stallcast::cli
