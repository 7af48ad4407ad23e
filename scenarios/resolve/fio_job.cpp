#include "scenarios/resolve/fio_job.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/resolve/named_files.hpp"
#include "scenarios/resolve/tenants_of_type.hpp"

namespace stallcast::scenarios {
namespace {

/// What an option of fio is here, and how its value is written.
struct Option {
  std::string_view fio, key;
  enum class Form { pattern, count, percent, rest, size, rate, op_rate, flag } form;
};
using Form = Option::Form;
constexpr Option kOptions[] = {{"rw", "rw", Form::pattern},
                               {"readwrite", "rw", Form::pattern},
                               {"bs", "bs", Form::size},
                               {"blocksize", "bs", Form::size},
                               {"numjobs", "numjobs", Form::count},
                               {"iodepth", "iodepth", Form::count},
                               {"rwmixread", "rwmixread", Form::percent},
                               {"rwmixwrite", "rwmixread", Form::rest},
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

/// An option with the line it stands on.
struct Line {
  std::string key, value;
  std::size_t number = 0;
};
/// One job: those of [global] first, since what comes last holds.
struct Section {
  std::string name;
  std::vector<Line> lines;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// "128k" as 128 and "KiB": fio's prefixes are binary, and decimal where others write binary ones.
/// (fio manual, kb_base=1024)
struct Scaled {
  double number = 0.0;
  std::string_view unit;
  double factor = 1.0;
};
std::optional<Scaled> scaled(std::string_view value) {
  constexpr Scaled kUnits[] = {{0, "KiB", 1024.0},
                               {0, "MiB", 1048576.0},
                               {0, "GiB", 1073741824.0},
                               {0, "TiB", 1099511627776.0}};
  constexpr Scaled kDecimal[] = {{0, "kB", 1e3}, {0, "MB", 1e6}, {0, "GB", 1e9}, {0, "TB", 1e12}};
  Scaled out{0.0, "B", 1.0};
  const std::string text = lower(value);
  const auto end = std::from_chars(text.data(), text.data() + text.size(), out.number);
  if (end.ec != std::errc{}) return std::nullopt;
  std::string_view unit =
      std::string_view(text).substr(static_cast<std::size_t>(end.ptr - text.data()));
  if (unit.ends_with('b')) unit.remove_suffix(1);
  if (unit.empty()) return out;
  const std::size_t prefix = std::string_view("kmgt").find(unit.front());
  const bool decimal = unit.substr(1) == "i";
  if (prefix == std::string_view::npos || (!decimal && unit.size() > 1)) return std::nullopt;
  const Scaled& known = decimal ? kDecimal[prefix] : kUnits[prefix];
  return Scaled{out.number, known.unit, known.factor};
}

std::optional<Json> value_of(const Option& option, const std::string& value) {
  if (option.form == Form::pattern) return Json(value == "readwrite" ? "rw" : value);
  if (option.form == Form::flag) return Json(value.empty() || value == "1" || value == "true");
  const std::optional<Scaled> read = scaled(value);
  if (!read) return std::nullopt;
  const double number = read->number * read->factor;
  switch (option.form) {
    case Form::size:
      return Json(base::shortest(read->number) + " " + std::string(read->unit));
    case Form::rate:
      return Json(base::shortest(read->number) + " " + std::string(read->unit) + "/s");
    case Form::percent:
      return Json(base::shortest(number) + " %");
    case Form::rest:
      return Json(base::shortest(100.0 - number) + " %");
    case Form::op_rate:
      return Json(base::shortest(number) + " ops/s");
    default:
      return number_node(number);
  }
}

class Reader {
 public:
  Reader(Tree& tree, std::string at, Documents& documents, Reporter& report)
      : tree_(tree), at_(std::move(at)), documents_(documents), report_(report) {}

  void read(const std::string& text, const std::string& file, const std::string& wanted) {
    std::vector<Section> jobs = sections(text);
    if (jobs.empty()) return fault("job_file", "\"" + file + "\" has no job", "write [name]");
    std::vector<std::string> names;
    for (const Section& section : jobs) names.push_back(section.name);
    if (wanted.empty() && jobs.size() > 1)
      return fault("job_file", "\"" + file + "\" has " + std::to_string(jobs.size()) + " jobs",
                   "choose one with \"section\": " + base::join(names, ", "));
    if (!wanted.empty()) std::erase_if(jobs, [&](const Section& s) { return s.name != wanted; });
    if (jobs.empty())
      return fault("section", "\"" + file + "\" has no job \"" + wanted + "\"",
                   allowed_hint(wanted, names));
    if (jobs.size() > 1)
      return fault(
          "section",
          "\"" + file + "\" has " + std::to_string(jobs.size()) + " jobs \"" + wanted + "\"",
          "give each a name of its own");
    take(jobs.front(), file);
  }

 private:
  void fault(std::string_view key, std::string message, std::string hint) {
    report_.error("fio-job", at_ + "/" + std::string(key), std::move(message), std::move(hint));
  }

  static std::vector<Section> sections(const std::string& text) {
    std::vector<Section> out;
    Section global;
    Section* section = &global;
    std::size_t number = 0;
    for (const std::string& raw : base::split(text, '\n')) {
      ++number;
      // Comments may stand behind an option, too.
      const std::string_view line =
          base::trim(std::string_view(raw).substr(0, raw.find_first_of("#;")));
      if (line.empty()) continue;
      if (line.front() == '[') {
        const std::string name(line.substr(1, line.find(']') - 1));
        section = name == "global" ? &global : &out.emplace_back(Section{name, global.lines});
        continue;
      }
      const std::size_t equals = line.find('=');
      const std::string_view value = equals == std::string_view::npos
                                         ? std::string_view{}
                                         : base::trim(line.substr(equals + 1));
      section->lines.push_back(
          {lower(base::trim(line.substr(0, equals))), std::string(value), number});
    }
    return out;
  }

  void take(const Section& section, const std::string& file) {
    const Json node = *find(tree_.root, at_);
    // fio reads where nothing is said.
    if (!node.contains("rw")) put(tree_, at_ + "/rw", Json("read"), documents_.add_option(file));
    for (const auto& [key, value, line] : section.lines) {
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
      // A list of one, "bs=64k,", is for all directions.
      const std::optional<Json> read =
          value_of(*option, value.ends_with(',') ? value.substr(0, value.size() - 1) : value);
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
    if (texts == nullptr) {
      report.error("fio-job", at + "/job_file", "files cannot be read here",
                   "write the options of the job into the tenant");
      continue;
    }
    const std::string path = named_file(tree, at + "/job_file", file, documents);
    const Result<std::string> text = texts->read(path);
    if (!text.ok()) {
      report.error("fio-job", at + "/job_file", "cannot read \"" + path + "\"",
                   "the path is relative to the folder of the file that names it");
      continue;
    }
    const Json section = tenant.value("section", Json());
    Reader(tree, at, documents, report)
        .read(*text, path, section.is_string() ? section.get<std::string>() : std::string());
  }
}

}  // namespace stallcast::scenarios
