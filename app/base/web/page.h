#pragma once

// What the page does for the program: the functions of web/library.js. Sizes and places are in pixels of the canvas,
// which has as many as the display under it.

extern "C" {

/// As JavaScript writes it into memory; see web/page.js.
struct PageEvent {
  enum Kind : int { Key = 1, Character, Button, Move, Scroll, Focus, Enter, Resize, Drop, ContextRestored };
  int kind;
  int code, action, mods;  ///< Of GLFW; a character's code.
  double x, y;
  char text[512];  ///< What a key prints, or the path of a file that was dropped.
};
/// The next event since the page last asked for a turn; false: there is none.
bool page_take_event(PageEvent* event);

int page_width();
int page_height();
/// Pixels of the canvas by the page's own.
double page_density();
void page_set_cursor(const char* css);
/// Leaves or takes the whole screen, where the browser lets it.
void page_set_fullscreen(bool on);
/// What the user pasted last; the caller frees it.
char* page_clipboard();
void page_copy(const char* text);
/// Seconds until the next turn: 0 for the next frame of the browser.
void page_ask_for_turn(double seconds);
/// Calls page_work() of turns.cpp after this turn, on a stack of its own.
void page_begin_work();
/// Leaves that stack until the turns that are due have passed.
void page_pause();
/// The part of the page's address behind '#', the rest of it, and the language that the browser asks for; the caller
/// frees them.
char* page_fragment();
char* page_address();
char* page_language();
/// The file becomes a download of the user's, and is gone here.
void page_download(const char* path);
/// The files of the state folder are kept from now on.
void page_keep_files();
/// All that ships has been loaded.
bool page_has_all_files();
/// The first frame is there.
void page_show();
/// The program ended: the page shows what it printed last.
void page_fail();

}  // extern "C"
