#include "calibration/validation/mlperf/written.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <regex>
#include <string_view>
#include <vector>

namespace stallcast::calibration::mlperf::written {
namespace {

/// Families of ports, and Gb/s of one that is written without a number.
struct Family {
  std::string_view name;
  double gbps;  ///< 0: says nothing without a number
};
constexpr std::array kFamilies = std::to_array<Family>({{"infiniband", 0},
                                                        {"slingshot-11", 200},
                                                        {"slingshot-10", 100},
                                                        {"slingshot", 200},
                                                        {"ethernet", 0},
                                                        {"roce", 0},
                                                        {"omni-path", 100},
                                                        {"opa", 100},
                                                        {"xdr", 800},
                                                        {"ndr", 400},
                                                        {"hdr", 200},
                                                        {"edr", 100},
                                                        {"fdr", 56},
                                                        {"qdr", 40},
                                                        {"ib", 0}});
/// The last two may be bytes of memory outside of cells about ports.
constexpr std::array<std::string_view, 6> kBits{"gb/s", "gbit", "gbe", "ge", "gb", "g"};
struct Word {
  std::string_view name;
  double number;
};
constexpr std::array kNumbers = std::to_array<Word>({{"single", 1},
                                                     {"one", 1},
                                                     {"dual", 2},
                                                     {"two", 2},
                                                     {"three", 3},
                                                     {"quad", 4},
                                                     {"four", 4},
                                                     {"six", 6},
                                                     {"eight", 8},
                                                     {"ten", 10},
                                                     {"twelve", 12},
                                                     {"sixteen", 16}});
/// Units that only cells about ports have rates of ports in, in Gb/s.
constexpr std::array kUnits = std::to_array<Word>({{"tb/s", 1000.0},
                                                   {"mb/s", 1e-3},
                                                   {"tbyte/s", 8000.0},
                                                   {"mbyte/s", 8e-3},
                                                   {"gibyte/s", 8.589934592}});
/// Gb/s of the slowest ports that clusters have: what is less was meant otherwise.
constexpr double kSlowestPort = 1.0;
constexpr double kMostPorts = 16.0;  // of one server: what is more is a rate

bool is_bits(std::string_view word, bool in_cell) {
  const auto end = kBits.end() - (in_cell ? 0 : 2);
  return std::find(kBits.begin(), end, word) != end;
}

/// Words and numbers; commas between digits belong to a number, brackets to none.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out{""};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool inside = c == ',' && i > 0 && i + 1 < text.size() &&
                        std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
                        std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (inside) continue;
    if (std::isspace(static_cast<unsigned char>(c)) != 0 ||
        std::string_view("(),;&=+[]").find(c) != std::string_view::npos) {
      if (!out.back().empty()) out.emplace_back();
      continue;
    }
    out.back() += c;
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

std::optional<double> whole_word(const std::string& word) {
  static const std::regex kNumber(R"(\d+(?:\.\d+)?)");
  if (!std::regex_match(word, kNumber)) return std::nullopt;
  return std::stod(word);
}

/// "dual", "dual-port": a number in letters.
std::optional<double> number_word(const std::string& word) {
  const std::string lead = word.substr(0, word.find('-'));
  for (const Word& one : kNumbers)
    if (one.name == lead) return one.number;
  return std::nullopt;
}

/// "ndr400", "hdr", "100gbe": Gb/s; a number alone only where `bare`.
std::optional<double> gbps_of(const std::string& word, const std::string& next, bool bare) {
  for (const Family& family : kFamilies) {
    if (!word.starts_with(family.name)) continue;
    std::string rest = word.substr(family.name.size());
    if (rest.starts_with("-")) rest.erase(0, 1);
    if (rest.empty()) {
      if (const auto number = whole_word(next); number && *number >= 10.0) return number;
      return family.gbps > 0.0 ? std::optional(family.gbps) : std::nullopt;
    }
    return gbps_of(rest, next, true);
  }
  std::size_t digits = 0;
  while (digits < word.size() &&
         (std::isdigit(static_cast<unsigned char>(word[digits])) != 0 || word[digits] == '.'))
    ++digits;
  const auto number = whole_word(word.substr(0, digits));
  if (!number || *number == 0.0) return std::nullopt;
  const std::string unit = digits < word.size() ? word.substr(digits) : next;
  if (unit == "gbyte/s") return 8.0 * *number;
  if (is_bits(unit, bare)) return number;
  for (const Word& one : kUnits)
    if (bare && unit == one.name) return *number * one.number;
  return bare && digits == word.size() ? number : std::nullopt;
}

/// "x2", "x 2", behind a rate and its unit.
std::optional<double> count_behind(const std::vector<std::string>& words, std::size_t from) {
  static const std::regex kTimes(R"(x(\d{1,2}))");
  if (from < words.size() && is_bits(words[from], true)) ++from;
  std::smatch found;
  if (from < words.size() && std::regex_match(words[from], found, kTimes))
    return std::stod(found[1]);
  return from + 1 < words.size() && words[from] == "x" ? whole_word(words[from + 1]) : std::nullopt;
}

using Words = std::vector<std::string>;

/// What `words` say from `from` on.
std::optional<Ports> ports_of(const Words& words, std::size_t from, bool bare) {
  static const std::regex kCount(R"((\d{1,4})x(.*))"), kTimes(R"(x(?:\d.*)?)");
  const auto at = [&](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
  Ports out;
  for (std::size_t i = from; i < words.size(); ++i) {
    std::string word = words[i];
    std::smatch found;
    if (std::regex_match(word, found, kCount)) {
      out.count = std::stod(found[1]);
      if (const auto behind = whole_word(found[2]); bare && behind && *out.count > kMostPorts)
        return Ports{.count = behind, .rate = Rate::from(*out.count, unit::Gbps)};
      word = found[2];
      if (word.empty()) continue;
    } else if (const auto number = whole_word(word);
               number && std::regex_match(at(i + 1), kTimes) && !(bare && *number > kMostPorts)) {
      out.count = number;
      if (at(i + 1) == "x") ++i;
      continue;
    } else if (word.size() > 1 && word[0] == 'x' && out.count) {
      word.erase(0, 1);  // "2 x400"
    }
    if (const auto number = number_word(word)) {
      out.count = out.count.value_or(1.0) * *number;  // "2x dual-port"
      continue;
    }
    const auto gbps = gbps_of(word, at(i + 1), bare);
    if (!gbps) continue;
    // "2 ports of 100GbE", "4 NDR": few of what is a rate itself. "2 100" may mean 2100.
    if (const auto number = whole_word(word);
        bare && !out.count && number && *number <= kMostPorts && !is_bits(at(i + 1), true))
      if (const auto behind = ports_of(words, i + 1, bare); behind && !behind->count)
        return whole_word(at(i + 1)) && !is_bits(at(i + 2), true)
                   ? std::nullopt
                   : std::optional(Ports{.count = number, .rate = behind->rate});
    out.rate = Rate::from(*gbps, unit::Gbps);
    if (!out.count && bare) out.count = count_behind(words, i + 1);
    return out;
  }
  return std::nullopt;
}

const std::regex& each_pattern() {
  static const std::regex kEach(
      R"((?:\bper |/)(?:storage |data )?(?:node|server|oss|target|chassis|appliance|dn)s?\b|\beach\b)");
  return kEach;
}

std::optional<double> first(const std::string& text, const std::regex& pattern) {
  std::smatch found;
  if (!std::regex_search(text, found, pattern)) return std::nullopt;
  const double number = std::stod(found[1]);
  return number > 0.0 ? std::optional(number) : std::nullopt;
}

/// Parts of a sentence: commas inside of numbers do not part it.
std::vector<std::string> clauses_of(const std::string& text) {
  std::vector<std::string> out{""};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool number = c == ',' && i + 1 < text.size() &&
                        std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if ((c == ',' && !number) || std::string_view(";()+").find(c) != std::string_view::npos)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

}  // namespace

std::string plain(const std::string& text) {
  static const std::regex kTimes("\xC3\x97"), kBytes(R"(([KkMGT])(i?)B(?:/s|ps|/sec)(?![a-z]))"),
      kBits(R"(([KkMGT])b(?:/sec|it/s|its/s|ps|/s)(?![a-z]))");
  std::string out = std::regex_replace(text, kTimes, "x");
  out = std::regex_replace(out, kBytes, "$1$2byte/s");
  out = std::regex_replace(out, kBits, "$1b/s");
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<Ports> ports_of_cell(const std::string& cell) {
  static const std::regex kThousands(R"((\d) (?=000\b))"), kParts(R"(\s*(?:[+&]|\band\b)\s*)"),
      kDigit(R"(\d)");
  const std::string text = std::regex_replace(plain(cell), kThousands, "$1");
  std::optional<Ports> out;
  for (std::sregex_token_iterator part(text.begin(), text.end(), kParts, -1), end; part != end;
       ++part) {
    const std::optional<Ports> found = ports_of(words_of(*part), 0, true);
    if (!found && !std::regex_search(part->str(), kDigit)) continue;
    if (!found || found->rate.in(unit::Gbps) < kSlowestPort) return std::nullopt;
    if (out && out->rate != found->rate) return std::nullopt;
    if (out)
      out->count = out->count.value_or(1.0) + found->count.value_or(1.0);
    else
      out = found;
  }
  return out;
}

std::optional<double> count_of_cell(const std::string& cell) {
  static const std::regex kEach(R"(^\s*(\d{1,4})\s*x\s*\(?\s*(\d{1,4})\s*x(?![a-z]))"),
      kCount(R"(^\s*(\d{1,6})\s*x(?![a-z]))"),
      kAlone(R"(^\s*(\d{1,6})\s+(?!x\b|tb\b|gb\b|tib\b|gib\b|pb\b|c\b|cores?\b|vcpus?\b)[a-z])"),
      kInside(R"([\s(](\d{1,4})\s*x\s*[\d.]+\s*[gtp]i?b\b)"),
      kBehind(R"(\s(?:x\s*(\d{1,4})|\((\d{1,4})\s*x\)|\(x\s*(\d{1,4})\))\s*(?:$|[,;]))");
  const std::string text = plain(cell);
  std::smatch found;
  if (std::regex_search(text, found, kEach)) return std::stod(found[1]) * std::stod(found[2]);
  if (const auto count = first(text, kCount)) return count;
  const std::vector<std::string> words = words_of(text);
  if (const auto number = words.empty() ? std::nullopt : number_word(words.front())) return number;
  if (const auto count = first(text, kAlone)) return count;
  if (const auto count = first(text, kInside)) return count;
  if (!std::regex_search(text, found, kBehind)) return std::nullopt;
  return number_in(found[0]);
}

std::optional<std::string> drives_of_cell(const std::string& cell) {
  static const std::regex kParts(R"(\s*(?:[+;&]|,\s|\band\b|\bwith\b)\s*)"),
      kOther(R"(\b(?:boot|os|system) ?(?:drives?|disks?|ssds?)?\b)"), kCounted(R"(\d\s*x|x\s*\d)"),
      kKind(R"(\b(?:hdd|sata|sas|nvme|ssd|flash|qlc|tlc)s?\b)");
  const std::string text = plain(cell);
  std::string out;
  std::optional<std::string> kind;
  bool all = true;
  for (std::sregex_token_iterator part(text.begin(), text.end(), kParts, -1), end; part != end;
       ++part) {
    const std::string said = *part;
    if (std::regex_search(said, kOther) && std::regex_search(said, kCounted)) {
      all = false;
      continue;
    }
    std::smatch found;
    if (std::regex_search(said, kCounted) && std::regex_search(said, found, kKind)) {
      if (kind && *kind != found.str()) return std::nullopt;
      kind = found.str();
    }
    out += (out.empty() ? "" : ", ") + said;
  }
  return all ? cell : out;
}

std::optional<Rate> rate_in(const std::string& text) {
  static const std::regex kRate(
      R"((\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*([kmgt])(ibyte|byte|b)/s)");
  std::smatch found;
  const std::string sentence = plain(text);
  if (negative(text) || !std::regex_search(sentence, found, kRate)) return std::nullopt;
  const double power = static_cast<double>(std::string_view("kmgt").find(found[2].str()[0])) + 1.0;
  const double base = found[3] == "ibyte" ? 1024.0 : 1000.0;
  const double bits = found[3] == "b" ? 8.0 : 1.0;
  return Rate::from(number_in(found[1]).value_or(0.0) * std::pow(base, power) / bits, unit::Bps);
}

std::optional<double> number_in(const std::string& text) {
  static const std::regex kNumber(
      R"((\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][+\-]?\d+\b)?))");
  std::smatch found;
  if (negative(text) || !std::regex_search(text, found, kNumber)) return std::nullopt;
  std::string digits = found[1];
  std::erase(digits, ',');
  return std::stod(digits);
}

bool negative(const std::string& text) {
  static const std::regex kNegative(R"(^\s*-\s*\.?\d)");
  return std::regex_search(text, kNegative);
}

std::optional<double> amount_in(const std::string& text) {
  const auto number = number_in(text);
  return number && *number > 0.0 ? number : std::nullopt;
}

std::optional<Bytes> memory_in(const std::string& text) {
  static const std::regex kTera(R"(\d\s*ti?b\b)");
  const auto number = amount_in(text);
  if (!number) return std::nullopt;
  return Bytes::from(*number, std::regex_search(plain(text), kTera) ? unit::TiB : unit::GiB);
}

Servers servers_in(const std::string& text) {
  static const std::regex kNodes(
      R"((?:^|[^a-z0-9.\-])(\d{1,6})\s*x?\s*(?:[a-z]+[ -])?(?:nodes?|servers?|osss?|targets?|backends?|dns?)\b)"),
      kBoxes(R"((?:^|[^a-z0-9.\-])(\d{1,6})\s*x?\s*(?:controllers?|appliances?)\b)"),
      kDrives(
          R"((?:^|[^a-z0-9.\-])(\d{1,6})\s*x?\s*(?:[\d.]+\s*tb\b|nvme\b|ssds?\b|drives?\b|hdds?\b|disks?\b|flash\b))"),
      kOthers(R"(\b(?:clients?|hosts?|metadata|mds|mdn|gateways?)\b)");
  struct Counted {
    std::optional<double> count;
    bool each = false;
  };
  Servers out;
  Counted drives, ports;
  std::optional<double> boxes;
  for (const std::string& clause : clauses_of(plain(text))) {
    const bool each = std::regex_search(clause, each_pattern());
    const std::string said = std::regex_replace(clause, each_pattern(), " ");
    if (!out.nodes && !std::regex_search(said, kOthers)) out.nodes = first(said, kNodes);
    if (!boxes) boxes = first(said, kBoxes);
    if (!drives.count) drives = {first(said, kDrives), each};
    if (out.port > Rate{}) continue;
    if (const auto found = ports_of(words_of(said), 0, false)) {
      out.port = found->rate;
      ports = {found->count, each};
    }
  }
  if (!out.nodes) out.nodes = boxes;
  const double nodes = out.nodes.value_or(1.0);
  if (drives.count) out.drives = drives.each ? *drives.count * nodes : *drives.count;
  if (ports.count) out.node_ports = ports.each ? *ports.count : *ports.count / nodes;
  return out;
}

}  // namespace stallcast::calibration::mlperf::written
