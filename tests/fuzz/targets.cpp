#include <array>

#include "fuzz/target.hpp"

namespace stallcast::fuzz {
namespace {

constexpr std::size_t kScenario = 16'384;
constexpr std::string_view kScenarios =
    "scenarios/library/*.json examples/*.json tests/scenarios/fixtures/*/*.json";
constexpr std::string_view kKeys = "models/*/*.cpp models/*/*.hpp scenarios/*/*.cpp";

/// Sorted by name.
constexpr std::array kTargets{
    Target{"cases", fuzz_cases, "calibration/cases/*.json calibration/claims/*.json",
           "calibration/validation/*.cpp", 16'384, true},
    Target{"expression", fuzz_expression, "", "engine/base/expression.cpp", 512},
    Target{"fio-job", fuzz_fio_job, "examples/fio/*.fio", "scenarios/resolve/fio_job.cpp"},
    Target{"http-framing", fuzz_http_framing, "", "ui/server/framing.cpp tests/server/*.cpp", 2048},
    Target{"http-routes", fuzz_http_routes, "",
           "ui/server/routes.cpp ui/server/handlers_*.cpp ui/server/httplib_module.cpp"},
    Target{"import-results", fuzz_import_results,
           "tests/calibration/data/importers/* tests/calibration/data/*.json",
           "calibration/measure/importers/*.cpp calibration/measure/*.cpp", 16'384},
    Target{"import-trace", fuzz_import_trace, "", "calibration/observe/formats/*.cpp", 8192},
    Target{"import-workload", fuzz_import_workload, "", "scenarios/importers/*.cpp", 8192},
    Target{"jsonc", fuzz_jsonc, "tests/scenarios/fixtures/bad/*.json", "tests/base/jsonc_test.cpp"},
    Target{"observation", fuzz_observation, "examples/loop/*.observation.json",
           "calibration/observe/*.cpp", 32'768, true},
    Target{"observed", fuzz_observed, "examples/*.csv examples/loop/*.observation.json",
           "calibration/fit/observed.cpp", 16'384},
    Target{"options", fuzz_options, "", "scenarios/questions/*.cpp scenarios/document/*.cpp", 1024},
    Target{"policy", fuzz_policy, "examples/ci-regression/policy.json", "scenarios/questions/*.cpp",
           4096, true},
    Target{"profile", fuzz_profile, "examples/loop/*.profile.json", "calibration/profile/*.cpp",
           32'768, true},
    Target{"quantity", fuzz_quantity, "", "engine/base/quantity_*.cpp", 256},
    Target{"replay-program", fuzz_replay_program, "", "", 4096},
    Target{"result", fuzz_result,
           "examples/ci-regression/baseline.json tests/golden/library/llm-*.json",
           "ui/app/read_result.cpp engine/decide/check/*.cpp", 32'768, true},
    Target{"scenario", fuzz_scenario, kScenarios, kKeys, kScenario},
    Target{"simulate", fuzz_simulate, kScenarios, kKeys, kScenario, true},
    Target{"sweep-file", fuzz_sweep_file, "", "engine/decide/sweep/*.cpp", 32'768},
    Target{"table", fuzz_table,
           "calibration/cases/*.csv tests/calibration/data/grid.csv "
           "calibration/cases/groundtruth/*.csv",
           "calibration/validation/*/*.cpp", 8192},
    Target{"worker-message", fuzz_worker_message, "", "engine/runtime/codec/*.cpp", 16'384},
    Target{"worker-request", fuzz_worker_request, "", "engine/runtime/codec/*.cpp", 16'384},
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

}  // namespace stallcast::fuzz
