#include "scenarios/resolve/fio_job.hpp"

#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/fio/fio_file.hpp"
#include "scenarios/resolve/named_files.hpp"
#include "scenarios/resolve/tenants_of_type.hpp"

namespace stallcast::scenarios {
namespace {

class Reader {
 public:
  Reader(Tree& tree, std::string at, Documents& documents, Reporter& report)
      : tree_(tree), at_(std::move(at)), documents_(documents), report_(report) {}

  void read(const std::string& text, const std::string& file, const std::string& wanted) {
    FioFile read = read_fio_file(text);
    if (read.fault)
      return fault("job_file", place(file, read.fault->line) + ": " + read.fault->message,
                   "name a file of fewer jobs");
    std::vector<FioJob>& jobs = read.jobs;
    if (jobs.empty()) return fault("job_file", "\"" + file + "\" has no job", "write [name]");
    std::vector<std::string> names;
    for (const FioJob& job : jobs) names.push_back(job.name);
    if (wanted.empty() && jobs.size() > 1)
      return fault("job_file", "\"" + file + "\" has " + std::to_string(jobs.size()) + " jobs",
                   "choose one with \"section\": " + base::join(names, ", "));
    if (!wanted.empty()) std::erase_if(jobs, [&](const FioJob& job) { return job.name != wanted; });
    if (jobs.empty())
      return fault("section", "\"" + file + "\" has no job \"" + wanted + "\"",
                   allowed_hint(wanted, names));
    if (jobs.size() > 1)
      return fault(
          "section",
          "\"" + file + "\" has " + std::to_string(jobs.size()) + " jobs \"" + wanted + "\"",
          "give each a name of its own");
    take(jobs.front(), file);
  }

 private:
  static std::string place(const std::string& file, std::size_t line) {
    return file + ":" + std::to_string(line);
  }
  void fault(std::string_view key, std::string message, std::string hint) {
    report_.error("fio-job", at_ + "/" + std::string(key), std::move(message), std::move(hint));
  }

  void take(const FioJob& job, const std::string& file) {
    const Json node = *find(tree_.root, at_);
    // fio reads where nothing is said.
    if (!node.contains("rw")) put(tree_, at_ + "/rw", Json("read"), documents_.add_option(file));
    for (const FioRemark& left : job.left)
      if (left.field.empty() || !node.contains(left.field))
        report_.warn("fio-job", at_ + "/job_file", place(file, left.line) + ": " + left.message);
    for (const FioLoad& option : job.load) {
      if (node.contains(option.field)) continue;  // the scenario says otherwise
      if (option.value)
        put(tree_, at_ + "/" + option.field, *option.value,
            documents_.add_option(place(file, option.line.number)));
      else
        fault("job_file",
              place(file, option.line.number) + ": cannot read \"" + option.line.key + "=" +
                  option.line.value + "\"",
              kFioValues);
    }
  }

  Tree& tree_;
  std::string at_;
  Documents& documents_;
  Reporter& report_;
};

}  // namespace

Result<std::string> FileTexts::read(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  return texts_.emplace(path, base::read_file(path)).first->second;
}

void read_fio_jobs(Tree& tree, const std::string& file, FileTexts* texts, Documents& documents,
                   Reporter& report) {
  for (const auto& [at, tenant] : tenants_of_type(tree, "fio")) {
    const Json name = tenant.value("job_file", Json());
    if (!name.is_string() || name == "") continue;
    if (texts == nullptr) {
      report.error("fio-job", at + "/job_file", "files cannot be read here",
                   "write the options of the job into the tenant");
      continue;
    }
    const std::string path = named_file(tree, at + "/job_file", file, documents);
    const Result<std::string> text = texts->read(path);
    if (!text.ok()) {
      report.error("fio-job", at + "/job_file", "cannot read \"" + path + "\"",
                   "the path is relative to the folder of the file that names it");
      continue;
    }
    const Json section = tenant.value("section", Json());
    Reader(tree, at, documents, report)
        .read(*text, path, section.is_string() ? section.get<std::string>() : std::string());
  }
}

}  // namespace stallcast::scenarios
