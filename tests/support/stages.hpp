#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/filer.hpp"

/// Stages between three filers, and a job that reads behind them.
namespace stallcast::testing::staged {

// Each chunk is a request of 250 us and more, and the last pieces end one by one: closed forms hold
// to this share.
inline constexpr double kCoarse = 0.005;

[[nodiscard]] inline Component filer(const char* id, Settings settings = {}) {
  Component out = filer_of_one_head(
      {{"client.connection", "10 GB/s"}, {"client.stream", "10 GB/s"}, {"client.nconnect", "16"}});
  for (const auto& [key, value] : settings) set(out, models::Role::storage, key, value);
  out.id = id;
  return out;
}

// Stages on two hosts, between three filers of 5 GB/s each way; nothing else limits.
[[nodiscard]] inline Design pipeline(std::vector<Component> stages) {
  Design design = small_design();
  design.jobs.clear();
  design.hosts.push_back(
      component(models::Role::host, "host", "mover", {{"count", "2"}, {"gpus", "0"}}));
  design.storage = {filer("lake"), filer("near"), filer("far")};
  design.stages = std::move(stages);
  return design;
}

[[nodiscard]] inline Component stage(const char* kind, const char* id, Settings settings) {
  Component out = component(models::Role::stage, kind, id, {});
  if (out.kind != "train") {
    set(out, models::Role::stage, "from", "lake");
    set(out, models::Role::stage, "hosts", "mover");
  }
  for (const auto& [key, text] : settings) set(out, models::Role::stage, key, text);
  return out;
}

[[nodiscard]] inline Component copy(const char* id, Settings settings = {{"size", "5 TB"}}) {
  Component out = stage("copy", id, {{"to", "near"}});
  for (const auto& [key, text] : settings) set(out, models::Role::stage, key, text);
  return out;
}

// A job of 100 steps of 100 ms that reads 100 x 32 x 1 MB from "near".
[[nodiscard]] inline Design with_job(std::vector<Component> stages) {
  Design design = pipeline(std::move(stages));
  design.jobs = small_design().jobs;
  JobDesign& job = design.jobs[0];
  job.dataset = component(models::Role::dataset, "raw", "dataset",
                          {{"on", "near"}, {"sample", "1 MB"}, {"samples", "3200"}});
  job.loader =
      component(models::Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "2"}});
  set(job.job, models::Role::job, "epochs", "1");
  design.run.values.erase("duration");
  return design;
}

[[nodiscard]] inline double of_stage(const RunResult& result, const std::string& name) {
  return metric(result, "stage." + name);
}

}  // namespace stallcast::testing::staged
