#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "stallcast/diagnostic.hpp"

/// The scenario as one JSON tree put together from several files, where each node still knows the
/// text it came from.
namespace stallcast::scenarios {

using base::Json;

/// Where a node of the tree was written.
struct Origin {
  std::size_t document = 0;
  std::string pointer;  ///< in that document, before merging
};

/// A merged tree. Every node has an origin.
struct Tree {
  Json root;
  std::map<std::string, Origin> origins;  ///< by pointer into `root`
};

/// All texts that a scenario was put together from. Copies share the texts.
class Documents {
 public:
  /// Takes a parsed file and returns its number.
  std::size_t add(base::JsonDocument document);
  /// A document that stands for a `--set` option: it has a name and no lines.
  std::size_t add_option(std::string name);
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] const base::JsonDocument& operator[](std::size_t i) const { return *items_[i]; }
  [[nodiscard]] bool is_option(std::size_t i) const {
    return items_[i]->text.empty() && items_[i]->root.is_null();
  }

 private:
  std::vector<std::shared_ptr<const base::JsonDocument>> items_;
};

/// The value at `pointer`, nullptr when there is none.
[[nodiscard]] const Json* find(const Json& root, std::string_view pointer);
/// `pointer` without its last token; "" for the root.
[[nodiscard]] std::string parent(std::string_view pointer);

/// RFC 7396 merge of the node `from` of `patch` into the node `at` of `base`, except that arrays
/// whose items all have an `id` are merged item by item, and that null stays in the tree: readers
/// take it as "left out", also where a catalogue entry has a value. REQUIRES: both nodes are there.
/// Returns the pointers, in `patch`, of each `id` that a list merged so gives a second time: its
/// items would become one, and nobody would see that there were two.
std::vector<std::string> merge(Tree& base, const std::string& at, const Tree& patch,
                               const std::string& from);
inline constexpr const char* kOwnId = "give each its own id";
/// What is said of such an `id`. REQUIRES: it is there.
[[nodiscard]] std::string repeated_id_text(const Tree& patch, const std::string& pointer);

/// A single object at `/storage` becomes a list of one.
void list_storage(Tree& tree);

/// `value` as JSON: an integer where it is one exactly.
[[nodiscard]] Json number_node(double value);

/// Writes `value` to `at`, making objects on the way. REQUIRES: the parents are objects or absent.
void put(Tree& tree, const std::string& at, const Json& value, std::size_t document);

/// Adds null at the end of the list at `at`, and gives its pointer. REQUIRES: a list.
[[nodiscard]] std::string grow(Tree& tree, const std::string& at);

/// `root` as the tree of document number `document`.
[[nodiscard]] Tree tree_of(const Json& root, std::size_t document);
/// `root` as a tree all of which comes from the one node `origin`.
[[nodiscard]] Tree tree_from(const Json& root, const Origin& origin);

/// Says what is wrong, with the place in the text the node came from.
class Reporter {
 public:
  Reporter(const Documents& documents, const Tree& tree, Diagnostics& out)
      : documents_(documents), tree_(tree), out_(out) {}

  void error(std::string_view code, const std::string& pointer, std::string message,
             std::string hint = {}, base::PointAt at = base::PointAt::value);
  void warn(std::string_view code, const std::string& pointer, std::string message,
            std::string hint = {}, base::PointAt at = base::PointAt::value);
  /// A fault of an option that never became part of the tree.
  void option_error(std::string_view code, const std::string& option, std::string message,
                    std::string hint);
  /// Line and column of a node; for one of an option, its name as the file.
  [[nodiscard]] Position place(const std::string& pointer) const {
    return position(pointer, base::PointAt::value);
  }
  /// "file:line:column" of a node, or "--set" and the option.
  [[nodiscard]] std::string where(const std::string& pointer) const;
  [[nodiscard]] bool from_option(const std::string& pointer) const;
  /// Whether any fault so far is an error: then components may lack fields that are required.
  [[nodiscard]] bool has_errors() const { return out_.has_errors(); }
  /// Whether the node at `pointer` has a fault of this kind so far.
  [[nodiscard]] bool has(std::string_view code, const std::string& pointer) const;
  /// How many faults and warnings so far.
  [[nodiscard]] std::size_t reported() const { return out_.items().size(); }

 private:
  [[nodiscard]] const Origin* origin(std::string pointer) const;
  [[nodiscard]] Position position(const std::string& pointer, base::PointAt at) const;

  const Documents& documents_;
  const Tree& tree_;
  Diagnostics& out_;
};

/// A file together with all it extends, bases first. Faults (unreadable file, cycle, syntax) go to
/// `diags` with their place; what could be read is returned all the same.
/// `follow_files` false: only catalogue entries may be extended. With `root`, only files in that
/// folder, wherever links lead.
[[nodiscard]] Tree read_with_bases(std::string text, const std::string& file, bool follow_files,
                                   const std::string& root, Documents& documents,
                                   Diagnostics& diags);

}  // namespace stallcast::scenarios
