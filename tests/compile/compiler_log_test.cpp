#include <gtest/gtest.h>

#include "compile/compiler_log.h"

namespace tilescope::compile {
namespace {

Request request_for(std::string source) { return {.source = std::move(source), .file_name = "/home/u/k.cu"}; }

TEST(CompilerLog, PlacesAreTheRequestsOwn) {
  const CompilerLog log = read_log(
      "k.cu(2): error: identifier \"x\" is undefined\n"
      "  \tint y = x;\n"
      "  \t        ^\n"
      "          detected during instantiation of something\n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "\n"
      "k.cu(1): warning #177-D: variable \"a\" was declared but never referenced\n"
      "  int a;\n"
      "      ^\n"
      "\n"
      "1 error detected in the compilation of \"k.cu\".\n",
      "", request_for("int a;\n\tint y = x;\n"));
  EXPECT_EQ(to_string(log.diagnostics),
            "/home/u/k.cu:2:10: error: identifier \"x\" is undefined\n  \tint y = x;\n  \t        ^\n"
            "/home/u/k.cu:1:5: warning: variable \"a\" was declared but never referenced\n  int a;\n      ^");
}

TEST(CompilerLog, TextOfOtherFilesIsNotRepeated) {
  const CompilerLog log =
      read_log("/etc/passwd(1): error: expected a declaration\n  root:x:0\n  ^\n", "", request_for("int a;"));
  EXPECT_EQ(to_string(log.diagnostics), "/etc/passwd:1:1: error: expected a declaration");
}

TEST(CompilerLog, EndOfSource) {
  EXPECT_EQ(to_string(read_log("At end of source: error: expected a \"}\"\n", "", request_for("a\nb {\n")).diagnostics),
            "/home/u/k.cu:2: error: expected a \"}\"");
}

TEST(CompilerLog, PlaceInPtxBecomesTheSourceLine) {
  const std::string ptx = ".version 9.0\n\t.loc\t1 2 5\n\tbad;\n\t.loc\t2 9 1\n\tbad;\n";
  const CompilerLog log = read_log(
      "ptxas application ptx input, line 3; fatal   : Parsing error near 'bad': syntax error\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n",
      ptx, request_for("one\ntwo\n"));
  ASSERT_EQ(log.diagnostics.size(), 1u);
  EXPECT_EQ(to_string(log.diagnostics),
            "/home/u/k.cu:2: error: the assembler ptxas says: Parsing error near 'bad': syntax error");
  EXPECT_EQ(log.diagnostics[0].source_line, "two");
}

TEST(CompilerLog, ResourcesOfEachEntry) {
  const CompilerLog log = read_log(
      "ptxas info    : 30 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
      "ptxas info    : Function properties for a\n"
      "ptxas         .     256 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 112 registers, used 2 barriers, 256 bytes cumulative stack size, 8192 bytes smem, 400 "
      "bytes "
      "cmem[0], 8 bytes cmem[2]\n"
      "ptxas info    : Compile time = 83.058 ms\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n",
      "", request_for(""));
  EXPECT_EQ(log.resources, (std::vector<Resources>{{"a", 112, 8192, 408, 256, 12, 8, 2}, {"b", 8, 0, 0, 0, 0, 0, 0}}));
  EXPECT_TRUE(log.diagnostics.empty());
}

TEST(CompilerLog, AnyBytes) {
  for (const char* text : {"", "\n", "(", "): ", "x(1): ", "x(1): error", "x(99999999999999999999): error: y", "ptxas",
                           "ptxas .", "ptxas info : Used", "ptxas application ptx input, line ", "  ^\n"})
    EXPECT_TRUE(read_log(text, ".loc", request_for("a")).resources.empty()) << text;
}

TEST(ClangLog, PlacesAreTheRequestsOwn) {
  const CompilerLog log = read_clang_log(
      "In file included from ./k.cu:1:\n"
      "./mine.cuh:4:1: error: unknown type name 'flaot'\n"
      "./k.cu:2:9: warning: unused variable 'y'\n"
      "k.cu:2:13: note: declared here\n"
      "./k.cu:1:10: fatal error: 'x.h' file not found\n"
      "error: unknown argument: '-f'\n"
      "clang: error: no input files\n"
      "2 errors generated when compiling for sm_90.\n",
      request_for("int a;\n\tint y = x;\n"));
  EXPECT_EQ(to_string(log.diagnostics),
            "mine.cuh:4:1: error: unknown type name 'flaot'\n"
            "/home/u/k.cu:2:9: warning: unused variable 'y'\n  \tint y = x;\n  \t       ^\n"
            "/home/u/k.cu:2:13: note: declared here\n"
            "/home/u/k.cu:1:10: error: 'x.h' file not found\n"
            "/home/u/k.cu: error: unknown argument: '-f'\n"
            "/home/u/k.cu: error: no input files");
}

TEST(ClangLog, AnyBytes) {
  for (const char* text : {"", "\n", ": ", ":: ", "x:1: ", "x:1:2: error", "./", "error", "error: ", "clang: ", ":1:1: error: y"})
    EXPECT_TRUE(read_clang_log(text, request_for("a")).resources.empty()) << text;
}

TEST(CompiledName, FitsInAPtxString) {
  EXPECT_EQ(compiled_name({.file_name = "/a/b\"c\\d\n.cu"}), "b_c_d_.cu");
  EXPECT_EQ(compiled_name({.file_name = ""}), "kernel.cu");
}

}  // namespace
}  // namespace tilescope::compile
