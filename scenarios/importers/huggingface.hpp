#pragma once

#include <string>
#include <string_view>

#include "scenarios/importers/importer.hpp"

/// `config.json` of a model of Hugging Face's transformers: how many parameters it has, by a
/// derivation for each family. docs/reference/importers.md.
namespace stallcast::scenarios {

/// A job that trains and saves the model of `text`, read from `file` (for messages only). A config
/// says nothing of hosts, steps and storage: they are placeholders. Never throws.
[[nodiscard]] ImportResult import_huggingface(const std::string& text, const std::string& file,
                                              const ImportOptions& options);
[[nodiscard]] bool is_huggingface(std::string_view text);

}  // namespace stallcast::scenarios
