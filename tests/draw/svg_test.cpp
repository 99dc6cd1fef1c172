#include "draw/svg.h"

#include <gtest/gtest.h>

namespace tilescope::draw {
namespace {
using view::Align;
using view::Font;
using view::Ink;

TEST(Svg, APictureWithEveryShapeIsThisText) {
  view::Picture picture{100, 50, 1, {}, {}, {}};
  picture.add(view::Rectangle{{1, 2, 30, 20}, {Ink::Raised}, {Ink::Line, 0.5f}, 2, 4});
  picture.add(view::Rectangle{{1, 2, 30, 20}});
  picture.add(view::Polyline{{{0, 0}, {10, 5.5f}}, {Ink::Accent}, 1.5f, true});
  picture.add(view::Label{{5, 10}, "A < \"B\" & C\x01", {Ink::Text}, Font::Bold, 10, Align::Centre, Align::Centre});
  picture.add(view::Label{{0, 0}, "k", {Ink::Faint}, Font::Mono, 10});
  picture.add(view::Cells{{0, 0, 40, 10}, 1, 4, 0, {{Ink::ArrayA}, {Ink::ArrayA}, {Ink::ArrayB, 0}, {Ink::ArrayB}}});
  picture.add(view::Cells{{0, 20, 20, 10}, 1, 2, 2, {{Ink::ArrayA}, {Ink::ArrayA}}});
  EXPECT_EQ(to_svg(picture, dark_palette()),
            R"(<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100.00 50.00">
<rect x="0.00" y="0.00" width="100.00" height="50.00" fill="#1a1e25"/>
<rect x="1.00" y="2.00" width="30.00" height="20.00" rx="4.00" fill="#262d37" stroke="#333b46" stroke-opacity="0.5" stroke-width="2.00"/>
<polyline points="0.00,0.00 10.00,5.50" fill="none" stroke="#f0e442" stroke-width="1.50" stroke-dasharray="4 4"/>
<text x="5.00" y="13.60" font-size="10.00" font-family="Inter, DejaVu Sans, sans-serif" font-weight="600" text-anchor="middle" fill="#d3d9e1" xml:space="preserve">A &lt; &quot;B&quot; &amp; C</text>
<text x="0.00" y="8.60" font-size="10.00" font-family="JetBrains Mono, DejaVu Sans Mono, monospace" fill="#98a2b0" xml:space="preserve">k</text>
<g shape-rendering="crispEdges">
<rect x="0.00" y="0.00" width="20.00" height="10.00" fill="#e69f00"/>
<rect x="30.00" y="0.00" width="10.00" height="10.00" fill="#56b4e9"/>
</g>
<g shape-rendering="crispEdges">
<rect x="1.00" y="21.00" width="8.00" height="8.00" fill="#e69f00"/>
<rect x="11.00" y="21.00" width="8.00" height="8.00" fill="#e69f00"/>
</g>
</svg>
)");
}

TEST(Svg, CellsWhoseColoursAreNotTheirNumberAreLeftOut) {
  view::Picture picture{10, 10, 2, {}, {}, {}};
  picture.add(view::Cells{{0, 0, 10, 10}, 2, 2, 0, {{Ink::ArrayA}}});
  EXPECT_EQ(to_svg(picture, dark_palette()).find("<g"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::draw
