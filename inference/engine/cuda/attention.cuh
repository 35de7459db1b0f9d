// Attention of one new token per row over that row's keys: softmax(scale * q k^T) v.
//
// Each block serves one row, one KV head and one slice of the keys; its warps take tiles of
// 16 keys in turn and meet in shared memory at the end. A KV head is read once for all the
// query heads that share it, eight of which are one column tile of the tensor cores:
//
//   scores (keys x heads) = k . q^T          out^T (dims x heads) += v^T . weights
//
// Online softmax: Milakov and Gimelshein, 2018. Slices of the keys: Flash-Decoding, 2023.

namespace decode {

constexpr int kTile = 16;  // keys of one tile
constexpr unsigned kAll = 0xffffffffu;

__device__ inline float minus_infinity() {
  return __int_as_float(0xff800000);
}

// Factor that takes a sum relative to `own` to one relative to `maximum`.
__device__ inline float relative(float own, float maximum) {
  return own == minus_infinity() ? 0.0f : exp2f(own - maximum);
}

// Two weights of a lane's key become the weights of two keys for the head that its g names.
__device__ inline unsigned transpose(float low, float high) {
  __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  unsigned packed = *reinterpret_cast<unsigned*>(&pair), turned;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(packed));
  return turned;
}

// A lane's share of one vector of D numbers, a query or a key: 8 of each 32, 4 of a last 16.
template <int D>
struct Vector {
  Words<4> whole[D / 32];
  Words<2> rest;

  __device__ void read(const __nv_bfloat16* from, int t) {
#pragma unroll
    for (int i = 0; i < D / 32; ++i) {
      whole[i] = load<4>(from + 32 * i + 8 * t);
    }
    if constexpr (D % 32 != 0) {
      rest = load<2>(from + D - 16 + 4 * t);
    }
  }
};

// Scores of keys g and g + 8 for the heads 2t and 2t + 1 of a tile of heads.
template <int D>
__device__ inline void score(float (&s)[4], const Vector<D> (&key)[2], const Vector<D>& query) {
#pragma unroll
  for (int i = 0; i < D / 32; ++i) {
    const unsigned *low = key[0].whole[i].w, *high = key[1].whole[i].w, *q = query.whole[i].w;
    multiply_add(s, low[0], high[0], low[1], high[1], q[0], q[1]);
    multiply_add(s, low[2], high[2], low[3], high[3], q[2], q[3]);
  }
  if constexpr (D % 32 != 0) {
    const unsigned *low = key[0].rest.w, *high = key[1].rest.w, *q = query.rest.w;
    multiply_add(s, low[0], high[0], low[1], high[1], q[0], q[1]);
  }
}

// A lane's share of the values of the keys 2t, 2t + 1, 2t + 8 and 2t + 9: 8 numbers of each
// 64, then 4 of 32 and 2 of 16, as D requires.
template <int D>
struct Values {
  Words<4> whole[D / 64][4];
  Words<2> half[4];
  Words<1> rest[4];

  __device__ void read(const __nv_bfloat16* const (&keys)[4], int g) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < D / 64; ++j) {
        whole[j][i] = load<4>(keys[i] + 64 * j + 8 * g);
      }
      if constexpr (D % 64 >= 32) {
        half[i] = load<2>(keys[i] + D / 64 * 64 + 4 * g);
      }
      if constexpr (D % 32 != 0) {
        rest[i] = load<1>(keys[i] + D - 16 + 2 * g);
      }
    }
  }

  // Adds the values, weighted for the heads of one tile; see `dimension` for the order.
  __device__ void weigh(float (&out)[D / 16][4], unsigned p0, unsigned p1) const {
#pragma unroll
    for (int j = 0; j < D / 64; ++j) {
      weigh(out + 4 * j, p0, p1, whole[j]);
    }
    if constexpr (D % 64 >= 32) {
      weigh(out + D / 64 * 4, p0, p1, half);
    }
    if constexpr (D % 32 != 0) {
      weigh(out + D / 16 - 1, p0, p1, rest);
    }
  }

  template <int W>
  __device__ static void weigh(
      float (*out)[4], unsigned p0, unsigned p1, const Words<W> (&v)[4]) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
      unsigned even0 = __byte_perm(v[0].w[i], v[1].w[i], 0x5410);
      unsigned even1 = __byte_perm(v[2].w[i], v[3].w[i], 0x5410);
      unsigned odd0 = __byte_perm(v[0].w[i], v[1].w[i], 0x7632);
      unsigned odd1 = __byte_perm(v[2].w[i], v[3].w[i], 0x7632);
      multiply_add(out[i], even0, odd0, even1, odd1, p0, p1);
    }
  }
};

// The dimension of a lane's out[i], element 0 or 1 of its pair.
template <int D>
__device__ inline int dimension(int i, int element, int g) {
  constexpr int whole = D / 64 * 4, half = D % 64 >= 32 ? 2 : 0;
  if (i < whole) {
    return i / 4 * 64 + 8 * g + 2 * (i % 4) + element;
  }
  if (i < whole + half) {
    return 16 * whole + 4 * g + 2 * (i - whole) + element;
  }
  return D - 16 + 2 * g + element;
}

// A warp's online softmax over the keys it has seen, for 8 heads of which a lane keeps 2t
// and 2t + 1. Scores are in units of log 2.
template <int D>
struct Softmax {
  float maximum[2] = {minus_infinity(), minus_infinity()};
  float total[2] = {0.0f, 0.0f};  // of this lane's keys alone
  float out[D / 16][4] = {};

  // Takes in the scores of 16 keys and their values.
  __device__ void add(const float (&s)[4], const Values<D>& values) {
    raise(largest(fmaxf(s[0], s[2])), largest(fmaxf(s[1], s[3])));
    float p[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      p[i] = exp2f(s[i] - maximum[i % 2]);
      total[i % 2] += p[i];
    }
    values.weigh(out, transpose(p[0], p[1]), transpose(p[2], p[3]));
  }

  __device__ static float largest(float x) {
#pragma unroll
    for (int mask = 4; mask < 32; mask *= 2) {
      x = fmaxf(x, __shfl_xor_sync(kAll, x, mask));
    }
    return x;
  }

  // A new maximum is rare after the first tiles; only then is what was summed scaled.
  __device__ void raise(float even, float odd) {
    if (__any_sync(kAll, even > maximum[0] || odd > maximum[1])) {
      even = fmaxf(even, maximum[0]);
      odd = fmaxf(odd, maximum[1]);
      rescale(relative(maximum[0], even), relative(maximum[1], odd));
      maximum[0] = even;
      maximum[1] = odd;
    }
  }

  __device__ void rescale(float even, float odd) {
    total[0] *= even;
    total[1] *= odd;
#pragma unroll
    for (int i = 0; i < D / 16; ++i) {
      out[i][0] *= even;
      out[i][1] *= odd;
      out[i][2] *= even;
      out[i][3] *= odd;
    }
  }
};

// What the warps of a block share when they join: G heads of D dimensions.
template <int D, int G, int WARPS>
struct Shared {
  static constexpr int kHeads = G < 8 ? G : 8;  // of one tile
  float sums[G * D];  // weighted values, relative to `maxima`
  float maxima[G];
  float totals[G];  // of the weights
  float warp_maxima[WARPS][kHeads];
  float warp_totals[WARPS][kHeads];
  float2 parts[WARPS][kHeads][D / 2 + 1];  // each warp's values; one more keeps banks apart

  // Joins the heads `first` to `first + 8`, which lie in the warps' states.
  __device__ void join(const Softmax<D>& mine, int first, int warp, int g, int t) {
    const int heads = min(kHeads, G - first);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float total = mine.total[i];
#pragma unroll
      for (int mask = 4; mask < 32; mask *= 2) {
        total += __shfl_xor_sync(kAll, total, mask);
      }
      const int head = 2 * t + i;
      if (head < heads) {
        if (g == 0) {
          warp_maxima[warp][head] = mine.maximum[i];
          warp_totals[warp][head] = total;
        }
#pragma unroll
        for (int j = 0; j < D / 16; ++j) {
          parts[warp][head][dimension<D>(j, 0, g) / 2] =
              make_float2(mine.out[j][i], mine.out[j][2 + i]);
        }
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < heads * D / 2; i += 32 * WARPS) {
      const int head = i / (D / 2), pair = i % (D / 2);
      float maximum = minus_infinity(), total = 0.0f;
      float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
      for (int w = 0; w < WARPS; ++w) {
        maximum = fmaxf(maximum, warp_maxima[w][head]);
      }
#pragma unroll
      for (int w = 0; w < WARPS; ++w) {
        const float factor = relative(warp_maxima[w][head], maximum);
        total += warp_totals[w][head] * factor;
        sum.x += parts[w][head][pair].x * factor;
        sum.y += parts[w][head][pair].y * factor;
      }
      sums[(first + head) * D + 2 * pair] = sum.x;
      sums[(first + head) * D + 2 * pair + 1] = sum.y;
      if (pair == 0) {
        maxima[first + head] = maximum;
        totals[first + head] = total;
      }
    }
    __syncthreads();
  }
};

// The work of one block, into `shared`. Grid: slices of the keys, KV heads, rows.
// A warp has AHEAD tiles on their way at once.
template <int D, int G, int WARPS, int AHEAD>
__device__ inline void attend(
    Shared<D, G, WARPS>& shared, const __nv_bfloat16* queries, const __nv_bfloat16* keys,
    const __nv_bfloat16* values, int capacity, int begin, int end, float scale) {
  constexpr int kHeadTiles = (G + 7) / 8;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  const size_t kv_head = (size_t)blockIdx.z * gridDim.y + blockIdx.y;
  const int tiles = (end - begin + kTile - 1) / kTile;
  const int per_slice = (tiles + gridDim.x - 1) / gridDim.x;
  const int first = blockIdx.x * per_slice;
  const int last = min(tiles, first + per_slice);

  Vector<D> query[kHeadTiles];
  Softmax<D> softmax[kHeadTiles];
#pragma unroll
  for (int n = 0; n < kHeadTiles; ++n) {
    // Columns beyond the last head repeat it; `join` leaves them out.
    query[n].read(queries + (kv_head * G + min(8 * n + g, G - 1)) * D, t);
  }
  for (int tile = first + warp; tile < last; tile += AHEAD * WARPS) {
    Vector<D> key[AHEAD][2];
    Values<D> value[AHEAD];
    int count[AHEAD];
#pragma unroll
    for (int a = 0; a < AHEAD; ++a) {
      // Keys beyond the end read the last one, a tile beyond it the first; they weigh nothing.
      const int ahead = tile + a * WARPS;
      const bool inside = ahead < last;
      const size_t at = (kv_head * capacity + begin + (inside ? ahead : tile) * kTile) * D;
      count[a] = inside ? end - begin - ahead * kTile : 0;
      const int newest = inside ? min(count[a], kTile) - 1 : 0;
      key[a][0].read(keys + at + min(g, newest) * D, t);
      key[a][1].read(keys + at + min(g + 8, newest) * D, t);
      const __nv_bfloat16* rows[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        rows[i] = values + at + min(2 * t + 8 * (i / 2) + i % 2, newest) * D;
      }
      value[a].read(rows, g);
    }
#pragma unroll
    for (int a = 0; a < AHEAD; ++a) {
#pragma unroll
      for (int n = 0; n < kHeadTiles; ++n) {
        float s[4] = {};
        score(s, key[a], query[n]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          s[i] = g + 8 * (i / 2) < count[a] ? s[i] * scale : minus_infinity();
        }
        softmax[n].add(s, value[a]);
      }
    }
  }
#pragma unroll
  for (int n = 0; n < kHeadTiles; ++n) {
    shared.join(softmax[n], 8 * n, warp, g, t);
  }
}

}  // namespace decode
