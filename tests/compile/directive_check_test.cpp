#include <gtest/gtest.h>

#include "compile/request_check.h"

namespace tilescope::compile {
namespace {

std::string check(std::string source) {
  Request request;
  request.source = std::move(source);
  request.file_name = "k.cu";
  return to_string(check_directives(request));
}

constexpr const char* kOnlyPlainNames =
    " is not accepted: only CUDA's own headers can be included, by their plain names. Put what the kernel needs in "
    "this "
    "file.";

TEST(Directives, PlainNamesPass) {
  EXPECT_EQ(check("#include <cuda_fp16.h>\n#include \"cuda/barrier\"\n  # include <a.b/c..d>\n"), "");
}

TEST(Directives, AbsolutePathIsRefusedWithItsPlace) {
  EXPECT_EQ(check("int x;\n  #include \"/etc/passwd\" // no\n"),
            std::string("k.cu:2:3: error: #include \"/etc/passwd\"") + kOnlyPlainNames +
                "\n    #include \"/etc/passwd\" // no\n    ^");
}

TEST(Directives, WaysToWriteAPathThatLeavesTheFolder) {
  for (const char* name :
       {"\"../x\"", "<../x>", "\"a/../../x\"", "<a/..>", "</etc/passwd>", "\"..\"", "\"a\\..\\b\"", "\"\""})
    EXPECT_NE(check(std::string("#include ") + name).find(std::string("error: #include ") + name + kOnlyPlainNames),
              std::string::npos)
        << name;
}

TEST(Directives, WaysToWriteTheDirective) {
  for (const char* text :
       {"#include\"/x\"", "#\tinclude </x>", "%:include </x>", "%: include </x>", "#inc\\\nlude \"/x\"",
        "#\\\r\ninclude \"/x\"", "/* c */ # /* c */ include /* c\n */ \"/x\"", "/* \n */#include \"/x\"",
        "\f\v#\finclude \"/x\"", "\xef\xbb\xbf#include \"/x\"", "#if 0\nlet's /*\n#endif\n#include \"/x\"\n*/",
        "// c \\ \n#include \"/x\"", "int i = 1'0 + '/*';\n#include \"/x\"\n", "char c = '\"';\n#include \"/x\"",
        "const char* s = \"\\\\\";\n#include \"/x\"\n\"", "R\"(\n)\"\n#include \"/x\"",
        "fooR\"(\"\n#include \"/x\"\n)\"", "R\"a b(\"\n#include \"/x\"\n", "%\\\n:include </x>"})
    EXPECT_NE(check(text).find(kOnlyPlainNames), std::string::npos) << text;
}

TEST(Directives, WhatIsNoDirectivePasses) {
  for (const char* text :
       {"// #include \"/x\"", "// c \\\n#include \"/x\"", "/*\n#include \"/x\"\n*/", "int a; #include \"/x\"",
        "R\"(\n#include \"/x\"\n)\"", "u8R\"ab(\n)\"\n#include \"/x\"\n)ab\"", "const char* s = \"\\\n#include /x\";",
        "#define S R\"(\n#include \"/x\"\n)\"", "#includes \"/x\"", "#define include", "#pragma unroll\n#error x\n#\n",
        "// a\r#include \"/x\""})
    EXPECT_EQ(check(text), "") << text;
}

TEST(Directives, MacroAsNameIsRefused) {
  EXPECT_EQ(check("#define H </x>\n#include H\n"),
            "k.cu:2:1: error: #include of a macro is not accepted; write the header's name.\n  #include H\n  ^");
  EXPECT_NE(check("#include \"x\n"), "");
  EXPECT_NE(check("#include"), "");
}

TEST(Directives, OtherWaysToReadAFile) {
  EXPECT_EQ(check("#include_next <x>"),
            "k.cu:1:1: error: #include_next is not accepted; put what the kernel needs in this file.\n"
            "  #include_next <x>\n  ^");
  EXPECT_NE(check("#embed \"x\""), "");
  EXPECT_NE(check("#import \"x\""), "");
}

TEST(Directives, HasInclude) {
  EXPECT_EQ(check("#ifdef __has_include\n#if defined(__has_include) && __has_include(<cuda_fp16.h>)\n#endif\n#endif"),
            "");
  constexpr const char* message =
      "error: __has_include is accepted only in #if and #elif, with the plain name of one of CUDA's headers.";
  for (const char* text : {"#if __has_include(\"/x\")", "#if 1\n#elif __has_include ( <../x> )", "#if __has_include(X)",
                           "#define H __has_include", "#if __has_inc\\\nlude(\"/x\")", "#if __has_include_next(</x>)",
                           "#if __has_embed(\"/x\")"})
    EXPECT_NE(check(text).find(message), std::string::npos) << text;
}

TEST(Directives, LinesKeepTheirNumbers) {
  EXPECT_EQ(
      check("#line 7 \"x\"\n"),
      "k.cu:1:1: error: #line is not accepted; it would hide which line is meant: take it out.\n  #line 7 \"x\"\n  ^");
  EXPECT_EQ(
      check("# 7 \"x\"\n"),
      "k.cu:1:1: error: a line marker is not accepted; it would hide which line is meant: take it out.\n  # 7 \"x\"\n"
      "  ^");
}

TEST(Directives, Trigraphs) {
  EXPECT_EQ(check("?\?=include </x>"),
            "k.cu:1:1: error: the trigraph ?\?= is not accepted; write #.\n  ?\?=include </x>\n  ^");
  EXPECT_EQ(check("int a; // ?\?/\n"),
            "k.cu:1:11: error: the trigraph ?\?/ is not accepted; write \\.\n  int a; // ?\?/\n            ^");
}

TEST(Directives, WhatIsCutOffHidesNothingBehindIt) {
  for (const std::string text : {"", "\\", "\\\n", "#", "%:", "//", "\"", "'", "R\"", "#include <",
                                 "#if __has_include(", "1e+", "1'", "\xff\xfe#\n", "#include \"\\\n"})
    EXPECT_NE(check(text + "\n#include \"/etc/passwd\"\n"), check("")) << text;
  for (const std::string open : {"/*", "R\"("}) EXPECT_EQ(check(open + "\n#include \"/etc/passwd\"\n"), "") << open;
}

std::string refusals(const Request& request) { return to_string(check_request(request)); }

TEST(RequestCheck, Limits) {
  Request request{.source = std::string(10'000'000, ' '), .file_name = "k.cu"};
  EXPECT_EQ(refusals(request), "k.cu: error: the source is 10000000 bytes; the limit is 1048576. Make it smaller.");
  request.source = std::string("\nint\0x", 6);
  EXPECT_EQ(refusals(request), "k.cu:2: error: the source holds a NUL byte; give a text file.");
}

TEST(RequestCheck, Macros) {
  Request request{
      .source = "", .file_name = "k.cu", .macros = {{"1A", "1"}, {"B", "1\n#include </x>"}, {"C", "1"}, {"C", "2"}}};
  EXPECT_EQ(refusals(request),
            "error: \"1A\" cannot name a macro: use letters, digits and _, and begin with a letter.\n"
            "error: the value of the macro B must be one line of at most 10000 bytes.\n"
            "error: the macro C is defined twice; give it once.");
}

TEST(RequestCheck, ArchitectureAndOptions) {
  Request request{.source = "", .file_name = "k.cu", .arch = "sm_90 -I/"};
  EXPECT_EQ(refusals(request), "error: \"sm_90 -I/\" is not an architecture; write it as sm_90.");
  request.arch = "sm_90a";
  request.options = {"--maxrregcount=64", "--use_fast_math"};
  EXPECT_EQ(refusals(request), "");
  request.options = {"--maxrregcount=", "-I/etc"};
  const std::string found = refusals(request);
  EXPECT_NE(found.find("error: the option \"--maxrregcount=\" is not accepted; these are: --use_fast_math, "),
            found.npos);
  EXPECT_NE(found.find("error: the option \"-I/etc\" is not accepted; "), found.npos);
}

TEST(ParseMacro, NameAndValue) {
  EXPECT_EQ(parse_macro("BM=64"), (Macro{"BM", "64"}));
  EXPECT_EQ(parse_macro("F=a==b"), (Macro{"F", "a==b"}));
  EXPECT_EQ(parse_macro("F"), (Macro{"F", ""}));
}

TEST(LineAt, CountsFromOne) {
  EXPECT_EQ(line_at("a\r\nb\n", 1), "a");
  EXPECT_EQ(line_at("a\r\nb\n", 2), "b");
  EXPECT_EQ(line_at("a\r\nb\n", 3), "");
  EXPECT_EQ(line_at("a", 0), "");
}

}  // namespace
}  // namespace tilescope::compile
