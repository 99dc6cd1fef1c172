#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/catalogue.h"
#include "kernel/toml_reader.h"
#include "lesson/lesson.h"

namespace tilescope::lesson {

/// Reads one lesson file; see course.h. Every problem is reported; the rest is kept.
class LessonReader {
 public:
  LessonReader(std::string_view text, const std::filesystem::path& file, const kernel::Catalogue& kernels,
               Diagnostics& problems);
  Lesson read();

 private:
  /// A run of lines of the file; `first` counts from 0.
  struct Piece {
    size_t first = 0, count = 0;
  };

  void report(size_t line, Message message);
  void report(Diagnostics problems);
  std::string joined(Piece piece) const;
  Location place(size_t line) const { return {file_, static_cast<int>(line) + 1, 1}; }
  kernel::TomlReader toml(Piece piece);

  size_t read_front_matter();
  void read_grade(kernel::TomlReader& reader, const toml::table& table);
  Requirement read_requirement(kernel::TomlReader& reader, const toml::table& table);
  void read_number_and_slug();

  void read_steps(size_t line);
  Step read_step(size_t line, size_t end);
  size_t read_fence(size_t line, size_t end, Step& step);
  void add_text(Step& step, Piece piece);

  Scene read_scene(Piece piece);
  void read_scene_keys(kernel::TomlReader& reader, const toml::table& table, Scene& scene);
  /// How a scene's run is shown.
  void read_look(kernel::TomlReader& reader, const toml::table& table, Scene& scene);
  /// What a scene may emphasise: panels, and the arrays of the kernels that the lesson has named so far.
  std::vector<std::string> names_to_emphasise() const;
  void read_block(kernel::TomlReader& reader, const toml::table& table, Scene& scene);
  void read_reveal(kernel::TomlReader& reader, const toml::table& table, Question& question);
  void read_size(kernel::TomlReader& reader, const toml::table& table, Scene& scene);
  void read_cursor(kernel::TomlReader& reader, const toml::table& table, Scene& scene);
  /// A list of names, each among the known ones; empty if absent.
  std::vector<std::string> read_names(kernel::TomlReader& reader, const toml::table& table, const char* key,
                                      const std::vector<std::string>& known);
  kernel::Settings read_settings(kernel::TomlReader& reader, const toml::table& table, const char* key);
  std::shared_ptr<const kernel::Kernel> read_kernel(kernel::TomlReader& reader, const toml::node& node);
  Diagnostic no_line(const kernel::Kernel& kernel, const std::string& wanted, const Location& at) const;
  void check_scene(const Scene& scene);

  Question read_question(Piece piece);
  void read_question_kind(kernel::TomlReader& reader, const toml::table& table, Question& question);
  void read_choices(kernel::TomlReader& reader, const toml::table& table, Question& question);
  void read_solution(kernel::TomlReader& reader, const toml::table& table, Question& question);
  void read_random(kernel::TomlReader& reader, const toml::table& table, Question& question);
  void check_question(kernel::TomlReader& reader, const toml::table& table, const Question& question);
  Text read_markdown(kernel::TomlReader& reader, const toml::table& table, const char* key);
  Formula read_formula(kernel::TomlReader& reader, const toml::table& table, const char* key);
  bool read_flag(kernel::TomlReader& reader, const toml::table& table, const char* key);

  void check_names();
  void check_expression(const Formula& formula, bool must_compute);
  void resolve(Text& text, const Scene* scene);
  void resolve_line(KernelLine& line, const Location& at, const Scene* scene);
  const kernel::Kernel* kernel_named(const std::string& name);
  Result<kernel::Kernel> find_kernel(const std::string& name) const;

  std::string file_;
  std::filesystem::path folder_;
  const kernel::Catalogue& kernels_;
  Diagnostics& problems_;
  std::vector<std::string> lines_;
  std::map<std::string, std::shared_ptr<const kernel::Kernel>> loaded_;
  Lesson lesson_;
};

}  // namespace tilescope::lesson
