#include "scenarios/importers/fio_job.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/fio/fio_file.hpp"
#include "scenarios/importers/importer_parts.hpp"

namespace stallcast::scenarios {
namespace {

using base::Json;

constexpr double kDefaultRun = 120.0;  // s, where no job says how long it runs
constexpr std::string_view kPatterns[] = {"read", "write", "rw", "randread", "randwrite", "randrw"};

class FioJobImport : private ScenarioImport {
 public:
  FioJobImport(const std::string& text, const std::string& file, const ImportOptions& options)
      : file_(file), options_(options), read_(read_fio_file(text)) {}

  ImportResult run() && {
    convert();
    return std::move(*this).ended();
  }

 private:
  void say(Severity severity, const char* code, std::size_t line, std::string message,
           std::string hint = {}) {
    diags().add({severity,
                 code,
                 "",
                 {file_, static_cast<int>(line), line > 0 ? 1 : 0},
                 std::move(message),
                 std::move(hint)});
  }

  void convert() {
    if (read_.fault)
      return say(Severity::error, "fio-job", read_.fault->line, read_.fault->message,
                 "import the jobs in several files");
    if (jobs_.empty())
      return say(Severity::error, "fio-job", 1, "there is no job of fio here",
                 "a job begins with [name]; results of fio are \"stallcast import fio\"");
    scenario_["id"] = identifier(std::filesystem::path(file_).stem().string());
    const TakenPlant taken = take_plant(options_, file_, scenario_, result_);
    if (diags().has_errors()) return;
    add_hosts(taken);
    for (const FioJob& job : jobs_) add_tenant(job, taken);
    if (diags().has_errors()) return;
    if (tenants_.empty())
      return say(Severity::error, "fio-job", jobs_.front().number,
                 "no job of this file reads or writes",
                 "write rw=read, write, rw, randread, randwrite or randrw");
    scenario_["tenants"] = tenants_;
    scenario_["run"]["duration"] =
        base::exact_quantity(ends_ > 0.0 ? ends_ : kDefaultRun, Dimension::time);
    note(ends_ > 0.0 ? FieldFate::mapped : FieldFate::defaulted, ends_ > 0.0 ? "runtime" : "",
         base::shortest(ends_ > 0.0 ? ends_ : kDefaultRun) + " s", "run.duration",
         ends_ > 0.0 ? "of the job that ends last" : "no job says how long it runs");
  }

  void add_hosts(const TakenPlant& taken) {
    if (taken.host.empty()) {
      scenario_["cluster"]["hosts"] = Json::array({Json{{"id", "client"}, {"gpus", 0}}});
      if (!options_.hosts)
        say(Severity::warning, "placeholder", 0,
            "the file does not say how many hosts run it; 1 is a placeholder", "give --hosts N");
    } else if (!options_.hosts) {
      return;
    }
    scenario_["cluster"]["hosts"][0]["count"] = options_.hosts.value_or(1);
    note(FieldFate::defaulted, "", std::to_string(options_.hosts.value_or(1)), "cluster.hosts",
         options_.hosts ? "from the options" : "placeholder");
  }

  void add_tenant(const FioJob& job, const TakenPlant& taken) {
    Json tenant{{"id", ids_.take(identifier(job.name))},
                {"type", "fio"},
                {"on", taken.storage},
                {"hosts", taken.host.empty() ? "client" : taken.host},
                {"rw", "read"}};  // fio's default, not that of a tenant
    const std::string at = "tenants[" + tenant["id"].get<std::string>() + "].";
    std::set<std::size_t> loads;
    for (const FioLoad& option : job.load) {
      loads.insert(option.line.number);
      const std::string said = option.line.key + "=" + option.line.value;
      if (option.field == "rw" && !take_pattern(job, option, tenant)) return;
      if (option.field == "rw") {
        note(FieldFate::mapped, "[" + job.name + "] " + option.line.key, option.line.value,
             at + "rw");
      } else if (option.value && !option.value->is_number_float()) {
        tenant[option.field] = *option.value;
        note(FieldFate::mapped, "[" + job.name + "] " + option.line.key, option.line.value,
             at + option.field,
             option.value->is_string() ? option.value->get<std::string>() : option.value->dump());
      } else {
        say(Severity::error, "fio-job", option.line.number, "cannot read \"" + said + "\"",
            kFioValues);
      }
    }
    for (const FioRemark& left : job.left) warn_once(left.line, left.message);
    add_dates(job, tenant);
    for (const FioLine& line : job.lines)
      if (!loads.contains(line.number) && line.key != "runtime" && line.key != "startdelay")
        note(FieldFate::ignored, "[" + job.name + "] " + line.key, line.value, "");
    tenants_.push_back(std::move(tenant));
  }

  /// Whether the job is a load.
  bool take_pattern(const FioJob& job, const FioLoad& option, Json& tenant) {
    const std::string pattern = option.value->get<std::string>();
    if (std::ranges::find(kPatterns, pattern) != std::end(kPatterns)) {
      tenant["rw"] = pattern;
      return true;
    }
    warn_once(option.line.number, "\"" + option.line.key + "=" + option.line.value +
                                      "\" is not modelled: job \"" + job.name + "\" is left out");
    note(FieldFate::ignored, "[" + job.name + "]", option.line.value, "",
         "reads and writes are loads");
    return false;
  }

  void add_dates(const FioJob& job, Json& tenant) {
    const auto seconds = [&](const char* key) {
      const FioLine* line = job.find(key);
      if (line == nullptr) return 0.0;
      const std::optional<double> read = fio_seconds(line->value);
      if (!read)
        warn_once(line->number, "\"" + line->key + "=" + line->value + "\" is left out: no time",
                  "write 30, 500ms, 2m or 1h");
      return read.value_or(0.0);
    };
    const double start = seconds("startdelay"), length = seconds("runtime");
    if (start > 0.0) {
      tenant["start"] = base::exact_quantity(start, Dimension::time);
      note(FieldFate::mapped, "[" + job.name + "] startdelay", base::shortest(start) + " s",
           "tenants[" + tenant["id"].get<std::string>() + "].start");
    }
    if (length > 0.0) {
      tenant["stop"] = base::exact_quantity(start + length, Dimension::time);
      ends_ = std::max(ends_, start + length);
      note(FieldFate::mapped, "[" + job.name + "] runtime", base::shortest(length) + " s",
           "tenants[" + tenant["id"].get<std::string>() + "].stop");
    }
    if (const FioLine* size = job.find("size");
        size != nullptr && job.find("time_based") == nullptr)
      warn_once(size->number, "\"size=" + size->value +
                                  "\" is left out: the job goes on for its runtime, or the run");
    const FioLine* wall = job.find("stonewall");
    if (wall != nullptr && &job != &jobs_.front())
      warn_once(wall->number,
                "\"stonewall\" is left out: all jobs run side by side; give a later one \"start\"");
  }

  /// Lines of [global] are those of all jobs.
  void warn_once(std::size_t line, const std::string& message, const std::string& hint = {}) {
    if (warned_.insert(std::to_string(line) + message).second)
      say(Severity::warning, "fio-job", line, message, hint);
  }

  const std::string& file_;
  const ImportOptions& options_;
  FioFile read_;
  const std::vector<FioJob>& jobs_ = read_.jobs;
  Json tenants_ = Json::array();
  double ends_ = 0.0;
  std::set<std::string> warned_;
  UniqueIds ids_;
};

}  // namespace

ImportResult import_fio_job(const std::string& text, const std::string& file,
                            const ImportOptions& options) {
  return FioJobImport(text, file, options).run();
}

}  // namespace stallcast::scenarios
