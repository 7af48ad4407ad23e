#pragma once

#include <QByteArray>
#include <QString>
#include <optional>
#include <utility>
#include <vector>

#include "ui/desktop/marks.hpp"

namespace stallcast::desktop {

class Workspace;

/// A session as it is kept in a file, "stallcast.project/1": docs/guide/explorer.md describes it.
struct Project {
  QString scenario;                               ///< its file; "" when it was never saved
  std::optional<QString> text;                    ///< unsaved changes
  std::vector<QString> sliders;                   ///< paths
  std::vector<std::pair<QString, QString>> pins;  ///< names, and texts of their scenarios
  Marks marks;
  bool operator==(const Project&) const = default;
};

/// What `workspace` shows.
[[nodiscard]] Project project_of(const Workspace& workspace);
/// As `file` would have it: paths are relative to its folder.
[[nodiscard]] QByteArray write_project(const Project& project, const QString& file);
/// Whether a text claims to be a project.
[[nodiscard]] bool is_project(const QByteArray& text);
/// nullopt and what is wrong with it.
[[nodiscard]] std::optional<Project> read_project(const QByteArray& text, const QString& file,
                                                  QString& why_not);
/// Opens it; pinned designs come when they are simulated. False with a reason when its scenario
/// cannot be read.
[[nodiscard]] bool restore(const Project& project, Workspace& workspace, QString& why_not);

}  // namespace stallcast::desktop
