#include "cli/lesson_sheet.h"

#include <gmock/gmock.h>

namespace tilescope::cli {
namespace {
using testing::HasSubstr;

TEST(SheetHtml, HasTextTablesAndPictures) {
  const std::string html = sheet_html(
      "# Lesson 3\n\nIs `a < b`? *No*, **never**.\n\n![The step](step-01.png)\n\n| n | m |\n|---|---|\n| 1 | 2 |\n\n"
      "```cuda\nif (a && b) return;\n```\n\n- [ ] one\n- [ ] two\n",
      "3. \"Tiles\"", "en");
  EXPECT_THAT(html, HasSubstr("<title>3. &quot;Tiles&quot;</title>"));
  EXPECT_THAT(html, HasSubstr("<p>Is <code>a &lt; b</code>? <em>No</em>, <strong>never</strong>.</p>"));
  EXPECT_THAT(html, HasSubstr("<img src=\"step-01.png\" alt=\"The step\">"));
  EXPECT_THAT(html, HasSubstr("<tr><th>n</th><th>m</th></tr><tr><td>1</td><td>2</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<pre>if (a &amp;&amp; b) return;\n</pre>"));
  EXPECT_THAT(html, HasSubstr("<li>"));
}

}  // namespace
}  // namespace tilescope::cli
