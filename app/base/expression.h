#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

/// The expressions of kernels' descriptions and of lessons: one grammar, that of C, over values of either.
namespace tilescope {

/// The kind of an expression's node; its operands are in ExpressionNode::of.
enum class ExpressionOp : uint8_t {
  Number,    ///< `number`
  Text,      ///< In single or double quotes.
  Name,      ///< Of a value, not of a function.
  Member,    ///< a.name
  Call,      ///< a(b, c), a first.
  Function,  ///< max(a, b): one of the language's own, by name.
  Negate,
  Not,
  Or,  ///< The right side is computed only when it counts, as of And.
  And,
  Equal,
  Unequal,
  LessEqual,
  GreaterEqual,
  Less,
  Greater,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Power,
  Choose,  ///< a ? b : c; only the side that it takes is computed.
};

struct ExpressionNode {
  ExpressionOp op = ExpressionOp::Number;
  int column = 0;  ///< In the text, from 1; of an operator its own.
  double number = 0;
  std::string text;  ///< The text, or the name of what has one.
  std::vector<ExpressionNode> of;
};

/// A function that every expression of a language may call.
struct ExpressionFunction {
  std::string_view name;
  size_t least, most;  ///< Arguments.
};

struct ExpressionLanguage {
  std::span<const ExpressionFunction> functions;
  size_t longest = 0;  ///< Characters.
  bool is_whole =
      false;  ///< Of whole numbers below 2^53 alone: no fractions, powers, texts, members or calls of values.
};

/// Reads an expression. Errors are sentences placed in line 1, the column counting from 1.
Result<ExpressionNode> parse_expression(std::string_view text, const ExpressionLanguage& language);

/// Calls `visit` with the node and all that it applies to, from left to right.
template <class Visit>
void for_each_node(const ExpressionNode& node, const Visit& visit) {
  visit(node);
  for (const ExpressionNode& of : node.of) for_each_node(of, visit);
}

/// Computes expressions over one kind of values. `Values` has
///   Value                                                 a type that can be moved
///   Result<bool> is_true(const Value&, const ExpressionNode& of)
///   Value truth(bool)
///   Result<Value> apply(const ExpressionNode&, std::span<Value> operands)   of every node but And, Or and Choose
template <class Values>
class ExpressionEvaluator {
 public:
  using Value = typename Values::Value;
  explicit ExpressionEvaluator(Values values) : values_(std::move(values)) {}

  Result<Value> operator()(const ExpressionNode& node) {
    switch (node.op) {
      case ExpressionOp::Or:
      case ExpressionOp::And: {
        for (const ExpressionNode& side : node.of) {
          const Result<bool> holds = is_true(side);
          if (!holds) return holds.errors();
          if (*holds == (node.op == ExpressionOp::Or)) return values_.truth(*holds);
        }
        return values_.truth(node.op == ExpressionOp::And);
      }
      case ExpressionOp::Choose: {
        const Result<bool> holds = is_true(node.of[0]);
        if (!holds) return holds.errors();
        return (*this)(node.of[*holds ? 1 : 2]);
      }
      default: return apply(node);
    }
  }

 private:
  Result<bool> is_true(const ExpressionNode& node) {
    const Result<Value> value = (*this)(node);
    if (!value) return value.errors();
    return values_.is_true(*value, node);
  }

  Result<Value> apply(const ExpressionNode& node) {
    const size_t begin = operands_.size();
    for (const ExpressionNode& of : node.of) {
      Result<Value> operand = (*this)(of);
      if (!operand) return operand.errors();
      operands_.push_back(std::move(*operand));
    }
    Result<Value> result = values_.apply(node, std::span(operands_).subspan(begin));
    operands_.erase(operands_.begin() + static_cast<std::ptrdiff_t>(begin), operands_.end());
    return result;
  }

  Values values_;
  std::vector<Value> operands_;  ///< Of the nodes that are being computed, the innermost last.
};

}  // namespace tilescope
