#include "clock/sm_model.h"

#include <string>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

#include "base/file.h"

namespace tilescope::clock {
namespace {

constexpr std::pair<std::string_view, double SmModel::*> kFigures[] = {
    {"shared_load", &SmModel::shared_load},
    {"l1_hit", &SmModel::l1_hit},
    {"l2_hit", &SmModel::l2_hit},
    {"l2_spread", &SmModel::l2_spread},
    {"dram", &SmModel::dram},
    {"dram_spread", &SmModel::dram_spread},
    {"far_side", &SmModel::far_side},
    {"shuffle", &SmModel::shuffle},
    {"constant_load", &SmModel::constant_load},
    {"special", &SmModel::special},
    {"xu", &SmModel::xu},
    {"fp64", &SmModel::fp64},
    {"tensor", &SmModel::tensor},
    {"group_product", &SmModel::group_product},
    {"group_column", &SmModel::group_column},
    {"bulk_copy", &SmModel::bulk_copy},
    {"barrier", &SmModel::barrier},
    {"barrier_warp", &SmModel::barrier_warp},
    {"cluster_barrier", &SmModel::cluster_barrier},
    {"cluster_load", &SmModel::cluster_load},
    {"cluster_path", &SmModel::cluster_path},
    {"branch", &SmModel::branch},
    {"converge", &SmModel::converge},
    {"membar", &SmModel::membar},
    {"membar_warp", &SmModel::membar_warp},
    {"operand_read", &SmModel::operand_read},
    {"operand_word", &SmModel::operand_word},
    {"alu_pace", &SmModel::alu_pace},
    {"heavy_pace", &SmModel::heavy_pace},
    {"wide_pace", &SmModel::wide_pace},
    {"shuffle_path", &SmModel::shuffle_path},
    {"half_pace", &SmModel::half_pace},
    {"fp64_pace", &SmModel::fp64_pace},
    {"xu_pace", &SmModel::xu_pace},
    {"constant_pace", &SmModel::constant_pace},
    {"special_pace", &SmModel::special_pace},
    {"uniform_pace", &SmModel::uniform_pace},
    {"queue_pace", &SmModel::queue_pace},
    {"tensor_pace", &SmModel::tensor_pace},
    {"double_product_pace", &SmModel::double_product_pace},
    {"barrier_path", &SmModel::barrier_path},
    {"store_path", &SmModel::store_path},
    {"global_request", &SmModel::global_request},
    {"tag_line", &SmModel::tag_line},
    {"split_line", &SmModel::split_line},
    {"store_lines", &SmModel::store_lines},
    {"scheduler_pace", &SmModel::scheduler_pace},
    {"pair_path", &SmModel::pair_path},
    {"pair_from", &SmModel::pair_from},
    {"wide_dispatch", &SmModel::wide_dispatch},
    {"store_turn", &SmModel::store_turn},
    {"path_turn", &SmModel::path_turn},
    {"path_queue", &SmModel::path_queue},
    {"load_ahead", &SmModel::load_ahead},
    {"tensor_clock", &SmModel::tensor_clock},
    {"shared_wide", &SmModel::shared_wide},
    {"address_dispatch", &SmModel::address_dispatch},
    {"group_queue", &SmModel::group_queue},
    {"enqueue", &SmModel::enqueue},
    {"shared_queue", &SmModel::shared_queue},
    {"global_queue", &SmModel::global_queue},
    {"l2_line", &SmModel::l2_line},
    {"l2_sector", &SmModel::l2_sector},
    {"l2_write_sector", &SmModel::l2_write_sector},
    {"l2_write_part", &SmModel::l2_write_part},
    {"l2_link", &SmModel::l2_link},
    {"l2_write_link", &SmModel::l2_write_link},
    {"l2_bulk_link", &SmModel::l2_bulk_link},
    {"bulk_together", &SmModel::bulk_together},
    {"dram_sector", &SmModel::dram_sector},
    {"period", &SmModel::period},
    {"late_wavefronts", &SmModel::late_wavefronts},
    {"dram_channels", &SmModel::dram_channels},
    {"dram_write_batch", &SmModel::dram_write_batch},
    {"dram_write_sector", &SmModel::dram_write_sector},
    {"together", &SmModel::together},
    {"together_sms", &SmModel::together_sms},
    {"together_most", &SmModel::together_most},
    {"l2_backlog", &SmModel::l2_backlog},
    {"atomic", &SmModel::atomic},
    {"atomic_row", &SmModel::atomic_row},
    {"atomic_scattered", &SmModel::atomic_scattered},
    {"atomics_on_way", &SmModel::atomics_on_way},
    {"l2_answer_sector", &SmModel::l2_answer_sector},
    {"l2_answer_word", &SmModel::l2_answer_word},
    {"atomic_word", &SmModel::atomic_word},
    {"slowest_sm", &SmModel::slowest_sm},
    {"code_bytes", &SmModel::code_bytes},
    {"code_line", &SmModel::code_line},
    {"block_pace", &SmModel::block_pace},
    {"warp_pace", &SmModel::warp_pace},
    {"block_start", &SmModel::block_start},
    {"warp_code", &SmModel::warp_code},
    {"exit", &SmModel::exit},
    {"drain", &SmModel::drain},
    {"first_code", &SmModel::first_code},
    {"first_constant", &SmModel::first_constant},
    {"first_warp_pace", &SmModel::first_warp_pace},
    {"first_block_pace", &SmModel::first_block_pace},
    {"quick_warps", &SmModel::quick_warps},
    {"later_warps", &SmModel::later_warps},
    {"operand_window", &SmModel::operand_window},
    {"l1_bytes", &SmModel::l1_bytes},
    {"launch", &SmModel::launch},
    {"low", &SmModel::low},
    {"high", &SmModel::high},
};

}  // namespace

double* figure(SmModel& model, std::string_view name) {
  for (const auto& [known, member] : kFigures)
    if (known == name) return &(model.*member);
  return nullptr;
}

Result<SmModel> load_sm_model(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.errors();
  toml::table figures;
  try {
    figures = toml::parse(*text, file.string());
  } catch (const toml::parse_error& problem) {
    return error(fmt::format("{}:{}: {}", file.string(), problem.source().begin.line, problem.description()));
  }
  SmModel model;
  for (const auto& [name, member] : kFigures) {
    const auto value = figures[name]["value"].value<double>();
    if (!value) return error(fmt::format("{}: {} needs a value, which is a number", file.string(), name));
    model.*member = *value;
  }
  return model;
}

}  // namespace tilescope::clock
