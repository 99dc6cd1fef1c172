#include "ui/file_chooser.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "base/words.h"
#include "kernel/open_file.h"
#include "lesson/tour.h"
#include "ui/scoped.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace fs = std::filesystem;
namespace {

constexpr float kPathWidth = 520;
constexpr int kFilesInSight = 9;

bool may_be_opened(const std::string& file) {
  return kernel::is_kernel_file(file) || lesson::is_tour_file(file) || file.ends_with(".json");
}

/// The folders, and the files that can be opened, whose paths begin with what is typed.
std::vector<std::string> files_like(const std::string& typed) {
  const fs::path folder = fs::path(typed).parent_path();
  const std::string begin = fs::path(typed).filename().string();
  std::vector<std::string> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, none)) {
    const std::string name = entry.path().filename().string();
    const bool is_folder = entry.is_directory(none), is_hidden = name.starts_with('.') && begin.empty();
    if (!name.starts_with(begin) || is_hidden || (!is_folder && !may_be_opened(name))) continue;
    found.push_back((folder / name).string() + (is_folder ? "/" : ""));
  }
  std::ranges::sort(found);
  return found;
}

bool is_folder(const std::string& path) { return path.ends_with('/'); }

/// "sub/", "scan.cu"
std::string last_part(const std::string& path) {
  return path.substr(path.find_last_of('/', path.size() - (is_folder(path) ? 2 : 1)) + 1);
}

/// What all begin with.
std::string common_begin(const std::vector<std::string>& paths) {
  std::string begin = paths.front();
  for (const std::string& path : paths)
    begin.resize(static_cast<size_t>(std::ranges::mismatch(begin, path).in1 - begin.begin()));
  return begin;
}

}  // namespace

void FileChooser::start(std::string path) {
  std::error_code none;
  go_to(path.empty() ? (fs::current_path(none) / "").string() : std::move(path));
}

void FileChooser::go_to(std::string path) {
  path_ = std::move(path);
  focuses_ = is_new_ = true;
}

void FileChooser::look() {
  if (listed_ == path_) return;
  listed_ = path_;
  files_ = files_like(path_);
  chosen_ = -1;
}

/// What ImGui calls while a path is typed.
struct FileChooser::Callback {
  static int call(ImGuiInputTextCallbackData* data) {
    FileChooser& own = *static_cast<FileChooser*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) {
      const int last = static_cast<int>(own.files_.size()) - 1;
      own.chosen_ = std::clamp(own.chosen_ + (data->EventKey == ImGuiKey_UpArrow ? -1 : 1), std::min(0, last), last);
    } else if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion && !own.files_.empty()) {
      const std::string text =
          own.chosen_ >= 0 ? own.files_[static_cast<size_t>(own.chosen_)] : common_begin(own.files_);
      data->DeleteChars(0, data->BufTextLen);
      data->InsertChars(0, text.c_str());
    } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) {
      if (std::exchange(own.is_new_, false))
        data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
      // Who types a whole path behind what is there means that path.
      const size_t begins = std::string_view(data->Buf, static_cast<size_t>(data->BufTextLen)).rfind("//");
      if (begins != std::string_view::npos) data->DeleteChars(0, static_cast<int>(begins) + 1);
    }
    return 0;
  }
};

/// A folder is gone into, so that only a file is entered.
bool FileChooser::enter() {
  std::error_code none;
  if (chosen_ >= 0) path_ = files_[static_cast<size_t>(chosen_)];
  if (!fs::is_directory(path_, none)) return true;
  go_to((fs::path(path_) / "").string());
  return false;
}

bool FileChooser::show(const Context& context) {
  constexpr int kFlags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion |
                         ImGuiInputTextFlags_CallbackHistory | ImGuiInputTextFlags_CallbackAlways;
  ImGui::SetNextItemWidth(kPathWidth * context.scale);
  if (std::exchange(focuses_, false)) ImGui::SetKeyboardFocusHere();
  bool entered = ImGui::InputText("##path", &path_, kFlags, Callback::call, this);
  context.note_widget("state path");
  ImGui::SameLine();
  entered |= ImGui::Button((std::string(tr("Open")) + "###open").c_str());
  context.note_widget("open state");
  look();
  if (files_.empty()) {
    show_text(context, tr("No .cu file, saved state, tour or folder begins like this."), view::Ink::Faint);
    return entered && enter();
  }
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const Child list("files",
                   {0, line * static_cast<float>(std::min<int>(kFilesInSight, static_cast<int>(files_.size())))});
  for (int i = 0; i < static_cast<int>(files_.size()); ++i) {
    const std::string name = last_part(files_[static_cast<size_t>(i)]);
    if (ImGui::Selectable(name.c_str(), i == chosen_)) {
      chosen_ = i;
      entered = true;
    }
    if (i == chosen_) ImGui::SetScrollHereY();
    context.note_widget("file " + name);
  }
  return entered && enter();
}

}  // namespace tilescope::ui
