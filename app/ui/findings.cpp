#include "ui/findings.h"

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "ui/scoped.h"
#include "ui/text.h"
#include "ui/window_words.h"
#include "view/words.h"

namespace tilescope::ui {
namespace {
using view::FindingRow;
using view::Ink;

void go_to(const Context& context, const FindingRow& row) {
  if (row.line > 0) context.send(session::GoToLine{row.line});
  if (row.element) context.send(session::Pin{row.element});
}

void show_row(const Context& context, const FindingRow& row) {
  bool on_title = false;
  {
    const Group group;
    show_mark(context, row.unproved, Ink::Faint);
    show_text(context, row.title, Ink::Strong, context.fonts.bold);
    on_title = ImGui::IsItemHovered() && !row.kind.empty();
    explain_word(context, row.kind.c_str());
    ImGui::SameLine();
    show_text(context, row.source, Ink::Faint);
    show_wrapped(context, row.message, Ink::Text);
  }
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (context.hover_next && row.element && !on_title) *context.hover_next = row.element;
  }
  if (ImGui::IsItemClicked()) go_to(context, row);
}

void show_list(const Context& context, const view::FindingList& list) {
  show_mark(context, list.right, list.verified ? Ink::Good : Ink::Faint);
  show_wrapped(context, list.summary, Ink::Text);
  context.note_place("verification");
  for (size_t i = 0; i < list.rows.size(); ++i) {
    const PushedId id(static_cast<int>(i));
    show_row(context, list.rows[i]);
    context.note_widget(fmt::format("finding {}", i + 1));
  }
  show_wrapped(context, list.checked, Ink::Faint);
}

}  // namespace

const view::FindingList* findings_now(const Context& context, int experiment, FindingsState& kept) {
  const session::Experiment& of = context.workspace->experiment(experiment);
  if (!of.traced() || context.hidden.has(session::Fact::Findings)) return nullptr;
  return &kept.list.get({of.traced(), of.counted(), of.checked(), of.progress()}, [&] {
    return view::finding_list(*of.traced(), of.counted().get(), of.checked().get(),
                              {of.count_problems(), of.check_problems()});
  });
}

void go_to_next_finding(const Context& context, const view::FindingList& list, FindingsState& kept) {
  for (size_t i = 0; i < list.rows.size(); ++i) {
    const FindingRow& row = list.rows[(kept.next + i) % list.rows.size()];
    if (row.line == 0 && !row.element) continue;
    kept.next = (kept.next + i + 1) % list.rows.size();
    return go_to(context, row);
  }
}

void show_findings(const Context& context, int experiment, FindingsState& kept) {
  const view::FindingList* list = findings_now(context, experiment, kept);
  if (list) return show_list(context, *list);
  if (!context.hidden.has(session::Fact::Findings)) return;
  show_wrapped(context, view::covered_text(context.hidden.asked_in(session::Fact::Findings)), Ink::Text);
  context.note_place("covered findings");
}

}  // namespace tilescope::ui
