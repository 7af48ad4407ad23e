#include "engine/decide/sweep/design_change.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/design_values.hpp"
#include "engine/base/sha256.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/codec/json_parts.hpp"

namespace stallcast::sweep {

using SortedJson = nlohmann::json;

namespace {

constexpr char kRanges = '+';  // between what a design is and what it may be

/// Components of a design, and where they are in its JSON.
template <class ADesign>
auto components_of(ADesign& design) {
  using Part = std::conditional_t<std::is_const_v<ADesign>, const Component, Component>;
  std::vector<std::pair<std::string, Part*>> out;
  std::map<std::string_view, std::size_t> seen;
  base::for_each_component(design, [&](const std::string& path, std::string_view role, Part& part) {
    const std::string name(role);
    std::string at = "/" + name;
    if (role == "job") ++seen["job"];
    if (path.starts_with("jobs["))
      at = "/jobs/" + std::to_string(seen["job"] - 1) + "/" + name;
    else if (role != "fabric" && role != "run")
      at = "/" + (role == "storage" ? name : name + "s") + "/" + std::to_string(seen[role]++);
    out.emplace_back(std::move(at), &part);
  });
  return out;
}

bool same(const Value& a, const Value& b) {
  return a.dimension == b.dimension && std::memcmp(&a.number, &b.number, sizeof a.number) == 0 &&
         a.text == b.text && a.list == b.list;
}

bool same(const Expectation& a, const Expectation& b) {
  return a.id == b.id && a.that == b.that && a.level == b.level && a.confidence == b.confidence;
}

/// The usual change, of some values of components that stay what they are: written without making
/// JSON of whole designs. nullopt when more than that has changed.
std::optional<std::string> values_changed(const Design& before, const Design& after) {
  const auto old = components_of(before), now = components_of(after);
  const bool same_parts =
      before.id == after.id &&
      std::ranges::equal(before.expect, after.expect,
                         [](const auto& a, const auto& b) { return same(a, b); }) &&
      std::ranges::equal(old, now, [](const auto& a, const auto& b) {
        return a.first == b.first && a.second->id == b.second->id &&
               a.second->kind == b.second->kind &&
               (a.second->values.shares(b.second->values) ||
                std::ranges::equal(
                    a.second->values, b.second->values, {},
                    [](const auto& v) { return std::string_view(v.first); },
                    [](const auto& v) { return std::string_view(v.first); }));
      });
  if (!same_parts) return std::nullopt;
  std::string ops;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].second->values.shares(now[i].second->values)) continue;
    for (auto a = old[i].second->values.begin(), b = now[i].second->values.begin();
         b != now[i].second->values.end(); ++a, ++b) {
      if (same(a->second, b->second)) continue;
      ops += ops.empty() ? "[" : ",";
      ops += R"({"op":"replace","path":)" +
             SortedJson(now[i].first + "/values/" + b->first).dump() + R"(,"value":)" +
             codec::encode_identity(b->second) + "}";
    }
  }
  return ops.empty() ? "[]" : ops + "]";
}

/// Applies a patch that `values_changed` wrote; false when it is of another form.
bool change_values(const base::FlatValue& patch, Design& design) {
  const auto parts = components_of(design);
  if (!patch.is_array()) return false;
  for (const base::FlatValue& op : patch) {
    const auto *what = op.find("op"), *at = op.find("path"), *to = op.find("value");
    if (to == nullptr || what == nullptr || !what->is_text() || what->text() != "replace" ||
        at == nullptr || !at->is_text())
      return false;
    const std::string_view path = at->text();
    const auto part = std::ranges::find_if(
        parts, [&](const auto& p) { return path.starts_with(p.first + "/values/"); });
    if (part == parts.end()) return false;
    const auto value =
        part->second->values.find(path.substr(part->first.size() + std::strlen("/values/")));
    auto changed = codec::detail::value_of(*to);
    if (value == part->second->values.end() || !changed.ok()) return false;
    value->second = std::move(changed).value();
  }
  return true;
}

std::string text_of(const Design& design, bool with_sources) {
  return with_sources ? codec::encode(design) : codec::encode_identity(design);
}

std::string key_of(std::string hash, const Design& design, bool with_draws) {
  if (!with_draws) return hash;
  auto ranges = SortedJson::array();
  base::for_each_component(design, [&](const std::string& path, auto, const Component& part) {
    for (const auto& [name, value] : part.values)
      if (value.range) ranges.push_back({path, name, value.range->low, value.range->high});
  });
  return hash + kRanges + base::sha256(ranges.dump());
}

}  // namespace

std::string key_of(const Design& design, bool with_draws) {
  return key_of(codec::design_hash(design), design, with_draws);
}

struct DesignChanges::Impl {
  Impl(SortedJson json, bool sources, std::optional<Design> of)
      : base(std::move(json)), with_sources(sources), design(std::move(of)) {}
  SortedJson base;
  bool with_sources = false;
  std::optional<Design> design;  ///< of `base`
};

DesignChanges::DesignChanges(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DesignChanges::DesignChanges(const Design& base, bool with_sources)
    : impl_(std::make_unique<Impl>(SortedJson::parse(text_of(base, with_sources)), with_sources,
                                   base)) {}
DesignChanges::DesignChanges(DesignChanges&&) noexcept = default;
DesignChanges& DesignChanges::operator=(DesignChanges&&) noexcept = default;
DesignChanges::~DesignChanges() = default;

Result<DesignChanges> DesignChanges::read(const std::string& base) {
  SortedJson json = SortedJson::parse(base, nullptr, false);
  if (json.is_discarded())
    return Failure{ExitCode::bad_input, "the designs of the sweep cannot be read", ""};
  auto design = codec::decode_design(base);
  return DesignChanges(std::make_unique<Impl>(
      std::move(json), false,
      design.ok() ? std::optional(std::move(design).value()) : std::nullopt));
}

std::string DesignChanges::base() const { return impl_->base.dump(); }

std::string DesignChanges::change_to(const Design& design) const {
  if (!impl_->with_sources && impl_->design)
    if (auto values = values_changed(*impl_->design, design)) return *std::move(values);
  return SortedJson::diff(impl_->base, SortedJson::parse(text_of(design, impl_->with_sources)))
      .dump();
}

Result<Design> DesignChanges::apply(const std::string& change, const std::string& key,
                                    std::shared_ptr<const run::EncodedDesign>* encoded) const {
  const bool with_draws = key.find(kRanges) != std::string::npos;
  const auto is_it = [&](const Design& design) {
    auto sent = std::make_shared<const run::EncodedDesign>(design);
    if (key_of(sent->hash, design, with_draws) != key) return false;
    if (encoded != nullptr) *encoded = std::move(sent);
    return true;
  };
  const auto patch = base::FlatJson::read(change);
  if (patch && impl_->design) {
    Design design = *impl_->design;
    if (change_values(patch->root(), design) && is_it(design)) return design;
  }
  try {
    const SortedJson patched = impl_->base.patch(SortedJson::parse(change));
    Result<Design> design = codec::decode_design(patched.dump());
    if (design.ok() && is_it(*design)) return design;
  } catch (const SortedJson::exception&) {  // no patch, or one that does not fit
  }
  return Failure{ExitCode::bad_input, "the design " + key + " is not the one that was planned",
                 "the file is damaged, or of another version: plan it again"};
}

}  // namespace stallcast::sweep
