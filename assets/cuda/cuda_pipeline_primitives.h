// Copies from global to shared memory that go on beside the computation, by cp.async (PTX ISA, "cp.async"); from sm_80 on.
#pragma once

template <class To, class From>
TILESCOPE_FUNCTION void __pipeline_memcpy_async(To *to, const From *from, size_t bytes, size_t zeros = 0) {
  const unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
  const unsigned int read = (unsigned int)(bytes - zeros);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(read) : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(from), "r"(read) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(read) : "memory");
}
TILESCOPE_FUNCTION void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Until all but the last `prior` commits have arrived; a literal, up to 8.
TILESCOPE_FUNCTION void __pipeline_wait_prior(size_t prior) {
  switch (prior) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 8;" ::: "memory"); break;
  }
}
