#include "ui/cli/verbs.hpp"

#include <array>

#include "stallcast/diagnostic.hpp"
#include "ui/cli/terminal.hpp"

namespace stallcast::cli {
namespace {

constexpr std::array kVerbs{
    Verb{"run", "Predict", "what will happen: GPU utilization, stalls, bottleneck", run_verb},
    Verb{"plan", "Predict", "the fewest OSTs that meet the targets, and their neighbours",
         plan_verb},
    Verb{"explain", "Predict", "why: derivations, sources, and what each fix would gain",
         explain_verb},
    Verb{"sweep", "Predict", "a grid or sample of designs, resumable, here or on a cluster",
         sweep_verb},
    Verb{"compare", "Predict", "architectures side by side, for one job", compare_verb},
    Verb{"grow", "Predict", "month by month: when what there is runs out", grow_verb},
    Verb{"replay", "Predict", "operations of a trace on the storage of a scenario", replay_verb},
    Verb{"init", "Scenarios", "a commented scenario to start from", init_verb},
    Verb{"lint", "Scenarios", "schema, units, references, sanity; no simulation", lint_verb},
    Verb{"resolve", "Scenarios", "the fully resolved design, with provenance", resolve_verb},
    Verb{"schema", "Scenarios", "the JSON Schema of a scenario", schema_verb},
    Verb{"catalog", "Scenarios", "products and their sourced numbers", catalog_verb},
    Verb{"import", "Scenarios",
         "a scenario, measurements or an observation from other tools' files", import_verb},
    Verb{"check", "Continuous integration", "do designs still meet their targets", check_verb},
    Verb{"diff", "Continuous integration", "what changed between two designs, and why", diff_verb},
    Verb{"ci", "Continuous integration", "write a workflow for GitHub or GitLab", ci_verb},
    Verb{"validate", "Measurements", "predictions against measurements", validate_verb},
    Verb{"probe", "Measurements", "measure this machine", probe_verb},
    Verb{"observe", "Measurements", "run a job and watch it: steps, loader, storage, saves",
         observe_verb},
    Verb{"calibrate", "Measurements", "fit a calibration profile", calibrate_verb},
    Verb{"serve", "Services", "the HTTP API and the report pages", serve_verb},
    Verb{"completion", "This program", "completions for bash, fish or zsh", completion_verb},
    Verb{"man", "This program", "the manual page of a verb, in roff", man_verb},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs)
    if (verb.name == name) return &verb;
  return nullptr;
}

}  // namespace stallcast::cli
