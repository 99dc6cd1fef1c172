#pragma once

#include <cstdint>

/// The messages between the stand-in for libcudart and `tilescope run` over a socket: a Header, then `bytes` of
/// payload, which begins with the struct named after the kind. Both are built together, so there are no versions.
/// The stand-in speaks first; the kinds with a reply say so. Device memory is one file in memory that both map: the
/// byte at device address a is the file's byte a - kFirstAddress.
namespace tilescope::program::wire {

/// The environment variables by which the stand-in finds the descriptors of the socket and of the memory.
inline constexpr const char* kSocketVariable = "TILESCOPE_RUN_SOCKET";
inline constexpr const char* kMemoryVariable = "TILESCOPE_RUN_MEMORY";

/// Where Linux places nothing by itself: above programs, below libraries and the stack.
inline constexpr uint64_t kFirstAddress = 0x7000'0000'0000;
/// Module variables are from here on; allocations of the stand-in before it.
inline constexpr uint64_t kFirstVariable = 0x7800'0000'0000;
inline constexpr uint64_t kPage = 4096;
/// Between two allocations, so that a stray address hits none.
inline constexpr uint64_t kGuard = uint64_t{1} << 24;

enum class Kind : uint32_t {
  Hello,           ///< Nothing. Reply: DeviceFacts. A new device: nothing of another process is left.
  RegisterBinary,  ///< Binary, then a fat binary.
  FindKernel,      ///< Named, then the name. Reply: KernelFacts.
  FindVariable,    ///< Named, then the name. Reply: VariableFacts.
  Occupancy,       ///< OccupancyQuestion, then the name. Reply: uint32_t, blocks per SM.
  Allocate,        ///< Range, then where: a line "module\toffset" each. The memory is in the file already, filled.
  Free,            ///< Range, then likewise.
  ReadBack,        ///< Range, then likewise: the host copies these bytes of the device.
  Touched,         ///< EarlyUse, then likewise: the host uses an array that the device may be using.
  Written,         ///< Range: the host wrote it.
  Launch,          ///< LaunchRequest, then the name, then the parameters. Reply: LaunchReply, then what was printed,
                   ///< then a UsedArray each.
  Work,            ///< Work, then by stream what has ended before it, and before it for the host, a UsedRange each, its
                   ///< name and where it was asked for. It includes the launch before this message if it says so.
  Untraced,        ///< Text: a library's call that the CPU computed.
  Unknown,         ///< Text: the name of a call that has no answer.
  Problem,         ///< Text: a sentence for the user.
  Failed,          ///< FailedCall, then its name, why it failed, and where it was called: a line "module\toffset" each.
};

struct Header {
  Kind kind = Kind::Hello;
  uint32_t unused = 0;
  uint64_t bytes = 0;
};

/// The emulated device. Sizes in bytes.
struct DeviceFacts {
  char name[128] = {};
  uint32_t capability = 0;  ///< 90 for 9.0
  uint32_t sms = 0, clock_khz = 0, l2_bytes = 0;
  uint32_t memory_clock_khz = 0, memory_bus_bits = 0;  ///< A wire of the bus moves two bits a clock.
  uint32_t threads_per_block = 0, threads_per_sm = 0, blocks_per_sm = 0;
  uint32_t registers_per_block = 0, registers_per_sm = 0;
  uint32_t shared_per_block = 0, shared_per_block_opt_in = 0, shared_per_sm = 0, shared_reserved_per_block = 0;
  uint32_t max_block[3] = {}, max_grid[3] = {};
  uint32_t fma_lanes_per_sm = 0;
  uint64_t memory_bytes = 0;
};

struct Binary {
  uint32_t number = 0;  ///< The stand-in counts them.
};

struct Named {
  uint32_t binary = 0;
  uint32_t name_bytes = 0;
};

/// A call that returned an error.
struct FailedCall {
  int32_t error = 0;
  uint32_t name_bytes = 0, reason_bytes = 0;
};

constexpr uint32_t kMostParameters = 1024;

struct KernelFacts {
  int32_t error = 0;  ///< A cudaError_t, as in all replies; 0 for none.
  uint32_t max_threads = 0, registers = 0;
  uint32_t static_shared_bytes = 0, local_bytes = 0, const_bytes = 0;
  uint32_t ptx_version = 0;  ///< 90 for PTX for compute_90
  uint32_t parameters = 0;
  uint32_t parameter_bytes = 0;
  struct Parameter {
    uint32_t offset = 0, bytes = 0;
  } parameter[kMostParameters];
};

struct VariableFacts {
  int32_t error = 0;
  uint32_t unused = 0;
  uint64_t address = 0, bytes = 0;
};

struct OccupancyQuestion {
  Named kernel;
  uint64_t threads = 0, dynamic_shared_bytes = 0;
};

enum class Memory : uint32_t { Device, Host, Managed };

struct Range {
  uint64_t address = 0, bytes = 0;
  Memory memory = Memory::Device;
  uint32_t unused = 0;
};

struct LaunchRequest {
  Named kernel;
  uint32_t grid[3] = {}, block[3] = {};
  uint64_t dynamic_shared_bytes = 0;
  uint32_t cooperative = 0;
  uint32_t parameter_bytes = 0;
  uint32_t wants_accesses = 0;  ///< Of the Work that follows.
  uint32_t cluster[3] = {};     ///< 0: the kernel's own.
};

struct LaunchReply {
  int32_t error = 0;         ///< Of the call itself.
  int32_t device_error = 0;  ///< What the kernel did: the next call that waits for it returns this.
  double seconds = 0;        ///< Predicted where `predicted`, else the wall time of the emulation.
  uint32_t predicted = 0;
  uint32_t printed_bytes = 0;
  uint32_t used_arrays = 0, unused = 0;
};

/// An array that the host may use, too, and that the kernel used.
struct UsedArray {
  uint64_t address = 0;
  uint32_t written = 0, unused = 0;
};

struct EarlyUse {
  uint32_t by_copy = 0;  ///< It is a copy that may be using the array; else a kernel.
};

/// A copy or a launch, in a program with several streams. Numbers as in Order of the stand-in.
struct Work {
  uint32_t stream = 0;
  uint32_t ended = 0, ended_for_host = 0;  ///< Streams for which a number follows.
  uint32_t ranges = 0;
  uint64_t number = 0;
  uint32_t name_bytes = 0;
  uint32_t has_launch = 0;
};

/// Bytes of the device that a copy used.
struct UsedRange {
  uint64_t address = 0, bytes = 0;
  uint32_t written = 0, unused = 0;
};

/// The numbers of cudaError_t that are used here (driver_types.h).
enum Error : int32_t {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  InitializationError = 3,
  InvalidConfiguration = 9,
  InvalidPitch = 12,
  InvalidSymbol = 13,
  InvalidCopyDirection = 21,
  InvalidDeviceFunction = 98,
  NoDevice = 100,
  InvalidDevice = 101,
  NoKernelImage = 209,
  InvalidPtx = 218,
  InvalidHandle = 400,
  SymbolNotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  AlreadyRegistered = 712,
  NotRegistered = 713,
  Assert = 710,
  MisalignedAddress = 716,
  LaunchFailure = 719,
  CooperativeLaunchTooLarge = 720,
  NotSupported = 801,
  InvalidClusterSize = 912,
};

}  // namespace tilescope::program::wire
