#include "protocol/messages.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilescope::protocol {
namespace {

TensorMap tensor_map() {
  TensorMap map;
  map.rounds_to_tf32 = true;
  map.dimensions = 2;
  map.swizzle = Swizzle::Span128;
  map.extent = {4, 4, 1, 1, 1};
  map.stride = {4, 16, 0, 0, 0};
  map.box = {4, 2, 1, 1, 1};
  return map;
}

MeasureRequest request() {
  MeasureRequest r;
  r.device = 1;
  r.kernel.cubin = std::string(
      "\x7f"
      "ELF\0\xff",
      6);
  r.kernel.entry = "_Z5sgemmPKfS0_Pfiii";
  r.kernel.grid = {32, 16, 1};
  r.kernel.block = {256, 1, 1};
  r.kernel.dynamic_shared_bytes = 1024;
  r.kernel.cooperative = true;
  r.precision = Precision::Tf32;
  r.arrays = {{"A", Element::F32, true, false, 64, {4, 4}, {3, 4}},
              {"C", Element::F32, false, true, 64, {4, 4}, {4, 4}, 0.5}};
  r.kernel.arguments = {{0, Element::I32, 0, 0},
                        {1, Element::I32, 0, 0},
                        {-1, Element::F32, 0, 0.5},
                        {-1, Element::I32, 7, 0},
                        {0, Element::I32, 0, 0, tensor_map()}};
  r.reference = r.kernel;
  r.reference->entry = "naive";
  r.m = 4, r.n = 4, r.k = 4;
  r.alpha = 2, r.beta = 0.5;
  r.options.stop.min_samples = 3;
  r.options.hot = true;
  r.options.seed = 9;
  return r;
}

TEST(Messages, ARequestComesBackAsItWas) {
  const nlohmann::ordered_json json = to_json(request());
  const Result<MeasureRequest> back = measure_request(nlohmann::ordered_json::parse(json.dump()));
  ASSERT_TRUE(back) << to_string(back.errors());
  EXPECT_EQ(back->kernel.cubin, request().kernel.cubin);
  EXPECT_EQ(back->options.stop, request().options.stop);
  EXPECT_EQ(back->kernel.arguments[4].tensor, tensor_map());
  EXPECT_EQ(back->arrays[1].initial, 0.5);
  EXPECT_EQ(back->precision, Precision::Tf32);
  EXPECT_TRUE(back->kernel.cooperative);
  ASSERT_TRUE(back->reference);
  EXPECT_EQ(back->reference->entry, "naive");
  EXPECT_EQ(to_json(*back), json);
}

TEST(Messages, ARequestWithoutAFieldNamesIt) {
  const nlohmann::ordered_json json = to_json(request());
  for (const auto& [key, value] : json.items()) {
    nlohmann::ordered_json broken = json;
    broken.erase(key);
    const Result<MeasureRequest> back = measure_request(broken);
    ASSERT_FALSE(back) << key;
    EXPECT_NE(to_string(back.errors()).find(key), std::string::npos) << to_string(back.errors());
  }
}

TEST(Messages, AKernelWithoutAFieldNamesIt) {
  const nlohmann::ordered_json json = to_json(request());
  for (const char* which : {"kernel", "reference"})
    for (const auto& [key, value] : json[which].items()) {
      nlohmann::ordered_json broken = json;
      broken[which].erase(key);
      const Result<MeasureRequest> back = measure_request(broken);
      ASSERT_FALSE(back) << key;
      EXPECT_NE(to_string(back.errors()).find(key), std::string::npos) << to_string(back.errors());
    }
}

TEST(Messages, AnArgumentMustNameAnArrayThatIsThere) {
  MeasureRequest r = request();
  r.kernel.arguments[0].array = 2;
  const Result<MeasureRequest> back = measure_request(to_json(r));
  ASSERT_FALSE(back);
  EXPECT_EQ(back.errors()[0].message.text(), "an argument names an array that is not there.");
}

TEST(Messages, ATensorMapThatIsNoneIsRefused) {
  nlohmann::ordered_json json = to_json(request());
  for (const char* broken : {"AAAA", "no base64", "AAAAAAAAAAAAAAAAAAAAAA=="}) {
    json["kernel"]["arguments"][4]["tensor"] = broken;
    const Result<MeasureRequest> back = measure_request(json);
    ASSERT_FALSE(back) << broken;
    EXPECT_EQ(back.errors()[0].message.text(), "a tensor map cannot be read.");
  }
}

TEST(Messages, AReplyAndTheFactsComeBackAsTheyWere) {
  const MeasureReply reply{"cublasLt heuristic 2", {{1e-3, 9e-4, 1.9e9, false}, {2e-3, 1e-3, 0, true}}, true, 0.25};
  const Result<MeasureReply> back = measure_reply(to_json(reply));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json(*back), to_json(reply));
  const MeasureReply counted{"x", {}, false, 0, {{"smsp__inst_executed.sum", 12}}, "because"};
  const Result<MeasureReply> with_counters = measure_reply(to_json(counted));
  ASSERT_TRUE(with_counters);
  EXPECT_EQ(to_json(*with_counters), to_json(counted));
  const AgentFacts facts{
      1, "0.1.0", "13.0", "580.1", "13.0.0", {{"H200", "GPU-1", 90, 132, 1.98e9, 4.8e12, 1ull << 37, 6 << 20}}, ""};
  const Result<AgentFacts> again = agent_facts(to_json(facts));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), to_json(facts));
}

TEST(Messages, ASampleThatCannotBeReadIsRefused) {
  nlohmann::ordered_json json = to_json(MeasureReply{"x", {{1, 1, 0, false}}, false, 0});
  json["samples"][0] = {1, 2};
  const Result<MeasureReply> back = measure_reply(json);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.errors()[0].message.text(), "a sample cannot be read.");
}

}  // namespace
}  // namespace tilescope::protocol
