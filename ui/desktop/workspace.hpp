#pragma once

#include <QColor>
#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>
#include <utility>
#include <vector>

#include "stallcast/client.hpp"
#include "ui/app/form.hpp"
#include "ui/desktop/document.hpp"
#include "ui/desktop/engine.hpp"
#include "ui/desktop/marks.hpp"

namespace stallcast::desktop {

/// A design set aside to compare with.
struct Pin {
  QString name;
  QString text;  ///< of its scenario
  Prediction prediction;
};

/// Where the figures on screen stand to the text.
enum class Freshness {
  none,       ///< nothing was ever predicted
  estimated,  ///< bounds of this text; simulation is to come or under way
  simulated,  ///< simulation of this text
  last_good,  ///< the text has errors: the figures are those of an earlier text
  failed      ///< this text could not be simulated; `failure` says why
};

/// One slider: something of the scenario that is moved by hand.
struct SliderSpec {
  QString path;   ///< "params.n_ost.value", "storage[scratch].ost.write"
  QString label;  ///< "n_ost"
  QString doc;
  Dimension dimension = Dimension::number;
  bool bare = false;  ///< written as a number, not as text with a unit
  bool whole = false;
  bool logarithmic = false;
  double minimum = 0.0, maximum = 1.0, step = 0.0;  ///< step 0: any value
  double value = 0.0;
  QString written = {};  ///< the value as it is written now: others keep its unit
};

constexpr std::size_t kMostPins = 4;

/// What all screens show: the document, what it reads to, its predictions and the pinned designs.
/// Predictions come at three speeds: bounds within the change, a simulation after kRestMs of rest,
/// and then, in the background, what its figures may turn out to be and what limits.
class Workspace : public QObject {
  Q_OBJECT
 public:
  static constexpr int kRestMs = 75;

  explicit Workspace(const client::Settings& settings, QObject* parent = nullptr);

  [[nodiscard]] Document& document() { return document_; }
  [[nodiscard]] const Document& document() const { return document_; }
  [[nodiscard]] client::Session& session() { return session_; }
  /// For work that may take long: sensitivity, sweeps, plans. Its progress is in the status bar.
  [[nodiscard]] Engine& background() { return background_; }

  [[nodiscard]] const client::Settings& settings() const { return settings_; }
  [[nodiscard]] ScenarioFile source() const;
  /// The last text of this file without errors; "" before there was one.
  [[nodiscard]] const QString& good_text() const { return good_text_; }
  /// Of that text; nullopt before there was one.
  [[nodiscard]] const std::optional<Scenario>& scenario() const { return scenario_; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }
  /// Its design; nullptr before there was one.
  [[nodiscard]] const Design* design() const { return scenario_ ? &scenario_->design() : nullptr; }
  [[nodiscard]] const client::Form& form() const { return form_; }

  [[nodiscard]] Freshness freshness() const { return freshness_; }
  /// The newest simulation, which may be of an earlier text.
  [[nodiscard]] const std::optional<Prediction>& simulated() const { return simulated_; }
  /// The same without what follows from more simulations: ranges, gains, alternatives.
  [[nodiscard]] const std::optional<Prediction>& plain() const { return plain_; }
  /// Bounds of design().
  [[nodiscard]] const std::optional<Prediction>& estimate() const { return estimate_; }
  /// What nine in ten outcomes of a metric with this value are within: as far off as at the last
  /// draws, which may be of an earlier text. nullopt before there were any.
  [[nodiscard]] std::optional<std::pair<double, double>> outcomes_near(const QString& metric,
                                                                       double value) const;
  /// What happens when in it, in a few saves; nullopt until that is known, and after an edit.
  [[nodiscard]] const std::optional<Timeline>& timeline() const { return timeline_; }
  /// The same also after an edit, as long as it is that of simulated(), or news of it are under
  /// way; nullptr without one.
  [[nodiscard]] const Timeline* shown_timeline() const;
  /// Whether draws of its inputs, faster parts and changes of it are under way.
  [[nodiscard]] bool refining() const { return refining_; }
  [[nodiscard]] const QString& failure() const { return failure_; }
  [[nodiscard]] bool has_errors() const { return diagnostics_.has_errors(); }
  /// Whether so many designs like the one on screen are simulated within seconds that a place may
  /// do it without being asked to.
  [[nodiscard]] bool is_quick() const;
  /// From the last edit to its estimate, and from the end of rest to its simulation.
  [[nodiscard]] double estimate_ms() const { return estimate_ms_; }
  [[nodiscard]] double simulation_ms() const { return simulation_ms_; }

  [[nodiscard]] const std::vector<SliderSpec>& sliders() const { return sliders_; }
  void add_slider(const QString& path);
  void remove_slider(const QString& path);
  /// Paths of all sliders, and others instead of them.
  [[nodiscard]] const std::vector<QString>& slider_paths() const { return slider_paths_; }
  void set_sliders(std::vector<QString> paths);
  /// What can become a slider and is none yet, as paths.
  [[nodiscard]] QStringList possible_sliders() const;
  void move_slider(const SliderSpec& slider, double value, int merge);
  /// nullopt when there is no number at `path`.
  [[nodiscard]] std::optional<SliderSpec> slider_of(const QString& path) const;
  /// The nearest value the slider can have, in its range.
  [[nodiscard]] static double snapped(const SliderSpec& slider, double value);
  /// `value` as JSON.
  [[nodiscard]] static QString literal(const SliderSpec& slider, double value);

  [[nodiscard]] const std::vector<Pin>& pins() const { return pins_; }
  /// False when nothing is simulated or kMostPins are there.
  bool pin(const QString& name);
  /// "design A", "design B", ...: the first that is free.
  [[nodiscard]] QString next_pin_name() const;
  void unpin(std::size_t i);
  /// One that was simulated elsewhere; false when kMostPins are there.
  bool add_pin(Pin pin);
  /// The text with a change as `--set` takes it ("params.boxes=3"); nullopt when it cannot be made.
  [[nodiscard]] std::optional<TextEdit> edit_for(const std::string& set) const;
  /// Makes that change, to be undone as one.
  bool apply(const std::string& set);
  /// Instead of those there are; of more than kMostPins the first.
  void set_pins(std::vector<Pin> pins);

  /// What is marked on the timeline; another scenario begins without.
  [[nodiscard]] const Marks& marks() const { return marks_; }
  void set_marks(Marks marks);

  /// Reads and predicts at once, without rest.
  void predict_now();

 signals:
  /// The text was read anew: diagnostics, design, form, sliders and estimate.
  void read();
  /// A simulation ended, well or not, or figures became stale.
  void predicted();
  /// simulated() has its ranges and gains now, and is the same otherwise.
  void refined();
  /// simulated() has its alternatives now, and timeline() is of it.
  void advised();
  void pins_changed();
  void sliders_changed();
  void marks_changed();

 private:
  void read_text();
  void simulate();
  void sketch();
  void refine(const Prediction& plain);
  void advise();
  void choose_sliders();
  void refresh_sliders();

  client::Settings settings_;
  Document document_;
  client::Session session_;  // of this thread: reads and estimates, never simulates
  Engine home_;
  Engine background_;
  QTimer rest_;
  Diagnostics diagnostics_;
  std::optional<Scenario> scenario_;
  client::Form form_;
  std::optional<Prediction> simulated_, estimate_;
  std::optional<Prediction> plain_;
  std::optional<Prediction> drawn_;                   ///< the last with draws
  std::optional<Timeline> timeline_, last_timeline_;  ///< of this text, and before an edit
  std::string last_timeline_of_;                      ///< the hash of its design
  QString good_text_;
  Freshness freshness_ = Freshness::none;
  QString failure_;
  double estimate_ms_ = 0.0, simulation_ms_ = 0.0;
  std::vector<QString> slider_paths_;
  std::vector<SliderSpec> sliders_;
  bool choose_sliders_ = true, refining_ = false;
  std::vector<Pin> pins_;
  Marks marks_;
};

}  // namespace stallcast::desktop
