#pragma once

#include <cstdint>
#include <string_view>

/// What of a kind can be searched by name. Registry rows list these; plans search them.
namespace stallcast::models {

/// A field that has a name of its own in plans: "--over osts".
struct Count {
  std::string_view shortcut;  ///< "osts"
  std::string_view field;     ///< "ost.count"
  std::string_view noun;      ///< "OSTs"
  std::string_view one{};     ///< one of them, as `--survive` names what is down: "ost"; "" = never
  std::string_view part{};    ///< what a failure calls it: "target"
  bool helps = true;          ///< more of it is expected never to make a target harder
  std::int64_t most = 0;      ///< searched up to this; 0: up to many times what there is
};

}  // namespace stallcast::models
