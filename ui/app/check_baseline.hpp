#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/decide/check/baseline.hpp"
#include "ui/app/check.hpp"
#include "ui/app/git_tree.hpp"

/// What a check compares with, and how scenarios are called in it.
namespace stallcast::client {

/// The file or the text of `wanted`; empty for a file to be made, nullopt when it has neither.
[[nodiscard]] Result<std::optional<check::Baseline>> read_baseline(const CheckBaseline& wanted);

/// What the baseline calls the scenario `id` in the file `uri`: in a file, by the path from its
/// folder, so that it does not matter where `check` is started; in a text, by the path that was
/// given or the only one of the id.
[[nodiscard]] Result<check::ScenarioKey> key_of(const CheckBaseline& wanted,
                                                const std::optional<check::Baseline>& baseline,
                                                const std::string& uri, const std::string& id);

/// Of a baseline in a file, the scenarios whose own files are gone, so that nothing is held against
/// what is known of them; and which one of `checked` may be the same under another path.
[[nodiscard]] std::vector<std::string> gone_texts(const CheckBaseline& wanted,
                                                  const check::Baseline& baseline,
                                                  std::span<const check::ScenarioKey> checked);
/// Writes all but those to the file of `wanted`.
[[nodiscard]] std::optional<Failure> write_baseline(const CheckBaseline& wanted,
                                                    check::Baseline baseline);

/// What `revision` has of the scenarios at `uris` and of the profile of `session`; `notice` is told
/// when it has none of that.
[[nodiscard]] Result<GitTree> earlier_files(const Session& session, const std::string& revision,
                                            std::vector<std::string> uris,
                                            const std::function<void(const std::string&)>& notice);

/// A scenario as it was, and where.
struct EarlierScenario {
  std::string uri;
  Design design;
};
/// `now`, which is at `uri` and goes by `id`, as it was in `tree`, of `revision`: without what
/// `--set` changes of it now, with the profile as it was, if it was. Where its path is new there,
/// the file that is gone since and had the same id is it. nullopt: it was not there.
[[nodiscard]] Result<std::optional<EarlierScenario>> earlier_scenario(
    const Session& session, const GitTree& tree, const std::string& revision,
    const ScenarioFile& now, const std::string& uri, const std::string& id);

/// The date in UTC: "2026-11-21".
[[nodiscard]] std::string today();

}  // namespace stallcast::client
