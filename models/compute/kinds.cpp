#include "models/compute/kinds.hpp"

namespace stallcast::models {
namespace {

using namespace base;

struct Given {
  Seconds compute;
};
constexpr std::array<Field<Given>, 1> kGiven{
    field("compute", &Given::compute, kRequired,
          "GPU time of one step; with gradient exchange unless the job has a \"communication\"",
          kPositive)};

struct FromFlops {
  Fraction mfu;
  std::int64_t tokens = 0;
};
constexpr std::array<Field<FromFlops>, 2> kFlops{
    field("mfu", &FromFlops::mfu, "40 %", "model FLOPs utilization of the dense peak",
          between("25 %", "50 %", cited(kPositiveShare, "38-43 % at 8-16 k H100, Llama 3 report"),
                  "expert range: tuned dense models 38-50 %, small or sparse ones 25 %")),
    field("tokens", &FromFlops::tokens, kRequired, "tokens per GPU and step", kAtLeastOne)};

}  // namespace

std::span<const FieldInfo> step_given_fields() { return kInfos<kGiven>; }
std::span<const FieldInfo> step_flops_fields() { return kInfos<kFlops>; }

Seconds given_step(const Component& step, const ModelParams&, const HostParams&) {
  return bind<kGiven>(step).compute;
}

Seconds flops_step(const Component& step, const ModelParams& model, const HostParams& host) {
  // t = 6 P tokens / (peak MFU)    [docs/models/compute.md, eq. 1]
  const FromFlops p = bind<kFlops>(step);
  const Flops work =
      Flops::from(6.0 * model.parameters.value_or(0.0) * static_cast<double>(p.tokens), unit::flop);
  return work / (host.gpu_peak * p.mfu.in(unit::ratio));
}

Rule given_step_rule(const ModelParams&) {
  return {"compute", "docs/models/compute.md", {{"compute", "step.compute"}}};
}

Rule flops_step_rule(const ModelParams& model) {
  return {"6 * parameters * tokens / (peak * mfu)",
          "docs/models/compute.md, eq. 1",
          {{"parameters", "model.parameters", model.parameters.value_or(0.0), Dimension::number,
            "parameters of the model, by its shape"},
           {"tokens", "step.tokens"},
           {"peak", "host.gpu.peak"},
           {"mfu", "step.mfu"}}};
}

}  // namespace stallcast::models
