#include <iostream>
#include "stallcast/client.hpp"

// Predicts the scenario that is named, and prints what its GPUs are used.
int main(int argc, char** argv) {
  using namespace stallcast;
  if (argc != 2) return 2;
  client::Session session;
  const client::Reading reading = session.read({.file = argv[1]});
  if (!reading.scenario) return 2;
  const Result<Prediction> prediction = session.predict(reading.scenario->design());
  if (!prediction.ok()) {
    std::cerr << prediction.failure().message << "\n";
    return 4;
  }
  for (const auto& [name, metric] : prediction->metrics)
    if (name.ends_with(".gpu.utilization")) std::cout << name << " " << metric.value << "\n";
}
