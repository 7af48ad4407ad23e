#include "scenarios/rules_support.hpp"

namespace stallcast::scenarios {

void check_communication(const JobDesign& job, Reporter& report) {
  const Component& communication = *job.communication;
  const bool given = communication.find("exposed") != nullptr;
  if (communication.kind.empty() || given || job.model.find("parameters") != nullptr) return;
  report.error("rule", communication.pointer,
               "communication of type \"" + communication.kind + "\" of job \"" + job.job.id +
                   "\" needs the number of parameters of the model",
               "add \"model\": { \"use\": \"model/llama3-70b\" } or \"parameters\": \"70B\"");
}

}  // namespace stallcast::scenarios
