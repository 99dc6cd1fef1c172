#pragma once

#include <string>
#include <vector>

#include "view/picture.h"
#include "view/stage/thread_work.h"

namespace tilescope::view {

/// The format of an equation.
struct Writing {
  bool one_line = false;  ///< Names beside one another, else below.
  float size = 1;         ///< Of the names, in heights of text.
};

/// The thread's product at the cursor: sentences, and names of elements with the signs between them.
struct Equation {
  struct Word {
    std::string text;
    Ink ink = Ink::Text;
  };
  struct Line {
    std::vector<Word> words;
    bool names = false;
    bool begins_part = false;  ///< With a space above it.
  };
  std::vector<Line> lines;
  float size = 1;  ///< Writing::size
};

/// `values`: how many the thread's products multiply; 0 if not stated. Of products that tensor cores make
/// where they are shown.
Equation equation_of(const ThreadWork& work, size_t values, const Writing& writing);

/// Says what the numbers in the cells are.
void add_meaning_of_numbers(Equation& equation);

/// In pixels.
float width_of(const Equation& equation, const Canvas& canvas);
float height_of(const Equation& equation, const Canvas& canvas);
/// From its upper left corner; `closeness` below 1 brings the lines closer together.
void add_equation(const Equation& equation, Point at, float closeness, const Canvas& canvas, Picture& picture);

}  // namespace tilescope::view
