#include "ui/launch_form.h"

#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "kernel/open_file.h"
#include "panel_fixture.h"
#include "ui/editor.h"

namespace tilescope::ui {
namespace {
using testing::HasSubstr;

constexpr const char* kProduct =
    "__global__ void product(const float* A, const float* B, float* C, int m, int n, int k) {\n"
    "  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];\n"
    "  C[row * n + column] = sum;\n"
    "}\n";

class LaunchFormPanel : public PanelFixture {
 protected:
  void SetUp() override {
    PanelFixture::SetUp();
    open_without_description(TILESCOPE_SOURCE_DIR "/tests/homework/vector_add.cu");
  }
  void open_without_description(const std::filesystem::path& file) {
    Result<kernel::Opened> opened = kernel::open_file(file, {"", {}, true});
    ASSERT_TRUE(opened) << to_string(opened.errors());
    workspace_.open(std::move(*opened));
    settle();
  }
  void open_text(const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / fmt::format("own-{}.cu", ::getpid());
    ASSERT_TRUE(write_file(file, text));
    open_without_description(file);
    std::filesystem::remove(file);
    show();
    show();
  }
  /// Those of M, N and K that have a field.
  std::string sizes() const {
    std::string names;
    for (const char* name : {"M", "N", "K"}) names += widget(std::string("form ") + name) ? name : "";
    return names;
  }
  std::function<void(const Context&)> panel_ = [this](const Context& context) { show_launch_form(context, kept_); };
  void show() { frame(panel_); }
  const kernel::LaunchForm& form() const { return workspace_.form()->form; }
  const kernel::FormArgument& argument(const std::string& name) const {
    for (const kernel::FormArgument& each : form().arguments)
      if (each.parameter == name) return each;
    ADD_FAILURE() << name;
    return form().arguments.front();
  }

  void type(const std::string& text) {
    for (const char c : text) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
    show();
  }

  LaunchFormState kept_;
};

TEST_F(LaunchFormPanel, HasAFieldForWhatTheKernelNeeds) {
  show();
  show();
  EXPECT_TRUE(has_open_form(workspace_));
  for (const kernel::FormArgument& each : form().arguments) EXPECT_NE(widget("form " + each.parameter), nullptr);
  for (const char* name : {"form N", "form block", "form grid", "form shared bytes", "form save"})
    EXPECT_NE(widget(name), nullptr) << name;
  EXPECT_TRUE(commands_.empty()) << "nothing was changed";
}

TEST_F(LaunchFormPanel, HasTheSizesThatTheLaunchUses) {
  show();
  show();
  EXPECT_EQ(sizes(), "N");
  kernel::LaunchForm changed = form();
  changed.grid = "ceil_div(N, 256), K";
  apply(session::FillForm{changed});
  show();
  show();
  EXPECT_EQ(sizes(), "NK");
  open_text(kProduct);
  EXPECT_EQ(sizes(), "MNK");
  open_text("__global__ void squares(float* out) { out[threadIdx.x] = threadIdx.x * threadIdx.x; }\n");
  EXPECT_EQ(sizes(), "");
}

TEST_F(LaunchFormPanel, HasTheSizesThatTheReferencesLaunchUses) {
  open_text(
      "__global__ void fast(float* out, int n, int k) { if (threadIdx.x < 64) out[threadIdx.x] = 0; }\n"
      "__global__ void plain(float* out, int n, int k) { if (threadIdx.x < 64) out[threadIdx.x] = 0; }\n"
      "void run(float* out, int n, int k) {\n"
      "  fast<<<1, 64>>>(out, 64, 3);\n"
      "  plain<<<k, 64>>>(out, n, k);\n"
      "}\n");
  kernel::LaunchForm changed = form();
  for (kernel::FormArgument& each : changed.arguments) (each.is_array ? each.shape : each.value) = "64";
  changed.block = "64";
  changed.grid = "1";
  apply(session::FillForm{changed});
  ASSERT_TRUE(workspace_.form()->problems.empty()) << to_string(workspace_.form()->problems);
  show();
  show();
  EXPECT_EQ(sizes(), "");
  changed.reference = "plain";
  apply(session::FillForm{changed});
  show();
  show();
  EXPECT_EQ(sizes(), "K");
}

TEST_F(LaunchFormPanel, AWrongTextInASizeThatIsNoLongerUsedHindersNothing) {
  show();
  show();
  click(panel_, "form N");
  type("1x2");
  click(panel_, "form grid");
  show();
  ASSERT_NE(widget("form problem N"), nullptr);
  kernel::LaunchForm changed = form();
  for (kernel::FormArgument& each : changed.arguments) (each.is_array ? each.shape : each.value) = "64";
  changed.grid = "1";
  apply(session::FillForm{changed});
  show();
  show();
  EXPECT_EQ(sizes(), "");
  EXPECT_EQ(widget("form problem N"), nullptr);
}

TEST_F(LaunchFormPanel, AnOpenedFileIsFoundAgainWithItsForm) {
  const std::string first = workspace_.current().inputs().kernel;
  kernel::LaunchForm changed = form();
  changed.block = "64";
  apply(session::FillForm{changed});
  Result<kernel::Opened> second = kernel::open_file(TILESCOPE_SOURCE_DIR "/examples/scan.cu");
  ASSERT_TRUE(second);
  const std::string scan = second->kernel.name;
  workspace_.open(std::move(*second));
  EXPECT_EQ(workspace_.form(), nullptr);
  EXPECT_EQ(workspace_.opened(), (std::vector<std::string>{scan, first}));
  apply(session::ChooseKernel{first});
  ASSERT_TRUE(workspace_.form());
  EXPECT_EQ(form().block, "64");
  apply(session::ChooseKernel{scan});
  EXPECT_EQ(workspace_.state().inputs.size, (kernel::Size{1, 1024, 1}));
}

TEST_F(LaunchFormPanel, AFileThatIsOpenedAgainHasTheFormThatWasFilledInForIt) {
  kernel::LaunchForm changed = form();
  changed.block = "64";
  changed.arguments.back().value = "1000";
  apply(session::FillForm{changed});
  kernel::LaunchForm wrong = changed;
  wrong.grid = "N /";
  apply(session::FillForm{wrong});
  const auto opened_with = [](std::map<std::string, kernel::LaunchForm> forms) {
    Result<kernel::Opened> opened =
        kernel::open_file(TILESCOPE_SOURCE_DIR "/tests/homework/vector_add.cu", {"", {}, true});
    kernel::take_form(*opened, forms);
    return *opened;
  };
  const auto& forms = workspace_.state().forms;
  ASSERT_EQ(forms.size(), 1u);
  const kernel::Opened opened = opened_with(forms);
  EXPECT_EQ(*opened.form, changed) << "the last valid one";
  EXPECT_EQ(opened.kernel.description.block.front().text, "64");
  auto others = forms;
  others.begin()->second.arguments.pop_back();
  EXPECT_NE(opened_with(others).form->block, "64") << "it has other arguments";
  others = forms;
  others.begin()->second.block = "no number";
  EXPECT_NE(opened_with(others).form->block, "no number");
}

TEST_F(LaunchFormPanel, WhatIsOnShowIsStaleWhileAFieldIsWrong) {
  const kernel::LaunchForm right = form();
  kernel::LaunchForm wrong = right;
  wrong.grid = "N /";
  apply(session::FillForm{wrong});
  EXPECT_TRUE(workspace_.current().refused());
  EXPECT_TRUE(workspace_.current().stale());
  apply(session::FillForm{right});
  EXPECT_FALSE(workspace_.current().refused());
}

TEST_F(LaunchFormPanel, TheEditorMarksWhatTheUsersFileDoesNotHave) {
  EditorState editor;
  const Context context = next_context(hover_);
  open_editor(context, 0, editor, 1);
  EXPECT_TRUE(editor.original.contains("}"));
  EXPECT_FALSE(editor.original.contains("a line of none"));
}

TEST_F(LaunchFormPanel, AChangeIsTheKernelsDescriptionAtOnce) {
  kernel::LaunchForm changed = form();
  changed.block = "64";
  changed.arguments.back().value = "1000";
  apply(session::FillForm{changed});
  const kernel::Description& now = workspace_.current().kernel().description;
  EXPECT_EQ(now.block.front().text, "64");
  EXPECT_EQ(now.arguments.back().value.text, "1000");
  EXPECT_TRUE(workspace_.form()->problems.empty());
}

TEST_F(LaunchFormPanel, TheBlocksToChooseFromAreThoseOfTheForm) {
  ParametersState parameters;
  const auto blocks = [&] {
    frame([&](const Context& context) { show_sizes_and_block(context, 0, parameters); });
    return parameters.panel.last().grid.x;
  };
  EXPECT_NE(blocks(), 7u);
  kernel::LaunchForm changed = form();
  changed.grid = "7";
  apply(session::FillForm{changed});
  settle();
  EXPECT_EQ(blocks(), 7u);
}

TEST_F(LaunchFormPanel, FieldsThatAreNoDescriptionLeaveTheLastOne) {
  const std::string before = workspace_.current().kernel().description.text;
  kernel::LaunchForm changed = form();
  changed.grid = "ceil_div(N";
  apply(session::FillForm{changed});
  ASSERT_FALSE(workspace_.form()->problems.empty());
  EXPECT_THAT(workspace_.form()->problems.front().message.text(), HasSubstr("ceil_div(N"));
  EXPECT_EQ(workspace_.current().kernel().description.text, before);
}

TEST_F(LaunchFormPanel, WhatIsWrongStandsAtItsField) {
  show();
  show();
  EXPECT_EQ(widget("form problem grid"), nullptr);
  kernel::LaunchForm changed = form();
  changed.grid = "ceil_div(N";
  apply(session::FillForm{changed});
  show();
  show();
  ASSERT_NE(widget("form problem grid"), nullptr);
  EXPECT_GE(widget("form problem grid")->y, widget("form grid")->y + widget("form grid")->height);
  EXPECT_LE(widget("form problem grid")->y, widget("form shared bytes")->y);
  EXPECT_FALSE(lists_problems(workspace_.current())) << "it is at no line of the program";
  changed.grid = "1";
  changed.block = "4096";
  apply(session::FillForm{changed});
  show();
  show();
  EXPECT_EQ(widget("form problem grid"), nullptr);
  EXPECT_NE(widget("form problem block"), nullptr) << "a launch that no GPU takes";
}

TEST_F(LaunchFormPanel, ASizeThatIsNoNumberIsRefusedWithASentence) {
  show();
  show();
  const kernel::Size before = workspace_.current().inputs().size;
  click(panel_, "form N");
  type("1x2");
  show();
  EXPECT_EQ(widget("form problem N"), nullptr) << "it is being typed";
  click(panel_, "form grid");
  show();
  EXPECT_NE(widget("form problem N"), nullptr);
  EXPECT_EQ(workspace_.current().inputs().size, before);
}

TEST_F(LaunchFormPanel, OneSizeThatIsOutOfRangeIsTheOnlyOneThatIsWrong) {
  open_text(kProduct);
  const kernel::LaunchForm before = form();
  const float width = widget("form N")->width;
  kept_.typed[1] = "0";
  for (int i = 0; i < 70; ++i) show();
  EXPECT_NE(widget("form problem N"), nullptr);
  EXPECT_EQ(widget("form problem M"), nullptr);
  EXPECT_EQ(widget("form problem M, N, K"), nullptr);
  EXPECT_EQ(form(), before);
  kept_.typed[1] = "2000000000000000000000000";
  show();
  EXPECT_NE(widget("form problem N"), nullptr);
  EXPECT_GT(widget("form N")->width, width) << "its end is seen";
}

TEST_F(LaunchFormPanel, AFieldIsLaunchedWhenItIsLeft) {
  show();
  show();
  const std::string grid = "grid", block = "block";
  for (const auto& [field, next] : {std::pair(grid, block), std::pair(block, grid)}) {
    click(panel_, "form " + field);
    for (const char* digit : {"6", "4"}) {
      type(digit);
      EXPECT_EQ(sent<session::FillForm>(), nullptr) << field;
    }
    click(panel_, "form " + next);
    const auto* filled = sent<session::FillForm>();
    ASSERT_NE(filled, nullptr) << field;
    EXPECT_EQ(field == grid ? filled->form.grid : filled->form.block, "64");
    apply(session::FillForm{filled->form});
  }
  click(panel_, "form N");
  type("512");
  EXPECT_EQ(sent<session::SetSize>(), nullptr);
  click(panel_, "form grid");
  ASSERT_NE(sent<session::SetSize>(), nullptr);
  EXPECT_EQ(sent<session::SetSize>()->size.n, 512);
}

TEST_F(LaunchFormPanel, AFieldIsLaunchedAfterARestInTyping) {
  show();
  show();
  click(panel_, "form grid");
  type("64");
  double waited = 0;
  for (; waited < 3 && !sent<session::FillForm>(); waited += ImGui::GetIO().DeltaTime) {
    EXPECT_TRUE(moving_) << "a frame follows";
    show();
  }
  EXPECT_GT(waited, 0.5);
  ASSERT_NE(sent<session::FillForm>(), nullptr);
  EXPECT_EQ(sent<session::FillForm>()->form.grid, "64");
}

TEST_F(LaunchFormPanel, ASizeIsAGuessUntilItIsTyped) {
  const std::string other = form().arguments.front().parameter, array = form().arguments[1].parameter;
  show();
  show();
  click(panel_, "form " + array);
  type("2*N");
  click(panel_, "form grid");
  for (const Command& command : commands_) apply(command);
  EXPECT_EQ(argument(array).shape, "2*N");
  EXPECT_TRUE(workspace_.form()->problems.empty()) << to_string(workspace_.form()->problems);
  EXPECT_FALSE(argument(array).guessed);
  EXPECT_TRUE(argument(other).guessed);
  for (const kernel::Array& each : workspace_.current().kernel().description.arrays)
    EXPECT_EQ(each.guessed, each.name != array) << each.name;
}

TEST_F(LaunchFormPanel, AClickSaysWhetherAnArrayIsWritten) {
  const std::string array = form().arguments.front().parameter;
  ASSERT_EQ(argument(array).role, "input");
  show();
  show();
  click(panel_, "role " + array + " both");
  for (const Command& command : commands_) apply(command);
  EXPECT_EQ(argument(array).role, "inout");
}

TEST_F(LaunchFormPanel, AnotherKernelOrAPresentationHidesIt) {
  apply(session::SetPresent{true});
  EXPECT_FALSE(has_open_form(workspace_));
  apply(session::SetPresent{false});
  apply(session::ShowForm{false});
  EXPECT_FALSE(has_open_form(workspace_));
  apply(session::ShowForm{});
  EXPECT_TRUE(has_open_form(workspace_));
  apply(session::ChooseKernel{"01_naive_rows"});
  EXPECT_EQ(workspace_.form(), nullptr);
}

TEST_F(LaunchFormPanel, ItIsSavedByACommand) {
  show();
  show();
  click(panel_, "form save");
  const auto* save = sent<SaveDescription>();
  ASSERT_NE(save, nullptr);
  EXPECT_FALSE(save->replaces);
}

}  // namespace
}  // namespace tilescope::ui
