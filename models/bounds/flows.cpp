#include "models/bounds/flows.hpp"

#include <map>
#include <utility>

#include "models/saving/cached_saves.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models::detail {
namespace {

constexpr const char* kSaving = "docs/models/checkpoint.md";
constexpr double kMore = 1.0 + 1e-9;  // less is rounding

/// Of a save that goes on to the storage, on average.
Term drained_of(const JobDemand& d, Bytes size) {
  if (d.drained == d.checkpoint) return {"written", written_of(d, size)};
  return figure("written", d.drained.in(unit::B), Dimension::bytes,
                "of a save that goes on to the last tier, on average");
}

/// The host that moves most, by what is inside it.
Plant::Narrowest widest_host(const Plant& plant, const JobDemand& d, const Passage& way) {
  Plant::Narrowest out{Rate{}, ""};
  for (std::size_t g = 0; g < plant.groups(d.host).size(); ++g)
    if (Plant::Narrowest one =
            plant.narrowest_in_host(d.host, g, way.storage, way.reading, d.layout.gds_saves);
        one.rate > out.rate)
      out = std::move(one);
  return out;
}

/// A resource of all hosts together.
Rate of_all_hosts(const Plant& plant, const std::string& resource) {
  Rate sum;
  for (std::uint32_t e = 0; e < plant.topology().edge_count(); ++e)
    if (ResourceTable::without_group(plant.topology().name(graph::EdgeId{e})) == resource)
      sum += plant.topology().capacity(graph::EdgeId{e});
  return sum;
}

}  // namespace

MinCut named_cut(const std::string& name, const Plant& plant, const graph::Topology::Cut& found,
                 std::vector<Derivation>& lines) {
  MinCut out{found.value, "storage"};
  if (found.edges.empty() || !found.value.finite()) return out;
  std::map<std::string, Rate> through;
  for (const graph::EdgeId edge : found.edges)
    through[ResourceTable::without_group(plant.topology().name(edge))] +=
        plant.topology().capacity(edge);
  out.binding = ResourceTable::without_group(plant.topology().name(found.edges.front()));
  Rule rule{"", "docs/models/bounds.md: max flow is min cut", {}};
  std::string sum;
  for (const auto& [resource, rate] : through) {
    const std::string symbol = "c" + std::to_string(rule.terms.size() + 1);
    rule.equation += (sum.empty() ? "" : " + ") + symbol;
    sum += (sum.empty() ? "" : " + ") + resource + " " + text(rate);
    rule.terms.push_back({symbol, metric::of_resource(resource, "capacity"), rate.in(unit::Bps),
                          Dimension::rate, "what " + resource + " carries"});
  }
  lines.push_back(derived(name, found.value, "max flow is min cut: " + sum, std::move(rule)));
  return out;
}

Derivation interval_of(const CheckpointParams& p, JobDemand& d) {
  const std::string name = metric::checkpoint(d.id, "interval");
  d.interval = p.every_steps ? d.compute * static_cast<double>(*p.every_steps) : *p.every;
  const auto made = [&](std::string formula, Rule rule) {
    return Derivation{name, d.interval.in(unit::s), Dimension::time, std::move(formula),
                      std::move(rule)};
  };
  if (!p.every_steps)
    return made("given: " + text(d.interval),
                {"every", kSaving, {{"every", d.input("checkpoint.every")}}});
  return made(count(static_cast<double>(*p.every_steps)) + " steps x " + text(d.compute) + " = " +
                  text(d.interval),
              {"steps * compute",
               kSaving,
               {{"steps", d.input("checkpoint.every_steps")},
                {"compute", metric::of_job(d.id, "step.compute")}}});
}

// t = max(o S / max flow, o S_host / host, S_rank / (threads stream))
Slowest slowest_of(const Passage& way, const CheckpointParams& p, const JobDemand& d,
                   const Plant& plant) {
  const StorageModel& storage = plant.storage(way.storage);
  const double sent = way.reading ? 1.0 : storage.sent();
  const Term carried =
      figure("sent", sent, Dimension::number, "bytes that clients send for a byte written");
  const Term mean = figure("part", way.part, Dimension::ratio,
                           "of the state, as it is stored: compressed, increments");
  const auto with = [&](Rule rule) {
    if (sent > 1.0) {
      rule.equation.insert(rule.equation.find('/') - 1, " * sent");
      rule.terms.push_back(carried);
    }
    return rule;
  };
  Slowest out{way.all * sent / way.flow,
              text(way.all) +
                  (sent > 1.0 ? " x " + hundredths(sent) + " with copies and parity" : "") + " / " +
                  text(way.flow),
              "",
              with({"size * part / flow",
                    way.reference,
                    {{"size", way.stem + "size"}, mean, {"flow", way.stem + "flow"}}})};
  const Plant::Narrowest host = widest_host(plant, d, way);
  if (const Seconds time = way.host * sent / host.rate; time > out.time * kMore) {
    Rule rule{"host * part / one", way.reference, {{"host", way.stem + "size.host"}, mean}};
    const Rate all = of_all_hosts(plant, host.resource);
    if (std::abs(all / host.rate / d.layout.hosts - 1.0) < kHostRounding) {
      rule.equation = "host * part / (all / hosts)";
      rule.terms.push_back({"all", metric::of_resource(host.resource, "capacity"),
                            all.in(unit::Bps), Dimension::rate,
                            "what " + host.resource + " carries"});
      rule.terms.push_back({"hosts", d.host_input("count")});
    } else {
      rule.terms.push_back(figure("one", host.rate.in(unit::Bps), Dimension::rate,
                                  "what " + host.resource + " carries of one host"));
    }
    out = {time, text(way.host) + " of the host that moves most / " + text(host.rate),
           host.resource, with(std::move(rule))};
  }
  // What the kernel writes behind, and O_DIRECT, are no stream of the process.
  const double threads = static_cast<double>(p.threads);
  const Plant::Narrowest process =
      plant.of_one_process(d.host, way.storage, way.reading, d.layout.gds_saves, threads);
  Rate stream = process.rate;
  const Rate told = storage.client_limits().stream;
  const bool by_client = !p.direct && !d.layout.gds_saves && !end_in_cache(p, plant) &&
                         p.sharing != "interleaved" && told < stream;
  if (by_client) stream = told;
  const bool by_cufile = process.resource == "host." + d.host + ".gds";
  const std::string input = by_client   ? "storage[" + way.storage + "].client.stream"
                            : by_cufile ? d.host_input("gds.stream")
                                        : "";
  if (const Seconds time = way.rank / (stream * threads); time > out.time * kMore)
    out = {time,
           text(way.rank) + " of the rank that moves most / " + text(stream * threads) +
               " of its threads",
           process.resource.empty() ? metric::of_storage(way.storage, "client.stream")
                                    : process.resource,
           {"rank * part / (threads * stream)",
            way.reference,
            {{"rank", way.stem + "size.rank"},
             mean,
             {"threads", d.input("checkpoint.threads")},
             {"stream", input, stream.in(unit::Bps), Dimension::rate,
              process.resource.empty() ? "what one process moves: its core"
                                       : "what one thread moves of a GPU's path"}}}};
  return out;
}

void derive_flush(const CheckpointParams& p, const CheckpointLayout& layout, const Plant& plant,
                  JobDemand& d, std::vector<Derivation>& lines) {
  const std::string name = metric::checkpoint(d.id);
  const graph::NodeId sink = plant.storage(d.write_to).write_sink();
  const auto mounts = plant.mounts(d.host, d.write_to, false, d.layout.gds_saves);
  d.write_cut =
      named_cut(name + "flow", plant, plant.topology().max_flow(mounts, {&sink, 1}), lines);
  const double part = d.drained / layout.size();
  Slowest least = slowest_of({.all = d.drained,
                              .host = layout.of_host(d.layout.spread()) * part,
                              .rank = layout.of_rank() * part,
                              .part = part,
                              .flow = d.write_cut.value,
                              .stem = name,
                              .storage = d.write_to},
                             p, d, plant);
  if (least.binding.empty()) {
    least.rule.equation.replace(0, std::string("size * part").size(), "written");
    least.rule.terms[0] = drained_of(d, layout.size());
    least.rule.terms.erase(least.rule.terms.begin() + 1);
  } else {
    d.write_cut.binding = least.binding;
  }
  d.flush = least.time;
  lines.push_back(
      derived(name + "save.bound", d.flush, least.formula, std::move(least.rule),
              d.blocking ? ": training waits for it" : " at least, alongside training"));
}

// w = S / tau: so that a flush ends before the next begins. While training waits for a save it
// computes none of the steps between two; of an interval by time the save is a part.
Derivation write_demand(const CheckpointParams& p, Bytes size, JobDemand& d) {
  const std::string name = metric::checkpoint(d.id);
  Seconds period = d.interval;
  Rule rule{"written / interval", kEq1, {drained_of(d, size), {"interval", name + "interval"}}};
  if (d.blocking && (p.every_steps || d.save + d.compute > d.interval)) {
    period = d.save + (p.every_steps ? d.interval : d.compute);
    rule.equation = p.every_steps ? "written / (interval + save)" : "written / (step + save)";
    if (!p.every_steps) rule.terms.back() = {"step", metric::of_job(d.id, "step.compute")};
    rule.terms.push_back(
        figure("save", d.save.in(unit::s), Dimension::time,
               "that training waits for it at least: docs/models/bounds.md, eq. 7"));
  }
  if (p.drain_every > 1) {
    period = period * static_cast<double>(p.drain_every);
    rule.equation += " / drains";
    rule.terms.push_back({"drains", d.input("checkpoint.drain_every")});
  }
  d.write = d.drained / period;
  return derived(name + "write.demand", d.write, text(d.drained) + " / " + text(period),
                 std::move(rule),
                 d.blocking ? " on average (training waits for the save)"
                            : " so that a flush ends within the interval");
}

}  // namespace stallcast::models::detail
