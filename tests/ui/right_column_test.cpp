#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "panel_fixture.h"
#include "ui/code.h"
#include "ui/editor_text.h"
#include "ui/findings.h"
#include "ui/parameters.h"
#include "ui/resources.h"
#include "ui/tooltip.h"

namespace tilescope::ui {
namespace {
using session::Target;
using view::Ink;

class RightColumn : public PanelFixture {
 protected:
  void choose(const std::string& kernel) {
    open(kernel);
    ASSERT_TRUE(settle()) << kernel;
    ASSERT_TRUE(workspace_.experiment(0).traced()) << kernel << ": " << to_string(workspace_.experiment(0).problems());
  }
  void cursor_to_line(int line) { apply(session::GoToLine{line}); }
  int cursor_line() const {
    const run::TracedBlock& scene = *workspace_.experiment(0).traced();
    return scene.facts.line_of(scene.timeline.pc(workspace_.cursor(0)));
  }
  /// Frames until nothing moves.
  void glide(const std::function<void(const Context&)>& panel, ImVec2 size = {420, 860}) {
    for (int i = 0; i < 200; ++i) {
      frame(panel, size);
      if (!moving_ && i > 2) return;
    }
    FAIL() << "still moving";
  }

  CodeState code_;
  ParametersState parameters_;
  ResourcesState resources_;
  FindingsState findings_;
  TooltipState tooltip_;
  std::function<void(const Context&)> show_code_ = [this](const Context& c) { show_code(c, 0, code_); };
  std::function<void(const Context&)> show_parameters_ = [this](const Context& c) {
    show_parameters(c, 0, parameters_);
  };
};

TEST_F(RightColumn, EveryPanelOfEveryKernel) {
  for (const kernel::Kernel& kernel : workspace_.catalogue().kernels) {
    choose(kernel.name);
    const run::TracedBlock& scene = *workspace_.experiment(0).traced();
    for (uint32_t step = 0; step < scene.timeline.steps(0); step += scene.timeline.steps(0) / 5 + 1) {
      apply(session::GoTo{{0, step}});
      for (const ImVec2 size : {ImVec2(420, 860), ImVec2(900, 500), ImVec2(60, 40)}) {
        frame(
            [&](const Context& c) {
              show_code(c, 0, code_);
              show_parameters(c, 0, parameters_);
              show_resources(c, 0, resources_);
              show_findings(c, 0, findings_);
              show_tooltip(c, tooltip_, 0);
            },
            size);
        EXPECT_TRUE(commands_.empty()) << kernel.name << ": to be shown does nothing";
        EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 0) << kernel.name;
      }
    }
  }
}

TEST_F(RightColumn, BeforeTheFirstSceneThePanelsSaySo) {
  frame([&](const Context& c) {
    show_code(c, 0, code_);
    show_parameters(c, 0, parameters_);
    show_resources(c, 0, resources_);
    show_findings(c, 0, findings_);
    show_tooltip(c, tooltip_, 0);
  });
  EXPECT_TRUE(commands_.empty());
}

TEST_F(RightColumn, TheTextFollowsTheCursorWhenItsLineLeavesTheView) {
  choose("09_thread_tile_2d");
  const ImVec2 low{420, 400};
  cursor_to_line(68);
  glide(show_code_, low);
  ASSERT_NE(widget("line 68"), nullptr);
  EXPECT_EQ(widget("line 3"), nullptr);
  const float at = widget("line 68")->y;
  apply(session::Move{analysis::Unit::Instruction, -1});
  glide(show_code_, low);
  EXPECT_EQ(widget("line 68")->y, at) << "a line that is seen does not scroll";
}

TEST_F(RightColumn, AClickGoesToTheLineAndInTheGutterSetsABreakpoint) {
  choose("09_thread_tile_2d");
  cursor_to_line(39);
  glide(show_code_);
  click(show_code_, "line 44", 0.6f);
  ASSERT_NE(sent<session::GoToLine>(), nullptr);
  EXPECT_EQ(sent<session::GoToLine>()->line, 44);
  EXPECT_EQ(hover_, (Target{Target::Kind::SourceLine, Space::None, "", 44, 0}));
  click(show_code_, "line 44", 0.03f);
  ASSERT_NE(sent<session::ToggleBreakpoint>(), nullptr);
  EXPECT_EQ(sent<session::ToggleBreakpoint>()->line, 44);
  EXPECT_EQ(sent<session::GoToLine>(), nullptr);
  const auto below_dialog = [&](Context c) {
    c.hover_next = nullptr;
    show_code(c, 0, code_);
  };
  click(below_dialog, "line 44", 0.6f);
  EXPECT_EQ(sent<session::GoToLine>(), nullptr);
}

TEST_F(RightColumn, BothTextsStandSideBySideWhereThereIsRoom) {
  choose("09_thread_tile_2d");
  cursor_to_line(51);
  glide(show_code_, {900, 500});
  const run::TracedBlock& scene = *workspace_.experiment(0).traced();
  const int ptx_line = scene.instruction(scene.timeline.pc(workspace_.cursor(0))).line;
  const view::Box *line = widget("line 51"), *ptx = widget("PTX line " + std::to_string(ptx_line));
  ASSERT_TRUE(line && ptx);
  EXPECT_GT(ptx->x, line->right() - 1);
  EXPECT_EQ(widget("code PTX"), nullptr) << "no tabs where both are seen";

  glide(show_code_, {420, 860});
  line = widget("line 51");
  ptx = widget("PTX line " + std::to_string(ptx_line));
  ASSERT_TRUE(line && ptx);
  EXPECT_GT(ptx->y, line->y);
  click(show_code_, "code PTX");
  frame(show_code_);
  EXPECT_EQ(widget("line 51"), nullptr);
}

TEST_F(RightColumn, MachineCodeStandsBesideWhatItWasMadeFrom) {
  choose("09_thread_tile_2d");
  cursor_to_line(51);
  const auto shows = [&](const char* text) {
    return std::any_of(widgets_.begin(), widgets_.end(),
                       [&](const WidgetPlace& place) { return place.name.starts_with(text); });
  };
  glide(show_code_, {900, 500});
  EXPECT_TRUE(shows("PTX line ") && !shows("SASS line "));
  click(show_code_, "code SASS", 0.5f, {900, 500});
  glide(show_code_, {900, 500});
  EXPECT_TRUE(shows("SASS line ") && !shows("PTX line "));
  EXPECT_NE(widget("line 51"), nullptr);
  glide(show_code_, {1300, 500});
  const run::TracedBlock& scene = *workspace_.experiment(0).traced();
  const int ptx_line = scene.instruction(scene.timeline.pc(workspace_.cursor(0))).line;
  EXPECT_NE(widget("PTX line " + std::to_string(ptx_line)), nullptr);
  EXPECT_TRUE(shows("SASS line "));
}

TEST_F(RightColumn, ASliderSendsTheValueUnderTheMouse) {
  choose("09_thread_tile_2d");
  frame(show_parameters_);
  click(show_parameters_, "parameter BK", 0.99f);
  ASSERT_NE(sent<session::SetParameter>(), nullptr);
  EXPECT_EQ(sent<session::SetParameter>()->name, "BK");
  EXPECT_EQ(sent<session::SetParameter>()->value, 32);
  EXPECT_EQ(hover_, (Target{Target::Kind::Parameter, Space::None, "BK", 0, 0}));
  click(show_parameters_, "parameter BK", 0.5f);
  EXPECT_EQ(sent<session::SetParameter>(), nullptr) << "8 is what it has";
}

TEST_F(RightColumn, ASliderThatMovesAwayKeepsTheArrowsUntilTheMouseMoves) {
  choose("09_thread_tile_2d");
  frame(show_parameters_);
  click(show_parameters_, "parameter BK");
  const auto takes_arrows_below = [&](float above) {
    const auto lower = [&](const Context& c) {
      ImGui::Dummy({0, above});
      show_parameters(c, 0, parameters_);
    };
    frame(lower);
    parameters_.takes_arrows = false;
    frame(lower);
    return parameters_.takes_arrows;
  };
  EXPECT_TRUE(takes_arrows_below(0));
  EXPECT_TRUE(takes_arrows_below(60));
  move_mouse(ImGui::GetIO().MousePos.x + 3, ImGui::GetIO().MousePos.y);
  EXPECT_FALSE(takes_arrows_below(60));
}

TEST_F(RightColumn, AnIllegalChoiceOffersTheNearestLegalOne) {
  choose("09_thread_tile_2d");
  apply(session::SetParameter{"TM", 1});
  frame(show_parameters_);
  ASSERT_NE(widget("legality"), nullptr);
  click(show_parameters_, "Use TM = 2");
  ASSERT_NE(sent<session::SetParameter>(), nullptr);
  EXPECT_EQ(sent<session::SetParameter>()->name, "TM");
  EXPECT_EQ(sent<session::SetParameter>()->value, 2);
}

TEST_F(RightColumn, PresetsAreOneClickAway) {
  choose("09_thread_tile_2d");
  frame(show_parameters_);
  click(show_parameters_, "presets");
  frame(show_parameters_);
  click(show_parameters_, "preset 64x64x8-8x4");
  ASSERT_NE(sent<session::UsePreset>(), nullptr);
  EXPECT_EQ(sent<session::UsePreset>()->name, "64x64x8-8x4");
}

TEST_F(RightColumn, ManySlidersStandInTwoColumnsAndAllFitsTheHeightThatIsSaid) {
  for (const kernel::Kernel& kernel : workspace_.catalogue().kernels) {
    choose(kernel.name);
    for (const bool sizes : {true, false}) {
      float said = 0, bottom = 0;
      const auto panel = [&](const Context& c) {
        said = parameters_height(c, kernel.description, ImGui::GetContentRegionAvail().x, sizes);
        const float top = ImGui::GetCursorPosY();
        show_parameters(c, 0, parameters_, sizes);
        bottom = ImGui::GetCursorPosY() - top;
      };
      frame(panel);
      EXPECT_NEAR(said, bottom, 1) << kernel.name;
      EXPECT_EQ(widget("size M") != nullptr, sizes);
      EXPECT_EQ(widget("presets") != nullptr, !kernel.description.presets.empty());
    }
    const view::Box *first = widget("parameter BM"), *last = widget("parameter TN");
    if (kernel.description.parameters.size() > 3 && last) {
      EXPECT_GT(last->x, first->right()) << kernel.name;
    }
  }
}

TEST_F(RightColumn, NoLineOfTheTextIsCutOffAndTheCursorsLineIsSeenWhole) {
  choose("10_wide_loads");
  cursor_to_line(64);
  glide(show_code_, {380, 260});
  const auto rows = std::count_if(code_.source.rows.last().begin(), code_.source.rows.last().end(),
                                  [](const view::CodeRow& row) { return row.line == 64; });
  ASSERT_GT(rows, 1);
  ASSERT_NE(widget("line 64"), nullptr);
  const view::Box *line = widget("line 64"), *after = widget("line 65");
  if (after) {
    EXPECT_NEAR(after->y - line->y, static_cast<float>(rows) * line->height, 1);
  }
  EXPECT_GE(line->y, 0);
  EXPECT_NE(widget("code 10_wide_loads.cu"), nullptr);
  glide(show_code_, {200, 260});
  EXPECT_EQ(widget("code 10_wide_loads.cu"), nullptr) << "its name would be cut off";
  EXPECT_NE(widget("code CUDA"), nullptr);
}

TEST_F(RightColumn, AFigureSaysWhatItWas) {
  choose("09_thread_tile_2d");
  const auto show = [&](const Context& c) { show_resources(c, 0, resources_); };
  frame(show);
  EXPECT_NE(widget("figure registers per thread"), nullptr);
  apply(session::UsePreset{"64x64x8-4x4"});
  ASSERT_TRUE(wait_until([&] {
    workspace_.poll();
    return workspace_.current().progress() == session::Progress::Counting;
  }));
  frame(show);
  EXPECT_EQ(resources_.figures.last().before[1].value, "98");
  EXPECT_NE(resources_.figures.last().rows[1].value, "98");
  ASSERT_TRUE(settle());
  frame(show);
  EXPECT_EQ(resources_.figures.last().before[1].value, "98") << "also once the whole grid is counted";
}

TEST_F(RightColumn, WithTwoExperimentsEachHasItsOwn) {
  choose("09_thread_tile_2d");
  apply(session::SetCompare{true});
  apply(session::UsePreset{"64x64x8-4x4"});
  ASSERT_TRUE(settle());
  for (int i = 0; i < 2; ++i)
    frame([&](const Context& c) {
      show_code(c, i, code_);
      show_parameters(c, i, parameters_);
      show_resources(c, i, resources_);
      show_findings(c, i, findings_);
    });
  EXPECT_NE(widget("parameter BM"), nullptr);
}

TEST_F(RightColumn, TabTakesATypedSize) {
  choose("09_thread_tile_2d");
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Tab] = 1;
  io.KeyMap[ImGuiKey_A] = 2;
  frame(show_parameters_);
  click(show_parameters_, "size M");
  for (const char c : std::string("192")) {
    io.AddInputCharacter(static_cast<unsigned>(c));
    frame(show_parameters_);
  }
  io.KeysDown[1] = true;
  const session::SetSize* size = nullptr;
  for (int i = 0; i < 6 && !size; ++i) {
    frame(show_parameters_);
    io.KeysDown[1] = false;
    size = sent<session::SetSize>();
  }
  ASSERT_TRUE(size) << "Tab leaves the field, and its value is lost";
  EXPECT_EQ(size->size.m, 192);
  EXPECT_EQ(size->size.n, workspace_.state().inputs.size.n);
}

TEST_F(RightColumn, AFieldWhoseNumberIsRefusedKeepsTheKeyboardAfterReturn) {
  choose("09_thread_tile_2d");
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 1;
  const auto enter = [&](const std::string& text) {
    for (const char c : text) io.AddInputCharacter(static_cast<unsigned>(c));
    frame(show_parameters_);
    io.KeysDown[1] = true;
    frame(show_parameters_);
    io.KeysDown[1] = false;
    const std::vector<Command> commands = commands_;
    for (const Command& command : commands) apply(command);
    for (int i = 0; i < 3; ++i) frame(show_parameters_);
  };
  frame(show_parameters_);
  click(show_parameters_, "size M");
  enter("99999999");
  EXPECT_EQ(workspace_.state().inputs.size.m, 99999999);
  EXPECT_TRUE(io.WantTextInput);
  enter("12x");
  EXPECT_NE(widget("refused number"), nullptr);
  EXPECT_TRUE(io.WantTextInput);
  enter("99999999");
  EXPECT_EQ(widget("refused number"), nullptr);
  enter("128");
  EXPECT_EQ(workspace_.state().inputs.size.m, 128) << "what is typed next takes its place";
  EXPECT_FALSE(io.WantTextInput) << "one that is taken is left";
}

TEST_F(RightColumn, NoControlMovesWhenAChoiceBecomesIllegal) {
  choose("09_thread_tile_2d");
  frame(show_parameters_);
  ASSERT_TRUE(widget("legality") && widget("size M"));
  std::map<std::string, view::Box> before;
  for (const WidgetPlace& place : widgets_)
    if (place.name != "legality") before.insert({place.name, place.box});
  apply(session::SetSize{{99999999, 256, 64}});
  ASSERT_TRUE(settle());
  frame(show_parameters_);
  for (const auto& [name, box] : before) {
    if (name == "size y") continue;  // There is no grid.
    ASSERT_TRUE(widget(name)) << name;
    EXPECT_EQ(widget(name)->y, box.y) << name;
  }
}

TEST_F(RightColumn, TheEditorSendsItsTextAndRestoresTheOriginal) {
  choose("01_naive_rows");
  frame(show_code_);
  click(show_code_, "code Edit");
  frame(show_code_);
  EXPECT_TRUE(code_.editor.open);
  code_.editor.text += "// more\n";
  frame(show_code_);
  click(show_code_, "Run");
  ASSERT_NE(sent<session::EditSource>(), nullptr);
  EXPECT_THAT(sent<session::EditSource>()->edit.text, testing::EndsWith("// more\n"));
  click(show_code_, "Restore");
  EXPECT_NE(sent<session::RestoreSource>(), nullptr);
  EXPECT_EQ(code_.editor.text, workspace_.catalogue().kernels[0].source);
  click(show_code_, "Open in my editor");
  ASSERT_NE(sent<EditOutside>(), nullptr);
  EXPECT_EQ(sent<EditOutside>()->kernel, "01_naive_rows");
  frame(show_code_);
  EXPECT_NE(widget("kernel path"), nullptr);
  click(show_code_, "Close");
  frame(show_code_);
  EXPECT_EQ(widget("editor"), nullptr);
}

TEST_F(RightColumn, EscapeLeavesTheEditorWithWhatWasTyped) {
  choose("01_naive_rows");
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Escape] = 1;
  frame(show_code_);
  click(show_code_, "code Edit");
  for (int i = 0; i < 3; ++i) frame(show_code_);
  io.AddInputCharactersUTF8("typed ");
  frame(show_code_);
  io.AddInputCharactersUTF8("last");
  io.KeysDown[1] = true;
  frame(show_code_);
  io.KeysDown[1] = false;
  frame(show_code_);
  EXPECT_NE(code_.editor.text.find("typed last"), std::string::npos);
  EXPECT_EQ(ImGui::GetActiveID(), 0u);
}

TEST_F(RightColumn, AfterReturnTheNextLineBeginsAsFarIn) {
  choose("01_naive_rows");
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 1;
  frame(show_code_);
  click(show_code_, "code Edit");
  const auto type = [&](const char* text) {
    code_.editor.select = TextRange{code_.editor.cursor, code_.editor.cursor};
    for (int i = 0; i < 3; ++i) frame(show_code_);
    io.AddInputCharactersUTF8(text);
    for (int i = 0; i < 3; ++i) frame(show_code_);
    io.KeysDown[1] = true;
    frame(show_code_);
    io.KeysDown[1] = false;
    for (int i = 0; i < 3; ++i) frame(show_code_);
  };
  type("  int first;");
  type("int second;");
  type("\t{");
  io.AddInputCharactersUTF8("last");
  for (int i = 0; i < 3; ++i) frame(show_code_);
  EXPECT_THAT(code_.editor.text, testing::HasSubstr("  int first;\n  int second;\n  \t{\n  \tlast"));
}

TEST_F(RightColumn, TheEditorHasTheColoursOfTheReadingView) {
  choose("04_shared_tile");
  frame(show_code_);
  click(show_code_, "code Edit");
  frame(show_code_);
  std::set<ImU32> colours;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int i = 0; i < data.CmdListsCount; ++i)
    if (std::string_view(data.CmdLists[i]->_OwnerName).find("##text") != std::string_view::npos)
      for (const ImDrawVert& vertex : data.CmdLists[i]->VtxBuffer) colours.insert(vertex.col);
  for (const Ink each : {Ink::Keyword, Ink::Text, Ink::ArrayA, Ink::Faint})
    EXPECT_TRUE(colours.contains(palette_({each}))) << static_cast<int>(each);
}

TEST_F(RightColumn, TheEditorOpensWithItsLineInTheUpperThird) {
  choose("09_thread_tile_2d");
  cursor_to_line(51);
  const ImVec2 size{420, 360};
  frame(show_code_, size);
  click(show_code_, "code Edit", 0.5f, size);
  for (int i = 0; i < 8; ++i) frame(show_code_, size);
  const view::Box box = *widget("editor");
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (std::string_view(window->Name).find("##text") == std::string_view::npos) continue;
    const float line = 50 * ImGui::GetTextLineHeight() - window->Scroll.y;
    EXPECT_GT(line, 0);
    EXPECT_LT(line, box.height * 0.4f);
    return;
  }
  FAIL() << "there is no text";
}

TEST_F(RightColumn, TheEditorsButtonsAreInsideThePanelAndApart) {
  choose("09_thread_tile_2d");
  for (const float width : {420.f, 300.f, 230.f}) {
    const ImVec2 size{width, 600};
    code_ = CodeState();
    frame(show_code_, size);
    click(show_code_, "code Edit", 0.5f, size);
    for (int i = 0; i < 3; ++i) frame(show_code_, size);
    const view::Box* last = nullptr;
    for (const char* name : {"Run", "Restore", "Close", "Open in my editor"}) {
      const view::Box* const here = widget(name);
      ASSERT_NE(here, nullptr) << name;
      EXPECT_LE(here->right(), width) << name;
      EXPECT_TRUE(!last || here->x > last->right() || here->y >= last->bottom()) << name << " " << width;
      EXPECT_LE(here->y, 150) << name << ": a line for each would leave no room for the text";
      last = here;
    }
    if (width == 420) {
      EXPECT_EQ(widget("Run")->y, widget("Close")->y);
    }
  }
}

TEST_F(RightColumn, ResourcesAreInTwoColumnsWhereThePanelIsLowAndWideEnough) {
  choose("09_thread_tile_2d");
  const auto columns = [&](ImVec2 size) {
    for (int i = 0; i < 3; ++i) frame([&](const Context& c) { show_resources(c, 0, resources_); }, size);
    std::set<int> left;
    for (const WidgetPlace& place : widgets_)
      if (place.name.starts_with("figure ")) left.insert(static_cast<int>(place.box.x) / 50);
    return left.size();
  };
  EXPECT_EQ(columns({500, 130}), 2u);
  EXPECT_EQ(columns({500, 600}), 1u);
  EXPECT_EQ(columns({300, 130}), 1u);
}

TEST_F(RightColumn, TheEditorFinds) {
  choose("04_shared_tile");
  frame(show_code_);
  click(show_code_, "code Edit");
  for (int i = 0; i < 4; ++i) frame(show_code_);  // Until the keyboard is on the text.
  EXPECT_EQ(widget("find in text"), nullptr);
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 1;
  io.KeyMap[ImGuiKey_Escape] = 2;
  const auto press = [&](int key) {
    io.KeysDown[key] = true;
    frame(show_code_);
    io.KeysDown[key] = false;
    for (int i = 0; i < 3; ++i) frame(show_code_);
  };
  io.KeyCtrl = true;
  press('F');
  io.KeyCtrl = false;
  ASSERT_NE(widget("find in text"), nullptr);
  for (const char c : std::string("SYNCTHREADS")) {
    io.AddInputCharacter(static_cast<unsigned>(c));
    frame(show_code_);
  }
  const std::string& text = code_.editor.text;
  const auto first = static_cast<int>(text.find("syncthreads"));
  const auto second = static_cast<int>(text.find("syncthreads", static_cast<size_t>(first) + 1));
  EXPECT_EQ(code_.editor.find.match, first);
  press(1);
  EXPECT_EQ(code_.editor.find.match, second);
  press(1);
  EXPECT_EQ(code_.editor.find.match, first) << "around the end of the text";
  press(2);
  EXPECT_EQ(widget("find in text"), nullptr);
  frame(show_code_);
  EXPECT_EQ(code_.editor.selected, TextRange(first, first + 11))
      << "the keyboard is on the text, which is selected there";
}

TEST_F(RightColumn, TheEditorTakesBackAWordAtATime) {
  choose("01_naive_rows");
  frame(show_code_);
  click(show_code_, "code Edit");
  for (int i = 0; i < 4; ++i) frame(show_code_);  // Until the keyboard is on the text.
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Z] = 1;
  io.KeyMap[ImGuiKey_Backspace] = 2;
  const auto press = [&](int key) {
    io.KeysDown[key] = true;
    frame(show_code_);
    io.KeysDown[key] = false;
    frame(show_code_);
  };
  const auto undo = [&] {
    io.KeyCtrl = true;
    press(1);
    io.KeyCtrl = false;
  };
  const std::string before = code_.editor.text;
  const auto has = [&](const std::string& words) { return code_.editor.text.find(words) != std::string::npos; };
  for (const char c : std::string("first second")) {
    io.AddInputCharacter(static_cast<unsigned>(c));
    frame(show_code_);
  }
  ASSERT_TRUE(has("first second"));
  for (int i = 0; i < 4; ++i) press(2);
  ASSERT_TRUE(has("first se") && !has("first sec"));
  undo();
  EXPECT_TRUE(has("first second")) << "what was erased";
  undo();
  EXPECT_TRUE(has("first ") && !has("first s"));
  undo();
  EXPECT_EQ(code_.editor.text, before);
}

TEST_F(RightColumn, TheCaretStaysWhereItIsWhenTheTextDoesNotRun) {
  choose("01_naive_rows");
  cursor_to_line(9);
  frame(show_code_);
  click(show_code_, "code Edit");
  for (int i = 0; i < 4; ++i) frame(show_code_);
  const int cursor = code_.editor.cursor;
  ASSERT_GT(cursor, 0);
  apply(session::EditSource{{"#include \"/no/header.h\"\n" + code_.editor.text, ""}});
  ASSERT_TRUE(settle());
  ASSERT_TRUE(lists_problems(workspace_.current()));
  for (int i = 0; i < 4; ++i) frame(show_code_);
  EXPECT_EQ(code_.editor.cursor, cursor);
  click(show_code_, "problem 1");
  for (int i = 0; i < 4; ++i) frame(show_code_);
  EXPECT_EQ(code_.editor.cursor, 0) << "in line 1, which was clicked";
}

TEST_F(RightColumn, LongLinesOfTheEditorHaveABarThatScrollsThem) {
  choose("01_naive_rows");
  Context context;
  context.workspace = &workspace_;
  open_editor(context, 0, code_.editor);
  const auto show = [&](const std::string& text) {
    ImGui::ClearActiveID();
    code_.editor.text = "int a;\n" + text;
    for (int i = 0; i < 4; ++i) frame(show_code_);
  };
  show("int b;\n");
  EXPECT_EQ(widget("scroll of the text"), nullptr) << "all is in view";
  show(std::string(200, 'x') + "\n");
  ASSERT_NE(widget("scroll of the text"), nullptr);
  EXPECT_LE(widget("scroll of the text")->bottom(), 860);
  EXPECT_EQ(code_.editor.scroll, 0);
  move_mouse_to("scroll of the text", 0.1f);
  frame(show_code_);
  ImGui::GetIO().MouseDown[0] = true;
  frame(show_code_);
  move_mouse_to("scroll of the text", 0.2f);
  frame(show_code_);
  frame(show_code_);
  const float moved = code_.editor.scroll;
  EXPECT_GT(moved, 0);
  move_mouse_to("scroll of the text", 5);
  frame(show_code_);
  frame(show_code_);
  ImGui::GetIO().MouseDown[0] = false;
  frame(show_code_);
  const float end = longest_line(code_.editor.text);
  EXPECT_GT(code_.editor.scroll, moved);
  EXPECT_LT(code_.editor.scroll, end) << "the end of the line stays in view";
}

TEST(EditorText, ALineIsFoundAgainInAnEditedText) {
  const std::string text = "one\ntwo\ntwo\nthree\n";
  EXPECT_EQ(moved_line(text, text, 3), 3);
  EXPECT_EQ(moved_line(text, "new\n" + text, 4), 5);
  EXPECT_EQ(moved_line(text, "new\n" + text, 3), 4) << "the second of two equal ones";
  EXPECT_EQ(moved_line(text, "one\ntwo\ntwo\n3\n", 4), 0);
}

TEST(EditorText, MatchesAreInAnyCaseAndDoNotOverlap) {
  EXPECT_THAT(matches_of("aXaXa xax", "axa"), testing::ElementsAre(0));
  EXPECT_THAT(matches_of("ab AB aB", "ab"), testing::ElementsAre(0, 3, 6));
  EXPECT_THAT(matches_of("ab", ""), testing::IsEmpty());
  EXPECT_EQ(text_of_line("one\ntwo\nthree", 2), "two");
}

TEST_F(RightColumn, AnotherKernelClosesTheEditorAndKeepsWhatWasTyped) {
  choose("01_naive_rows");
  frame(show_code_);
  click(show_code_, "code Edit");
  frame(show_code_);
  code_.editor.text += "// more\n";
  const std::string typed = code_.editor.text;
  frame(show_code_);
  EXPECT_TRUE(widget("editor"));
  choose("02_naive_swapped");
  frame(show_code_);
  ASSERT_TRUE(sent<session::KeepEdit>());
  EXPECT_EQ(sent<session::KeepEdit>()->kernel, "01_naive_rows");
  apply(*sent<session::KeepEdit>());
  frame(show_code_);
  EXPECT_FALSE(widget("editor"));
  EXPECT_TRUE(widget("line 1"));
  click(show_code_, "code Edit");
  frame(show_code_);
  EXPECT_EQ(code_.editor.text, workspace_.current().kernel().source);
  choose("01_naive_rows");
  frame(show_code_);
  frame(show_code_);
  click(show_code_, "code Edit");
  frame(show_code_);
  EXPECT_EQ(code_.editor.text, typed);
  EXPECT_EQ(workspace_.current().kernel().source, typed) << "what is kept for a kernel is what runs";
}

/// A kernel whose file is written while it is on show.
class NewerFile : public RightColumn {
 protected:
  void SetUp() override {
    RightColumn::SetUp();
    std::filesystem::create_directories(folder_);
    kernel_ = *workspace_.find("01_naive_rows");
    kernel_.name = "mine";
    kernel_.file = folder_ / "01_naive_rows.cu";
    kernel_.is_users = true;
    write(kernel_.source);
    workspace_.open({kernel_, {}, {}, {}});
    ASSERT_TRUE(settle());
    ASSERT_FALSE(workspace_.watch_files());
    frame(show_code_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    RightColumn::TearDown();
  }
  void write(const std::string& text) {
    std::ofstream(kernel_.file) << text;
    std::filesystem::last_write_time(kernel_.file, std::filesystem::file_time_type() + std::chrono::seconds(++second_));
  }
  void edit(const std::string& more) {
    click(show_code_, "code Edit");
    frame(show_code_);
    code_.editor.text += more;
    frame(show_code_);
  }
  void write_theirs() {
    write(kernel_.source + "// theirs\n");
    ASSERT_TRUE(workspace_.watch_files());
    frame(show_code_);
  }
  void apply_all() {
    const std::vector<Command> commands = commands_;
    for (const Command& command : commands) apply(command);
    frame(show_code_);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("newer_file." + std::to_string(::getpid()));
  kernel::Kernel kernel_;
  int second_ = 0;
};

TEST_F(NewerFile, TypedTextIsKeptUntilTheUserTakesTheFile) {
  edit("// typed\n");
  EXPECT_EQ(widget("newer file"), nullptr);
  write_theirs();
  EXPECT_NE(widget("newer file"), nullptr);
  EXPECT_EQ(code_.editor.text, kernel_.source + "// typed\n");
  click(show_code_, "Take the file");
  apply_all();
  EXPECT_EQ(code_.editor.text, kernel_.source + "// theirs\n");
  EXPECT_EQ(workspace_.current().kernel().source, kernel_.source + "// theirs\n");
  EXPECT_EQ(widget("newer file"), nullptr);
  apply(session::Undo{});
  frame(show_code_);
  EXPECT_EQ(code_.editor.text, kernel_.source + "// typed\n") << "nothing is lost";
}

TEST_F(NewerFile, AKeptEditIsAskedAboutAgainOnlyWhenTheFileChangesAgain) {
  edit("// typed\n");
  click(show_code_, "Run");
  apply_all();
  write_theirs();
  EXPECT_NE(widget("newer file"), nullptr);
  click(show_code_, "Keep my edit");
  apply_all();
  EXPECT_EQ(widget("newer file"), nullptr);
  EXPECT_EQ(code_.editor.text, kernel_.source + "// typed\n");
  write(kernel_.source + "// theirs again\n");
  ASSERT_TRUE(workspace_.watch_files());
  frame(show_code_);
  EXPECT_NE(widget("newer file"), nullptr);
}

TEST_F(NewerFile, OneThatChangedWhileTheWindowWasClosedIsSaidBesideTheTextToo) {
  apply(session::KeepEdit{kernel_.file.string(), {"mine", "an earlier text"}});
  workspace_.open({kernel_, {}, {}, {}});
  ASSERT_TRUE(settle());
  frame(show_code_);
  EXPECT_EQ(workspace_.current().kernel().source, "mine");
  ASSERT_NE(widget("newer file"), nullptr);
  click(show_code_, "Take the file");
  apply_all();
  EXPECT_EQ(workspace_.current().kernel().source, kernel_.source);
  EXPECT_EQ(widget("newer file"), nullptr);
}

TEST_F(NewerFile, AnUntouchedTextFollowsItsFileThoughItHasTheKeyboard) {
  edit("");
  for (int i = 0; i < 3; ++i) frame(show_code_);
  ASSERT_NE(ImGui::GetActiveID(), 0u);
  write_theirs();
  EXPECT_EQ(widget("newer file"), nullptr);
  for (int i = 0; i < 3; ++i) frame(show_code_);
  ImGui::GetIO().AddInputCharacter('x');
  frame(show_code_);
  frame(show_code_);
  EXPECT_NE(code_.editor.text.find("// theirs\n"), std::string::npos);
  EXPECT_EQ(code_.editor.text.size(), kernel_.source.size() + sizeof "// theirs\n") << "and the x";
}

TEST_F(RightColumn, ATextThatIsTooLargeIsEditedOutside) {
  choose("01_naive_rows");
  apply(session::EditSource{{std::string(10 << 20, '/'), ""}});
  ASSERT_TRUE(settle());
  frame(show_code_);
  click(show_code_, "code Edit");
  frame(show_code_);
  EXPECT_EQ(widget("editor"), nullptr);
  EXPECT_EQ(widget("Run"), nullptr);
  EXPECT_NE(widget("Restore"), nullptr);
}

TEST_F(RightColumn, AKernelThatDoesNotCompileLeavesTheLastVersionMarked) {
  choose("01_naive_rows");
  apply(session::EditSource{{"nonsense", ""}});
  ASSERT_TRUE(settle());
  ASSERT_EQ(workspace_.experiment(0).progress(), session::Progress::Failed);
  frame(show_code_);
  EXPECT_NE(widget("stale"), nullptr);
  EXPECT_NE(widget("problem 1"), nullptr);
  EXPECT_NE(widget("line 1"), nullptr);
  Context context;
  context.workspace = &workspace_;
  open_editor(context, 0, code_.editor, 1);
  frame(show_code_);
  frame(show_code_);
  EXPECT_EQ(code_.editor.text, "nonsense");
  EXPECT_NE(widget("problem 1"), nullptr);
}

TEST_F(RightColumn, WhatIsAtNoLineOfTheProgramIsNotListedBesideIt) {
  apply(session::ChooseKernel{"11_warp_tile"});
  apply(session::SetParameter{"BM", 256});
  apply(session::SetParameter{"BN", 256});
  ASSERT_TRUE(settle());
  ASSERT_EQ(workspace_.experiment(0).progress(), session::Progress::Failed);
  ASSERT_FALSE(workspace_.experiment(0).problems().empty());
  EXPECT_FALSE(lists_problems(workspace_.experiment(0)));
  frame(show_code_);
  EXPECT_EQ(widget("problem 1"), nullptr) << "the stage says it";
}

TEST_F(RightColumn, TheTooltipComesAfterAMoment) {
  choose("09_thread_tile_2d");
  const auto show = [&](const Context& c) {
    if (c.hover_next) *c.hover_next = {Target::Kind::Element, Space::Global, "A", 7, 0};
    show_tooltip(c, tooltip_, 0);
  };
  move_mouse(100, 100);
  frame(show);
  frame(show);
  const int before = ImGui::GetDrawData()->TotalVtxCount;
  EXPECT_TRUE(moving_);
  for (int i = 0; i < 20; ++i) frame(show);
  EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, before + 100);
  EXPECT_FALSE(moving_);
}

TEST_F(RightColumn, NoPanelTakesLongForAFrame) {
  choose("11_warp_tile");
  const auto show = [&](const Context& c) {
    show_code(c, 0, code_);
    show_parameters(c, 0, parameters_);
    show_resources(c, 0, resources_);
    show_findings(c, 0, findings_);
  };
  for (int i = 0; i < 5; ++i) frame(show);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) frame(show);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  RecordProperty("milliseconds_a_frame", std::to_string(seconds * 10));
  EXPECT_LT(seconds, 2) << "20 ms a frame, for machines that are busy";
}

}  // namespace
}  // namespace tilescope::ui
