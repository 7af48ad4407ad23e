#include "scenarios/resolve/fio_job.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/resolve/tenants_of_type.hpp"

namespace stallcast::scenarios {
namespace {

/// What an option of fio is here, and how its value is written.
struct Option {
  std::string_view fio, key;
  enum class Form { text, count, percent, size, rate, op_rate, flag } form;
};
using Form = Option::Form;
constexpr Option kOptions[] = {{"rw", "rw", Form::text},
                               {"readwrite", "rw", Form::text},
                               {"bs", "bs", Form::size},
                               {"blocksize", "bs", Form::size},
                               {"numjobs", "numjobs", Form::count},
                               {"iodepth", "iodepth", Form::count},
                               {"rwmixread", "rwmixread", Form::percent},
                               {"direct", "direct", Form::flag},
                               {"rate", "rate", Form::rate},
                               {"rate_iops", "rate_iops", Form::op_rate}};
// They name, place, time or report a job, and decide nothing about its load.
constexpr std::string_view kIdle[] = {
    "name",           "ioengine",     "runtime",      "time_based",      "size",
    "filesize",       "filename",     "directory",    "group_reporting", "thread",
    "stonewall",      "new_group",    "description",  "invalidate",      "norandommap",
    "randrepeat",     "ramp_time",    "loops",        "refill_buffers",  "nrfiles",
    "randseed",       "fallocate",    "unlink",       "buffered",        "create_on_open",
    "numa_cpu_nodes", "cpus_allowed", "log_avg_msec", "write_bw_log",    "write_lat_log",
    "write_iops_log", "exitall",      "startdelay",   "gtod_reduce",     "clocksource"};

/// One job: options with the lines they stand on, those of [global] first.
using Section = std::map<std::string, std::pair<std::string, std::size_t>>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// "128k" as "128 KiB": fio's prefixes are binary.    (fio manual, kb_base=1024)
std::optional<std::string> size_text(std::string_view value) {
  const std::string text = lower(value);
  std::size_t digits = 0;
  while (digits < text.size() &&
         (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.'))
    ++digits;
  if (digits == 0) return std::nullopt;
  const std::string unit = text.substr(digits);
  static const std::map<std::string, std::string> kUnits = {
      {"", "B"},     {"b", "B"},    {"k", "KiB"}, {"kb", "KiB"}, {"kib", "kB"}, {"m", "MiB"},
      {"mb", "MiB"}, {"mib", "MB"}, {"g", "GiB"}, {"gb", "GiB"}, {"gib", "GB"}, {"t", "TiB"}};
  const auto found = kUnits.find(unit);
  if (found == kUnits.end()) return std::nullopt;
  return text.substr(0, digits) + " " + found->second;
}

std::optional<Json> value_of(const Option& option, const std::string& value) {
  if (option.form == Form::text) return Json(value);
  if (option.form == Form::flag) return Json(value.empty() || value == "1" || value == "true");
  if (option.form == Form::size || option.form == Form::rate) {
    const std::optional<std::string> text = size_text(value);
    if (!text) return std::nullopt;
    return Json(*text + (option.form == Form::rate ? "/s" : ""));
  }
  const std::optional<double> number = base::parse_number(value);
  if (!number) return std::nullopt;
  if (option.form == Form::count) return number_node(*number);
  return Json(base::shortest(*number) + (option.form == Form::percent ? " %" : " ops/s"));
}

class Reader {
 public:
  Reader(Tree& tree, std::string at, Documents& documents, Reporter& report)
      : tree_(tree), at_(std::move(at)), documents_(documents), report_(report) {}

  void read(const std::string& text, const std::string& file, const std::string& wanted) {
    const std::map<std::string, Section> jobs = sections(text);
    if (jobs.empty()) return fault("job_file", "\"" + file + "\" has no job", "write [name]");
    std::vector<std::string> names;
    for (const auto& [name, section] : jobs) names.push_back(name);
    if (!wanted.empty() && !jobs.contains(wanted))
      return fault("section", "\"" + file + "\" has no job \"" + wanted + "\"",
                   allowed_hint(wanted, names));
    if (wanted.empty() && jobs.size() > 1)
      return fault("job_file", "\"" + file + "\" has " + std::to_string(jobs.size()) + " jobs",
                   "choose one with \"section\": " + base::join(names, ", "));
    take(wanted.empty() ? jobs.begin()->second : jobs.at(wanted), file);
  }

 private:
  void fault(std::string_view key, std::string message, std::string hint) {
    report_.error("fio-job", at_ + "/" + std::string(key), std::move(message), std::move(hint));
  }

  static std::map<std::string, Section> sections(const std::string& text) {
    std::map<std::string, Section> out;
    Section global;
    Section* section = &global;
    std::size_t number = 0;
    for (const std::string& raw : base::split(text, '\n')) {
      ++number;
      const std::string_view line = base::trim(raw);
      if (line.empty() || line.front() == '#' || line.front() == ';') continue;
      if (line.front() == '[') {
        const std::string name(line.substr(1, line.find(']') - 1));
        if (name == "global")
          section = &global;
        else
          section = &(out[name] = global);
        continue;
      }
      const std::size_t equals = line.find('=');
      const std::string key = lower(base::trim(line.substr(0, equals)));
      const std::string_view value = equals == std::string_view::npos
                                         ? std::string_view{}
                                         : base::trim(line.substr(equals + 1));
      (*section)[key] = {std::string(value), number};
    }
    return out;
  }

  void take(const Section& section, const std::string& file) {
    const Json node = *find(tree_.root, at_);
    for (const auto& [key, entry] : section) {
      const auto& [value, line] = entry;
      const std::string place = file + ":" + std::to_string(line);
      const auto option = std::ranges::find(kOptions, key, &Option::fio);
      if (option == std::end(kOptions)) {
        if (std::find(std::begin(kIdle), std::end(kIdle), key) == std::end(kIdle))
          report_.warn("fio-job", at_ + "/job_file",
                       place + ": \"" + key + "\" is not modelled and left out");
        continue;
      }
      const std::string field(option->key);
      if (node.contains(field)) continue;  // the scenario says otherwise
      const std::optional<Json> read = value_of(*option, value);
      if (!read)
        fault("job_file", place + ": cannot read \"" + key + "=" + value + "\"",
              "one value for all directions, as in bs=128k, rate=50m, iodepth=32");
      else
        put(tree_, at_ + "/" + field, *read, documents_.add_option(place));
    }
  }

  Tree& tree_;
  std::string at_;
  Documents& documents_;
  Reporter& report_;
};

}  // namespace

Result<std::string> FileTexts::read(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  return texts_.emplace(path, base::read_file(path)).first->second;
}

void read_fio_jobs(Tree& tree, const std::string& file, FileTexts* texts, Documents& documents,
                   Reporter& report) {
  for (const auto& [at, tenant] : tenants_of_type(tree, "fio")) {
    const Json name = tenant.value("job_file", Json());
    if (!name.is_string() || name == "") continue;
    const std::string path =
        (std::filesystem::path(file).parent_path() / name.get<std::string>()).string();
    if (texts == nullptr) {
      report.error("fio-job", at + "/job_file", "files cannot be read here",
                   "write the options of the job into the tenant");
      continue;
    }
    const Result<std::string> text = texts->read(path);
    if (!text.ok()) {
      report.error("fio-job", at + "/job_file", "cannot read \"" + path + "\"",
                   "the path is relative to the scenario");
      continue;
    }
    const Json section = tenant.value("section", Json());
    Reader(tree, at, documents, report)
        .read(*text, path, section.is_string() ? section.get<std::string>() : std::string());
  }
}

}  // namespace stallcast::scenarios
