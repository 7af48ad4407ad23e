#include "engine/decide/sweep/launcher.hpp"

#include "engine/base/text.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace stallcast::sweep {
namespace {

std::string command(const LaunchRequest& request) {
  std::string out =
      base::shell_word(request.program) + " sweep run " + base::shell_word(request.path);
  for (const std::string& word : request.more) out += " " + base::shell_word(word);
  return out;
}

std::string collect_hint(const LaunchRequest& request) {
  return "# then: " + base::shell_word(request.program) + " sweep collect " +
         base::shell_word(request.path) + "\n";
}

Result<Launch> slurm(const LaunchRequest& request) {
  return Launch{
      "#!/bin/sh\n"
      "#SBATCH --job-name=stallcast-sweep\n"
      "#SBATCH --array=0-" +
          std::to_string(request.shards - 1) +
          "\n"
          "#SBATCH --ntasks=1\n" +
          collect_hint(request) + "exec " + command(request) +
          " --jobs \"${SLURM_CPUS_ON_NODE:-1}\"\n",
      {"sbatch", "--parsable"}};
}

Result<Launch> mpi(const LaunchRequest& request) {
  return Launch{"#!/bin/sh\n" + collect_hint(request) + "exec mpirun -n " +
                    std::to_string(request.shards) + " " + command(request) + " --jobs 1\n",
                {"sh"}};
}

Result<Launch> parallel(const LaunchRequest& request) {
  const std::string n = std::to_string(request.shards);
  return Launch{"#!/bin/sh\n" + collect_hint(request) + "export STALLCAST_SHARDS=" + n +
                    "\n"
                    "seq " +
                    n + " | parallel -n0 " + base::shell_word(command(request) + " --jobs 1") +
                    "\n",
                {"sh"}};
}

/// A job of completions that each know their index. JSON is YAML, too.
Result<Launch> kubernetes(const LaunchRequest& request) {
  using Json = nlohmann::ordered_json;
  if (request.image.empty() || request.claim.empty())
    return Failure{
        ExitCode::bad_input, "Kubernetes needs an image with stallcast and a volume with the sweep",
        "add --image REGISTRY/stallcast:1 --claim NAME_OF_VOLUME_CLAIM; the sweep's path "
        "is the one in the volume, mounted at /sweep"};
  Json words = {"stallcast", "sweep", "run", "/sweep/" + request.path};
  for (const std::string& word : request.more) words.push_back(word);
  const Json container = {
      {"name", "part"},
      {"image", request.image},
      {"command", words},
      {"env",
       Json::array({{{"name", "STALLCAST_SHARDS"}, {"value", std::to_string(request.shards)}}})},
      {"volumeMounts", Json::array({{{"name", "sweep"}, {"mountPath", "/sweep"}}})}};
  const Json pod = {
      {"restartPolicy", "Never"},
      {"containers", Json::array({container})},
      {"volumes", Json::array({{{"name", "sweep"},
                                {"persistentVolumeClaim", {{"claimName", request.claim}}}}})}};
  const Json job = {{"apiVersion", "batch/v1"},
                    {"kind", "Job"},
                    {"metadata", {{"generateName", "stallcast-sweep-"}}},
                    {"spec",
                     {{"completionMode", "Indexed"},
                      {"completions", request.shards},
                      {"parallelism", request.shards},
                      {"template", {{"spec", pod}}}}}};
  return Launch{job.dump(2) + "\n", {"kubectl", "create", "-f", "-"}};
}

struct Engine {
  std::string_view name;
  Result<Launch> (*launch)(const LaunchRequest& request);
};
constexpr std::array kEngines = {Engine{"slurm", slurm}, Engine{"mpi", mpi},
                                 Engine{"k8s", kubernetes}, Engine{"parallel", parallel}};

}  // namespace

Result<Launch> launch(std::string_view engine, const LaunchRequest& request) {
  for (const Engine& e : kEngines)
    if (e.name == engine) return e.launch(request);
  return Failure{ExitCode::bad_input, "unknown engine \"" + std::string(engine) + "\"",
                 "use slurm, mpi, k8s or parallel"};
}

}  // namespace stallcast::sweep
