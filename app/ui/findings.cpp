#include "ui/findings.h"

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "ui/scoped.h"
#include "ui/text.h"
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
  {
    const Group group;
    show_mark(context, false);
    show_text(context, row.title, Ink::Strong, context.fonts.bold);
    ImGui::SameLine();
    show_text(context, row.source, Ink::Faint);
    show_wrapped(context, row.message, Ink::Text);
  }
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (context.hover_next && row.element) *context.hover_next = row.element;
  }
  if (ImGui::IsItemClicked()) go_to(context, row);
}

}  // namespace

void show_findings(const Context& context, int experiment, FindingsState& kept) {
  const session::Experiment& of = context.workspace->experiment(experiment);
  if (!of.scene()) return;
  if (context.hidden.has(session::Fact::Findings)) {
    show_wrapped(context,
                 view::covered_text(context.hidden.asked_in(session::Fact::Findings),
                                    tr("What the checkers found will be here once you have answered.")),
                 Ink::Text);
    return context.note_widget("covered findings");
  }
  const view::FindingList& list = kept.list.get({of.scene(), of.counted(), of.checked(), of.progress()}, [&] {
    return view::finding_list(*of.scene(), of.counted().get(), of.checked().get(),
                              {of.count_problems(), of.check_problems()});
  });
  show_mark(context, list.right);
  show_wrapped(context, list.summary, Ink::Text);
  context.note_widget("verification");
  for (size_t i = 0; i < list.rows.size(); ++i) {
    const PushedId id(static_cast<int>(i));
    show_row(context, list.rows[i]);
    context.note_widget(fmt::format("finding {}", i + 1));
  }
  show_wrapped(context, list.checked, Ink::Faint);
}

}  // namespace tilescope::ui
