#include "scenarios/importers/slurm.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "scenarios/importers/importer_parts.hpp"

namespace stallcast::scenarios {
namespace {

using base::Json;

constexpr double kMiB = 1048576.0;
constexpr double kAlikeMib = 4096.0;        // nodes that are alike differ by less
constexpr double kMostCount = 1e9;          // of a count; what Slurm's sizes are far below
constexpr std::size_t kMostNames = 100000;  // of a host list
constexpr std::size_t kLongestName = 255;   // of a host
constexpr std::size_t kMostRoom = 1 << 24;  // bytes of all names of a file, 32 more for each
// "*": the node does not answer.    [scontrol]
constexpr std::string_view kDown[] = {"DOWN", "DRAIN", "FAIL", "NOT_RESPONDING", "*"};

/// One node, or several that a row of sinfo has together.
struct Nodes {
  std::vector<std::string> names;
  double count = 1.0;  ///< where there are no names
  double cores = 0.0, memory_mib = 0.0;
  std::string gres = {}, state = {};
};

/// What of it makes a class of hosts.
struct Gpus {
  double count = 0.0;
  std::string type;
  bool mixed = false;
};
struct Class {
  Gpus gpus;
  double cores = 0.0, memory_mib = 0.0, count = 0.0;
  std::string names;
};

double number_in(std::string_view text) {
  double number = 0.0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc{} && number >= 0.0 && number <= kMostCount ? number : 0.0;
}

/// Numbers of newer versions are { "set": true, "infinite": false, "number": 8 }.
double number_at(const Json& node, const char* key, const char* inner = "number") {
  if (!node.is_object() || !node.contains(key)) return 0.0;
  const Json& value = node[key];
  if (value.is_object()) return value.contains(inner) ? number_at(value, inner) : 0.0;
  if (value.is_string()) return number_in(value.get_ref<const std::string&>());
  const double read = value.is_number() ? value.get<double>() : 0.0;
  return read >= 0.0 && read <= kMostCount ? read : 0.0;
}

/// A text, or texts of a list one behind the other.
std::string text_at(const Json& node, const char* key, const char* inner = nullptr) {
  if (!node.is_object() || !node.contains(key)) return "";
  const Json& value = node[key];
  if (value.is_object() && inner != nullptr) return text_at(value, inner);
  if (value.is_string()) return value.get<std::string>();
  std::vector<std::string> out;
  if (value.is_array())
    for (const Json& each : value)
      if (each.is_string()) out.push_back(each.get<std::string>());
  return base::join(out, ",");
}

/// Parts of a list, whose commas do not count within brackets.
std::vector<std::string> parts(std::string_view list) {
  std::vector<std::string> out;
  std::string part;
  int depth = 0;
  for (const char c : list) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      out.push_back(part);
      part.clear();
    } else {
      part += c;
    }
  }
  out.push_back(part);
  std::erase(out, "");
  return out;
}

/// "gpu:h100:8(S:0-1)", "gpu:4", several with commas between.    [slurm.conf, Gres]
Gpus gpus_of(const std::string& gres) {
  Gpus out;
  for (const std::string& part : parts(gres)) {
    const std::vector<std::string> words = base::split(part.substr(0, part.find('(')), ':');
    if (words.front() != "gpu") continue;
    const double count = words.size() > 1 ? number_in(words.back()) : 1.0;
    const std::string type = words.size() > 2 ? words[1] : "";
    out.mixed = out.mixed || (out.count > 0.0 && type != out.type);
    if (out.count == 0.0) out.type = type;
    out.count += count;
  }
  return out;
}

/// Whether `list` can be taken apart; `out` has the names up to where it cannot.
bool take_names(std::string_view list, std::vector<std::string>& out) {
  for (const std::string& part : parts(list)) {
    const std::size_t open = part.find('['), close = part.find(']');
    if (open == part.npos) {
      if (part.size() > kLongestName) return false;
      out.push_back(part);
    } else if (close == part.npos || close < open || part.find('[', close) != part.npos) {
      return false;
    } else {
      const std::size_t around = open + part.size() - close - 1;
      for (const std::string& range : base::split(part.substr(open + 1, close - open - 1), ',')) {
        const std::size_t dash = range.find('-');
        const std::string low = range.substr(0, dash);
        const double from = number_in(low),
                     to = dash == range.npos ? from : number_in(range.substr(dash + 1));
        if (low.empty() || to < from || to - from > static_cast<double>(kMostNames) ||
            around + low.size() > kLongestName)
          return false;
        for (double n = from; n <= to && out.size() <= kMostNames; ++n) {
          std::string digits = std::to_string(static_cast<std::int64_t>(n));
          if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
          out.push_back(part.substr(0, open) + digits + part.substr(close + 1));
        }
      }
    }
    if (out.size() > kMostNames) return false;
  }
  return true;
}

class SlurmImport : private ScenarioImport {
 public:
  SlurmImport(const std::string& text, const std::string& file, const ImportOptions& options)
      : file_(file), options_(options) {
    if (base::trim(text).starts_with('{'))
      read_json(base::parse_jsonc(text, file, diags()).root);
    else
      read_text(text);
  }

  ImportResult run() && {
    if (!diags().has_errors()) convert();
    return std::move(*this).ended();
  }

 private:
  void say(Severity severity, const char* code, std::string message, std::string hint,
           int line = 0) {
    if (severity == Severity::error) line = std::max(line, 1);
    diags().add({severity, code, "", {file_, line, line}, std::move(message), std::move(hint)});
  }

  static const Json& list(const Json& root, const char* key) {
    static const Json none = Json::array();
    return root.is_object() && root.contains(key) && root[key].is_array() ? root[key] : none;
  }

  /// None where the list cannot be taken apart, or all of the file have too many.
  std::vector<std::string> names_of(const Json& row) {
    const std::string list = row.contains("nodes") ? text_at(row["nodes"], "nodes") : "";
    std::vector<std::string> names;
    const bool apart = room_ <= kMostRoom && take_names(list, names);
    for (const std::string& name : names) room_ += name.size() + 32;
    if (apart && room_ <= kMostRoom) return names;
    unnamed_ += 1.0;
    return {};
  }

  void read_json(const Json& root) {
    for (const Json& node : list(root, "nodes")) {  // of scontrol, and of sinfo up to 22.05
      if (!node.is_object()) continue;
      const std::string name = text_at(node, "name");
      nodes_.push_back(
          {.names = {name.empty() ? text_at(node, "hostname") : name},
           .cores = number_at(node, "cores") * std::max(1.0, number_at(node, "sockets")),
           .memory_mib = number_at(node, "real_memory"),
           .gres = text_at(node, "gres"),
           .state = text_at(node, "state") + "," + text_at(node, "state_flags")});
      if (nodes_.back().cores == 0.0) nodes_.back().cores = number_at(node, "cpus");
    }
    for (const Json& row : list(root, "sinfo")) {  // a row for each partition, state and kind
      if (!row.is_object()) continue;
      const auto most = [&](const char* key) { return number_at(row, key, "maximum"); };
      const auto least = [&](const char* key) {
        const double told = number_at(row, key, "minimum");
        return told > 0.0 ? told : most(key);
      };
      Nodes nodes{.names = names_of(row),
                  .count = number_at(row, "nodes", "total"),
                  .cores = least("cores") * std::max(1.0, least("sockets")),
                  .memory_mib = least("memory"),
                  .gres = text_at(row, "gres", "total"),
                  .state = text_at(row, "node", "state")};
      const double most_cores = most("cores") * std::max(1.0, most("sockets"));
      if (most_cores > nodes.cores || most("memory") > nodes.memory_mib + kAlikeMib)
        unlike(nodes, most_cores, most("memory"));
      if (nodes.cores == 0.0) nodes.cores = least("cpus");
      nodes_.push_back(std::move(nodes));
    }
  }

  /// A row of sinfo may be of nodes that differ, of which it has the least and the most.
  void unlike(const Nodes& nodes, double most_cores, double most_mib) {
    say(Severity::warning, "slurm",
        base::shortest(nodes.count) + " nodes in one row have " + base::shortest(nodes.cores) +
            " to " + base::shortest(most_cores) + " cores and " + base::shortest(nodes.memory_mib) +
            " to " + base::shortest(most_mib) + " MiB: each is taken to have the least",
        "print nodes one by one: scontrol show nodes");
  }

  /// Words "Key=value" of scontrol; each node begins with its name.
  void read_text(const std::string& text) {
    double per_socket = 0.0, sockets = 0.0;
    std::string word;
    int line = 1;
    const auto take = [&] {
      const std::size_t equals = word.find('=');
      const std::string key = word.substr(0, equals);
      const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
      word.clear();
      if (key == "NodeName") {
        if (value == "DEFAULT" || value.find_first_of("[,") != value.npos)
          say(Severity::error, "slurm", "\"" + value + "\" is not a node, as in slurm.conf",
              "print the nodes themselves: scontrol show nodes, or sinfo --json", line);
        nodes_.emplace_back().names = {value};
        per_socket = sockets = 0.0;
      }
      if (nodes_.empty()) return;
      Nodes& node = nodes_.back();
      if (key == "CoresPerSocket") per_socket = number_in(value);
      if (key == "Sockets") sockets = number_in(value);
      if (key == "CPUTot" && node.cores == 0.0) node.cores = number_in(value);
      if (key == "RealMemory") node.memory_mib = number_in(value);
      if (key == "Gres" && value != "(null)") node.gres = value;
      if (key == "State") node.state = value;
      if (per_socket > 0.0 && sockets > 0.0) node.cores = per_socket * sockets;
    };
    for (const char c : text + "\n") {
      if (!std::isspace(static_cast<unsigned char>(c)))
        word += c;
      else if (!word.empty() && !diags().has_errors())
        take();
      line += c == '\n' ? 1 : 0;
    }
  }

  /// Nodes of several partitions are in several rows.
  void add(const Nodes& nodes) {
    double fresh = 0.0;
    for (const std::string& name : nodes.names) fresh += seen_.insert(name).second ? 1.0 : 0.0;
    if (nodes.names.empty()) fresh = nodes.count;
    if (fresh < 1.0) return;
    std::string state = nodes.state;  // older versions have small letters
    for (char& c : state) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (std::ranges::any_of(kDown, [&](auto word) { return state.find(word) != state.npos; }))
      down_ += fresh;
    const Gpus gpus = gpus_of(nodes.gres);
    if (gpus.mixed)
      say(Severity::warning, "slurm", "nodes with several kinds of GPUs (" + nodes.gres + ")",
          "all are taken as \"" + gpus.type + "\"");
    // Nodes that are alike differ by some MiB in what firmware takes.
    const std::string key = base::shortest(gpus.count) + " " + gpus.type + " " +
                            base::shortest(nodes.cores) + " " +
                            base::shortest(std::round(nodes.memory_mib / kAlikeMib));
    Class& one = classes_[key];
    one.memory_mib =
        one.count > 0.0 ? std::min(one.memory_mib, nodes.memory_mib) : nodes.memory_mib;
    one.gpus = gpus;
    one.cores = nodes.cores;
    one.count += fresh;
    if (one.names.empty()) one.names = nodes.names.empty() ? "" : nodes.names.front();
  }

  void convert() {
    for (const Nodes& nodes : nodes_) add(nodes);
    std::vector<Class> classes;
    for (const auto& item : classes_) classes.push_back(item.second);
    if (classes.empty())
      return say(Severity::error, "slurm", "there are no nodes of Slurm here",
                 "print them with \"sinfo --json\" or \"scontrol show nodes\"");
    std::stable_sort(classes.begin(), classes.end(), [](const Class& a, const Class& b) {
      return std::pair(a.gpus.count * a.count, a.count) >
             std::pair(b.gpus.count * b.count, b.count);
    });
    scenario_["id"] = identifier(std::filesystem::path(file_).stem().string());
    (void)take_plant(options_, file_, scenario_, result_);
    if (diags().has_errors()) return;
    scenario_["cluster"]["hosts"] = Json::array();
    for (const Class& one : classes) add_class(one);
    if (unnamed_ > 0.0)
      say(Severity::warning, "slurm",
          "names of " + base::shortest(unnamed_) +
              " rows are not taken apart; nodes there count as often as they are in one",
          "print one partition: sinfo --json -p NAME");
    if (down_ > 0.0)
      say(Severity::warning, "slurm",
          base::shortest(down_) + " of these nodes are down or drained; they are counted",
          "edit \"count\", or print nodes by state: sinfo --json -t idle,alloc,mix");
    const std::string hosts = scenario_["cluster"]["hosts"][0]["id"].get<std::string>();
    if (classes.front().gpus.count > 0.0) {
      add_placeholder_job(options_, "Slurm", hosts, {file_, 0, 0}, scenario_, result_);
    } else {
      scenario_["tenants"] = Json::array({Json{{"id", "load"},
                                               {"type", "fio"},
                                               {"on", scenario_["storage"][0]["id"]},
                                               {"hosts", hosts},
                                               {"bs", "1 MiB"}}});
      scenario_["run"]["duration"] = "2 min";
      say(Severity::warning, "placeholder",
          "no node has a GPU; random reads of 1 MiB, one at a time on each, are a placeholder",
          "edit \"tenants\"");
    }
    if (classes.size() > 1)
      say(Severity::warning, "hosts",
          "there are " + std::to_string(classes.size()) + " kinds of nodes; the load is on \"" +
              hosts + "\"",
          "the others are in \"hosts\" for jobs and tenants of their own");
  }

  void add_class(const Class& one) {
    const bool first = scenario_["cluster"]["hosts"].empty();
    const std::string id = ids_.take(
        one.gpus.count > 0.0 ? identifier(one.gpus.type.empty() ? "gpu" : one.gpus.type) : "cpu");
    const auto whole = [](double n) { return static_cast<std::int64_t>(n); };
    Json host{{"id", id}, {"count", whole(one.count)}, {"gpus", whole(one.gpus.count)}};
    if (first && options_.hosts) host["count"] = *options_.hosts;
    if (one.cores > 0.0) host["cpu"]["cores"] = whole(one.cores);
    if (one.memory_mib > 0.0)
      host["memory"]["size"] = base::exact_quantity(one.memory_mib * kMiB, Dimension::bytes);
    note(FieldFate::mapped, one.names.empty() ? "nodes" : one.names + ", ...",
         base::shortest(one.count) + " nodes", "cluster.hosts[" + id + "]",
         base::shortest(one.gpus.count) + " GPUs, " + base::shortest(one.cores) + " cores, " +
             base::shortest(one.memory_mib) + " MiB each");
    if (first)
      say(Severity::warning, "placeholder",
          "Slurm does not say what network, PCIe and GPUs the nodes have; they are defaults of a "
          "host",
          alike(one.gpus.type));
    scenario_["cluster"]["hosts"].push_back(std::move(host));
  }

  /// Products with the GPU that Slurm names.
  static std::string alike(const std::string& type) {
    std::vector<std::string> found;
    if (!type.empty())
      for (const models::CatalogueEntry& entry : models::catalogue())
        if (entry.role == models::Role::host && entry.id.find(type) != entry.id.npos)
          found.push_back("\"" + entry.id + "\"");
    return found.empty() ? "set \"nic\" and \"gpu.peak\""
                         : "add \"use\": " + base::join(found, " or ") + ", or set \"nic\"";
  }

  const std::string& file_;
  const ImportOptions& options_;
  std::vector<Nodes> nodes_;
  std::map<std::string, Class> classes_;
  std::set<std::string> seen_;
  UniqueIds ids_;
  double down_ = 0.0, unnamed_ = 0.0;
  std::size_t room_ = 0;
};

}  // namespace

std::vector<std::string> slurm_names(std::string_view list) {
  std::vector<std::string> out;
  return take_names(list, out) ? out : std::vector<std::string>{};
}

bool is_slurm(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  return base::trim(text).starts_with('{')
             ? has("\"sinfo\"") || (has("\"real_memory\"") && has("\"gres\""))
             : base::trim(text).starts_with("NodeName=");
}

ImportResult import_slurm(const std::string& text, const std::string& file,
                          const ImportOptions& options) {
  return SlurmImport(text, file, options).run();
}

}  // namespace stallcast::scenarios
