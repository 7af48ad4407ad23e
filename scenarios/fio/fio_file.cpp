#include "scenarios/fio/fio_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::scenarios {
namespace {

using base::Json;

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
    "name",           "kb_base",        "ioengine",     "runtime",      "time_based",
    "size",           "filesize",       "filename",     "directory",    "group_reporting",
    "thread",         "stonewall",      "new_group",    "description",  "invalidate",
    "norandommap",    "randrepeat",     "ramp_time",    "loops",        "refill_buffers",
    "nrfiles",        "randseed",       "fallocate",    "unlink",       "buffered",
    "create_on_open", "numa_cpu_nodes", "cpus_allowed", "log_avg_msec", "write_bw_log",
    "write_lat_log",  "write_iops_log", "exitall",      "startdelay",   "gtod_reduce",
    "clocksource"};
constexpr double kLongest = 1e9;  // s, that a job of fio could run
// Options of all jobs, those of [global] for each: hundreds of jobs have some thousands.
constexpr std::size_t kMostOptions = 100000;
constexpr std::size_t kLongOption = 256;  // characters; a longer one counts as several
// One request at a time, whatever the depth: "increasing iodepth beyond 1 will not affect
// synchronous ioengines". psync is the default.    [fio manual, iodepth and ioengine]
constexpr std::string_view kDefaultEngine = "psync";
constexpr std::string_view kSynchronous[] = {"psync", "sync", "pvsync", "pvsync2", "vsync", "mmap"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Whose prefixes a size has: with kb_base=1024, the default, fio's are binary, and decimal where
/// others write binary ones ("128k" is 128 KiB, "128ki" 128 kB); with 1000 the other way round.
/// (fio manual, kb_base)
enum class Prefixes { of_fio, of_others };
struct Scaled {
  double number = 0.0;
  std::string_view unit;
  double factor = 1.0;
};
std::optional<Scaled> scaled(std::string_view value, Prefixes prefixes = Prefixes::of_fio) {
  constexpr Scaled kUnits[] = {{0, "KiB", 1024.0},
                               {0, "MiB", 1048576.0},
                               {0, "GiB", 1073741824.0},
                               {0, "TiB", 1099511627776.0}};
  constexpr Scaled kDecimal[] = {{0, "kB", 1e3}, {0, "MB", 1e6}, {0, "GB", 1e9}, {0, "TB", 1e12}};
  Scaled out{0.0, "B", 1.0};
  const std::string text = lower(value);
  const auto end = std::from_chars(text.data(), text.data() + text.size(), out.number);
  if (end.ec != std::errc{} || !std::isfinite(out.number) || std::signbit(out.number))
    return std::nullopt;
  std::string_view unit =
      std::string_view(text).substr(static_cast<std::size_t>(end.ptr - text.data()));
  if (unit.ends_with('b')) unit.remove_suffix(1);
  if (unit.empty()) return out;
  const std::size_t prefix = std::string_view("kmgt").find(unit.front());
  const bool marked = unit.substr(1) == "i";
  if (prefix == std::string_view::npos || (!marked && unit.size() > 1)) return std::nullopt;
  const bool decimal = marked == (prefixes == Prefixes::of_fio);
  const Scaled& known = decimal ? kDecimal[prefix] : kUnits[prefix];
  return Scaled{out.number, known.unit, known.factor};
}

/// A whole number, if it is one.
Json number_of(double number) {
  return number == std::floor(number) && std::abs(number) < 9e15
             ? Json(static_cast<std::int64_t>(number))
             : Json(number);
}

std::optional<Json> value_of(const Option& option, const std::string& value, Prefixes prefixes) {
  if (option.form == Form::pattern) {
    const std::string pattern = value.substr(0, value.find(':'));
    return Json(pattern == "readwrite" ? "rw" : pattern);
  }
  if (option.form == Form::flag) {
    if (value == "0" || value == "false") return Json(false);
    return value.empty() || value == "1" || value == "true" ? std::optional(Json(true))
                                                            : std::nullopt;
  }
  const std::optional<Scaled> read = scaled(value, prefixes);
  if (!read) return std::nullopt;
  const double number = read->number * read->factor;
  const bool share = option.form == Form::percent || option.form == Form::rest;
  if (share ? number > 100.0 : number == 0.0) return std::nullopt;
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
      return number_of(number);
  }
}

/// What comes last of a field holds.
void hold(FioJob& job, FioLoad load) {
  std::erase_if(job.load, [&](const FioLoad& earlier) { return earlier.field == load.field; });
  job.load.push_back(std::move(load));
}

/// "randread:8" and "read:4k" move on by more than a block: what comes behind is left out.
void cut_offset(FioJob& job) {
  for (const FioLoad& load : job.load)
    if (load.field == "rw" && load.line.value.find(':') != std::string::npos)
      job.left.push_back({"rw",
                          "\"" + load.line.key + "=" + load.line.value + "\" is taken as " +
                              load.value->get<std::string>() +
                              ": offsets of requests are not modelled",
                          load.line.number});
}

/// One request at a time where the engine holds no more.
void hold_one(FioJob& job) {
  const FioLine *depth = job.find("iodepth"), *named = job.find("ioengine");
  const std::string engine = named != nullptr ? lower(named->value) : std::string(kDefaultEngine);
  const std::optional<Scaled> read = depth != nullptr ? scaled(depth->value) : std::nullopt;
  if (!read || read->number * read->factor <= 1.0 ||
      std::ranges::find(kSynchronous, engine) == std::end(kSynchronous))
    return;
  job.left.push_back({"iodepth",
                      "\"iodepth=" + depth->value + "\" is 1 with ioengine " + engine +
                          (named != nullptr ? "" : ", fio's default") +
                          ", which holds one request at a time",
                      depth->number});
  hold(job, {"iodepth", Json(1), *depth});
}

void take_load(FioJob& job) {
  // Wherever it stands, it is read before sizes are.
  const FioLine* base = job.find("kb_base");
  const Prefixes prefixes =
      base != nullptr && base->value == "1000" ? Prefixes::of_others : Prefixes::of_fio;
  for (const FioLine& line : job.lines) {
    const auto option = std::ranges::find(kOptions, line.key, &Option::fio);
    if (option == std::end(kOptions)) {
      if (std::ranges::find(kIdle, line.key) == std::end(kIdle))
        job.left.push_back({"", "\"" + line.key + "\" is not modelled and left out", line.number});
      continue;
    }
    const bool pace = option->form == Form::rate || option->form == Form::op_rate;
    if (const auto read = scaled(line.value); pace && read && read->number == 0.0)
      std::erase_if(job.load,
                    [&](const FioLoad& l) { return l.field == option->key; });  // no limit
    else
      hold(job, {std::string(option->key), value_of(*option, line.value, prefixes), line});
  }
  cut_offset(job);
  hold_one(job);
}

/// A line without its comment, which may stand behind an option, too.
std::string_view bare(std::string_view line) {
  return base::trim(line.substr(0, line.find_first_of("#;")));
}
std::string key_of(std::string_view line) {
  return lower(base::trim(line.substr(0, line.find('='))));
}
/// A list of one, "bs=64k,", is for all directions.
std::string value_in(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return "";
  const std::string_view value = base::trim(line.substr(equals + 1));
  return std::string(value.ends_with(',') ? value.substr(0, value.size() - 1) : value);
}
std::size_t weight(const FioLine& line) {
  return 1 + (line.key.size() + line.value.size()) / kLongOption;
}

}  // namespace

const FioLine* FioJob::find(std::string_view key) const {
  const auto at = std::find_if(lines.rbegin(), lines.rend(),
                               [&](const FioLine& line) { return line.key == key; });
  return at != lines.rend() ? &*at : nullptr;
}

FioFile read_fio_file(const std::string& text) {
  FioFile out;
  FioJob global;
  FioJob* job = &global;
  std::size_t number = 0, options = 0, of_global = 0;
  for (const std::string& raw : base::split(text, '\n')) {
    ++number;
    const std::string_view line = bare(raw);
    if (line.empty()) continue;
    const std::string name(line.front() == '[' ? line.substr(1, line.find(']') - 1) : "");
    if (line.front() != '[') {
      job->lines.push_back({key_of(line), value_in(line), number});
      options += weight(job->lines.back());
      of_global += job == &global ? weight(job->lines.back()) : 0;
    } else if (name == "global") {
      job = &global;
    } else if ((options += 1 + of_global) <= kMostOptions) {
      job = &out.jobs.emplace_back(FioJob{name, number, global.lines, {}, {}});
    }
    if (options > kMostOptions)
      return {{},
              FioRemark{"",
                        "the jobs up to here have more than " + std::to_string(kMostOptions) +
                            " options, those of [global] counted for each",
                        number}};
  }
  for (FioJob& each : out.jobs) take_load(each);
  return out;
}

bool is_fio_file(std::string_view text) {
  constexpr std::string_view kOnly[] = {"rw", "readwrite", "ioengine", "iodepth", "numjobs"};
  const std::string_view begin = base::trim(text.substr(0, 65536));
  if (begin.empty() || std::string_view("[#;").find(begin.front()) == std::string_view::npos)
    return false;
  bool section = false;
  for (const std::string& raw : base::split(begin, '\n')) {
    const std::string_view line = bare(raw);
    section = section || line.starts_with('[');
    if (section && std::ranges::find(kOnly, key_of(line)) != std::end(kOnly)) return true;
  }
  return false;
}

std::optional<double> fio_seconds(const std::string& value) {
  struct Unit {
    std::string_view word;
    double seconds;
  };
  constexpr Unit kUnits[] = {{"", 1.0},    {"s", 1.0},   {"m", 60.0},  {"h", 3600.0},
                             {"d", 86400}, {"ms", 1e-3}, {"us", 1e-6}, {"msec", 1e-3}};
  double number = 0.0;
  const std::string text = lower(value);
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || !std::isfinite(number) || number < 0.0) return std::nullopt;
  const std::string_view unit =
      std::string_view(text).substr(static_cast<std::size_t>(end.ptr - text.data()));
  for (const Unit& known : kUnits)
    if (known.word == unit && number * known.seconds < kLongest) return number * known.seconds;
  return std::nullopt;
}

}  // namespace stallcast::scenarios
