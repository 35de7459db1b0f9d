// The small operations between the products of a decoder layer, two kernels in place of six.

namespace decode {

__device__ inline float warp_sum(float x) {
#pragma unroll
  for (int mask = 1; mask < 32; mask *= 2) {
    x += __shfl_xor_sync(0xffffffffu, x, mask);
  }
  return x;
}

// One head of D dimensions, by one warp: normalized if `weight` is given, then rotated by
// its position. Dimension d turns with d + D / 2.
template <int D>
__device__ inline void rotate_head(
    __nv_bfloat16* to, const __nv_bfloat16* from, const __nv_bfloat16* weight, float eps,
    float position, float log2_base, int lane) {
  constexpr int half = D / 2, steps = (half + 31) / 32;
  float low[steps], high[steps], squares = 0.0f;
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    const int d = lane + 32 * i;
    low[i] = d < half ? __bfloat162float(from[d]) : 0.0f;
    high[i] = d < half ? __bfloat162float(from[d + half]) : 0.0f;
    squares += low[i] * low[i] + high[i] * high[i];
  }
  const float factor = weight ? rsqrtf(warp_sum(squares) / D + eps) : 1.0f;
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    const int d = lane + 32 * i;
    if (d < half) {
      const float x = low[i] * factor * (weight ? __bfloat162float(weight[d]) : 1.0f);
      const float y = high[i] * factor * (weight ? __bfloat162float(weight[d + half]) : 1.0f);
      float sine, cosine;
      sincosf(position * exp2f(-log2_base * d / half), &sine, &cosine);
      to[d] = __float2bfloat16(x * cosine - y * sine);
      to[d + half] = __float2bfloat16(x * sine + y * cosine);
    }
  }
}

// One row, by one block of up to 1024 threads with 8 numbers each: sum = x + y, rounded as
// it is kept, and that normalized.
__device__ inline void add_and_normalize(
    __nv_bfloat16* sum, __nv_bfloat16* normalized, const __nv_bfloat16* x,
    const __nv_bfloat16* y, const __nv_bfloat16* weight, float eps, int width) {
  __shared__ float warp_squares[32];
  const int at = 8 * threadIdx.x;
  float kept[8] = {}, squares = 0.0f;
  if (at < width) {
    const Words<4> a = load<4>(x + at), b = load<4>(y + at);
    Words<4> c;
    const __nv_bfloat162* pairs_a = reinterpret_cast<const __nv_bfloat162*>(&a);
    const __nv_bfloat162* pairs_b = reinterpret_cast<const __nv_bfloat162*>(&b);
    __nv_bfloat162* pairs_c = reinterpret_cast<__nv_bfloat162*>(&c);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 u = __bfloat1622float2(pairs_a[i]), v = __bfloat1622float2(pairs_b[i]);
      pairs_c[i] = __floats2bfloat162_rn(u.x + v.x, u.y + v.y);
      const float2 rounded = __bfloat1622float2(pairs_c[i]);
      kept[2 * i] = rounded.x;
      kept[2 * i + 1] = rounded.y;
      squares += rounded.x * rounded.x + rounded.y * rounded.y;
    }
    *reinterpret_cast<Words<4>*>(sum + at) = c;
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) {
    warp_squares[threadIdx.x / 32] = squares;
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const float total = warp_sum(lane < (int)blockDim.x / 32 ? warp_squares[lane] : 0.0f);
  const float factor = rsqrtf(total / width + eps);
  if (at < width) {
    const Words<4> w = load<4>(weight + at);
    const __nv_bfloat162* pairs_w = reinterpret_cast<const __nv_bfloat162*>(&w);
    Words<4> c;
    __nv_bfloat162* pairs_c = reinterpret_cast<__nv_bfloat162*>(&c);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 u = __bfloat1622float2(pairs_w[i]);
      pairs_c[i] =
          __floats2bfloat162_rn(kept[2 * i] * factor * u.x, kept[2 * i + 1] * factor * u.y);
    }
    *reinterpret_cast<Words<4>*>(normalized + at) = c;
  }
}

}  // namespace decode
