#include "ui/launch_form.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "base/words.h"
#include "kernel/open_file.h"
#include "kernel/reference.h"
#include "ui/editor.h"
#include "ui/editor_text.h"
#include "ui/launch_list.h"
#include "ui/parameters.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using kernel::FormArgument;
using kernel::LaunchForm;
using session::OpenForm;
using view::Ink;

constexpr std::array<const char*, 3> kRoles{"input", "output", "inout"};
constexpr std::array<const char*, 3> kRoleWords{tr_later("read"), tr_later("written"), tr_later("both")};
constexpr float kBetweenRows = 6, kInitialWidth = 52;
constexpr std::array<const char*, 3> kExtents{"M", "N", "K"};
/// What kernel::field_of() calls them together.
constexpr const char* kAllExtents = "M, N, K";
constexpr double kRestSeconds = 1;  ///< In typing, before what is typed is launched.

/// Errors by field; those not about a single field have no name.
using Problems = std::multimap<std::string, std::string>;

/// Indices into kExtents of those that the launch of the shown kernel uses.
std::vector<size_t> used_sizes(const Context& context, LaunchFormState& kept) {
  const kernel::Kernel& kernel = context.workspace->current().kernel();
  const std::string& used = kept.extents.get({kernel.description.text, kernel.source},
                                             [&] { return kernel::extents_with_reference(kernel); });
  std::vector<size_t> sizes;
  for (size_t d = 0; d < kExtents.size(); ++d)
    if (used.find(kExtents[d]) != std::string::npos) sizes.push_back(d);
  return sizes;
}

/// "M, N"
std::string names_of(const std::vector<size_t>& sizes) {
  std::string names;
  for (const size_t d : sizes) names += (names.empty() ? "" : ", ") + std::string(kExtents[d]);
  return names;
}

/// The form while its fields are shown.
class FormRows {
 public:
  FormRows(const Context& context, const LaunchForm& form, const Problems& problems)
      : context_(context), problems_(problems) {
    for (const char* label : {tr("block"), tr("grid"), tr("shared bytes")})
      names_ = std::max(names_, text_width(context, label));
    const PushedFont mono(context.fonts.mono);
    for (const FormArgument& argument : form.arguments)
      names_ = std::max(names_, ImGui::CalcTextSize(argument.parameter.c_str()).x);
    names_ = std::min(names_, ImGui::GetContentRegionAvail().x * 0.4f) + 10 * context.scale;
  }

  /// The next field gets the keyboard.
  void focus_next() { focus_ = true; }
  /// The field that has the keyboard; 0: none.
  ImGuiID active() const { return active_; }
  /// Whether a text was changed in this frame.
  bool has_changed() const { return changed_; }

  void show_argument(FormArgument& argument) {
    const PushedId id(argument.parameter.c_str());
    show_name(argument.parameter, context_.fonts.mono, Ink::Strong);
    argument.is_array ? show_array(argument) : show_scalar(argument);
    show_problems_of(argument.parameter);
  }

  /// Those of M, N and K that are `used`, in a row.
  void show_sizes(const std::vector<size_t>& used, std::array<std::string, 3>& sizes) {
    show_name(names_of(used), nullptr, Ink::Text);
    const float gap = 6 * context_.scale, count = static_cast<float>(used.size());
    const std::vector<float> widths =
        widths_of(used, sizes, (ImGui::GetContentRegionAvail().x - (count - 1) * gap) / count);
    for (size_t i = 0; i < used.size(); ++i) {
      if (i > 0) ImGui::SameLine(0, gap);
      const char* name = kExtents[used[i]];
      field(name, problems_.contains(kAllExtents) ? kAllExtents : name, sizes[used[i]], widths[i]);
    }
    for (const size_t d : used) show_problems_of(kExtents[d]);
    show_problems_of(kAllExtents);
  }

  /// True when it has changed.
  bool show_line(const char* english, std::string& value) {
    show_name(tr(english), nullptr, Ink::Text);
    const bool changed = field(english, english, value, ImGui::GetContentRegionAvail().x);
    show_problems_of(english);
    return changed;
  }

 private:
  /// Of fields in a row, one with a long text gets what the others do not need.
  std::vector<float> widths_of(const std::vector<size_t>& used, const std::array<std::string, 3>& texts,
                               float equal) const {
    std::vector<float> widths;
    float missing = 0, spare = 0;
    for (const size_t d : used) {
      widths.push_back(text_width(context_, texts[d], context_.fonts.mono) + 2 * ImGui::GetStyle().FramePadding.x);
      (widths.back() > equal ? missing : spare) += std::abs(widths.back() - equal);
    }
    const float moved = std::min(missing, spare);
    for (float& width : widths)
      width = equal + (width > equal ? (width - equal) * moved / missing
                       : spare > 0   ? (width - equal) * moved / spare
                                     : 0);
    return widths;
  }

  void show_name(const std::string& name, ImFont* font, Ink colour) {
    ImGui::AlignTextToFramePadding();
    const float left = ImGui::GetCursorPosX();
    show_text(context_, shortened(context_, name, names_), colour, font);
    ImGui::SameLine(left + names_);
  }

  /// Below the field, as wide as it.
  void show_problems_of(const std::string& name) {
    const auto [begin, end] = problems_.equal_range(name);
    for (auto problem = begin; problem != end; ++problem) {
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + names_);
      const Group group;
      show_mark(context_, false);
      show_wrapped(context_, problem->second, Ink::Text);
    }
    if (begin != end) context_.note_place("form problem " + name);
  }

  void show_scalar(FormArgument& argument) {
    const float type = text_width(context_, argument.element, context_.fonts.mono) + 10 * context_.scale;
    field(argument.parameter, argument.parameter, argument.value, ImGui::GetContentRegionAvail().x - type);
    ImGui::SameLine(0, 10 * context_.scale);
    show_text(context_, argument.element, Ink::Faint, context_.fonts.mono);
  }

  void show_array(FormArgument& argument) {
    const float gap = 6 * context_.scale, initial = kInitialWidth * context_.scale, left = ImGui::GetCursorPosX();
    const float type = text_width(context_, argument.element, context_.fonts.mono) + 10 * context_.scale;
    if (field(argument.parameter, argument.parameter, argument.shape, ImGui::GetContentRegionAvail().x - type,
              &argument.role))
      argument.guessed = false;
    ImGui::SameLine(0, 10 * context_.scale);
    show_text(context_, argument.element, Ink::Faint, context_.fonts.mono);
    ImGui::SetCursorPosX(left);
    const auto now = std::find(kRoles.begin(), kRoles.end(), argument.role) - kRoles.begin();
    const int clicked = show_tabs(context_, ("role " + argument.parameter).c_str(),
                                  {kRoleWords.begin(), kRoleWords.end()}, static_cast<int>(now));
    if (clicked >= 0) argument.role = kRoles[static_cast<size_t>(clicked)];
    if (argument.role == "input") return;
    const float end = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x;
    const float needed = 3 * gap + text_width(context_, tr("starts at")) + initial;
    if (end + needed <= ImGui::GetContentRegionMax().x)
      ImGui::SameLine(0, 2 * gap);
    else
      ImGui::SetCursorPosX(left);
    show_text(context_, tr("starts at"), Ink::Faint);
    ImGui::SameLine(0, gap);
    field("initial " + argument.parameter, "", argument.initial, std::min(initial, ImGui::GetContentRegionAvail().x));
  }

  /// Up and down in an array's field cycle through the roles.
  static int turn_role(ImGuiInputTextCallbackData* data) {
    std::string& role = *static_cast<std::string*>(data->UserData);
    const auto now = std::find(kRoles.begin(), kRoles.end(), role) - kRoles.begin();
    const size_t step = data->EventKey == ImGuiKey_UpArrow ? kRoles.size() - 1 : 1;
    role = kRoles[(static_cast<size_t>(now) + step) % kRoles.size()];
    return 0;
  }

  /// True if its text has changed. It is marked if there is a problem `of` that name.
  bool field(const std::string& name, const std::string& of, std::string& text, float width,
             std::string* role = nullptr) {
    const PushedFont mono(context_.fonts.mono);
    const PushedColour ground(ImGuiCol_FrameBg, ink(context_, Ink::Window));
    const bool wrong = problems_.contains(of);
    const PushedColour edge(ImGuiCol_Border, wrong ? ink(context_, Ink::Bad) : ImGui::GetColorU32(ImGuiCol_Border));
    const PushedStyle border(ImGuiStyleVar_FrameBorderSize,
                             wrong ? std::max(1.0f, 1.5f * context_.scale) : ImGui::GetStyle().FrameBorderSize);
    ImGui::SetNextItemWidth(std::max(width, 20 * context_.scale));
    if (std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
    const std::string before = text;
    const int flags = ImGuiInputTextFlags_AutoSelectAll | (role ? ImGuiInputTextFlags_CallbackHistory : 0);
    ImGui::InputText(("##" + name).c_str(), &text, flags, role ? turn_role : nullptr, role);
    if (ImGui::IsItemActive()) active_ = ImGui::GetItemID();
    context_.note_widget("form " + name);
    changed_ = changed_ || text != before;
    return text != before;
  }

  const Context& context_;
  const Problems& problems_;
  float names_ = 0;
  bool focus_ = false, changed_ = false;
  ImGuiID active_ = 0;
};

void show_heading(const Context& context, const std::string& words) {
  ImGui::Dummy({0, kBetweenRows * context.scale});
  show_wrapped(context, words, Ink::Faint);
}

/// The kernel of the file; a click opens another one.
void show_entries(const Context& context, const OpenForm& open) {
  if (open.entries.size() < 2) return;
  const std::string now = open.form.entry.substr(0, open.form.entry.find('<'));
  const bool clicked =
      show_named_chip(context, "form entries", tr_format("{} of {} kernels", now, open.entries.size()));
  const Popup popup("kernels of the file", clicked, context.scale);
  if (!popup) return;
  for (const std::string& entry : open.entries) {
    if (ImGui::MenuItem(entry.c_str(), nullptr, entry == now) && entry != now) context.send(OpenEntry{entry});
    context.note_widget("form entry " + entry);
  }
}

/// The other kernel that computes the expected result.
void show_references(const Context& context, const OpenForm& open, LaunchForm& form) {
  if (open.references.empty()) return;
  show_heading(context, tr("Compared with another kernel"));
  std::vector<const char*> names{tr("none")};
  int now = 0;
  for (const std::string& name : open.references) {
    if (name == form.reference) now = static_cast<int>(names.size());
    names.push_back(name.c_str());
  }
  const bool clicked = show_named_chip(context, "form reference", names[static_cast<size_t>(now)]);
  const Popup popup("kernels to compare with", clicked, context.scale);
  if (!popup) return;
  for (size_t i = 0; i < names.size(); ++i) {
    if (ImGui::MenuItem(names[i], nullptr, static_cast<int>(i) == now)) form.reference = i == 0 ? "" : names[i];
    context.note_widget(fmt::format("form reference {}", i == 0 ? "none" : names[i]));
  }
}

Result<int64_t> extent_of(const char* name, const std::string& typed) {
  const Result<int64_t> number = whole_number(typed);
  if (typed.empty() || (number && (*number < 1 || *number > kernel::kLargestSize)))
    return error(Message("{} is from 1 to {}.", name, kernel::kLargestSize));
  return number;
}

/// Those of M, N and K that the launch uses; nothing if it uses none.
void show_sizes(const Context& context, const std::vector<size_t>& used, FormRows& rows, LaunchFormState& kept) {
  const kernel::Size& size = context.workspace->current().inputs().size;
  const std::array<int64_t, 3> now{size.m, size.n, size.k};
  if (std::exchange(kept.size, now) != now || kept.kernel.empty()) {
    std::ranges::transform(now, kept.typed.begin(), [](int64_t value) { return fmt::format("{}", value); });
    kept.entered = kept.typed;
  }
  if (used.empty()) return;
  show_heading(context, tr("Sizes M, N, K"));
  rows.show_sizes(used, kept.typed);
}

/// Runs with the entered sizes if they are other ones.
void take_sizes(const Context& context, LaunchForm& form, LaunchFormState& kept) {
  kept.entered = kept.typed;
  std::array<int64_t, 3> typed = kept.size;
  for (const size_t d : used_sizes(context, kept)) {
    const Result<int64_t> number = extent_of(kExtents[d], kept.entered[d]);
    if (!number) return;
    typed[d] = *number;
  }
  if (typed == kept.size) return;
  form.size = kept.size = typed;
  context.send(session::SetSize{{typed[0], typed[1], typed[2]}});
}

Problems problems_of(const Context& context, const OpenForm& open, LaunchFormState& kept) {
  const session::Experiment& of = context.workspace->current();
  Problems problems;
  if (!kept.kernel.empty())
    for (const size_t d : used_sizes(context, kept))
      if (const Result<int64_t> number = extent_of(kExtents[d], kept.entered[d]); !number)
        problems.emplace(kExtents[d], text_of(number.errors().front()));
  for (const Diagnostic& problem : open.problems)
    problems.emplace(kernel::field_of(open.form, problem), problem.message.text());
  if (problems.empty() && !of.legality())
    for (const Diagnostic& problem : of.legality().errors())
      problems.emplace(kernel::field_of(open.form, problem),
                       problem.fixes.empty() ? problem.message.text() : text_of(problem));
  return problems;
}

/// The fields that can be wrong, in the order in which they are shown.
std::vector<std::string> fields_of(const LaunchForm& form) {
  std::vector<std::string> fields;
  for (const FormArgument& argument : form.arguments) fields.push_back(argument.parameter);
  fields.insert(fields.end(), kExtents.begin(), kExtents.end());
  fields.insert(fields.end(), {kAllExtents, "block", "grid", "shared bytes"});
  return fields;
}

/// Whether it can be launched. A field's error is shown there; its name is here, because it may be out of sight.
void show_state(const Context& context, const LaunchForm& form, const Problems& problems, LaunchFormState& kept) {
  const auto [begin, end] = problems.equal_range("");
  for (auto problem = begin; problem != end; ++problem) {
    show_mark(context, false);
    show_wrapped(context, problem->second, Ink::Text);
  }
  std::string fields;
  for (const std::string& field : fields_of(form))
    if (problems.contains(field))
      fields += (fields.empty() ? "" : "; ") +
                (field == kAllExtents ? names_of(used_sizes(context, kept)) : std::string(tr(field)));
  if (!fields.empty()) {
    show_mark(context, false);
    show_wrapped(context, tr_format("Not launched yet. To be corrected above: {}", fields), Ink::Text);
  }
  if (!problems.empty()) return;
  const session::Experiment& of = context.workspace->current();
  if (of.progress() == session::Progress::Failed) {
    // Where the program text or the sliders say more, and offer what helps, it is not said twice.
    if (!lists_problems(of) && of.fitting_k() == 0) return void(show_problems(context, context.workspace->chosen()));
    show_mark(context, false);
    show_wrapped(context, tr("Not launched; the reason is on the right."), Ink::Text);
    return;
  }
  show_mark(context, true);
  show_wrapped(context, launch_sentence(*of.legality()).text(), Ink::Text);
}

void show_guess(const Context& context, LaunchForm& form) {
  if (!form.guessed) return;
  show_wrapped(
      context,
      tr("This file does not launch the kernel, so block and grid are guesses. No result is called wrong until "
         "you have set them."),
      Ink::Warning);
  if (show_chip(context, tr_later("They are right"))) form.guessed = false;
}

void show_saving(const Context& context, LaunchFormState& kept) {
  const std::string name = kernel::description_file(context.workspace->current().kernel()).filename().string();
  if (!kept.asks) {
    if (show_named_chip(context, "form save", tr_format("Save as {}", name))) context.send(SaveDescription{});
    ImGui::SameLine(0, 8 * context.scale);
    if (show_chip(context, tr_later("Close"))) context.send(session::ShowForm{false});
    return;
  }
  show_wrapped(context, tr_format("{} is there already, with another text.", name), Ink::Warning);
  if (show_chip(context, tr_later("Replace it"))) context.send(SaveDescription{true});
  ImGui::SameLine(0, 8 * context.scale);
  if (show_chip(context, tr_later("Keep it"))) kept.asks = false;
}

bool wants_save() {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyCtrl && io.WantTextInput && ImGui::IsKeyPressed('S');
}

/// Where the form comes from if no launch of a program filled it in.
void show_proposal(const Context& context, const OpenForm& open, const LaunchForm& form) {
  const kernel::Kernel& shown = context.workspace->current().kernel();
  const kernel::Kernel* const file = context.workspace->find(shown.name);
  const int line = form.line > 0 && file ? moved_line(file->source, shown.source, form.line) : form.line;
  const std::string name = shown.file.filename().string();
  show_wrapped(context,
               line > 0
                   ? tr_format("{} has no description. This is proposed, block and grid as on its line {}.", name, line)
                   : tr_format("{} has no description. This is proposed.", name),
               Ink::Faint);
  show_entries(context, open);
}

/// Whether the fields are to be launched as they are, rather than when the user has typed on.
bool show_fields(const Context& context, const OpenForm& open, const Problems& problems, LaunchForm& form,
                 LaunchFormState& kept) {
  FormRows rows(context, form, problems);
  show_text(context, tr("Launch"), Ink::Strong, context.fonts.bold);
  context.launches ? show_launch_list(context) : show_proposal(context, open, form);
  show_heading(context, tr("Arguments: sizes of arrays, values of the others"));
  if (kept.kernel.empty()) rows.focus_next();
  for (FormArgument& argument : form.arguments) rows.show_argument(argument);
  show_sizes(context, used_sizes(context, kept), rows, kept);
  show_heading(context, tr("Threads: x, y and z"));
  const bool block_changed = rows.show_line(tr_later("block"), form.block);
  const bool grid_changed = rows.show_line(tr_later("grid"), form.grid);
  if (block_changed || grid_changed) form.guessed = false;
  rows.show_line(tr_later("shared bytes"), form.shared_bytes);
  show_references(context, open, form);
  const double now = ImGui::GetTime();
  if (rows.has_changed()) kept.typed_at = now;
  const bool left = std::exchange(kept.field, rows.active()) != rows.active();
  return left || rows.active() == 0 || now - kept.typed_at >= kRestSeconds;
}

/// Below the fields, always visible: what the launch does or why there is none, and where it is saved.
void show_footer(const Context& context, const Problems& problems, LaunchForm& form, LaunchFormState& kept) {
  show_guess(context, form);
  show_state(context, form, problems, kept);
  ImGui::Dummy({0, 0});
  show_saving(context, kept);
  show_wrapped(context,
               tr("Tab goes to the next field. In the field of an array, Up and Down choose read, written or both. "
                  "Ctrl S saves."),
               Ink::Faint);
}

}  // namespace

bool has_open_form(const session::Workspace& workspace) {
  const OpenForm* open = workspace.form();
  return open && open->on && !workspace.state().present;
}

void show_launch_form(const Context& context, LaunchFormState& kept) {
  const OpenForm& open = *context.workspace->form();
  if (kept.kernel != open.kernel) kept = {};
  LaunchForm form = kept.draft.value_or(open.form);
  const Problems problems = problems_of(context, open, kept);
  const float room = ImGui::GetContentRegionAvail().y, gap = ImGui::GetStyle().ItemSpacing.y;
  bool entered = false;
  {
    const Child fields("fields", {0, std::max(room - kept.footer - gap, room * 0.3f)});
    entered = show_fields(context, open, problems, form, kept);
  }
  const float top = ImGui::GetCursorScreenPos().y;
  show_footer(context, problems, form, kept);
  const float before = std::exchange(kept.footer, ImGui::GetCursorScreenPos().y - top);
  if (context.moving && before != kept.footer) *context.moving = true;
  const bool saves = wants_save();
  kept.kernel = open.kernel;
  if (entered || saves) {
    take_sizes(context, form, kept);
    kept.draft.reset();
    if (form != open.form) context.send(session::FillForm{std::move(form)});
  } else if (form != open.form || kept.typed != kept.entered) {
    kept.draft = std::move(form);
    if (context.moving) *context.moving = true;
  }
  if (saves) context.send(SaveDescription{});
}

}  // namespace tilescope::ui
