#include "ui/cli/completion.hpp"

#include <string_view>
#include <vector>

#include "engine/base/text.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

struct VerbHelp {
  const Verb* verb;
  std::vector<OptionHelp> options;
};

std::vector<VerbHelp> all_verbs() {
  std::vector<VerbHelp> out;
  for (const Verb& verb : verbs()) out.push_back({&verb, options_of(verb)});
  return out;
}

std::vector<std::string> names_of(const std::vector<OptionHelp>& options) {
  std::vector<std::string> out;
  for (const OptionHelp& o : options) {
    if (o.positional) continue;
    if (!o.short_name.empty()) out.push_back(o.short_name);
    out.push_back(o.name);
  }
  return out;
}

bool takes_value(const OptionHelp& o) { return !o.positional && !o.placeholder.empty(); }

/// `text` in single quotes, for all three shells; a quote in it ends and begins them again.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash() {
  std::string verbs_line, options, values, values_taken, arguments;
  for (const auto& [verb, described] : all_verbs()) {
    const std::string name(verb->name);
    verbs_line += (verbs_line.empty() ? "" : " ") + name;
    options +=
        "    " + name + ") options=" + in_quotes(base::join(names_of(described), " ")) + " ;;\n";
    std::size_t place = 0;
    for (const OptionHelp& o : described) {
      if (o.positional) ++place;
      if (o.positional && !o.words.empty())
        arguments += "    '" + name + " " + std::to_string(place) +
                     "') words=" + in_quotes(base::join(o.words, " ")) + " ;;\n";
      if (!takes_value(o)) continue;
      const std::string said = "'" + name + " " + o.name + "'" +
                               (o.short_name.empty() ? "" : "|'" + name + " " + o.short_name + "'");
      values_taken += (values_taken.empty() ? "" : "|") + said;
      if (!o.words.empty())
        values += "    " + said + ") words=" + in_quotes(base::join(o.words, " ")) + " ;;\n";
    }
  }
  return "# Completions of stallcast for bash; made by \"stallcast completion bash\".\n"
         "_stallcast() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local verb= options= words= place=0 i\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         verbs_line +
         " --help --version' -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  verb=${COMP_WORDS[1]}\n"
         "  case \"$verb $previous\" in\n" +
         values +
         "  esac\n"
         "  if [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$verb\" in\n" +
         options +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  # The place among the arguments: options and their values do not count.\n"
         "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "    case \"$verb ${COMP_WORDS[i]}\" in\n"
         "      " +
         values_taken +
         ") i=$((i + 1)) ;;\n"
         "      *' -'*) ;;\n"
         "      *) place=$((place + 1)) ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$verb $((place + 1))\" in\n" +
         arguments +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
         "}\n"
         "complete -o filenames -F _stallcast stallcast\n";
}

/// Text of a zsh specification: brackets and colons mean something there.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh() {
  std::string verbs_list, cases;
  for (const auto& [verb, described] : all_verbs()) {
    const std::string name(verb->name);
    verbs_list += "    " + in_quotes(zsh_text(name) + ":" + std::string(verb->summary)) + "\n";
    cases += "    " + name + ")\n      _arguments -s";
    for (const OptionHelp& o : described) {
      const std::string action = o.words.empty() ? "_files" : "(" + base::join(o.words, " ") + ")";
      std::string spec;
      if (o.positional) {
        spec = std::string(o.many ? "*" : "") + (o.required || o.many ? ":" : "::") +
               zsh_text(o.name) + ":" + action;
      } else {
        spec = "*" + o.name + "[" + zsh_text(o.help) + "]";
        if (takes_value(o)) spec += ":" + zsh_text(o.placeholder) + ":" + action;
      }
      cases += " \\\n        " + in_quotes(spec);
    }
    cases += "\n      ;;\n";
  }
  return "#compdef stallcast\n"
         "# Completions of stallcast for zsh; made by \"stallcast completion zsh\".\n"
         "_stallcast() {\n"
         "  local -a verbs=(\n" +
         verbs_list +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe -t verbs verb verbs\n"
         "    return\n"
         "  fi\n"
         "  local verb=${words[2]}\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case $verb in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [ \"${funcstack[1]}\" = _stallcast ]; then\n"
         "  _stallcast \"$@\"\n"
         "else\n"
         "  compdef _stallcast stallcast\n"
         "fi\n";
}

std::string fish() {
  std::string out = "# Completions of stallcast for fish; made by \"stallcast completion fish\".\n";
  const auto described = all_verbs();
  for (const VerbHelp& of : described)
    out += "complete -c stallcast -n __fish_use_subcommand -f -a " + std::string(of.verb->name) +
           " -d " + in_quotes(of.verb->summary) + "\n";
  for (const auto& [verb, options] : described) {
    const std::string when = "complete -c stallcast -n " +
                             in_quotes("__fish_seen_subcommand_from " + std::string(verb->name));
    for (const OptionHelp& o : options) {
      if (o.positional) {
        if (!o.words.empty()) out += when + " -a " + in_quotes(base::join(o.words, " ")) + "\n";
        continue;
      }
      out += when + " -l " + o.name.substr(2);
      if (!o.short_name.empty()) out += " -s " + o.short_name.substr(1);
      if (takes_value(o))
        out += o.words.empty() ? " -r" : " -x -a " + in_quotes(base::join(o.words, " "));
      out += " -d " + in_quotes(o.help) + "\n";
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> shells() { return {"bash", "fish", "zsh"}; }

std::string completion(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "fish") return fish();
  return shell == "zsh" ? zsh() : "";
}

}  // namespace stallcast::cli
