#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/importers/dlio_import.hpp"
#include "scenarios/importers/dlio_keys.hpp"

/// The second half of the DLIO importer: training, data set, loader, checkpoints, target.
namespace stallcast::scenarios {
namespace {

using base::Json;

std::string quantity(double value, Dimension dimension) {
  return base::exact_quantity(value, dimension);
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

void DlioImport::add_training(Json& job) {
  epochs_ = whole("train.epochs", 1, "jobs[train].epochs", {}, 1);
  job["epochs"] = epochs_;
  if (fields_.has("train.total_training_steps")) {
    const std::int64_t steps = fields_.whole("train.total_training_steps", diags()).value_or(-1);
    if (steps > 0) job["steps"] = steps;
    note(steps > 0 ? FieldFate::mapped : FieldFate::ignored, "train.total_training_steps",
         std::to_string(steps), steps > 0 ? "jobs[train].steps" : "", steps > 0 ? "" : "no limit");
  }
  // MLPerf Storage v1.0 has the old spelling and the old definition; v2.0 changed both.
  job["au"] = old_spelling_ ? "dlio-v1" : "dlio-v2";
  note(FieldFate::defaulted, "", job["au"].get<std::string>(), "jobs[train].au",
       old_spelling_ ? "spelling of v1.0: record_length" : "spelling of v2.0 and later");

  const auto [mean, stdev] = time("train.computation_time", "jobs[train].step.compute");
  if (mean <= 0)
    fail("value", "train.computation_time", "a step takes no time, so nothing can be utilized",
         "give ++workload.train.computation_time=SECONDS");
  Json step;
  step["compute"] = quantity(mean, Dimension::time);
  step["jitter"] = quantity(mean > 0 ? stdev / mean : 0.0, Dimension::ratio);
  job["step"] = step;
  add_dataset(job);
}

void DlioImport::add_saving_only(Json& job) {
  const std::int64_t saves =
      whole("checkpoint.num_checkpoints_write", 1, "jobs[train].steps", "a step per save", 1);
  const double gap = number("checkpoint.time_between_checkpoints", 1.0, "jobs[train].step.compute",
                            "the pause before each save, in seconds");
  job["epochs"] = 1;
  job["steps"] = saves;
  job["step"] =
      Json{{"compute", quantity(gap > 0 ? gap : 1.0, Dimension::time)}, {"jitter", "0 %"}};
}

void DlioImport::add_dataset(Json& job) {
  const std::string name = fields_.text("dataset.format", diags()).value_or("tfrecord");
  const std::string loader = fields_.text("reader.data_loader", diags()).value_or("tensorflow");
  if (name == "synthetic" || loader == "synthetic") {
    note(FieldFate::mapped, "dataset.format", name, "", "made in memory: the job reads nothing");
    return;
  }
  const auto formats = dlio_formats();
  const auto format = std::find_if(formats.begin(), formats.end(),
                                   [&](const DlioFormat& f) { return f.name == name; });
  if (format == formats.end()) {
    std::vector<std::string> names;
    for (const DlioFormat& f : formats) names.emplace_back(f.name);
    return fail("format", "dataset.format", "\"" + name + "\" is not a format of DLIO",
                base::join(names, ", "));
  }
  const std::int64_t files = whole("dataset.num_files_train", 8, "jobs[train].dataset.samples",
                                   "times samples per file", 1);
  const std::int64_t per_file =
      whole("dataset.num_samples_per_file", 1, "jobs[train].dataset.samples", {}, 1);
  samples_ = product("dataset.num_samples_per_file", files, per_file);

  std::string kind(format->kind), caveat(format->caveat);
  if (per_file > 1 && kind != "tfrecord" && !format->many) {
    kind = "tfrecord";
    caveat = "several samples in a file are modelled as read front to back";
  }
  note(fields_.has("dataset.format") ? FieldFate::mapped : FieldFate::defaulted, "dataset.format",
       name, "jobs[train].dataset.format", kind == name ? "" : "modelled as " + kind);
  if (!caveat.empty()) warn("approximation", "dataset.format", "format " + name + ": " + caveat);

  Json dataset;
  dataset["on"] = storage_id_;
  dataset["format"] = kind;
  add_sample_size(dataset);
  // Whatever was read, every sample of a batch is one buffer of this size.  [DLIO
  // reader_handler.py]
  if (const double resized =
          fields_.number("dataset.record_length_bytes_resize", diags()).value_or(0.0);
      resized > 0) {
    dataset["tensor"] = quantity(resized, Dimension::bytes);
    note(FieldFate::mapped, "dataset.record_length_bytes_resize", base::shortest(resized),
         "jobs[train].dataset.tensor");
  }
  dataset["samples"] = samples_;
  if (kind == "tfrecord" || kind == "hdf5") dataset["samples_per_file"] = per_file;
  add_access(dataset, kind, per_file);
  if (const std::optional<std::string> method = fields_.text("dataset.compression", diags());
      method && *method != "none")
    warn("not-modelled", "dataset.compression",
         "compression " + *method + " is left out: sizes are taken as stored");
  const auto [decode, decode_stdev] = time("reader.preprocess_time", "jobs[train].dataset.decode");
  if (decode > 0) dataset["decode"] = quantity(decode, Dimension::time);
  if (decode_stdev > 0)
    warn("approximation", "reader.preprocess_time_stdev",
         "the spread of preprocess_time is left out");
  if (fields_.boolean("reader.odirect", diags()).value_or(false)) {
    dataset["direct"] = true;
    note(FieldFate::mapped, "reader.odirect", "true", "jobs[train].dataset.direct");
  }
  job["dataset"] = dataset;
  add_loader(job);
}

// Indexed reading, as the PyTorch loader does, opens and closes the file around every sample; the
// TensorFlow loader goes through a file front to back.  [DLIO reader_handler.py, read_index, next]
void DlioImport::add_access(Json& dataset, const std::string& kind, std::int64_t per_file) {
  const std::string loader = fields_.text("reader.data_loader", diags()).value_or("tensorflow");
  const bool indexed = loader == "pytorch";
  if (kind == "hdf5") {
    if (indexed) dataset["reopen"] = true;
    dataset["order"] = indexed ? "random" : "sequential";
    if (fields_.boolean("dataset.enable_chunking", diags()).value_or(false)) {
      const double chunk = number("dataset.chunk_size", 0.0, "jobs[train].dataset.chunk", "bytes");
      if (chunk > 0) dataset["chunk"] = quantity(chunk, Dimension::bytes);
    }
  }
  if (kind == "tokens" && indexed) dataset["reopen"] = true;
  if (kind == "parquet") {
    // A file is read whole when it is opened: one row group, fetched again for each indexed row.
    // [DLIO parquet_reader.py, open]
    const base::ParsedQuantity sample =
        base::parse_quantity(dataset.value("sample", ""), Dimension::bytes);
    if (sample.value)
      dataset["row_group"] =
          quantity(*sample.value * static_cast<double>(per_file), Dimension::bytes);
    dataset["order"] = indexed ? "random" : "sequential";
    if (indexed) dataset["reopen"] = true;
    if (indexed && per_file > 1)
      warn("read-amplification", "dataset.num_samples_per_file",
           "DLIO reads a whole file of " + std::to_string(per_file) + " samples for each of them");
  }
}

void DlioImport::add_sample_size(Json& dataset) {
  const std::string target = "jobs[train].dataset.sample";
  if (const YamlField* dims = fields_.take("dataset.record_dims");
      dims != nullptr && dims->is_list && !dims->list.empty()) {
    double bytes = fields_.number("dataset.record_element_bytes", diags()).value_or(1.0);
    const std::string type = fields_.text("dataset.record_element_type", diags()).value_or("uint8");
    const std::size_t digits = type.find_first_of("0123456789");
    if (digits != std::string::npos)
      bytes = base::parse_number(type.substr(digits)).value_or(0.0) / 8;
    for (const std::string& side : dims->list)
      bytes *= std::max(0.0, base::parse_number(side).value_or(0.0));
    if (!(bytes > 0) || !std::isfinite(bytes))
      return fail("value", "dataset.record_dims", "the dimensions have no size");
    dataset["sample"] = quantity(bytes, Dimension::bytes);
    note(FieldFate::mapped, "dataset.record_dims", base::join(dims->list, " x "), target);
    return;
  }
  const double length = number("dataset.record_length_bytes", 65536, target, "bytes");
  const double nominal = fields_.number("dataset.record_length_bytes_stdev", diags()).value_or(0.0);
  if (length < 1) return fail("value", "dataset.record_length_bytes", "a sample has no size");
  dataset["sample"] = quantity(length, Dimension::bytes);
  if (nominal <= 0) return;
  // DLIO writes a x b bytes with both sides from N(m, s), m = sqrt(L), s = stdev / (2 sqrt(L)), so
  // the stored variance is 2 m^2 s^2 + s^4 = stdev^2 / 2 + (stdev^2 / (4 L))^2.
  // [DLIO v1.0.1 config.py:246-247, npz_generator.py:44-50; docs/models/formats.md, eq. 2]
  const double quarter = nominal * nominal / (4 * length);
  const double stored = std::sqrt(nominal * nominal / 2 + quarter * quarter);
  dataset["sample_stdev"] = quantity(std::round(stored), Dimension::bytes);
  note(FieldFate::mapped, "dataset.record_length_bytes_stdev", base::shortest(nominal),
       target + "_stdev", "of the sizes DLIO really writes: product of two normal sides");
}

void DlioImport::add_loader(Json& job) {
  const std::string name = fields_.text("reader.data_loader", diags()).value_or("tensorflow");
  const bool torch = name == "pytorch", tensorflow = name == "tensorflow";
  batch_ = whole("reader.batch_size", 1, "jobs[train].loader.batch", {}, 1);
  const std::int64_t threads =
      whole("reader.read_threads", 1, "jobs[train].loader.workers", {}, tensorflow ? 1 : 0);
  const std::int64_t prefetch =
      whole("reader.prefetch_size", 2, "jobs[train].loader.prefetch", "batches per rank");
  // TensorFlow's Dataset.prefetch(prefetch_size) keeps that many finished batches, at least one.
  // PyTorch: DataLoader(prefetch_factor = ceil(prefetch_size / read_threads)), and 0 means 2.
  // [DLIO tf_reader.py:82-111, torch_data_loader.py:123-132]
  const std::int64_t each = tensorflow ? std::max<std::int64_t>(prefetch, 1)
                            : prefetch == 0
                                ? 2
                                : ceil_divide(prefetch, std::max<std::int64_t>(threads, 1));
  if (each != prefetch)
    result_.fields.back().note +=
        (tensorflow ? "; at least " : "; for each worker ") + std::to_string(each);
  Json loader;
  loader["type"] = torch || tensorflow ? name : "ideal";
  note(fields_.has("reader.data_loader") ? FieldFate::mapped : FieldFate::defaulted,
       "reader.data_loader", name, "jobs[train].loader.type",
       torch || tensorflow ? "" : "modelled as ideal");
  if (!torch && !tensorflow)
    warn("approximation", "reader.data_loader",
         "data loader " + name + " is modelled as work-conserving workers");
  loader["batch"] = batch_;
  loader["workers"] = threads;
  loader["prefetch"] = each;
  loader["persistent"] = true;
  loader["copy"] = "none";
  note(FieldFate::defaulted, "", "none", "jobs[train].loader.copy", "DLIO copies nothing to a GPU");
  job["loader"] = loader;
  if (samples_ / batch_ < accelerators_)
    warn("too-few-samples", "dataset.num_files_train",
         "this cannot be simulated as it is: the data set has " + std::to_string(samples_) +
             " samples, and one step takes " + std::to_string(batch_) + " for each of " +
             std::to_string(accelerators_) + " accelerators",
         "give fewer --accelerators, or the files that so many need: "
         "++workload.dataset.num_files_train=N");
  add_costs(job);
}

void DlioImport::add_checkpoint(Json& job) {
  Json checkpoint;
  checkpoint["to"] = storage_id_;
  checkpoint["mode"] = "sync";
  const std::string place = fields_.text("checkpoint.type", diags()).value_or("rank_zero");
  const std::int64_t bytes = fields_.whole("model.model_size_bytes", diags()).value_or(0);
  // torch.save copies tensors that lie in host memory into the page cache, which writes behind it.
  checkpoint["snapshot"] = "none";
  checkpoint["stream"] = true;
  if (has_transformer_) {
    job["model"]["shape"] = Json{{"vocabulary", shape_.vocabulary}, {"hidden", shape_.hidden},
                                 {"ffn", shape_.ffn_hidden},        {"heads", shape_.heads},
                                 {"kv_heads", shape_.kv_heads},     {"layers", shape_.layers}};
    job["model"]["state"] = Json{{"weights", shape_.model_bytes},
                                 {"master", shape_.optimizer_bytes},
                                 {"momentum", shape_.optimizer_bytes},
                                 {"variance", shape_.optimizer_bytes}};
    job["parallel"] = Json{{"tensor", shape_.tensor}, {"pipeline", shape_.pipeline}};
    checkpoint["layout"] =
        "zero" + std::to_string(std::clamp<std::int64_t>(shape_.zero_stage, 0, 3));
  } else if (bytes > 0) {
    const bool all = place == "all_ranks";
    const double writers = all ? static_cast<double>(accelerators_) : 1.0;
    checkpoint["size"] = quantity(static_cast<double>(bytes) * writers, Dimension::bytes);
    checkpoint["layout"] = all ? "sharded" : "zero0";
    note(FieldFate::mapped, "model.model_size_bytes", std::to_string(bytes),
         "jobs[train].checkpoint.size", all ? "per rank" : "written by rank 0");
  } else {
    warn("not-modelled", "workflow.checkpoint",
         "checkpoints are left out: the file does not say how large they are",
         "give ++workload.model.model_size_bytes=BYTES");
    if (!job.contains("dataset"))
      fail("checkpoint", "workflow.checkpoint", "nothing is left of this workload");
    return;
  }
  if (fields_.number("checkpoint.num_checkpoints_read", diags()).value_or(0) > 0) {
    checkpoint["restore"]["read"] = "own";
    note(FieldFate::mapped, "checkpoint.num_checkpoints_read", "own",
         "jobs[train].checkpoint.restore", "one is read back after the run");
  }
  add_interval(checkpoint);
  if (checkpoint.contains("every_steps")) job["checkpoint"] = checkpoint;
}

void DlioImport::add_interval(Json& checkpoint) {
  const std::string target = "jobs[train].checkpoint.every_steps";
  const std::int64_t steps =
      fields_.whole("checkpoint.steps_between_checkpoints", diags()).value_or(-1);
  const std::int64_t between = std::max<std::int64_t>(
      1, fields_.whole("checkpoint.epochs_between_checkpoints", diags()).value_or(1));
  const std::int64_t after = std::max<std::int64_t>(
      1, fields_.whole("checkpoint.checkpoint_after_epoch", diags()).value_or(1));
  if (samples_ == 0) {  // saving only: a step is a pause and a save
    checkpoint["every_steps"] = 1;
    return;
  }
  if (steps > 0) {
    checkpoint["every_steps"] = steps;
    note(FieldFate::mapped, "checkpoint.steps_between_checkpoints", std::to_string(steps), target);
    return;
  }
  const std::int64_t epoch = samples_ / batch_ / accelerators_;
  if (epoch < 1) {
    warn("not-modelled", "workflow.checkpoint", "checkpoints are left out: an epoch has no step");
    return;
  }
  // One save when the second would come after the end; else saves every `between` epochs, the first
  // `between - after` epochs early or late.
  const bool once = after + between > epochs_;
  checkpoint["every_steps"] =
      once ? product("checkpoint.checkpoint_after_epoch", after, epoch)
           : product("checkpoint.epochs_between_checkpoints", between, epoch);
  note(FieldFate::mapped, "checkpoint.epochs_between_checkpoints", std::to_string(between), target,
       "times " + std::to_string(epoch) + " steps of an epoch");
  if (!once && after != between)
    warn("approximation", "checkpoint.checkpoint_after_epoch",
         "the first save is after epoch " + std::to_string(between) + ", not " +
             std::to_string(after));
}

void DlioImport::add_target() {
  const std::optional<double> bar = fields_.number("metric.au", diags());
  if (!bar) {
    note(FieldFate::defaulted, "metric.au", "none", "expect", "no bar in the file, no assertion");
    return;
  }
  if (*bar <= 0 || *bar > 1) return fail("value", "metric.au", "metric.au is a share of 1");
  scenario_["expect"] = Json::array(
      {Json{{"id", "au"}, {"that", "job.train.au >= " + quantity(*bar, Dimension::ratio)}}});
  note(FieldFate::mapped, "metric.au", base::shortest(*bar), "expect[au]");
}

}  // namespace stallcast::scenarios
