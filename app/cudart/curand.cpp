/// A stand-in for libcurand: uniform and normal numbers, made by the CPU. They have the requested distribution, not
/// the values of a GPU's generator for the seed.
#include <cstddef>
#include <random>

#include "cudart/libraries.h"

#define CURAND_API extern "C" __attribute__((visibility("default"))) int

namespace {

enum Status : int { kSuccess = 0, kOutOfRange = 104 };

/// curandGenerator_t
struct Generator {
  std::mt19937_64 engine{0};
  void* stream = nullptr;
};

/// `draw` for each of `count` elements at `target`.
template <class T, class Draw>
int generate(const char* name, void* generator, void* target, size_t count, Draw draw) {
  auto* values = static_cast<T*>(tilescopeHostAddress(target, count * sizeof(T), 1));
  if (!values) return kOutOfRange;
  tilescopeUses(target, count * sizeof(T), 1);
  Generator& of = *static_cast<Generator*>(generator);
  tilescopeUntraced(name, of.stream);
  for (size_t i = 0; i < count; ++i) values[i] = draw(of.engine);
  return kSuccess;
}

/// In (0, 1], as in cuRAND.
template <class T>
T uniform(std::mt19937_64& engine) {
  return T{1} - std::generate_canonical<T, 53>(engine);
}

Generator& generator_of(void* generator) { return *static_cast<Generator*>(generator); }

}  // namespace

CURAND_API curandCreateGenerator(void** generator, int) {
  *generator = new Generator;
  return kSuccess;
}
CURAND_API curandCreateGeneratorHost(void** generator, int type) { return curandCreateGenerator(generator, type); }
CURAND_API curandDestroyGenerator(void* generator) {
  delete static_cast<Generator*>(generator);
  return kSuccess;
}
CURAND_API curandSetPseudoRandomGeneratorSeed(void* generator, unsigned long long seed) {
  generator_of(generator).engine.seed(seed);
  return kSuccess;
}
CURAND_API curandSetGeneratorOffset(void* generator, unsigned long long offset) {
  generator_of(generator).engine.discard(offset);
  return kSuccess;
}
CURAND_API curandSetGeneratorOrdering(void*, int) { return kSuccess; }
CURAND_API curandSetStream(void* generator, void* stream) {
  generator_of(generator).stream = stream;
  return kSuccess;
}
CURAND_API curandGenerateSeeds(void*) { return kSuccess; }

CURAND_API curandGenerate(void* generator, unsigned* target, size_t count) {
  return generate<unsigned>("curandGenerate", generator, target, count,
                            [](auto& engine) { return static_cast<unsigned>(engine()); });
}
CURAND_API curandGenerateUniform(void* generator, float* target, size_t count) {
  return generate<float>("curandGenerateUniform", generator, target, count,
                         [](auto& engine) { return uniform<float>(engine); });
}
CURAND_API curandGenerateUniformDouble(void* generator, double* target, size_t count) {
  return generate<double>("curandGenerateUniformDouble", generator, target, count,
                          [](auto& engine) { return uniform<double>(engine); });
}
CURAND_API curandGenerateNormal(void* generator, float* target, size_t count, float mean, float deviation) {
  std::normal_distribution<float> normal(mean, deviation);
  return generate<float>("curandGenerateNormal", generator, target, count,
                         [&](auto& engine) { return normal(engine); });
}
CURAND_API curandGenerateNormalDouble(void* generator, double* target, size_t count, double mean, double deviation) {
  std::normal_distribution<double> normal(mean, deviation);
  return generate<double>("curandGenerateNormalDouble", generator, target, count,
                          [&](auto& engine) { return normal(engine); });
}
