// Calls of functions by their addresses: from a table, from variables, chosen by each lane, and virtual ones of objects
// in local memory.
typedef float (*Function)(float, float);

__device__ __noinline__ float added(float a, float b) { return a + b; }
__device__ __noinline__ float multiplied(float a, float b) { return a * b + 1; }
__device__ __noinline__ float taken(float a, float b) { return a - b * 2; }
__device__ __noinline__ float greater(float a, float b) { return a > b ? a : b * 3; }
__device__ __noinline__ float less(float a, float b) { return a < b ? a : b + 5; }
__device__ __noinline__ float divided(float a, float b) { return a / (b + 2); }

__device__ Function last = less;
__device__ Function table[3] = {greater, added, taken};
__constant__ Function fixed = divided;

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual float scaled(float by) const { return area() * by; }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
  __device__ float scaled(float by) const override { return area() + by; }
};

__global__ void function_pointers(const float *x, float *y, int n) {
  const int t = threadIdx.x;
  Function chosen = t > n ? multiplied : taken;
  if (t % 5 == 1) chosen = last;
  if (t % 5 == 2) chosen = table[t % 3];
  if (t % 5 == 3) chosen = fixed;
  float sum = chosen(x[t], t);
  if (chosen == taken) sum += 100;
  Square square(x[t]);
  Circle circle(t);
  Shape *shape = (t ^ n) & 1 ? (Shape *)&square : (Shape *)&circle;
  sum += shape->area() + shape->scaled(0.5f);
  y[t] = sum + table[n % 3](sum, 1);
}
