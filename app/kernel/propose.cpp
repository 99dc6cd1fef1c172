#include "kernel/propose.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/memory.h"
#include "base/text.h"
#include "kernel/expression.h"
#include "kernel/model.h"
#include "kernel/parameter_use.h"
#include "kernel/size_polynomial.h"
#include "source/host_expression.h"

namespace tilescope::kernel {
namespace {
using source::holds;
using Formal = source::Parameter;

constexpr std::array<std::string_view, 13> kRows{"m",       "rows", "height", "h",        "nrows",   "num_rows", "ny",
                                                 "numrows", "hm",   "batch",  "numarows", "row_num", "seq_len"};
constexpr std::array<std::string_view, 8> kDepth{"k", "inner", "depth", "common", "numacolumns", "wa", "hb", "widtha"};
constexpr std::array<std::string_view, 4> kPlanes{"nz", "numz", "zdim", "dimz"};
constexpr std::array<std::string_view, 4> kLeading{"lda", "ldb", "ldc", "ld"};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_typename(const Formal& parameter) { return parameter.type == "typename" || parameter.type == "class"; }

/// "f32" for float and float4; empty for an unknown type.
std::string element_of(std::string type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 39> kTypes{{{"float", "f32"},
                                                                                  {"float2", "f32"},
                                                                                  {"float4", "f32"},
                                                                                  {"double", "f64"},
                                                                                  {"double2", "f64"},
                                                                                  {"half", "f16"},
                                                                                  {"__half", "f16"},
                                                                                  {"half2", "f16"},
                                                                                  {"__half2", "f16"},
                                                                                  {"__nv_bfloat16", "bf16"},
                                                                                  {"nv_bfloat16", "bf16"},
                                                                                  {"bf16", "bf16"},
                                                                                  {"__nv_bfloat162", "bf16"},
                                                                                  {"int", "i32"},
                                                                                  {"int2", "i32"},
                                                                                  {"int4", "i32"},
                                                                                  {"int32_t", "i32"},
                                                                                  {"unsigned", "u32"},
                                                                                  {"unsigned int", "u32"},
                                                                                  {"uint", "u32"},
                                                                                  {"uint32_t", "u32"},
                                                                                  {"size_t", "u64"},
                                                                                  {"uint64_t", "u64"},
                                                                                  {"unsigned long long", "u64"},
                                                                                  {"long", "i64"},
                                                                                  {"long long", "i64"},
                                                                                  {"int64_t", "i64"},
                                                                                  {"short", "i16"},
                                                                                  {"unsigned short", "u16"},
                                                                                  {"char", "i8"},
                                                                                  {"int8_t", "i8"},
                                                                                  {"unsigned char", "u8"},
                                                                                  {"uint8_t", "u8"},
                                                                                  {"clock_t", "i64"},
                                                                                  {"unsigned long", "u64"},
                                                                                  {"long int", "i64"},
                                                                                  {"long long int", "i64"},
                                                                                  {"unsigned long long int", "u64"},
                                                                                  {"uchar", "u8"}}};
  for (const auto& [name, element] : kTypes)
    if (type == name) return std::string(element);
  if (type == "bool") return "u8";
  return {};
}
bool is_integer(const std::string& element) { return element.starts_with('i') || element.starts_with('u'); }

/// One argument of the kernel, as far as determined; Formal is its parameter.
struct Guess {
  Formal parameter;
  std::string element;  ///< Of the array or the scalar.
  std::string name;     ///< In the description.
  std::string value;    ///< Of a scalar: an expression or a number.
  std::string role;     ///< Of an array.
  std::vector<std::string> shape;
  bool starts_at_zero = false;
};

/// How far the kernel's indices reach into an array.
struct Reach {
  SizePolynomial elements;
  int64_t columns = 1;                        ///< As of IndexReach, if it is a constant.
  size_t innermost = kSizeNames.size();       ///< The size that is the columns, by its place in kSizeNames.
  bool is_whole = false, is_shifted = false;  ///< As of IndexReach.

  bool is_constant() const { return elements.factors.empty() || elements.factors.begin()->first == Sizes{}; }
};

std::string without_scope(const std::string& name) {
  const size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

constexpr std::array kAxes{"x", "y", "z"};

/// Determines one kernel's description, part by part.
class Proposer {
 public:
  Proposer(const source::Program& program, std::string title) : program_(program), title_(std::move(title)) {}

  Result<Proposal> propose(const std::string& entry) {
    for (const auto step : {&Proposer::choose_kernel, &Proposer::settle_template}) {
      if (Result<std::monostate> done = (this->*step)(entry); !done) return done.errors();
    }
    read_arguments();
    if (Result<std::monostate> done = refuse_by_value(); !done) return done.errors();
    settle_scalars();
    std::vector<Guess*> arrays;
    for (Guess& argument : arguments_)
      if (argument.parameter.is_pointer) arrays.push_back(&argument);
    find_reaches();
    product_ = is_product();
    if (product_) settle_product(arrays);
    settle_launch();
    if (!product_) {
      find_reaches();
      settle_others(arrays);
    }
    assumed_.push_back(Message("block {}, grid {}, {}", fmt::join(block_, " x "), fmt::join(grid_, " x "),
                               launch_found_ ? Message("as on line {}", launch_->line) : Message("guessed")));
    return Proposal{form(), unsaid_, kernel_->file, std::move(assumed_)};
  }

 private:
  Result<std::monostate> choose_kernel(const std::string& entry);
  Result<std::monostate> settle_template(const std::string& entry);
  std::string template_argument(const Formal& parameter, const std::string& written);
  std::string enumerator(const Formal& parameter, const std::string& written) const;
  std::string type_of(const Formal& parameter) const;
  void read_arguments();
  Result<std::monostate> refuse_by_value() const;
  void settle_scalars();
  std::string size_named(const std::string& name) const;
  std::string scalar_value(const Guess& argument, size_t index);
  std::optional<int64_t> filter_bound(const std::string& name) const;
  bool has_size(std::string_view size) const;
  bool has_integers() const;
  void one_block_does_it_all();
  void launch_of_constants();
  std::map<std::string, IndexReach> reaches_at(const Sizes& sizes) const;
  void find_reaches();
  bool has_planes() const;
  bool is_product() const;
  size_t result_of(const std::vector<Guess*>& arrays) const;
  void settle_product(const std::vector<Guess*>& arrays);
  void swap_roles();
  void settle_others(const std::vector<Guess*>& arrays);
  std::vector<std::string> usual_shape() const;
  std::vector<std::string> shape_of(const Guess& array, const PointerUse& use) const;
  void settle_launch();
  source::Names names_of_launch() const;
  std::vector<std::string> shape(const std::string& text, const source::Names& names) const;
  void conventional_block();
  void conventional_grid();
  std::string swapped(std::string expression) const;
  std::optional<int64_t> launched_size() const;
  LaunchForm form() const;

  const source::Program& program_;
  std::string title_;
  const source::Kernel* kernel_ = nullptr;
  const source::LaunchStatement* launch_ = nullptr;
  std::string entry_;
  source::Names names_;
  std::vector<Guess> arguments_;
  std::vector<std::string> block_, grid_;
  std::map<std::string, Reach> reaches_;  ///< By the array's parameter.
  std::string shared_bytes_;
  bool product_ = false, square_ = false, column_major_ = false, launch_found_ = false, has_filter_ = false;
  std::vector<Message> assumed_;
  std::string unsaid_;  ///< The first parameter of the template whose value is a guess.
};

/// Textures are not executed, so another kernel of the file is the better choice.
bool reads_textures(const source::Kernel& kernel) {
  for (const char* call : {"tex1D", "tex2D", "tex3D", "tex1Dfetch", "tex1DLayered", "tex2DLayered", "texCubemap"})
    if (mentions(kernel, call)) return true;
  return false;
}

Result<std::monostate> Proposer::choose_kernel(const std::string& entry) {
  std::vector<std::string> names;
  const std::string wanted = without_scope(entry.substr(0, entry.find('<')));
  for (const source::Kernel& kernel : program_.kernels) {
    names.push_back(kernel.name);
    if (!wanted.empty() && without_scope(kernel.name) == wanted && !kernel_) kernel_ = &kernel;
  }
  if (names.empty()) return error(Message("The source has no __global__ function; add one."));
  if (!kernel_ && !wanted.empty())
    return error(Message("The source has no __global__ function {}; it has {}.", entry, names_text(names)));
  for (const bool with_textures : {false, true})
    for (const source::LaunchStatement& launch : program_.launches)
      for (const source::Kernel& kernel : program_.kernels)
        if (without_scope(kernel.name) == launch.kernel &&
            (kernel_ ? kernel_ == &kernel && !launch_ : with_textures || !reads_textures(kernel))) {
          kernel_ = &kernel;
          launch_ = &launch;
        }
  if (!kernel_) kernel_ = &program_.kernels.front();
  if (wanted.empty() && names.size() > 1)
    assumed_.push_back(Message("the kernel is {}, of {}; --entry NAME chooses", kernel_->name, names_text(names)));
  names_.program = &program_;
  names_.launch = launch_;
  return std::monostate{};
}

/// For a value of a template that neither a launch nor a default says.
std::string usual_argument(const Formal& parameter) {
  const std::string name = lower(parameter.name);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (parameter.type == "bool") return "false";
  if (parameter.type != "int" && parameter.type != "unsigned" && parameter.type != "unsigned int" &&
      parameter.type != "size_t" && parameter.type != "long" && parameter.type != "int64_t")
    return {};
  if (has("thread") || has("block_size") || has("blocksize")) return "128";
  return has("tile") || has("block") || has("warp") ? "32" : "4";
}

/// Values and types of the template's parameters, which replace their names.
Result<std::monostate> Proposer::settle_template(const std::string& entry) {
  entry_ = kernel_->name;
  const auto& parameters = kernel_->template_parameters;
  const size_t open = entry.find('<');
  std::vector<std::string> given;
  if (open != std::string::npos && entry.ends_with('>'))
    given = source::split_list(std::string_view(entry).substr(open + 1, entry.size() - open - 2));
  else if (launch_)
    given = launch_->template_arguments;
  if (open != std::string::npos && parameters.empty())
    return error(Message("{} is not a template; leave out its arguments: --entry {}.", kernel_->name, kernel_->name));
  const bool has_pack = !parameters.empty() && parameters.back().type.find("...") != std::string::npos;
  if (open != std::string::npos && given.size() > parameters.size() && !has_pack)
    return error(Message("{} has more arguments than the template {}, which takes {}.", entry, kernel_->name,
                         parameters.size()));
  if (parameters.empty()) return std::monostate{};
  std::vector<std::string> settled;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Formal& parameter = parameters[i];
    const std::string written = i < given.size() ? given[i] : parameter.initial;
    std::string value = template_argument(parameter, written);
    if (value.empty() && (written.empty() || open == std::string::npos)) {
      value = usual_argument(parameter);
      if (unsaid_.empty()) unsaid_ = parameter.name;
      if (!value.empty()) assumed_.push_back(Message("{} is {}", parameter.name, value));
    }
    if (value.empty()) return error(template_value_missing(kernel_->name, parameter.name));
    names_.known[parameter.name] = value;
    settled.push_back(value);
  }
  entry_ += fmt::format("<{}>", fmt::join(settled, ", "));
  return std::monostate{};
}

std::string Proposer::template_argument(const Formal& parameter, const std::string& written) {
  if (is_typename(parameter)) {
    if (!element_of(written).empty()) return written;
    // Of the function that launches it, as the file instantiates that.
    if (launch_)
      if (const auto found = launch_->values.find(written);
          found != launch_->values.end() && !element_of(found->second).empty())
        return found->second;
    assumed_.push_back(Message("{} is float", parameter.name));
    return "float";
  }
  const auto value = source::constant_value(written, names_);
  if (!value) return enumerator(parameter, written);
  if (parameter.type == "bool") return *value ? "true" : "false";
  return fmt::format("{}", *value);
}

/// A value of a type of the author's or a library's: its name in the launch or in the caller of its function.
std::string Proposer::enumerator(const Formal& parameter, const std::string& written) const {
  if (!element_of(parameter.type).empty() || !launch_) return {};
  const auto of_caller = launch_->values.find(written);
  const std::string& name = of_caller != launch_->values.end() ? of_caller->second : written;
  const auto& unknown = launch_->function_parameters;
  const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                       std::all_of(name.begin(), name.end(), [](char c) {
                         return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
                       });
  return is_name && std::find(unknown.begin(), unknown.end(), name) == unknown.end() ? name : "";
}

/// The type behind a template's parameter, a macro or a typedef.
std::string Proposer::type_of(const Formal& parameter) const {
  constexpr int kMostNames = 8;
  std::string type = parameter.type;
  for (int i = 0; i < kMostNames; ++i) {
    const auto known = names_.known.find(type);
    const auto constant = program_.constants.find(type);
    if (known != names_.known.end() && known->second != type)
      type = known->second;
    else if (constant != program_.constants.end() && constant->second != type)
      type = constant->second;
    else
      break;
  }
  return type;
}

/// float3, dim3 and the like.
bool is_vector(std::string_view type) {
  constexpr std::array<std::string_view, 13> kScalars{"char",  "uchar",  "short", "ushort",   "int",
                                                      "uint",  "long",   "ulong", "longlong", "ulonglong",
                                                      "float", "double", "dim"};
  return !type.empty() && type.back() >= '1' && type.back() <= '4' && holds(kScalars, type.substr(0, type.size() - 1));
}

/// A vector of 4 or 8 bytes is passed as an integer of that size is; empty for others.
std::string scalar_of_same_size(std::string_view type) {
  constexpr std::array<std::string_view, 4> kFour{"char4", "uchar4", "short2", "ushort2"};
  constexpr std::array<std::string_view, 5> kEight{"int2", "uint2", "float2", "short4", "ushort4"};
  return holds(kFour, type) ? "u32" : holds(kEight, type) ? "u64" : "";
}

/// What a description cannot give: structures and functions as arguments.
Result<std::monostate> Proposer::refuse_by_value() const {
  for (const Formal& parameter : kernel_->parameters) {
    if (parameter.type.find('(') != std::string::npos)
      return error(
          Message("{} takes a function, {}, which no description can give. Let the program launch it: "
                  "tilescope run.",
                  kernel_->name, parameter.name));
    const std::string type = type_of(parameter), plain = without_scope(type.substr(0, type.find('<')));
    if (!parameter.is_pointer &&
        ((is_vector(type) && scalar_of_same_size(type).empty()) || program_.structures.contains(plain)))
      return error(
          Message("{} takes a structure by value, {} {}, whose members no description can give. Let the "
                  "program launch it: tilescope run.",
                  kernel_->name, type, parameter.name));
  }
  return std::monostate{};
}

/// What the description calls an array: a matrix's sizes are M, N and K there, whatever they are in the source.
std::string array_name(const std::string& parameter) {
  return parameter == "M" || parameter == "N" || parameter == "K" ? "d_" + parameter : parameter;
}

void Proposer::read_arguments() {
  for (const Formal& parameter : kernel_->parameters) {
    const std::string type = type_of(parameter), scalar = parameter.is_pointer ? "" : scalar_of_same_size(type);
    Guess argument{parameter, scalar.empty() ? element_of(type) : scalar, array_name(parameter.name), {}, {}, {},
                   false};
    if (argument.element.empty()) argument.element = parameter.is_pointer ? "f32" : "i32";
    arguments_.push_back(std::move(argument));
  }
}

/// M, N or K for a scalar of that name; empty for other names.
std::string Proposer::size_named(const std::string& name) const {
  const std::string small = lower(name);
  if (holds(kRows, small)) return "M";
  if (holds(kDepth, small) || holds(kPlanes, small)) return "K";
  if (small == "lda") return "K";
  if (holds(kLeading, small)) return "N";
  constexpr std::array<std::string_view, 16> kColumns{
      "n",     "cols",  "width", "w",  "ncols",   "size",        "len",          "length",
      "count", "total", "num",   "nx", "numcols", "numelements", "num_elements", "n_elements"};
  return holds(kColumns, small) ? "N" : "";
}

bool Proposer::has_size(std::string_view size) const {
  return std::any_of(arguments_.begin(), arguments_.end(),
                     [&](const Guess& argument) { return !argument.parameter.is_pointer && argument.value == size; });
}

void Proposer::settle_scalars() {
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (!arguments_[i].parameter.is_pointer) arguments_[i].value = scalar_value(arguments_[i], i);
}

std::string Proposer::scalar_value(const Guess& argument, size_t index) {
  const std::string& name = argument.parameter.name;
  if (is_vector(type_of(argument.parameter))) {
    assumed_.push_back(Message("{} is zeros", name));
    return "0";
  }
  if (!is_integer(argument.element)) {
    const std::string small = lower(name);
    if (small == "alpha") return "2.0";
    if (small == "beta") return "0.5";
    assumed_.push_back(Message("{} = 0.5", name));
    return "0.5";
  }
  const auto filter = filter_bound(name);
  if (const std::string size = size_named(name); !size.empty() && !filter) return size;
  if (launch_ && index < launch_->arguments.size())
    if (const auto value = source::constant_value(launch_->arguments[index], names_); value && *value < 1'000'000)
      return fmt::format("{}", *value);
  if (filter) {
    has_filter_ = true;
    assumed_.push_back(Message("{} = {}, so that the filter is small", name, *filter));
    return fmt::format("{}", *filter);
  }
  assumed_.push_back(Message("{} = N", name));
  return "N";
}

/// Of a parameter that bounds a loop over a filter, the value with which that has a few elements.
std::optional<int64_t> Proposer::filter_bound(const std::string& name) const {
  constexpr int64_t kTurns = 5;
  source::Names names{&program_, nullptr, names_.known};
  for (const int64_t value : {kTurns, kTurns / 2, kTurns - 1, kTurns + 1}) {  // A size, a radius, the last index.
    names.known[name] = fmt::format("{}", value);
    if (IndexRanges(*kernel_, names, {}).filter_turns(name) == kTurns) return value;
  }
  return std::nullopt;
}

bool Proposer::has_planes() const {
  return std::ranges::any_of(arguments_,
                             [](const Guess& argument) { return holds(kPlanes, lower(argument.parameter.name)); });
}

/// Three matrices, a loop, and sizes of a product; no convolution.
bool Proposer::is_product() const {
  if (has_filter_) return false;
  size_t arrays = 0;
  for (const Guess& argument : arguments_) arrays += argument.parameter.is_pointer ? 1 : 0;
  if (arrays != 3 || has_planes() || (!mentions(*kernel_, "for") && !mentions(*kernel_, "while"))) return false;
  if (has_size("K")) return has_size("M") && has_size("N");
  const bool has_vector = std::ranges::any_of(
      reaches_, [](const auto& named) { return named.second.is_whole && named.second.elements.degree() < 2; });
  if (has_vector) return false;
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const Guess& argument) {
    return !argument.parameter.is_pointer && argument.value == "N" && multiplies_by(*kernel_, argument.parameter.name);
  });
}

/// A square of threads for a matrix whose side is a constant.
void Proposer::one_block_does_it_all() {
  constexpr int64_t kMostThreads = 1024;
  for (const auto& [name, value] : program_.constants)
    if (const auto side = source::constant_value(name, names_);
        side && *side * *side <= kMostThreads && multiplies_by(*kernel_, name))
      block_.assign(block_.size(), fmt::format("{}", *side));
  grid_ = {"1"};
}

bool Proposer::has_integers() const {
  return std::ranges::any_of(
      arguments_, [](const Guess& argument) { return !argument.parameter.is_pointer && is_integer(argument.element); });
}

/// Block and grid of a kernel that goes by constants of its file, such as `#define N 1024`.
void Proposer::launch_of_constants() {
  if (has_integers()) return;
  if (!mentions(*kernel_, "blockIdx")) return one_block_does_it_all();
  const IndexRanges ranges(*kernel_, names_, {});
  for (size_t d = 0; d < kAxes.size() && mentions(*kernel_, "blockIdx", kAxes[d]); ++d) {
    const std::optional<int64_t> threads = source::constant_value(d < block_.size() ? block_[d] : "1", names_),
                                 last = ranges.greatest_from("blockIdx", kAxes[d]);
    if (!threads || !last) break;
    grid_.push_back(fmt::format("{}", *last / *threads + 1));
  }
}

/// Where each array's indices end at these sizes, by its parameter.
std::map<std::string, IndexReach> Proposer::reaches_at(const Sizes& sizes) const {
  Variables scope;
  for (size_t d = 0; d < sizes.size(); ++d) scope.set(std::string(kSizeNames[d]), sizes[d]);
  source::Names names{&program_, nullptr, names_.known};
  std::map<std::string, source::Range> given;
  for (const Guess& argument : arguments_) {
    const std::string& name = argument.parameter.name;
    if (argument.parameter.is_pointer && argument.element == "u8") given[name] = {0, 255};
    if (argument.parameter.is_pointer || !is_integer(argument.element)) continue;
    names.known.erase(name);
    if (const auto value = scope.evaluate({argument.value, {}})) names.known[name] = fmt::format("{}", *value);
  }
  const auto know = [&](const std::string& index, const std::string& count, const std::vector<std::string>& extents) {
    for (size_t d = 0; d < kAxes.size() && !extents.empty(); ++d) {
      const auto value = scope.evaluate({d < extents.size() ? extents[d] : "1", {}});
      if (!value) continue;
      given[index + kAxes[d]] = {0, *value - 1};
      names.known[count + kAxes[d]] = fmt::format("{}", *value);
    }
  };
  know("threadIdx.", "blockDim.", block_);
  if (launch_found_ || !has_integers()) know("blockIdx.", "gridDim.", grid_);
  const IndexRanges ranges(*kernel_, names, std::move(given));
  std::map<std::string, IndexReach> reaches;
  for (const Guess& argument : arguments_)
    if (argument.parameter.is_pointer)
      if (const auto reach = ranges.reach_of(argument.parameter.name)) reaches[argument.parameter.name] = *reach;
  return reaches;
}

void Proposer::find_reaches() {
  reaches_.clear();
  Sizes used{};
  for (size_t d = 0; d < used.size(); ++d) used[d] = has_size(kSizeNames[d]) ? 1 : 0;
  if (!has_integers()) used.back() = 1;  // The grid may go by N.
  std::map<Sizes, std::map<std::string, IndexReach>> found;
  for (const Guess& argument : arguments_) {
    if (!argument.parameter.is_pointer) continue;
    const auto at = [&](const Sizes& sizes) -> const IndexReach* {
      const auto [reaches, is_new] = found.try_emplace(sizes);
      if (is_new) reaches->second = reaches_at(sizes);
      const auto reach = reaches->second.find(argument.parameter.name);
      return reach == reaches->second.end() ? nullptr : &reach->second;
    };
    Reach reach;
    const auto elements = polynomial_of(used, [&](const Sizes& sizes) -> std::optional<int64_t> {
      const IndexReach* there = at(sizes);
      if (!there) return std::nullopt;
      reach.is_whole = there->is_whole;
      reach.is_shifted = there->is_shifted;
      reach.innermost = static_cast<size_t>(std::ranges::find(sizes, there->columns) - sizes.begin());
      reach.columns = reach.innermost < sizes.size() ? 1 : there->columns;
      return there->elements;
    });
    if (!elements) continue;
    reach.elements = *elements;
    reaches_[argument.parameter.name] = reach;
  }
  // A kernel of constants that leaves out a margin has arrays of one size all the same.
  for (auto& [name, reach] : reaches_)
    for (const auto& [other_name, other] : reaches_) {
      const int64_t margin = other.elements.at({}) - reach.elements.at({});
      if (reach.is_constant() && other.is_constant() && other.columns == reach.columns && margin > 0 &&
          margin <= 2 * reach.columns)
        reach.elements = other.elements;
    }
}

/// Which of the three arrays is C: the one of that name, else the one that is written.
size_t Proposer::result_of(const std::vector<Guess*>& arrays) const {
  constexpr std::array<std::string_view, 11> kResults{"c",   "d_c",    "dc",     "c_d", "dev_c", "c_dev",
                                                      "out", "output", "result", "p",   "d_p"};
  for (size_t i = 0; i < 3; ++i)
    if (!arrays[i]->parameter.is_const && holds(kResults, lower(arrays[i]->parameter.name))) return i;
  for (size_t i = 3; i-- > 0;)
    if (!arrays[i]->parameter.is_const && use_of(*kernel_, arrays[i]->parameter.name).is_written) return i;
  return 2;
}

void Proposer::settle_product(const std::vector<Guess*>& arrays) {
  const size_t c = result_of(arrays);
  std::vector<Guess*> inputs;
  for (size_t i = 0; i < 3; ++i)
    if (i != c) inputs.push_back(arrays[i]);
  if (lower(inputs[0]->parameter.name).ends_with('b') && lower(inputs[1]->parameter.name).ends_with('a'))
    std::swap(inputs[0], inputs[1]);
  inputs[0]->name = "A";
  inputs[1]->name = "B";
  arrays[c]->name = "C";
  const bool has_beta = std::any_of(arguments_.begin(), arguments_.end(),
                                    [](const Guess& argument) { return lower(argument.parameter.name) == "beta"; });
  const bool adds = use_of(*kernel_, arrays[c]->parameter.name).is_added_to && !has_beta;
  arrays[c]->starts_at_zero = adds;
  square_ = !has_size("K");
  inputs[0]->role = inputs[1]->role = "input";
  arrays[c]->role = adds || has_beta ? "inout" : "output";
  inputs[0]->shape = {"M", "K"};
  inputs[1]->shape = {"K", "N"};
  arrays[c]->shape = {"M", "N"};
  for (const char* name : {"M", "m"}) column_major_ |= sets(*kernel_, "lda", name);
  if (column_major_) swap_roles();
  assumed_.push_back(Message("C = A B{} with A = {}, B = {} and C = {}, {}",
                             has_beta ? Message(", times alpha, plus beta C") : Message(""), inputs[0]->parameter.name,
                             inputs[1]->parameter.name, arrays[c]->parameter.name,
                             column_major_ ? Message("column by column") : Message("row by row")));
}

/// Column-major C = A B is row-major C' = B' A': A and B swap, and so do M and N.
void Proposer::swap_roles() {
  for (Guess& argument : arguments_) {
    if (argument.name == "A" || argument.name == "B") argument.name = argument.name == "A" ? "B" : "A";
    if (argument.name == "A" && !argument.shape.empty()) argument.shape = {"M", "K"};
    if (argument.name == "B" && !argument.shape.empty()) argument.shape = {"K", "N"};
    if (argument.value == "M" || argument.value == "N") argument.value = argument.value == "M" ? "N" : "M";
  }
}

void Proposer::settle_others(const std::vector<Guess*>& arrays) {
  bool any_written = false;
  for (Guess* array : arrays) {
    const PointerUse use = use_of(*kernel_, array->parameter.name);
    const bool is_written = use.is_written && !array->parameter.is_const;
    any_written = any_written || is_written;
    array->role = !is_written ? "input" : use.is_read || use.is_added_to ? "inout" : "output";
    array->starts_at_zero = is_written && use.is_added_to && !use.is_read;
    array->shape = shape_of(*array, use);
  }
  for (auto array = arrays.rbegin(); array != arrays.rend() && !any_written; ++array)
    if (!(*array)->parameter.is_const) {
      (*array)->role = "inout";
      any_written = true;
    }
  if (arrays.empty()) return;
  std::vector<Message> parts;
  for (const Guess* array : arrays)
    parts.push_back(Message("{} is {} of {} ({})", array->parameter.name, fmt::join(array->shape, " x "),
                            array->element, array->role));
  assumed_.push_back(join_with_and(parts));
}

/// M x N where the kernel has both sizes; N x N where it multiplies by its only one; else N.
std::vector<std::string> Proposer::usual_shape() const {
  if (has_size("M") && has_size("N")) return {"M", "N"};
  if (has_size("M") && has_size("K")) return {"M", "K"};
  for (const Guess& argument : arguments_)
    if (!argument.parameter.is_pointer && argument.value == "N" && multiplies_by(*kernel_, argument.parameter.name))
      return {"N", "N"};
  return {"N"};
}

/// As far as its indices reach, if that is certainly less than usual or more than a margin more.
std::vector<std::string> Proposer::shape_of(const Guess& array, const PointerUse& use) const {
  if (use.is_single && (use.is_written || use.is_read)) return {"1"};
  std::vector<std::string> usual = usual_shape();
  const auto found = reaches_.find(array.parameter.name);
  if (found == reaches_.end()) return usual;
  const Reach& reach = found->second;
  const std::string type = type_of(array.parameter);
  SizePolynomial elements = reach.elements.in_whole_rows();
  for (auto& [powers, factor] : elements.factors) factor *= is_vector(type) ? type.back() - '0' : 1;
  // v[2 * n + i] multiplies by n without being a matrix.
  if (usual == std::vector<std::string>{"N", "N"} && reach.is_whole && elements.degree() < 2) usual = {"N"};
  SizePolynomial of_usual;
  Sizes powers{};
  for (const std::string& extent : usual)
    ++powers[static_cast<size_t>(std::ranges::find(kSizeNames, extent) - kSizeNames.begin())];
  of_usual.factors[powers] = 1;
  if (elements == of_usual) return usual;
  const auto& [product, factor] = *elements.factors.begin();
  const bool is_one_product = elements.factors.size() == 1,
             is_certain = is_one_product && (reach.is_constant() || factor == 1) && (reach.is_whole || !has_integers()),
             is_margin = !is_one_product && elements.at(kTypicalSizes) < 2 * of_usual.at(kTypicalSizes) &&
                         elements.factors.contains(powers);
  // A margin may be a defect of the kernel; offsets[i + 1] is none.
  const bool is_offsets = is_integer(array.element) && array.role == "input";
  if (is_margin && (usual.size() > 1 || !reach.is_shifted || (launch_ && !is_offsets))) return usual;
  if (!is_certain && elements.at(kTypicalSizes) <= of_usual.at(kTypicalSizes)) return usual;
  if (reach.is_constant() && !is_vector(type) && reach.columns > 1 && reach.columns < factor)
    return {fmt::format("{}", (factor + reach.columns - 1) / reach.columns), fmt::format("{}", reach.columns)};
  if (!is_one_product || factor != 1 || reach.is_constant()) return {elements.text()};
  std::vector<std::string> shape;
  for (size_t d = 0; d < kSizeNames.size(); ++d)
    for (int64_t i = d == reach.innermost ? 1 : 0; i < product[d]; ++i) shape.emplace_back(kSizeNames[d]);
  if (reach.innermost < kSizeNames.size() && product[reach.innermost] > 0)
    shape.emplace_back(kSizeNames[reach.innermost]);
  return shape;
}

/// "n" or "matrix.rows"
bool is_variable(const std::string& text) {
  const size_t dot = text.find('.');
  return is_name(text.substr(0, dot)) && (dot == std::string::npos || is_name(text.substr(dot + 1)));
}

/// The meanings of the launch's names: the argument passed as n is N.
source::Names Proposer::names_of_launch() const {
  source::Names names = names_;
  for (size_t i = 0; i < std::min(arguments_.size(), launch_->arguments.size()); ++i) {
    const Guess& argument = arguments_[i];
    std::string written = launch_->arguments[i];
    if (const size_t open = written.find("static_cast<"); open == 0)
      written = written.substr(written.find('(') + 1, written.rfind(')') - written.find('(') - 1);
    if (!argument.parameter.is_pointer && is_integer(argument.element) && is_variable(written))
      names.known[written] = argument.value;
  }
  for (const char* name : {"M", "N", "K", "m", "n", "k"})
    if (!names.known.contains(name) && !launch_->values.contains(name) && !program_.constants.contains(name))
      names.known[name] = swapped(lower(name) == "m" ? "M" : lower(name) == "n" ? "N" : "K");
  return names;
}

std::string Proposer::swapped(std::string expression) const {
  if (!column_major_ || (expression != "M" && expression != "N")) return expression;
  return expression == "M" ? "N" : "M";
}

/// The extents of a dim3 or a number, x first; empty if one is not understood.
std::vector<std::string> Proposer::shape(const std::string& text, const source::Names& names) const {
  std::array<std::string, 3> written{text, "1", "1"};
  if (const auto found = launch_->extents.find(text); found != launch_->extents.end()) {
    written = found->second;
  } else if (text.starts_with("dim3")) {
    const size_t open = text.find_first_of("({");
    if (open == std::string::npos) return {};
    const auto parts = source::split_list(std::string_view(text).substr(open + 1, text.size() - open - 2));
    for (size_t d = 0; d < std::min<size_t>(3, parts.size()); ++d) written[d] = parts[d];
  }
  std::vector<std::string> extents;
  for (const std::string& extent : written) {
    const auto translated = source::translate(extent, names);
    if (!translated) return {};
    extents.push_back(*translated);
  }
  while (extents.size() > 1 && extents.back() == "1") extents.pop_back();
  if (holds(extents, "0")) return {};  // The program sets it before it launches.
  return extents;
}

void Proposer::settle_launch() {
  if (launch_) {
    const source::Names names = names_of_launch();
    block_ = shape(launch_->block, names);
    grid_ = shape(launch_->grid, names);
    if (!launch_->shared.empty())
      if (const auto bytes = source::translate(launch_->shared, names); bytes && *bytes != "0") shared_bytes_ = *bytes;
  }
  launch_found_ = launch_ && !block_.empty() && !grid_.empty();
  if (block_.empty()) conventional_block();
  if (!launch_) launch_of_constants();
  if (grid_.empty()) conventional_grid();
}

void Proposer::conventional_block() {
  const bool is_flat = !mentions(*kernel_, "threadIdx", "y");
  if (!kernel_->launch_bounds.empty())
    if (const auto bound = source::constant_value(kernel_->launch_bounds, names_); bound && is_flat) {
      block_ = {fmt::format("{}", *bound)};
      return;
    }
  for (const char* name : {"BLOCK_SIZE", "TILE_SIZE", "TILE_WIDTH", "TILE_DIM", "TILE", "BLOCK", "BLOCKSIZE",
                           "BLOCK_DIM", "THREADS", "NUM_THREADS", "BS", "TS"})
    if (mentions(*kernel_, name))
      if (const auto value = source::constant_value(name, names_)) {
        block_.assign(is_flat ? 1 : 2, fmt::format("{}", *value));
        return;
      }
  block_ = is_flat ? std::vector<std::string>{"256"} : std::vector<std::string>{"16", "16"};
  if (!is_flat && mentions(*kernel_, "threadIdx", "z")) block_ = {"32", "4", "2"};
}

void Proposer::conventional_grid() {
  const bool is_plane = product_ || has_size("M");
  const auto blocks = [&](const char* size, size_t d) {
    return fmt::format("ceil_div({}, {})", size, d < block_.size() ? block_[d] : "1");
  };
  if (!mentions(*kernel_, "blockIdx", "y")) {
    grid_ = {blocks(has_planes() ? "K * M * N" : is_plane ? "M * N" : "N", 0)};
    return;
  }
  grid_ = {blocks("N", 0), blocks(is_plane ? "M" : "N", 1)};
  if (mentions(*kernel_, "blockIdx", "z")) grid_.push_back(blocks(has_size("K") ? "K" : "N", 2));
}

std::string list_text(const std::vector<std::string>& items) { return fmt::format("{}", fmt::join(items, ", ")); }

/// alpha and beta are known by these names.
std::string name_of(const Guess& argument) {
  const std::string small = lower(argument.parameter.name);
  if (argument.parameter.is_pointer) return argument.name;
  return small == "alpha" || small == "beta" ? small : argument.parameter.name;
}

/// A size without remainder in truncating divisions such as "M / 96" in the grid; nullopt if 256 each is one.
std::optional<std::array<int64_t, 3>> size_of_whole_blocks(const std::vector<std::string>& grid, bool square) {
  constexpr int64_t kUsual = 256, kMost = 4096;
  std::array<int64_t, 3> divisors{1, 1, 1};
  for (const std::string& extent : grid) {
    const size_t which = std::string_view("MNK").find(extent.substr(0, 1));
    if (which == std::string_view::npos || extent.substr(1, 3) != " / ") continue;
    int64_t divisor = 0;
    const auto [end, problem] = std::from_chars(extent.data() + 4, extent.data() + extent.size(), divisor);
    const bool is_number = problem == std::errc() && end == extent.data() + extent.size();
    if (is_number && divisor >= 1 && divisor <= kMost) divisors[which] = std::lcm(divisors[which], divisor);
  }
  if (square) divisors.fill(std::lcm(divisors[0], std::lcm(divisors[1], divisors[2])));
  std::array<int64_t, 3> size{};
  for (size_t d = 0; d < size.size(); ++d) size[d] = (kUsual + divisors[d] - 1) / divisors[d] * divisors[d];
  const int64_t largest = *std::max_element(size.begin(), size.end());
  if (largest == kUsual || largest > kMost) return std::nullopt;
  return size;
}

/// N as the program launches the kernel with it, if that is a constant and not too large to be run at once.
std::optional<int64_t> Proposer::launched_size() const {
  constexpr int64_t kMost = 1 << 16;
  for (size_t i = 0; launch_ && i < std::min(arguments_.size(), launch_->arguments.size()); ++i) {
    if (arguments_[i].value != "N") continue;
    const auto value = source::constant_value(launch_->arguments[i], {&program_, launch_, {}});
    if (value && *value >= 1 && *value <= kMost) return value;
  }
  return std::nullopt;
}

LaunchForm Proposer::form() const {
  LaunchForm form{title_,
                  entry_,
                  {},
                  list_text(block_),
                  list_text(grid_),
                  shared_bytes_,
                  {},
                  square_,
                  !launch_found_ || !unsaid_.empty(),
                  0};
  if (launch_found_) form.line = launch_->line;
  bool is_plane = product_ || has_size("M");
  for (const Guess& argument : arguments_) {
    is_plane |= argument.shape.size() > 1;
    form.arguments.push_back({argument.parameter.name, name_of(argument), argument.parameter.is_pointer,
                              argument.element, argument.role, list_text(argument.shape),
                              argument.starts_at_zero ? "0" : "", argument.value, argument.parameter.is_pointer});
  }
  if (!is_plane && !square_) form.size = {1, launched_size().value_or(4096), 1};
  if (is_plane || square_) form.size = size_of_whole_blocks(grid_, square_);
  if (std::ranges::any_of(arguments_, [](const Guess& argument) { return argument.shape.size() == kAxes.size(); }))
    form.size = {64, 64, 64};
  return form;
}

}  // namespace

Message template_value_missing(const std::string& kernel, const std::string& parameter) {
  return Message("{} is a template, and no launch says what its {} is; give it: --entry \"{}<...>\".", kernel,
                 parameter, kernel);
}

Result<Proposal> propose(const source::Program& program, const std::string& title, const std::string& entry) {
  return Proposer(program, title).propose(entry);
}

}  // namespace tilescope::kernel
