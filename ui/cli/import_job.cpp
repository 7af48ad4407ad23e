#include "ui/cli/import_job.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "calibration/observe/observation_json.hpp"
#include "calibration/observed_job/observed_job.hpp"
#include "engine/base/files.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

/// "job" of "runs/job.observation.json", as an id.
std::string id_of(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  name = name.substr(0, name.find('.'));
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
    else if (!plain)
      c = '-';
  }
  const bool letter = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  return letter ? name : "observed";
}

/// Predicts with the worker of one session.
calibration::SimulateJob simulating(client::Session& session, const CommonOptions& options,
                                    ProgressBar& bar) {
  return [&session, &options, &bar](const Design& design, int replicas) {
    client::Question question = question_of(options, bar);
    question.replicas = replicas;
    return session.predict(design, question);
  };
}

/// What is read of an observation, and from where.
struct Text {
  std::string file, content;
};

int import_texts(const std::vector<Text>& texts, const JobImportWords& words, bool fields,
                 const CommonOptions& options) {
  Diagnostics faults;
  std::vector<Observation> parts;
  for (const Text& text : texts)
    if (auto part = calibration::read_job(text.content, text.file, faults))
      parts.push_back(std::move(*part));
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors() || parts.empty()) return static_cast<int>(ExitCode::bad_input);

  client::Session session(settings_of(options));
  // Reading a scenario says what is wrong with the profile.
  if (!options.profile.empty() && session.profile() == nullptr) {
    print_diagnostics(session.read({.file = "profile", .text = "{}"}).diagnostics, options.quiet);
    return static_cast<int>(ExitCode::bad_input);
  }
  ProgressBar bar(options);
  calibration::JobImportOptions how;
  how.id = words.id.empty() ? id_of(texts.front().file) : words.id;
  how.profile_file = options.profile;
  how.profile = session.profile();
  if (!words.no_check) how.simulate = simulating(session, options, bar);
  const auto made = calibration::import_job(calibration::merged(parts), how);
  bar.clear();
  if (!made.ok()) return report_failure(made.failure());
  Diagnostics doubts;
  for (const std::string& warning : made->warnings)
    doubts.add({Severity::warning,
                "observation",
                "",
                {texts.front().file, 0, 0},
                warning,
                "below stallcast observe what it reads and saves is seen, too"});
  print_diagnostics(doubts, options.quiet);
  if (fields) {
    scenarios::ImportResult result;
    result.fields = made->fields;
    return deliver(options, scenarios::print_fields(result), ExitCode::ok);
  }
  const int exit = deliver(options, made->scenario, ExitCode::ok);
  if (made->check && exit == 0 && !options.quiet) {
    const std::string table = calibration::print_check(*made->check);
    if (options.output.empty())
      std::fputs(table.c_str(), stderr);
    else if (!write_stdout(table))
      return static_cast<int>(ExitCode::bad_input);
  }
  return exit;
}

}  // namespace

bool is_observation_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(400, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return calibration::is_observation(head);
}

int import_job(const std::vector<std::string>& paths, const JobImportWords& words, bool fields,
               const CommonOptions& options) {
  std::vector<Text> texts;
  for (const std::string& path : paths) {
    auto text = base::read_file(path);
    if (!text.ok()) return report_failure(text.failure());
    texts.push_back({path, std::move(text).value()});
  }
  return import_texts(texts, words, fields, options);
}

int import_seen_job(const Observation& observation, const std::string& path,
                    const JobImportWords& words, bool fields, const CommonOptions& options) {
  // By way of the text, so that one step and two give the same scenario.
  return import_texts({{path, calibration::write_observation(observation)}}, words, fields,
                      options);
}

}  // namespace stallcast::cli
