// What the agent does with a GPU, on one that only writes calls down.
#include "agent/gpu.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/fake_gpu.h"
#include "agent/helpers_image.h"
#include "agent/launch_graph.h"
#include "agent/product.h"
#include "agent/same_bytes.h"

namespace tilescope::agent {

const void* helpers_image() { return ""; }

namespace {
using protocol::Failure;
using testing::HasSubstr;

class AgentGpu : public testing::Test {
 protected:
  AgentGpu() {
    current_gpu() = &fake_;
    gpu_.emplace(driver_, cublas_, 0);
    fake_.calls.clear();
    fake_.allocations.clear();
  }

  /// Why `work` was stopped; a failure of its own where it was not.
  template <class Work>
  static protocol::ReplyError stopped(Work work) {
    try {
      work();
    } catch (const Stopped& stopped) {
      return stopped.why;
    }
    ADD_FAILURE() << "it was not stopped";
    return {};
  }

  static protocol::ArrayArgument matrix(const char* name, uint64_t rows, uint64_t columns, bool is_input) {
    return {name, Element::F32, is_input, !is_input, 4 * rows * columns, {rows, columns}, {rows, columns}};
  }
  /// C = A B of 8 x 4 x 2.
  static protocol::MeasureRequest product_request() {
    protocol::MeasureRequest request;
    request.m = 8;
    request.n = 4;
    request.k = 2;
    request.arrays = {matrix("A", 8, 2, true), matrix("B", 2, 4, true), matrix("C", 8, 4, false)};
    request.kernel.arguments = {{.array = 0}, {.array = 1}, {.array = 2}};
    return request;
  }
  protocol::ReplyError refusal(const protocol::MeasureRequest& request) {
    return stopped([&] {
      Workload workload(*gpu_, request);
      if (request.reference)
        SameBytes(*gpu_, workload);
      else
        Product(*gpu_, workload, {});
    });
  }

  FakeGpu fake_;
  const Driver driver_ = fake_driver();
  const Cublas cublas_ = fake_cublas();
  std::optional<Gpu> gpu_;
};

TEST_F(AgentGpu, AGraphHoldsAsManyLaunchesAsItIsToldAndGoesWithItsOwner) {
  size_t queued = 0;
  {
    const LaunchGraph graph(*gpu_, 3, [&] { ++queued; });
    EXPECT_EQ(queued, 3U);
    EXPECT_EQ(graph.times(), 3);
    graph.launch();
    graph.launch();
    EXPECT_EQ(fake_.count("graph_launch"), 2U);
    EXPECT_EQ(fake_.count("graph_exec_destroy"), 0U);
  }
  EXPECT_THAT(fake_.calls, testing::ElementsAre("capture_begin", "capture_end", "graph_instantiate", "graph_destroy",
                                                "graph_launch", "graph_launch", "graph_exec_destroy"));
}

TEST_F(AgentGpu, AGraphThatCannotBeMadeLeavesNoRecordingBehind) {
  fake_.instantiated = CUDA_ERROR_INVALID_VALUE;
  const protocol::ReplyError why = stopped([&] { LaunchGraph graph(*gpu_, 1, [] {}); });
  EXPECT_EQ(why.failure, Failure::Launch);
  EXPECT_EQ(why.message, "recording launches in a CUDA graph failed: it failed (FAKE).");
  EXPECT_EQ(fake_.count("graph_destroy"), 1U);
}

TEST_F(AgentGpu, AFaultAndAnEndlessKernelLoseTheGpu) {
  fake_.state = CUDA_ERROR_ILLEGAL_ADDRESS;
  EXPECT_EQ(stopped([&] { gpu_->wait(1); }).failure, Failure::Fault);
  EXPECT_TRUE(gpu_->is_lost());
  EXPECT_TRUE(is_final(Failure::Fault));
  fake_.state = CUDA_ERROR_NOT_READY;
  const protocol::ReplyError endless = stopped([&] { gpu_->wait(0.01); });
  EXPECT_EQ(endless.failure, Failure::Endless);
  EXPECT_EQ(endless.message, "The kernel did not end within 0.01 s on the GPU.");
  EXPECT_FALSE(is_final(Failure::Launch)) << "the next request is served";
}

TEST_F(AgentGpu, ABufferGrowsAndIsKeptWhereItIsLargeEnough) {
  const CUdeviceptr first = gpu_->buffer("array A", 100);
  EXPECT_EQ(gpu_->buffer("array A", 50), first);
  EXPECT_NE(gpu_->buffer("array B", 50), first);
  EXPECT_NE(gpu_->buffer("array A", 200), first);
  EXPECT_THAT(fake_.allocations, testing::ElementsAre(100, 50, 200));
  EXPECT_TRUE(fake_.released.contains(first));
}

TEST_F(AgentGpu, WhatDoesNotFitIsSaidWithItsSize) {
  fake_.memory = 1 << 20;
  const protocol::ReplyError why = stopped([&] { gpu_->buffer("array A", 8 << 20); });
  EXPECT_EQ(why.failure, Failure::Memory);
  EXPECT_EQ(why.message, "The GPU has no 8 MiB for the arrays: it failed (FAKE). Choose a smaller size.");
}

TEST_F(AgentGpu, AProductIsTakenAndLaunchedOnce) {
  const protocol::MeasureRequest request = product_request();
  Workload workload(*gpu_, request);
  const Product product(*gpu_, workload, {});
  const size_t before = fake_.count("launch");
  workload.launch();
  EXPECT_EQ(fake_.count("launch"), before + 1);
  EXPECT_EQ(product.gemm().m, 8U);
  EXPECT_EQ(product.gemm().a_stride, 2U);
  EXPECT_FALSE(product.accumulates());
}

TEST_F(AgentGpu, OnlyWhatCublasCanComputeIsTaken) {
  protocol::MeasureRequest renamed = product_request();
  renamed.arrays[0].name = "X";
  EXPECT_EQ(refusal(renamed).message, "The kernel has no array A: only C = A * B can be compared with cuBLAS.");
  protocol::MeasureRequest transposed = product_request();
  std::swap(transposed.arrays[0].logical[0], transposed.arrays[0].logical[1]);
  EXPECT_THAT(refusal(transposed).message, HasSubstr("must be M x K, K x N and M x N of f32"));
  protocol::MeasureRequest of_halves = product_request();
  of_halves.precision = Precision::Fp16;
  EXPECT_THAT(refusal(of_halves).message, HasSubstr("of f16 to be compared with cuBLAS, or C of f32."));
  protocol::MeasureRequest odd = product_request();
  odd.arrays.push_back(matrix("table", 3, 3, true));
  odd.arrays.back().shape = {3, 3, 3};
  EXPECT_THAT(refusal(odd).message, HasSubstr("table is an input that is neither a matrix nor a vector"));
  for (const protocol::MeasureRequest& each : {renamed, transposed, of_halves, odd})
    EXPECT_EQ(refusal(each).failure, Failure::BadRequest);
}

TEST_F(AgentGpu, AnotherProblemIsCheckedByItsReferenceAndTimedBesideACopy) {
  protocol::MeasureRequest request;
  request.arrays = {matrix("in", 1, 64, true), matrix("sum", 1, 1, false)};
  request.arrays[0].shape = request.arrays[0].logical = {64};
  request.kernel.arguments = {{.array = 0}, {.array = 1}};
  request.reference = request.kernel;
  Workload workload(*gpu_, request);
  SameBytes baseline(*gpu_, workload);
  const size_t before = fake_.count("launch");
  baseline.compute_expected();
  EXPECT_EQ(fake_.count("launch"), before + 1);
  EXPECT_FALSE(baseline.accumulates());
  request.arrays[1].initial = 0;
  EXPECT_TRUE(baseline.accumulates());
  request.arrays[1].element = Element::I32;
  EXPECT_THAT(refusal(request).message, HasSubstr("sum is not an array of f32 without padding"));
}

TEST_F(AgentGpu, ATensorMapNeedsTheGpuAndTheDriver) {
  EXPECT_THAT(stopped([&] { gpu_->encode({}, 0); }).message, HasSubstr("too old for tensor maps"));
  fake_.capability = 80;
  EXPECT_THAT(stopped([&] { gpu_->encode({}, 0); }).message, HasSubstr("tensor maps need compute capability 9.0"));
}

}  // namespace
}  // namespace tilescope::agent
