#include "engine/base/quantity_text.hpp"
#include "models/contract/fabric.hpp"
#include "scenarios/rules/support.hpp"

namespace stallcast::scenarios {

void check_communication(const JobDesign& job, Diagnostics& report) {
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
                 "add \"shape\": { \"layers\": 80, \"hidden\": 8192 } to \"model\"");
}

// What nobody wrote, a default, is as fast as what it is plugged into.
void check_ports(const Design& design, Diagnostics& report) {
  const Value* port = design.fabric.find("port.rate");
  for (const Component& host : design.hosts) {
    const Value* nic = host.find("nic.rate");
    if (!models::held_by_port(host, design.fabric, true) ||
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
