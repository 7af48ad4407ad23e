#include "calibration/observed_job/job_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/measure/quantity_texts.hpp"
#include "calibration/observed_job/job_writer.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::calibration {
namespace {

using base::Json;

/// Parts of a target: where they lie in the scenario, and the role whose table has their fields.
struct Part {
  std::string_view name, pointer, dotted;
  models::Role role;
};
constexpr Part kParts[] = {
    {"host", "/cluster/hosts/0", "cluster.hosts.node", models::Role::host},
    {"store", "/storage/0", "storage.store", models::Role::storage},
    {"job", "/jobs/0", "jobs.train", models::Role::job},
    {"step", "/jobs/0/step", "jobs.train.step", models::Role::step},
    {"dataset", "/jobs/0/dataset", "jobs.train.dataset", models::Role::dataset},
    {"loader", "/jobs/0/loader", "jobs.train.loader", models::Role::loader},
    {"checkpoint", "/jobs/0/checkpoint", "jobs.train.checkpoint", models::Role::checkpoint},
    {"run", "/run", "run", models::Role::run}};

const Part& part_of(std::string_view target) {
  const std::string_view name = target.substr(0, target.find('.'));
  return *std::find_if(std::begin(kParts), std::end(kParts),
                       [&](const Part& part) { return part.name == name; });
}

/// The default of a field and its range, as the tables have them; the first kind that has it.
std::string default_text(models::Role role, std::string_view key) {
  for (const models::KindInfo& kind : models::kinds(role))
    for (const base::FieldInfo* field : models::fields_of(kind)) {
      if (field->key != key) continue;
      if (field->optional() || field->required()) return "absent";
      std::string out = "default " + std::string(field->fallback);
      if (!field->limits.low.empty())
        out += ", " + std::string(field->limits.low) + " to " + std::string(field->limits.high);
      return out;
    }
  return "absent";
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("value")) return value_text(value["value"]);
  return base::one_line(value);
}

/// A quotient that two lognormals of these variations tell apart from one: heavier tails.
bool is_heavier(const Seen& seen) {
  const double sigma = std::sqrt(std::log1p(std::pow(seen.variation(), 2)));
  if (!(seen.low > 0.0) || sigma < 0.01) return false;
  // 90 % of a lognormal lie within exp(+-1.645 sigma).
  const double spread = std::log(seen.high / seen.low) / (2.0 * 1.6448536269514722);
  return spread < 0.6 * sigma || spread > 1.6 * sigma;
}

}  // namespace

base::Json* JobWriter::place(std::string_view target, std::string& pointer) {
  const Part& part = part_of(target);
  pointer = part.pointer;
  std::string keys(target.substr(std::min(target.size(), part.name.size() + 1)));
  Json* node = &out_.json[Json::json_pointer(pointer)];
  while (!keys.empty()) {
    const std::size_t dot = keys.find('.');
    const std::string key = keys.substr(0, dot);
    node = &(*node)[key];
    pointer += base::pointer_token(key);
    keys = dot == keys.npos ? "" : keys.substr(dot + 1);
  }
  return node;
}

std::string JobWriter::dotted(std::string_view target) const {
  const Part& part = part_of(target);
  return std::string(part.dotted) + std::string(target.substr(part.name.size()));
}

void JobWriter::comment(std::string_view target, std::string_view text) {
  std::string pointer;
  (void)place(target, pointer);
  std::string& at = out_.comments[pointer];
  at += (at.empty() ? "" : "\n") + std::string(text);
}

void JobWriter::set(std::string_view source, std::string_view target, Json value,
                    std::string_view note, std::string_view comment_) {
  std::string pointer;
  out_.fields.push_back({scenarios::FieldFate::mapped, std::string(source), "",
                         dotted(target) + " = " + value_text(value), std::string(note)});
  *place(target, pointer) = std::move(value);
  if (!comment_.empty()) comment(target, comment_);
}

void JobWriter::assume(std::string_view target, Json value, std::string_view why,
                       std::string_view comment_) {
  std::string pointer;
  out_.fields.push_back(
      {scenarios::FieldFate::defaulted, "", value_text(value), dotted(target), std::string(why)});
  *place(target, pointer) = std::move(value);
  if (!comment_.empty()) comment(target, comment_);
}

void JobWriter::leave(std::string_view source, std::string_view target) {
  const Part& part = part_of(target);
  out_.fields.push_back(
      {scenarios::FieldFate::defaulted, std::string(source), "", dotted(target),
       "not seen: " + default_text(part.role, target.substr(part.name.size() + 1))});
}

void JobWriter::ignore(std::string_view source, std::string_view why) {
  out_.fields.push_back(
      {scenarios::FieldFate::ignored, std::string(source), "", "", std::string(why)});
}

void JobWriter::add_head() {
  std::string head = "The job that was observed";
  if (!o_.source.inputs.empty()) {
    head += " in " + o_.source.inputs.front().name;
    if (o_.source.inputs.size() > 1)
      head += " and " + std::to_string(o_.source.inputs.size() - 1) + " more";
  }
  if (!o_.source.format.empty()) head += " (" + o_.source.format + ")";
  head += ", as a scenario.";
  for (const std::string& remark : facts_.remarks) head += "\n- " + remark;
  if (!how_.profile.empty()) head += "\nStorage as probed: run it with --profile " + how_.profile;
  for (const std::string& line : how_.checked) head += "\n" + line;
  out_.comments[""] = head;
  out_.json["id"] = how_.id;
  out_.json["cluster"]["hosts"] = Json::array({Json::object()});
  out_.json["storage"] = Json::array({Json::object()});
  out_.json["jobs"] = Json::array({Json::object()});
}

void JobWriter::add_host() {
  assume("host.id", kObservedHost, "a name");
  const char* hosts_from = o_.host && o_.host->hosts ? "host.hosts" : "processes.host";
  set(hosts_from, "host.count", facts_.hosts);
  set(facts_.ranks_from, "host.gpus", facts_.ranks_per_host, "one for each rank of a host");
  const ObservedHost* host = o_.host ? &*o_.host : nullptr;
  if (host != nullptr && host->cores) {
    set("host.cores", "host.cpu.cores", *host->cores);
  } else if (host != nullptr && host->hardware_threads) {
    set("host.hardware_threads", "host.cpu.cores", *host->hardware_threads,
        "cores were not told from hardware threads");
  } else {
    leave("host.cores", "host.cpu.cores");
  }
  if (host != nullptr && host->cores && host->hardware_threads) {
    const bool two = *host->hardware_threads > *host->cores;
    set("host.hardware_threads", "host.cpu.smt",
        two ? Json{{"value", 1.25}, {"low", 1.2}, {"high", 1.35}, {"why", "docs/models/host.md"}}
            : Json(1.0),
        two ? "two threads of a core do 1.25 times what one does" : "one thread for each core");
  }
  if (facts_.sample_cpu)
    assume("host.cpu.copy", "1 TB/s", "copies are in the core time of a sample",
           "Copies out of the page cache are in the core time of a sample (decode).");
  if (host != nullptr && host->memory) {
    set("host.memory", "host.memory.size", text(*host->memory));
    assume("host.memory.reserved", "0 B", "what is free was not seen");
    assume("host.memory.process", "20 MB", "workers share what they were forked with");
  } else {
    leave("host.memory", "host.memory.size");
  }
  if (host != nullptr) {
    std::optional<Rate> fastest;
    std::int64_t ports = 0;
    for (const ObservedNic& nic : host->nics) {
      if (!nic.rate || *nic.rate <= Rate{}) continue;
      if (!fastest || *nic.rate > *fastest) fastest = *nic.rate, ports = 0;
      if (*nic.rate == *fastest) ++ports;
    }
    if (fastest) {
      set("host.nics", "host.nic.rate", base::exact_link_rate(fastest->in(unit::Bps)),
          "the fastest");
      set("host.nics", "host.nic.count", ports, "as fast as that");
    }
  }
  if (host == nullptr || host->nics.empty()) leave("host.nics", "host.nic.rate");
}

void JobWriter::add_job() {
  assume("job.id", kObservedJob, "a name");
  assume("job.hosts", kObservedHost, "as above");
  if (facts_.ranks_per_host * facts_.hosts != facts_.ranks)
    set(facts_.ranks_from, "job.accelerators", facts_.ranks);
  set("steps.epochs", "job.epochs", static_cast<std::int64_t>(facts_.epochs));
  const std::int64_t steps = std::min(facts_.steps, how_.most_steps.value_or(facts_.steps));
  set("steps.count", "job.steps", steps, "of one rank and epoch");
}

void JobWriter::add_step() {
  constexpr double kMovedCompute = 0.02;  ///< less is said nothing of
  const Seconds compute = Seconds::from(facts_.compute.mean, unit::s) * costs_.compute;
  constexpr double kEqual = 1e-6;  ///< what rounding makes of steps that are equal
  const double seen = facts_.compute.variation(), variation = seen < kEqual ? 0.0 : seen;
  std::string said = "Mean of " + std::to_string(facts_.compute.count) + " steps less their waits";
  if (!facts_.waits_known)
    said = "Mean of " + std::to_string(facts_.compute.count) + " steps, waits included";
  if (facts_.others)
    said = "Mean of " + std::to_string(facts_.compute.count) +
           " steps of one rank, from its batch until it meets the others";
  if (std::abs(costs_.compute - 1.0) > kMovedCompute)
    said += ", times " + base::significant(costs_.compute, 3) +
            ": what ranks wait for each other's data is in these steps";
  if (is_heavier(facts_.compute))
    said += ". The middle 90 % are from " +
            base::print_quantity(facts_.compute.low, Dimension::time) + " to " +
            base::print_quantity(facts_.compute.high, Dimension::time) +
            ", which no lognormal with this mean and jitter has: the scenario keeps mean and "
            "deviation, not the shape";
  set(o_.steps->compute ? "steps.compute" : "steps.duration", "step.compute",
      text(five_digits(compute)),
      facts_.unexplained > Seconds{}
          ? "mean, with the " +
                base::print_quantity(facts_.unexplained.in(unit::s), Dimension::time) +
                " that a step waited (steps.wait)"
          : "mean",
      said + ".");
  set(o_.steps->compute ? "steps.compute.sample" : "steps.duration.sample", "step.jitter",
      text(Fraction::from(base::rounded_to(variation, 4), unit::ratio)),
      "standard deviation over mean");
  if (facts_.warm_up > Seconds{})
    set("figures.first_step_compute_s", "step.warm_up", text(five_digits(facts_.warm_up)),
        "less the mean of the others",
        "What the first step took more: kernels are loaded, chosen and compiled.");
  assume("step.overhead", "0 s", "part of the compute");
  assume("step.sharing", "0 %", "part of the compute");
  assume("job.barrier", {{"base", "0 s"}, {"per_doubling", "0 s"}, {"per_sqrt", "0 s"}},
         "part of the compute");
}

void JobWriter::add_discrepancy() {
  const Discrepancy& d = how_.discrepancy;
  const auto put = [&](const char* target, const std::optional<double>& half) {
    if (half)
      set("self-check", target, text(Fraction::from(base::rounded_to(*half, 3), unit::ratio)),
          "what the simulation of this file is off by, or the observation's own error");
  };
  put("job.discrepancy.step", d.step);
  put("job.discrepancy.first_batch", d.first_batch);
  put("job.discrepancy.checkpoint", d.checkpoint);
  if (d.utilization)
    set("self-check", "job.discrepancy.utilization", base::rounded_to(*d.utilization, 3),
        "the same, of the logarithm of the odds");
  if (d.step)
    comment("job.discrepancy",
            "What a simulation of this file is off by where the job was observed, or what the "
            "observation itself is sure of: half widths of nine cases in ten.");
}

WrittenJob JobWriter::write() && {
  add_head();
  add_host();
  if (reads_data() || facts_.saves)
    add_storage();
  else
    out_.json.erase("storage");
  add_job();
  add_step();
  if (reads_data()) {
    add_dataset();
    add_loader();
  } else {
    ignore(
        "loader",
        "no bytes of samples were seen: the job only computes, and what it waited is part of that");
  }
  add_checkpoint();
  add_discrepancy();
  out_.json["run"] = {{"seed", 1}, {"replicas", 3}};
  if (!o_.collectives.empty()) ignore("collectives", "their time is in the compute");
  if (o_.devices) ignore("devices", "their time is in the compute");
  if (o_.loads) ignore("loads", "checkpoints that are read when it starts");
  if (o_.lustre) ignore("lustre", "the storage is as the job saw it, whatever is behind");
  return std::move(out_);
}

WrittenJob write_job(const Observation& observation, const JobFacts& facts, const FreeCosts& costs,
                     const JobWriting& how) {
  return JobWriter(observation, facts, costs, how).write();
}

}  // namespace stallcast::calibration
