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

}  // namespace stallcast::scenarios
