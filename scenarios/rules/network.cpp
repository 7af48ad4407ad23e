#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/fabric.hpp"
#include "models/contract/host.hpp"
#include "models/contract/rank_spread.hpp"
#include "models/contract/rows.hpp"
#include "models/contract/training.hpp"
#include "scenarios/rules/support.hpp"

namespace stallcast::scenarios {
namespace {

// What one host could hold lies on several.    [docs/models/training.md, eq. 8]
void check_spread(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component* host = host_of(design, job);
  const double ranks = accelerators(design, job);
  if (host == nullptr || job.job.find("accelerators") == nullptr || ranks < 1.0) return;
  const models::RankSpread spread{ranks, std::max(1.0, number(*host, "count", 1.0))};
  const double gpus = number(*host, "gpus");
  const double together = ranks <= gpus ? ranks : number(job.job, "parallel.tensor", 1.0);
  if (together > gpus || together <= spread.most()) return;
  report.warn("rule", pointer_of(job.job, "accelerators"),
              "collectives of " + base::shortest(together) + " GPUs, that one host has, cross " +
                  "hosts: " + base::shortest(ranks) + " accelerators are spread evenly over " +
                  base::shortest(spread.used()) + " hosts",
              "to fill hosts, give the job a host class of as many as it fills");
}

// Experts are spread over data-parallel ranks, and no layer has them twice.
// [docs/models/communication.md, eq. 8]
void check_experts(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& communication = *job.communication;
  const double experts = number(communication, "expert", 1.0);
  const double copies = readers(design, job);  // of the model
  const bool divided = copies >= 1.0 && std::fmod(copies, 1.0) == 0.0;
  if (divided && std::fmod(copies, experts) != 0.0)
    report.error(
        "rule", pointer_of(communication, "expert"),
        "expert = " + base::shortest(experts) + " does not divide the " + base::shortest(copies) +
            " data-parallel ranks of job \"" + job.job.id + "\"",
        "data-parallel ranks = ranks / (tensor x pipeline); experts are spread over these");
  const double of_experts = number(communication, "moe.layers");
  const double layers = number(job.model, "shape.layers", of_experts);
  if (of_experts > layers)
    report.error("rule", pointer_of(communication, "moe.layers"),
                 base::shortest(of_experts) + " layers with experts are more than the " +
                     base::shortest(layers) + " layers of the model",
                 "\"moe.layers\" counts those of \"shape.layers\" that have experts");
}

// Compute and communication are of the same step.    [docs/models/communication.md, eq. 8]
void check_tokens(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& communication = *job.communication;
  const double micro = number(communication, "microbatches"),
               of_micro = number(communication, "tokens"), copies = readers(design, job);
  if (!(micro > 0.0) || !(of_micro > 0.0) || !(copies > 0.0)) return;
  const double parts = accelerators(design, job) / copies;
  const bool own = job.step.find("tokens") != nullptr;
  const double said =
      own ? number(job.step, "tokens") * parts : number(job.job, "run.tokens_per_step") / copies;
  constexpr double kApart = 0.1;
  if (!(said > 0.0) || std::abs(micro * of_micro / said - 1.0) <= kApart) return;
  report.warn("rule", pointer_of(communication, "microbatches"),
              base::shortest(micro) + " micro-batches of " + base::shortest(of_micro) +
                  " tokens are not the " + base::shortest(said) +
                  " tokens that a copy of the model computes in a step (" +
                  (own ? "\"step.tokens\" x its " + base::shortest(parts) + " GPUs"
                       : "\"run.tokens_per_step\" / " + base::shortest(copies) + " copies") +
                  ")",
              "\"microbatches\": " + base::shortest(std::max(1.0, std::round(said / of_micro))) +
                  " exchange as much as is computed");
}

// The ports of a host of `count` that are plugged into one switch.
void check_host_ports(const Component& fabric, const Component& host, std::string_view key,
                      double count, Diagnostics& report) {
  const models::FabricShape shape =
      models::fabric_row(fabric.kind)
          .shape(fabric,
                 {.hosts = 1.0, .ports = count, .port = models::host_params(host).nic_rate});
  if (shape.ring_ports <= shape.down) return;
  report.error(
      "rule", pointer_of(fabric, "leaf.ports"),
      "the " + base::shortest(count) + " ports of a host of \"" + host.id + "\" (\"" +
          std::string(key) + "\") do not fit on one leaf, of whose " +
          base::shortest(number(fabric, "leaf.ports")) + " ports " + base::shortest(shape.down) +
          " lead to hosts",
      "\"leaf.ports\" are all ports of a leaf, up and down; on a \"rail-optimized\" fabric "
      "each port of a host has a leaf of its own");
}

}  // namespace

void check_communication(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& communication = *job.communication;
  const bool given = communication.find("exposed") != nullptr;
  if (communication.kind.empty() || given) return;
  const std::string of =
      "communication of type \"" + communication.kind + "\" of job \"" + job.job.id + "\" needs ";
  const bool shape =
      !lacks(job.model, "shape.layers", report) && !lacks(job.model, "shape.hidden", report);
  if (lacks(job.model, "parameters", report) && !shape)
    report.error("rule", communication.pointer, of + "the number of parameters of the model",
                 "add \"model\": { \"use\": \"model/llama3-70b\" } or \"parameters\": \"70B\"");
  if (communication.find("microbatches") != nullptr && !shape)
    report.error("rule", communication.pointer, of + "the model's layers and hidden size",
                 "add \"model\": { \"use\": \"model/llama3-70b\" }, or a \"shape\" of vocabulary, "
                 "hidden, ffn, "
                 "heads, kv_heads and layers");
  check_experts(design, job, report);
  check_tokens(design, job, report);
  check_spread(design, job, report);
}

// A shape says how many parameters a model has, but for experts; tied embeddings and feed-forward
// layers without a gate have fewer than it counts.    [docs/models/checkpoint.md, eq. 6]
void check_parameters(const JobDesign& job, Diagnostics& report) {
  const double said = number(job.model, "parameters");
  if (!(said > 0.0) || report.has_errors()) return;
  const double shape = models::model_params(job.model).shape_parameters();
  constexpr double kFew = 0.5;
  if (said >= kFew * shape) return;
  report.warn("rule", pointer_of(job.model, "parameters"),
              base::print_quantity(said, Dimension::count) + " parameters are fewer than the " +
                  base::print_quantity(shape, Dimension::count) + " of a model of this \"shape\"",
              "leave out \"parameters\", which the shape says, or write the shape of this model");
}

// Leaves with room for a host, and a way to the spines.    [docs/models/network.md, eq. 5]
void check_leaves(const Design& design, Diagnostics& report) {
  const Component& fabric = design.fabric;
  if (!complete(models::Role::fabric, fabric)) return;
  const Value* ports = fabric.find("leaf.ports");
  if (ports == nullptr) return;
  const double over = number(fabric, "oversubscription", 1.0), most = ports->number - 1.0;
  if (over > most) {
    report.error("rule", pointer_of(fabric, "oversubscription"),
                 "of the " + base::shortest(ports->number) +
                     " ports of a leaf less than one leads "
                     "to spines with an oversubscription of " +
                     base::shortest(over),
                 "at most " + base::shortest(most) + ": all ports but one toward hosts");
    return;
  }
  const bool converged = models::fabric_params(fabric).converged;
  for (const Component& host : design.hosts) {
    if (!complete(models::Role::host, host)) continue;
    const models::HostParams params = models::host_params(host);
    check_host_ports(fabric, host, "nic.count", static_cast<double>(params.nic_count), report);
    const bool exchanges = std::ranges::any_of(design.jobs, [&](const JobDesign& job) {
      return host_of(design, job) == &host && job.communication &&
             job.communication->find("exposed") == nullptr;
    });
    if (exchanges && !converged)
      check_host_ports(fabric, host, "compute_nic.count",
                       static_cast<double>(params.compute_nic_count.value_or(params.gpus)), report);
  }
}

// What nobody wrote, a default, is as fast as what it is plugged into.
void check_ports(const Design& design, Diagnostics& report) {
  const Value* port = design.fabric.find("port.rate");
  for (const Component& host : design.hosts) {
    const Value* nic = host.find("nic.rate");
    if (models::port_over_nic(host, design.fabric) >= 1.0 ||
        nic->source.kind == Source::Kind::default_value)
      continue;
    report.warn("port", pointer_of(host, "nic.rate"),
                "NICs of \"" + host.id + "\" have " + base::exact_link_rate(nic->number) +
                    ", and run at the " + base::exact_link_rate(port->number) +
                    " of the switch ports that they are plugged into",
                "write the rate they run at, or take another fabric: its \"port.rate\" is that of "
                "its switches");
  }
}

}  // namespace stallcast::scenarios
