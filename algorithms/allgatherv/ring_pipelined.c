/* allgatherv/ring_pipelined[s]
 * Idea     as allgatherv/bucket, but in pieces: of the shortest block's length, or of s bytes where that is more. A long block is on its
 *          way to the next rank while the rest of it still comes
 * Rounds   as many as a rank sends pieces, all but those of its right neighbour's block; p-1 where no block is longer than a piece
 * Cost     the most pieces × alpha + all but the shortest block × beta; exact for blocks of one length
 * Needs    any p, any counts; nothing is sent of empty blocks
 * Scratch  none
 * Source   MPICH's ring, where s is MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE
 *
 *          rank 0   rank 1   rank 2           rank 1 has two elements, pieces of one
 *  start   a...     .bb.     ...c
 *  1       a..c     abb.     .b.c             rank 1's first piece to 2
 *  2       ab.c     abbc     .bbc             … goes on to 0, while the second comes to 2
 *  3       abbc     abbc     abbc
 */
#include "patterns/rank_block.h"
#include "patterns/ring.h"

/* Elements of a piece. */
static size_t piece_of(const coll_args *a) {
  size_t least = coll_rank_block(a, 0).count, given = (size_t)a->param[0] / a->elem;
  for (int i = 1; i < a->size; i++) {
    size_t n = coll_rank_block(a, i).count;
    if (n < least) least = n;
  }
  if (least < given) least = given;
  return least ? least : 1;
}

/* What passes a rank's port on one side: whose block it is at, how far it has come, and how much is left of all. */
typedef struct {
  int block;
  size_t done, left;
} side;

static coll_span next(const coll_args *a, side *s, size_t piece) {
  coll_span b = coll_rank_block(a, s->block);
  size_t rest = s->left ? b.count - s->done : 0, n = rest < piece ? rest : piece;
  coll_span found = { b.first + s->done, n };
  s->done += n;
  s->left -= n;
  if (s->done == b.count) {
    s->done = 0;
    s->block = coll_ring_left(a->size, s->block);
  }
  return found;
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, right = coll_ring_right(p, c->rank), left = coll_ring_left(p, c->rank);
  size_t all = coll_all_blocks(a), piece = piece_of(a);
  coll_span own = coll_rank_block(a, c->rank);
  coll_copy(c, coll_at(c, a->out, own.first), a->in, own.count);
  side out = { c->rank, 0, all - coll_rank_block(a, right).count }, in = { left, 0, all - own.count };
  while (out.left || in.left) {
    coll_span gives = next(a, &out, piece), takes = next(a, &in, piece);
    void *from = coll_at(c, a->out, gives.first), *to = coll_at(c, a->out, takes.first);
    if (gives.count && takes.count) coll_sendrecv(c, from, gives.count, right, to, takes.count, left);
    else if (gives.count) coll_send(c, from, gives.count, right);
    else if (takes.count) coll_recv(c, to, takes.count, left);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  size_t piece = piece_of(a), all = coll_all_blocks(a), pieces = 0, fewest = SIZE_MAX, least = all;
  for (int i = 0; i < a->size; i++) {
    size_t n = coll_rank_block(a, i).count, of = (n + piece - 1) / piece;
    pieces += of;
    if (of < fewest) fewest = of;
    if (n < least) least = n;
  }
  return a->size < 2 ? 0 : (double)(pieces - fewest) * alpha + (double)((all - least) * a->elem) * beta;
}

static bool exact(const coll_args *a) { return !a->displs; }

static const coll_param params[] = {
  { .name = "s",
    .value = 32768,
    .min = 1,
    .max = 1L << 30,
    .help = "bytes of a piece, where the shortest block has fewer" },
  { .name = NULL },
};

const coll_alg allgatherv_ring_pipelined = {
  .key = "allgatherv/ring_pipelined",
  .collective = COLL_ALLGATHERV,
  .summary = "a ring of neighbours that passes long blocks on in pieces",
  .source = "MPICH",
  .params = params,
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
