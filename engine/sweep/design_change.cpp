#include "engine/sweep/design_change.hpp"

#include <nlohmann/json.hpp>

#include "engine/codec/codec.hpp"
#include "engine/codec/json_parts.hpp"

namespace stallcast::sweep {

using Json = nlohmann::json;

struct DesignChanges::Impl {
  Json base;
  bool with_sources = false;
};

namespace {

std::string encoded(const Design& design, bool with_sources) {
  return with_sources ? codec::encode(design) : codec::encode_identity(design);
}

}  // namespace

DesignChanges::DesignChanges(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DesignChanges::DesignChanges(const Design& base, bool with_sources)
    : impl_(std::make_unique<Impl>(Impl{Json::parse(encoded(base, with_sources)), with_sources})) {}
DesignChanges::DesignChanges(DesignChanges&&) noexcept = default;
DesignChanges& DesignChanges::operator=(DesignChanges&&) noexcept = default;
DesignChanges::~DesignChanges() = default;

Result<DesignChanges> DesignChanges::read(const std::string& base) {
  Json json = Json::parse(base, nullptr, false);
  if (json.is_discarded())
    return Failure{ExitCode::bad_input, "the designs of the sweep cannot be read", ""};
  return DesignChanges(std::make_unique<Impl>(Impl{std::move(json), false}));
}

std::string DesignChanges::base() const { return impl_->base.dump(); }

std::string DesignChanges::change_to(const Design& design) const {
  return Json::diff(impl_->base, Json::parse(encoded(design, impl_->with_sources))).dump();
}

Result<Design> DesignChanges::apply(const std::string& change, const std::string& key) const {
  const Json patch = Json::parse(change, nullptr, false);
  if (!patch.is_discarded()) try {
      Result<Design> design = codec::detail::design_of(impl_->base.patch(patch));
      if (design.ok() && codec::design_hash(*design) == key) return design;
    } catch (const Json::exception&) {  // a patch that does not fit
    }
  return Failure{ExitCode::bad_input, "the design " + key + " is not the one that was planned",
                 "the file is damaged, or of another version: plan it anew"};
}

}  // namespace stallcast::sweep
