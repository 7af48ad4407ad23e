#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/counted.hpp"
#include "models/bounds/parts.hpp"
#include "stallcast/metric.hpp"

/// The least number of OSTs (or servers, prefixes, ...): docs/models/bounds.md, eq. 3.
namespace stallcast::models::detail {
namespace {

/// What a job asks of the storage system that is counted; of units that each host has, of those in
/// the host that asks most.
struct Asked {
  const JobDemand* job = nullptr;
  Rate read, write;
  double read_part = 1.0, write_part = 1.0;  ///< of all that the job asks
};

/// Units that they need together.
double units_for(const std::vector<Asked>& asked, const StorageModel::Countable& c) {
  double reads = 0.0, writes = 0.0;
  for (const Asked& a : asked) {
    reads += a.read / c.unit_read;
    writes += a.write / c.unit_write;
  }
  return c.separate ? std::max(reads, writes) : reads + writes;
}

// Saves that training waits for take what there is, while nobody computes: they need none.
Asked asked_by(const JobDemand& d, const std::string& storage, const StorageModel::Countable& c) {
  Asked a{&d, d.missed * d.share_on(storage), {}};
  if (d.write_to == storage && !d.blocking) a.write = d.write;
  if (c.per_host) {
    a.read_part = 1.0 / d.layout.hosts_read_by();
    a.write_part = d.of_host;
    a.read = a.read * a.read_part;
    a.write = a.write * a.write_part;
  }
  return a;
}

/// Of jobs that use the same units those that run at one time and ask for most.
std::vector<Asked> asked_of(const std::vector<JobDemand>& demands, const std::string& storage,
                            const Plant& plant, const StorageModel::Countable& c) {
  std::vector<Asked> all, most;
  std::set<std::string> users;  // units that only these use
  for (const JobDemand& d : demands) {
    all.push_back(asked_by(d, storage, c));
    users.insert(c.per_host ? d.host : "");
  }
  for (const std::string& user : users)
    for (const bool reads : {true, false}) {  // who reads most may not write most
      std::vector<double> weights;
      for (const Asked& a : all) {
        const double read = a.read / c.unit_read, write = a.write / c.unit_write;
        weights.push_back(!c.separate ? read + write : reads ? read : write);
        if (c.per_host && a.job->host != user) weights.back() = 0.0;
      }
      std::vector<Asked> some;
      for (const std::size_t j : plant.order().at_one_time(weights))
        if (!c.per_host || all[j].job->host == user) some.push_back(all[j]);
      if (most.empty() || units_for(some, c) > units_for(most, c)) most = some;
    }
  return most;
}

Rule sum_of_jobs(const std::vector<Asked>& asked, const std::string& storage,
                 const std::string& way) {
  Rule rule{"", kEq3, {}};
  for (const Asked& a : asked) {
    const JobDemand& d = *a.job;
    const bool reads = way == "read";
    if ((reads ? a.read : a.write) <= Rate{}) continue;
    const std::string number = std::to_string(rule.terms.size() + 1), symbol = way + number;
    const std::string name = metric::of_job(d.id);
    rule.equation += (rule.terms.empty() ? "" : " + ") + symbol;
    if (reads && d.places.size() > 1) {
      rule.equation +=
          d.places[0].storage == storage ? " * (1 - share" + number + ")" : " * share" + number;
      rule.terms.push_back({"share" + number, d.input("dataset.also.share")});
    }
    if (const double part = reads ? a.read_part : a.write_part; part < 1.0) {
      rule.equation += " * part" + number;
      rule.terms.push_back(figure("part" + number, part, Dimension::ratio,
                                  "of it, by the host that has most of the ranks"));
    }
    rule.terms.push_back({symbol, !reads              ? name + "checkpoint.write.demand"
                                  : d.missed < d.read ? name + "cache.demand"
                                                      : name + "read.demand"});
  }
  return rule;
}
Rule divided(Rule rule, const std::string& way, const std::string& unit) {
  if (rule.terms.size() > 1)
    rule.equation = "(" + rule.equation + ") / unit_" + way;
  else
    rule.equation += " / unit_" + way;
  rule.terms.push_back({"unit_" + way, unit});
  return rule;
}

}  // namespace

// n >= read / unit_read + write / unit_write; the larger of both when a unit's rates are separate
// [docs/models/bounds.md, eq. 3]
void derive_units(const std::vector<JobDemand>& demands, const Plant& plant, Bounds& out) {
  const StorageModel::Countable c = plant.storage(out.storage).countable();
  const std::vector<Asked> asked = asked_of(demands, out.storage, plant, c);
  Rate read, write;
  for (const Asked& a : asked) {
    read += a.read;
    write += a.write;
  }
  out.noun = c.noun;
  out.per_host = c.per_host;
  const double for_writes = write / c.unit_write;
  const double for_reads = read / c.unit_read;
  out.osts_required = c.separate ? std::max(for_reads, for_writes) : for_reads + for_writes;
  const std::string store = metric::of_storage(out.storage),
                    name = store + base::key_of(c.noun) + ".";
  const auto line = [&](const std::string& what, double value, std::string formula, Rule rule) {
    out.derivations.push_back(
        {what, value, Dimension::number, std::move(formula), std::move(rule)});
  };
  const auto unit_line = [&](const char* way, Rate rate) {
    out.derivations.push_back(
        derived(store + "unit." + way, rate, "what one of the " + c.noun + " can " + way));
  };
  if (c.unit_read.finite()) unit_line("read", c.unit_read);
  if (c.unit_write.finite()) unit_line("write", c.unit_write);
  const Rule reads = sum_of_jobs(asked, out.storage, "read");
  const Rule writes = sum_of_jobs(asked, out.storage, "write");
  if (for_writes > 0.0) {
    Rule rule = divided(writes, "write", store + "unit.write");
    line(name + "writes", for_writes,
         text(write) + " / " + text(c.unit_write) + " of one = " + hundredths(for_writes) + " " +
             c.noun + " for the writes alone",
         std::move(rule));
  }
  if (for_reads > 0.0)
    line(name + "reads", for_reads,
         text(read) + " / " + text(c.unit_read) + " of one = " + hundredths(for_reads) + " " +
             c.noun + " for the reads alone",
         divided(reads, "read", store + "unit.read"));
  const bool waits = std::ranges::any_of(
      demands, [&](const JobDemand& d) { return d.blocking && d.write_to == out.storage; });
  const double at_least = std::ceil(out.osts_required - 1e-9);
  Rule rule{"0", kEq3, {}};
  if (for_reads > 0.0) rule.terms.push_back({"reads", name + "reads"});
  if (for_writes > 0.0) rule.terms.push_back({"writes", name + "writes"});
  if (rule.terms.size() == 2)
    rule.equation = c.separate ? "ceil(max(reads, writes) - 1e-9)" : "ceil(reads + writes - 1e-9)";
  else if (rule.terms.size() == 1)
    rule.equation = "ceil(" + rule.terms[0].symbol + " - 1e-9)";
  line(name + "bound", at_least,
       text(read) + " / " + text(c.unit_read) + (c.separate ? " or " : " + ") + text(write) +
           " / " + text(c.unit_write) + " = " + hundredths(out.osts_required) + ", so at least " +
           count(at_least) + " " + c.noun + (waits ? "; what training waits for takes none" : ""),
       std::move(rule));
}

}  // namespace stallcast::models::detail
