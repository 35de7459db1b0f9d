// y = x W^T for a few rows x: what a decode step asks of a linear layer.
//
// The weights are the rows of the first operand, so that each is read once, straight from
// device memory, for up to 8 * TILES rows of x. A block makes 16 * BANDS columns of y; its
// warps share out the summed dimension and meet in shared memory at the end.

namespace decode {

// Read past the first cache: nothing reads a weight twice.
__device__ inline Words<4> load_once(const __nv_bfloat16* from) {
  Words<4> words;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
      : "=r"(words.w[0]), "=r"(words.w[1]), "=r"(words.w[2]), "=r"(words.w[3])
      : "l"(from));
  return words;
}

template <int TILES, int BANDS, int WARPS>
struct Product {
  static constexpr int kStride = 32 * WARPS;  // a share of all warps: 32 dimensions each
  static constexpr int kUnrolled = 4 / BANDS;
  // By warp, column of y and row of x; one more row keeps the banks apart.
  float sums[WARPS][16 * BANDS][8 * TILES + 1];

  // Fills `sums`. x is rows x width, `weight` height x width; width is a multiple of 32.
  __device__ void compute(
      const __nv_bfloat16* x, const __nv_bfloat16* weight, int rows, int height, int width) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int g = lane / 4, t = lane % 4;
    // What lies beyond the last row repeats it, and is not written in the end.
    const __nv_bfloat16 *weights[2 * BANDS], *inputs[TILES];
#pragma unroll
    for (int i = 0; i < 2 * BANDS; ++i) {
      const int row = min((int)blockIdx.x * 16 * BANDS + 8 * i + g, height - 1);
      weights[i] = weight + (size_t)row * width + 8 * t;
    }
#pragma unroll
    for (int n = 0; n < TILES; ++n) {
      inputs[n] = x + (size_t)min(8 * n + g, rows - 1) * width + 8 * t;
    }
    float c[BANDS][TILES][4] = {};
    for (int at = 32 * warp; at < width; at += kUnrolled * kStride) {
      add(c, weights, inputs, at, width);
    }
#pragma unroll
    for (int i = 0; i < BANDS; ++i) {
#pragma unroll
      for (int n = 0; n < TILES; ++n) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sums[warp][16 * i + g + 8 * (j / 2)][8 * n + 2 * t + j % 2] = c[i][n][j];
        }
      }
    }
    __syncthreads();
  }

  // Adds what the warp has of kUnrolled shares; all loads are on their way at once.
  __device__ static void add(
      float (&c)[BANDS][TILES][4], const __nv_bfloat16* const (&weights)[2 * BANDS],
      const __nv_bfloat16* const (&inputs)[TILES], int at, int width) {
    Words<4> w[kUnrolled][2 * BANDS], x[kUnrolled][TILES];
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
      // A share beyond the end reads the first again and counts as nothing; a branch here
      // would keep the loads from going out together.
      const bool inside = at + u * kStride < width;
      const int place = inside ? at + u * kStride : at;
#pragma unroll
      for (int i = 0; i < 2 * BANDS; ++i) {
        w[u][i] = load_once(weights[i] + place);
      }
#pragma unroll
      for (int n = 0; n < TILES; ++n) {
        x[u][n] = load<4>(inputs[n] + place);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          x[u][n].w[k] = inside ? x[u][n].w[k] : 0u;
        }
      }
    }
    __syncwarp();  // or the compiler waits for the first loads before it issues the last
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
#pragma unroll
      for (int i = 0; i < BANDS; ++i) {
        const unsigned *low = w[u][2 * i].w, *high = w[u][2 * i + 1].w;
#pragma unroll
        for (int n = 0; n < TILES; ++n) {
          const unsigned* b = x[u][n].w;
          multiply_add(c[i][n], low[0], high[0], low[1], high[1], b[0], b[1]);
          multiply_add(c[i][n], low[2], high[2], low[3], high[3], b[2], b[3]);
        }
      }
    }
  }

  __device__ float sum(int column, int row) const {
    float total = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
      total += sums[w][column][row];
    }
    return total;
  }
};

}  // namespace decode
