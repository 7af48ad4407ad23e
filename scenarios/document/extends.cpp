#include <filesystem>

#include "engine/base/files.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/document/own_files.hpp"
#include "scenarios/library/templates.hpp"

/// `extends`: files and catalogue entries a scenario is built on.
namespace stallcast::scenarios {
namespace {

namespace fs = std::filesystem;

class BaseReader {
 public:
  BaseReader(bool follow_files, const std::string& root, Documents& documents, Diagnostics& diags)
      : follow_files_(follow_files), root_(root), documents_(documents), diags_(diags) {}

  Tree read(std::string text, const std::string& file) {
    const std::size_t faults = diags_.items().size();
    const std::size_t number = documents_.add(base::parse_jsonc(std::move(text), file, diags_));
    Tree own = tree_of(documents_[number].root, number);
    if (own.root.is_null() && diags_.items().size() > faults) return own;  // a syntax error
    if (!own.root.is_object()) {
      add("type", documents_[number], "", "a scenario is a JSON object", "start it with {");
      own.root = nullptr;
      return own;
    }
    if (const std::optional<OwnFile> ours = own_file(own.root, file)) {
      add("no-scenario", documents_[number], "/schema",
          "this is " + ours->what + " and no scenario", ours->hint);
      own.root = nullptr;
      return own;
    }
    const auto extends = own.root.find("extends");
    if (extends == own.root.end() || extends->is_null()) return own;

    Tree merged{Json::object(), {}};
    merged.origins[""] = {number, ""};
    const Json list = extends->is_array() ? *extends : Json::array({*extends});
    // What is sent to a server is no file, though it may be called as one that is there.
    const bool sent = open_.empty() && !root_.empty();
    open_.push_back({sent ? std::string() : identity(file), file});
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string at =
          extends->is_array() ? "/extends" + base::pointer_token(i) : std::string("/extends");
      if (!list[i].is_string()) {
        add("type", documents_[number], at, "\"extends\" takes file names and catalogue entries",
            "write \"base.json\" or [\"base.json\", \"catalog:host/dgx-h100\"]");
        continue;
      }
      const Tree base_tree = one(list[i].get<std::string>(), file, number, at);
      if (base_tree.root.is_object()) merge_all(merged, base_tree);
    }
    open_.pop_back();
    own.root.erase("extends");
    merge_all(merged, own);
    return merged;
  }

 private:
  void merge_all(Tree& merged, const Tree& patch) {
    for (const std::string& pointer : merge(merged, "", patch, "")) {
      const Origin& origin = patch.origins.at(pointer);
      add("duplicate-id", documents_[origin.document], origin.pointer,
          repeated_id_text(patch, pointer), kOwnId);
    }
  }

  Tree one(const std::string& target, const std::string& file, std::size_t number,
           const std::string& at) {
    if (target.starts_with(kCatalog)) return entry(target.substr(kCatalog.size()), number, at);
    if (!follow_files_) {
      add("extends", documents_[number], at, "files may not be extended here: \"" + target + "\"",
          "send the whole scenario, or extend a \"catalog:\" entry");
      return {};
    }
    const fs::path path = fs::path(file).parent_path() / target;
    if (!root_.empty() && !is_in_root(path)) {
      add("extends", documents_[number], at,
          "\"" + target + "\" is not a file that may be extended here",
          "name one by its path in the folder of scenarios");
      return {};
    }
    const std::string id = identity(path.string());
    for (const auto& [known, shown] : open_)
      if (known == id) {
        add("extends", documents_[number], at, "\"" + target + "\" extends itself",
            "the chain is " + chain() + target);
        return {};
      }
    Result<std::string> text = base::read_file(path);
    if (!text) {
      add("extends", documents_[number], at,
          "cannot read \"" + target + "\"" +
              text.failure().message.substr(text.failure().message.rfind(": ")),
          "the path is relative to the folder of the file that names it");
      return {};
    }
    return read(std::move(*text), path.lexically_normal().string());
  }

  /// What is there, and lies elsewhere, is said as what is not there.
  [[nodiscard]] bool is_in_root(const fs::path& path) const {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) return false;
    const fs::path root = fs::canonical(root_, error);
    const fs::path inside = real.lexically_relative(root);
    return !error && !inside.empty() && *inside.begin() != ".." && *inside.begin() != "." &&
           fs::is_regular_file(real, error);
  }

  // A product stands for the part of a scenario that uses it; a template for all of itself.
  Tree entry(const std::string& id, std::size_t number, const std::string& at) {
    for (const Template& t : templates())
      if (t.name == id) return read(std::string(t.text), std::string(kCatalog) + id);
    const models::CatalogueEntry* product = models::find_product(id);
    const std::string name = id.substr(id.find('/') + 1);
    Json part;
    if (product != nullptr && product->role == models::Role::host)
      part = {{"cluster", {{"hosts", Json::array({{{"id", name}, {"use", id}}})}}}};
    if (product != nullptr && product->role == models::Role::fabric)
      part = {{"cluster", {{"fabric", {{"use", id}}}}}};
    if (product != nullptr && product->role == models::Role::storage)
      part = {{"storage", Json::array({{{"id", name}, {"use", id}}})}};
    if (part.is_null()) {
      std::vector<std::string> names;
      for (const models::CatalogueEntry& e : models::catalogue())
        if (e.role == models::Role::host || e.role == models::Role::fabric ||
            e.role == models::Role::storage)
          names.push_back(e.id);
      for (const Template& t : templates()) names.emplace_back(t.name);
      const std::string near = base::nearest(id, names);
      add("extends", documents_[number], at,
          product == nullptr ? "no catalogue entry \"" + id + "\""
                             : "\"" + id + "\" is part of a job and cannot be extended",
          product != nullptr ? "name it with \"use\" where it belongs"
          : near.empty()     ? "`stallcast catalog list` shows all entries"
                             : "did you mean \"catalog:" + near + "\"?");
      return {};
    }
    return tree_from(part, {number, at});
  }

  std::string chain() const {
    std::string out;
    for (const auto& [id, shown] : open_) out += shown + " -> ";
    return out;
  }
  static std::string identity(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    return error ? path : real.string();
  }
  void add(std::string_view code, const base::JsonDocument& document, const std::string& at,
           std::string message, std::string hint) {
    diags_.add({Severity::error, std::string(code), at, base::locate(document, at),
                std::move(message), std::move(hint)});
  }

  bool follow_files_;
  const std::string& root_;  ///< "": anywhere
  Documents& documents_;
  Diagnostics& diags_;
  std::vector<std::pair<std::string, std::string>> open_;  // {identity, name to show}
};

}  // namespace

Tree read_with_bases(std::string text, const std::string& file, bool follow_files,
                     const std::string& root, Documents& documents, Diagnostics& diags) {
  return BaseReader(follow_files, root, documents, diags).read(std::move(text), file);
}

}  // namespace stallcast::scenarios
