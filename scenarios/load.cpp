#include "scenarios/load.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "engine/base/design_values.hpp"
#include "engine/base/files.hpp"
#include "scenarios/document/overrides.hpp"
#include "scenarios/questions/expectations.hpp"
#include "scenarios/questions/plan_reader.hpp"
#include "scenarios/questions/sweep_reader.hpp"
#include "scenarios/resolve/fio_job.hpp"
#include "scenarios/resolve/parameters.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "scenarios/rules/rules.hpp"

namespace stallcast::scenarios {
namespace {

// Faults that may only be there because part of the scenario is not.
void drop_consequences(Diagnostics& diags, std::size_t first) {
  constexpr std::string_view kCodes[] = {"missing", "reference", "rule", "param", "expression"};
  auto& items = diags.items();
  items.erase(std::remove_if(items.begin() + static_cast<std::ptrdiff_t>(first), items.end(),
                             [&](const Diagnostic& d) {
                               return std::find(std::begin(kCodes), std::end(kCodes), d.code) !=
                                      std::end(kCodes);
                             }),
              items.end());
}

// What is said of a number that could not be read.
void drop_repeats(Diagnostics& diags) {
  std::set<std::string> unread;
  for (const Diagnostic& d : diags.items())
    if (d.code == "number") unread.insert(d.pointer);
  std::erase_if(diags.items(), [&](const Diagnostic& d) {
    return d.code != "number" && unread.contains(d.pointer);
  });
}

void load(std::string text, const std::string& file, const LoadOptions& options, Loaded& out) {
  Documents documents;
  Tree tree = read_with_bases(std::move(text), file, options.extend_files, options.extend_root,
                              documents, out.diagnostics);
  if (!tree.root.is_object()) return;
  // What a file that could not be read would have said cannot be missed.
  const bool incomplete = std::any_of(
      out.diagnostics.items().begin(), out.diagnostics.items().end(), [&](const Diagnostic& d) {
        return d.code == "extends" || d.code == "syntax" || d.code == "type";
      });
  const std::size_t before = out.diagnostics.items().size();
  Reporter report(documents, tree, out.diagnostics);
  if (const Json* variants = find(tree.root, "/scenarios");
      variants != nullptr && variants->is_object())
    for (const auto& [name, patch] : variants->items())
      if (!name.starts_with("x-") && !patch.is_null()) out.variants.push_back(name);
  // A variant or an option may replace the only expression that uses a parameter.
  const Json written = tree.root;
  choose_variant(tree, options.variant, report);
  list_storage(tree);
  apply_sets(tree, options.sets, documents, report);
  list_storage(tree);
  read_fio_jobs(tree, file, options.extend_files && options.extend_root.empty(), documents, report);

  Parameters params(tree, options.params, report);
  for (const auto& [key, node] : written.items())
    if (key != "params") params.mark_used(node);
  ReadContext context{tree, params, report, options.profile};
  Design design = resolve(context);
  design.expect = read_expectations(context);
  out.sweep = read_sweep(tree, report);
  out.params = params.list();
  out.plan = read_plan(context, out.params);
  out.ranged = ranged_values(tree, design, out.params);
  params.report_unused();
  check_rules(design, report);
  out.written.needs = params.needed();
  base::for_each_component(
      design, [&](const std::string&, std::string_view, const Component& component) {
        for (const std::string& at : {component.pointer, component.pointer + "/use"})
          if (find(tree.root, at) != nullptr) out.written.where[at] = report.where(at);
      });

  if (incomplete) drop_consequences(out.diagnostics, before);
  drop_repeats(out.diagnostics);
  design.file = file;
  if (design.id.empty()) design.id = std::filesystem::path(file).stem().string();
  if (!out.diagnostics.has_errors()) out.design = std::move(design);
}

}  // namespace

Loaded load_text(std::string text, const std::string& file, const LoadOptions& options) {
  Loaded out;
  load(std::move(text), file, options, out);
  std::stable_sort(out.diagnostics.items().begin(), out.diagnostics.items().end(),
                   [](const Diagnostic& a, const Diagnostic& b) {
                     return std::tie(a.position.file, a.position.line, a.position.column) <
                            std::tie(b.position.file, b.position.line, b.position.column);
                   });
  return out;
}

Loaded load_file(const std::string& path, const LoadOptions& options) {
  Result<std::string> text = base::read_file(path);
  if (text) return load_text(std::move(*text), path, options);
  Loaded out;
  const std::string& message = text.failure().message;
  out.diagnostics.add({Severity::error,
                       "file",
                       "",
                       {path, 0, 0},
                       "cannot read the file" + message.substr(message.rfind(": ")),
                       "\"stallcast init\" prints a scenario to start from"});
  return out;
}

}  // namespace stallcast::scenarios
