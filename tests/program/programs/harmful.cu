// Launches one block more if it can write a file, and two more if it reaches the network.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

__global__ void fill(float* values) { values[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  const int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(9);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int network = connect(socket(AF_INET, SOCK_DGRAM, 0), reinterpret_cast<sockaddr*>(&here), sizeof here);
  float* values;
  cudaMalloc(&values, 4 * 32 * sizeof(float));
  fill<<<1 + (file >= 0 ? 1 : 0) + (network == 0 ? 2 : 0), 32>>>(values);
}
