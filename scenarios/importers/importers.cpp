#include <algorithm>
#include <array>

#include "scenarios/fio/fio_file.hpp"
#include "scenarios/importers/dlio.hpp"
#include "scenarios/importers/fio_job.hpp"
#include "scenarios/importers/huggingface.hpp"
#include "scenarios/importers/importer.hpp"
#include "scenarios/importers/slurm.hpp"
#include "scenarios/importers/terraform.hpp"

namespace stallcast::scenarios {
namespace {

constexpr std::array kImporters{
    Importer{"dlio", "workload file of DLIO or MLPerf Storage (YAML)", import_dlio, nullptr},
    Importer{"fio-job", "job file of fio (ini)", import_fio_job, is_fio_file},
    Importer{"huggingface", "config.json of a model of transformers", import_huggingface,
             is_huggingface},
    Importer{"slurm", "nodes of Slurm (sinfo --json, scontrol show nodes)", import_slurm, is_slurm},
    Importer{"terraform", "plan or state of Terraform or OpenTofu (JSON)", import_terraform,
             is_terraform}};

struct Group {
  FieldFate fate;
  std::string_view title;
};
constexpr std::array kGroups{Group{FieldFate::mapped, "mapped"},
                             Group{FieldFate::defaulted, "defaulted"},
                             Group{FieldFate::ignored, "ignored"}};

std::string line_of(const FieldNote& field) {
  std::string line = "  ";
  if (!field.source.empty()) line += field.source;
  if (!field.value.empty()) line += (field.source.empty() ? "" : " = ") + field.value;
  if (!field.target.empty()) line += (line.size() > 2 ? " -> " : "") + field.target;
  if (!field.note.empty()) line += "  (" + field.note + ")";
  return line + "\n";
}

}  // namespace

std::span<const Importer> importers() { return kImporters; }

const Importer* find_importer(std::string_view id) {
  for (const Importer& importer : kImporters)
    if (importer.id == id) return &importer;
  return nullptr;
}

const Importer* recognise_importer(std::string_view text) {
  for (const Importer& importer : kImporters)
    if (importer.recognises != nullptr && importer.recognises(text)) return &importer;
  return nullptr;
}

std::string print_fields(const ImportResult& result) {
  std::string text, counts;
  for (const Group& group : kGroups) {
    const auto in_group = [&](const FieldNote& f) { return f.fate == group.fate; };
    const auto count = std::count_if(result.fields.begin(), result.fields.end(), in_group);
    counts += (counts.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(group.title);
    if (count == 0) continue;
    text += std::string(group.title) + "\n";
    for (const FieldNote& field : result.fields)
      if (in_group(field)) text += line_of(field);
  }
  return text + counts + "\n";
}

}  // namespace stallcast::scenarios
