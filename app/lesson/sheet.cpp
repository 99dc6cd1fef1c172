#include "lesson/sheet.h"

#include <fmt/format.h>

#include "base/words.h"
#include "lesson/grade.h"

namespace tilescope::lesson {
namespace {

std::string styled(const Span& span) {
  switch (span.kind) {
    case SpanKind::Code:
    case SpanKind::Array:
    case SpanKind::Anchor: return fmt::format("`{}`", span.text);
    case SpanKind::Link: return fmt::format("[{}]({})", span.text, span.target);
    case SpanKind::Formula: return fmt::format("${}$", span.target);
    case SpanKind::Plain:
    case SpanKind::Term:
    case SpanKind::Value: return span.text;
  }
  return span.text;
}

void add_indented(std::string& out, const std::string& text, const std::string& indent) {
  bool at_start = false;
  for (const char c : text) {
    if (at_start && c != '\n') out += indent;
    out += c;
    at_start = c == '\n';
  }
}

void add_block(std::string& out, const Block& block);

void add_list(std::string& out, const Block& list) {
  int number = 1;
  for (const Block& item : list.children) {
    const std::string mark = list.ordered ? fmt::format("{}. ", number++) : std::string("- ");
    std::string inside;
    for (const Block& child : item.children) add_block(inside, child);
    out += mark;
    add_indented(out, inside.substr(0, inside.find_last_not_of('\n') + 1), std::string(mark.size(), ' '));
    out += '\n';
  }
  out += '\n';
}

void add_lines(std::string& out, const Block& block) {
  out += "```cuda\n";
  for (const KernelLine& line : block.lines) out.append(fmt::format("{:4}  {}\n", line.number, line.text));
  out += "```\n\n";
}

void add_table(std::string& out, const Block& table) {
  for (size_t i = 0; i < table.children.size(); ++i) {
    std::string row = "|", rule = "|";
    for (const Block& cell : table.children[i].children) {
      row.append(fmt::format(" {} |", to_markdown(cell.spans)));
      rule += "---|";
    }
    out.append(row).append("\n");
    if (i == 0) out.append(rule).append("\n");
  }
  out += '\n';
}

void add_block(std::string& out, const Block& block) {
  switch (block.kind) {
    case BlockKind::List: return add_list(out, block);
    case BlockKind::KernelLines: return add_lines(out, block);
    case BlockKind::Table: return add_table(out, block);
    case BlockKind::Code: out.append(fmt::format("```{}\n{}```\n\n", block.language, block.code)); return;
    case BlockKind::Heading:
      out.append(
          fmt::format("{} {}\n\n", std::string(static_cast<size_t>(block.level), '#'), to_markdown(block.spans)));
      return;
    case BlockKind::Quote: {
      std::string inside;
      for (const Block& child : block.children) add_block(inside, child);
      out += "> ";
      add_indented(out, inside.substr(0, inside.find_last_not_of('\n') + 1), "> ");
      out += "\n\n";
      return;
    }
    default: out.append(to_markdown(block.spans)).append("\n\n");
  }
}

class Sheet {
 public:
  Sheet(const Lesson& lesson, Runs& runs, uint64_t seed, bool answers, bool pictures, Diagnostics& problems)
      : lesson_(lesson), runs_(runs), seed_(seed), answers_(answers), pictures_(pictures), problems_(problems) {}

  std::string write() {
    out_ = fmt::format("# {}\n\n{}\n\n", tr_format("Lesson {}: {}", lesson_.number, lesson_.title), lesson_.summary);
    out_.append(answers_ ? tr_format("{} minutes. With answers, for the instructor.", lesson_.minutes)
                         : tr_format("{} minutes. Name:", lesson_.minutes) + " ____________________");
    out_ += "\n\n";
    for (step_ = 0; step_ < lesson_.steps.size(); ++step_) add_step(lesson_.steps[step_]);
    if (lesson_.grade && !lesson_.grade->task.empty()) add_task(*lesson_.grade);
    return std::move(out_);
  }

 private:
  void add_step(const Step& step) {
    evidence_ = {&lesson_, step_, &runs_,
                 step.question ? sample_parameters(*step.question, seed_) : std::map<std::string, int64_t>{}};
    out_.append(fmt::format("## {}. {}\n\n", step_ + 1, step.title));
    out_ += to_markdown(filled_in(step.text, evidence_, problems_));
    if (pictures_ && scene_of(lesson_, step_))
      out_.append(fmt::format("![{}]({})\n\n", step.title, picture_name(step_)));
    if (step.question) add_question(*step.question);
    // What it prints answers the question, so it comes after.
    if (const Scene* scene = scene_of(lesson_, step_); scene && (step.scene || step.question))
      add_scene(with_parameters(*scene, evidence_.sampled), step.question.has_value());
    if (answers_ || !step.question) out_ += to_markdown(filled_in(step.after, evidence_, problems_));
  }

  void add_scene(const Scene& scene, bool asks) {
    const std::string file = fmt::format("lessons/{}/{}", lesson_.file.parent_path().filename().string(),
                                         scene.kernel->file.filename().string());
    std::string command =
        fmt::format("tilescope trace {} --size M={},N={},K={}", scene.kernel->number > 0 ? scene.kernel->name : file,
                    scene.size.m, scene.size.n, scene.size.k);
    if (!scene.settings.empty()) command += " --set";
    for (const auto& [name, value] : scene.settings) command.append(fmt::format(" {}={}", name, value));
    if (scene.arch != "sm_90") command.append(fmt::format(" --arch {}", scene.arch));
    const std::string language =
        lesson_.language.empty() || lesson_.language == "en" ? "" : " --lang " + lesson_.language;
    const std::string picture = fmt::format("tilescope shot --lesson {} --step {}{}{} -o {}.png", lesson_.number,
                                            step_ + 1, asks ? " --answered" : "", language, step_ + 1);
    out_.append(asks ? tr_format("Then run `{}`, or `{}` for the picture.", command, picture)
                     : tr_format("Run `{}`, or `{}` for the picture.", command, picture))
        .append("\n\n");
  }

  void add_question(const Question& question) {
    const bool is_task = question.kind == QuestionKind::Task;
    out_.append(fmt::format("**{}** ", is_task ? tr("Do.") : tr("Predict.")))
        .append(to_markdown(filled_in(question.prompt, evidence_, problems_)));
    if (question.kind == QuestionKind::Click) out_.append(tr("(On paper: write it down.)")).append("\n\n");
    for (const Choice& choice : question.choices)
      out_.append(fmt::format("- [ ] {}\n", to_markdown(filled_in(choice.text, evidence_, problems_))));
    if (!question.choices.empty()) out_ += '\n';
    if (!answers_) {
      if (is_task) return;
      if (question.choices.empty()) out_.append(fmt::format("{} ______________ {}\n\n", tr("Answer:"), question.unit));
      out_.append(fmt::format("{} {}\n\n", tr("Why:"), std::string(60, '_')));
      return;
    }
    const Result<SaidAnswer> answer = solve(evidence_);
    if (!answer) problems_.insert(problems_.end(), answer.errors().begin(), answer.errors().end());
    out_.append(fmt::format("**{}** {}\n\n", tr("Answer:"), answer ? answer->words : "?"));
  }

  void add_task(const GradeRules& rules) {
    out_.append(fmt::format("## {}\n\n{}\n\n{}\n\n- {}\n", tr("Hand in"), rules.task,
                            tr_format("It is marked with `tilescope grade FILE.cu --lesson {}`:", lesson_.number),
                            tr("The result is right and the four checkers find nothing, at every size that is tried")));
    out_.append(fmt::format("- {}\n", launch_text(rules, *rules.like)));
    for (const Requirement& requirement : rules.requirements) out_.append(fmt::format("- {}\n", requirement.name));
  }

  const Lesson& lesson_;
  Runs& runs_;
  uint64_t seed_;
  bool answers_, pictures_;
  Diagnostics& problems_;
  size_t step_ = 0;
  AnswerContext evidence_;
  std::string out_;
};

}  // namespace

std::string to_markdown(const Spans& spans) {
  std::string text;
  std::string_view open;
  for (const Span& span : spans) {
    const std::string_view mark = span.bold && span.italic ? "***" : span.bold ? "**" : span.italic ? "*" : "";
    if (mark != open) text.append(open).append(mark);
    open = mark;
    text.append(styled(span));
  }
  return text.append(open);
}

std::string to_markdown(const Text& text) {
  std::string out;
  for (const Block& block : text) add_block(out, block);
  return out;
}

std::string lab_sheet(const Lesson& lesson, Runs& runs, uint64_t seed, bool answers, Diagnostics& problems,
                      bool pictures) {
  return Sheet(lesson, runs, seed, answers, pictures, problems).write();
}

std::string picture_name(size_t step) { return fmt::format("step-{:02}.png", step + 1); }

}  // namespace tilescope::lesson
