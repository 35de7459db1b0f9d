// Fragments of the tensor cores, shared by the kernels beside this file.
//
// mma.m16n8k16 adds a 16 x 16 fragment times a 16 x 8 one to a 16 x 8 one, bfloat16 in,
// float32 out. A lane has the coordinates g = lane / 4 and t = lane % 4. It holds rows g and
// g + 8 of the first operand, column g of the second, and of the result columns 2t and
// 2t + 1 in rows g and g + 8. Which of the 16 summed dimensions sits in which lane is free,
// as long as both operands agree: each kernel has a lane load consecutive ones.

#include <cuda_bf16.h>

namespace decode {

// W 32-bit words, two bfloat16 each, read in one instruction.
template <int W>
struct alignas(4 * W) Words {
  unsigned w[W];
};

template <int W>
__device__ inline Words<W> load(const __nv_bfloat16* from) {
  return *reinterpret_cast<const Words<W>*>(from);
}

__device__ inline void multiply_add(
    float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

}  // namespace decode
