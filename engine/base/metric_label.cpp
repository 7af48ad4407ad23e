#include <algorithm>
#include <utility>

#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::label {
namespace {

/// Of figures outside the table of metrics that targets are often about. The first that is the end
/// of a name decides.
struct FigureWords {
  std::string_view figure, words;
};
constexpr FigureWords kFigureWords[] = {
    {"checkpoint.backpressure", "wait for the save before"},
    {"checkpoint.count", "number of saves"},
    {"checkpoint.files", "files of a save"},
    {"checkpoint.held", "room that saves take"},
    {"checkpoint.slowed", "steps slowed down by a save"},
    {"checkpoint.stall.total", "stall of all saves"},
    {"checkpoint.rank0", "save of rank 0"},
    {"restore.rank0", "restore of rank 0"},
    {"slow.cost", "time lost to slow hosts"},
    {"unseen.wait", "wait for ranks that are drawn"},
    {"failures.lost_all", "failures that lose all"},
    {"communication.exposed", "communication that is not hidden"},
    {"communication.time", "communication per step"},
    {"throttled", "requests throttled"},
    {"first_step", "first step after"},
    {"epoch.begin", "start of another epoch"},
    {"epoch.begun", "epochs begun"},
    {"lasting.useful", "goodput in a long run"},
    {"lasting.utilization", "GPU utilization in a long run"},
    {"first_batch.waited", "wait for the first batch"},
    {"throughput.dlio", "samples as DLIO counts them"},
    {"time.wall", "time of the run"},
    {"loss", "lost to others"},
    {"accelerators.supported", "accelerators supported"},
    {"osts.required", "OSTs required"},
};

/// What stands before "of train" in place of words that only a figure may follow.
constexpr std::pair<std::string_view, std::string_view> kBeforeOf[] = {
    {"first batch after", "time to the first batch"},
    {"first step after", "time to the first step"},
    {"first token after", "time to the first token"},
    {"starts within", "time to the start"},
    {"caught up after", "time to catch up"},
    {"whole run takes", "time of the whole run"},
    {"whole run costs", "cost of the whole run"},
    {"energy until then", "energy of the whole run"},
    {"spent credits add", "time for spent credits"},
    {"storage outages add", "time for outages of storage"},
    {"cold epochs add", "time for cold epochs"},
    {"its start adds", "time for the start"},
    {"cache loaded in", "time to load the cache"},
    {"weights loaded in", "time to load the weights"},
    {"a query takes", "time of a query"},
    {"a chunk takes", "time of a chunk"},
    {"a call takes", "time of a call"}};

/// Figures of jobs that are about a resource or a cause, which the rest of their name tells.
struct AboutWords {
  std::string_view begin, words;
  std::string_view joint;  ///< stands between what is of the job and the rest
  bool cause;              ///< else a resource
};
constexpr AboutWords kAbout[] = {
    {"waited.", "time waited for the ", "", false},
    {"checkpoint.took.", "save", " in the ", false},
    {"restore.took.", "restore", " in the ", false},
    {"restart.restore.took.", "restore of a restart", " in the ", false},
    {"stall.", "", "", true},
    {"time.", "time ", "", true}};

bool is_end(std::string_view figure, std::string_view end) {
  return figure.ends_with(end) &&
         (figure.size() == end.size() || figure[figure.size() - end.size() - 1] == '.');
}

std::string_view words_of(std::string_view full, const metric::Name& name) {
  if (const metric::Figure* figure = metric::find(full)) return figure->name_alone();
  const auto row =
      std::find_if(std::begin(kFigureWords), std::end(kFigureWords),
                   [&](const FigureWords& r) { return is_end(name.figure, r.figure); });
  return row == std::end(kFigureWords) ? std::string_view() : row->words;
}

/// "longest stall per save", "stall per save (p99)".
std::string with_statistic(std::string_view words, const metric::Name& name,
                           std::string_view unit) {
  if (name.statistic == "max") return (unit == "s" ? "longest " : "highest ") + std::string(words);
  if (name.statistic == "p50") return "median " + std::string(words);
  return std::string(words) +
         (name.statistic.empty() ? "" : " (" + std::string(name.statistic) + ")");
}

/// "time waited for the OSTs of scratch of train", "save of train in the OSTs of scratch" with
/// `of` the job; "" of figures that are not about anything. An `own` resource of the job says whose
/// it is: "serialization of saves of train".
std::string about(std::string_view figure, const std::string& of, bool own) {
  if (figure == "time.compute") return "time of compute" + of;
  for (const AboutWords& row : kAbout) {
    if (!figure.starts_with(row.begin)) continue;
    const std::string_view rest = figure.substr(row.begin.size());
    const std::string what = row.cause ? std::string(of_cause(rest)) : of_resource(rest);
    if (what.empty()) return "";
    const std::string whose = own && what.ends_with(of) ? "" : of;
    return row.joint.empty() ? std::string(row.words) + what + whose
                             : std::string(row.words) + whose + std::string(row.joint) + what;
  }
  return "";
}

/// "waited.job.train.checkpoint.serialize", of "train".
bool is_own_resource(const metric::Name& name) {
  return name.figure.find("." + metric::of_job(name.id)) != std::string_view::npos;
}

/// Words of paths that are written otherwise.
constexpr std::pair<std::string_view, std::string_view> kWritten[] = {
    {"per_sqrt", "per square root of ranks"},
    {"provisioned", "provisioned rate per TiB"},
    {"per_doubling", "per doubling of ranks"},
    {"au", "AU"},
    {"cpu", "CPU"},
    {"gds", "GDS"},
    {"gpu", "GPU"},
    {"gpus", "GPUs"},
    {"mds", "MDS"},
    {"mdt", "MDT"},
    {"nic", "NIC"},
    {"nics", "NICs"},
    {"nvme", "NVMe"},
    {"osd", "OSD"},
    {"oss", "OSS"},
    {"ost", "OST"},
    {"pcie", "PCIe"},
    {"rtt", "RTT"},
    {"dram", "DRAM"},
    {"numa", "NUMA"},
    {"nvlink", "NVLink"},
    {"iops", "IOPS"}};

/// Parts of storage systems and jobs, which stand where an id does that is left out.
constexpr std::string_view kParts[] = {
    "array",      "backend",  "cache",   "checkpoint", "client", "communication",
    "connection", "datanode", "dataset", "device",     "disk",   "drive",
    "head",       "link",     "loader",  "mds",        "mdt",    "model",
    "node",       "nic",      "osd",     "oss",        "ost",    "pool",
    "recovery",   "server",   "shelf",   "step",       "stripe", "target"};

std::string in_words(std::string_view path) {
  std::string out;
  for (const std::string& word : base::split(path, '.')) {
    if (word.empty()) continue;
    const auto known = std::find_if(std::begin(kWritten), std::end(kWritten),
                                    [&](const auto& w) { return w.first == word; });
    out += (out.empty() ? "" : " ") +
           (known == std::end(kWritten) ? word : std::string(known->second));
  }
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

}  // namespace

std::string of_input(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> kLists[] = {
      {"storage", "storage"}, {"cluster.hosts", "hosts"}, {"jobs", "job"},
      {"tenants", "tenant"},  {"stages", "stage"},        {"failures", "failure"}};
  constexpr std::string_view kParams = "params.", kValue = ".value", kCluster = "cluster.";
  for (const auto& [list, one] : kLists) {
    // "jobs[train].step.jitter", or "jobs.train.step.jitter" where the id has no dot.
    if (!path.starts_with(list) || path.size() == list.size()) continue;
    const bool bracket = path[list.size()] == '[';
    if (!bracket && path[list.size()] != '.') continue;
    const std::string_view behind = path.substr(list.size() + 1);
    const std::size_t end = behind.find(bracket ? ']' : '.');
    if (bracket && end + 1 == behind.size())
      return std::string(one) + " " + std::string(behind.substr(0, end));
    if (end == std::string_view::npos) break;
    // "storage.ost.read": what it is of was left out, since there is one.
    if (!bracket && std::ranges::find(kParts, behind.substr(0, end)) != std::end(kParts))
      return in_words(behind);
    return in_words(behind.substr(end + 1)) + " of " + std::string(behind.substr(0, end)) +
           (list == "cluster.hosts" ? " hosts" : "");
  }
  if (path.starts_with(kParams)) {
    const std::string_view name = path.substr(kParams.size());
    return std::string(name.ends_with(kValue) ? name.substr(0, name.size() - kValue.size()) : name);
  }
  if (path.find('.') == std::string_view::npos) return std::string(path);
  return in_words(path.starts_with(kCluster) ? path.substr(kCluster.size()) : path);
}

std::string of_metric(std::string_view full, std::string_view unit, bool with_job) {
  const metric::Name name = metric::parse(full);
  if (name.domain == metric::Domain::resource)
    return std::string(name.figure) + " of the " + of_resource(name.id);
  std::string words(words_of(full, name));
  // What is no name of a figure, as an expression of several, is said as it is written.
  if (words.empty() && (name.domain == metric::Domain::other || name.domain == metric::Domain::any))
    return std::string(full);
  const metric::Figure* row = metric::find(full);
  if (unit.empty() && row != nullptr) unit = row->unit;
  const bool named = !name.id.empty() && (name.domain != metric::Domain::job || with_job);
  const std::string of = named ? " of " + std::string(name.id) : "";
  if (words.empty())
    if (const std::string what = about(name.figure, of, is_own_resource(name)); !what.empty())
      return with_statistic(what, name, unit);
  if (words.empty()) words = in_words(name.figure);
  const auto* before =
      std::ranges::find_if(kBeforeOf, [&](const auto& pair) { return pair.first == words; });
  if (named && before != std::end(kBeforeOf)) words = before->second;
  return with_statistic(words, name, unit) + of;
}

}  // namespace stallcast::label
