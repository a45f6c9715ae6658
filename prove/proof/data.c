/* What moving and combining do to symbolic memories. */
#include "prove/proof/data.h"

#include "prove/proof/sets.h"
#include "prove/proof/state.h"
#include "prove/proof/text.h"

static bool unwritten(proof *e, int rank, size_t op, int buf, memory *m, uint64_t off) {
  return proof_fail(e, PROOF_UNINITIALISED, "rank %d: %s reads %s of %s, which holds nothing", rank,
                    op_text(e, rank, op).text, place_text(e, memory_unwritten(m, off)).text, buffer_text(buf).text);
}

bool data_move(proof *e, origin from, memory *to, uint64_t to_off, uint64_t bytes) {
  uint32_t i = memory_find(from.memory, from.off);
  if (run_end(from.memory, i) >= from.off + bytes) { /* nearly always */
    const run *w = &from.memory->run[i];
    if (!w->set) return unwritten(e, from.rank, from.op, from.buf, from.memory, from.off);
    piece q = { 0, from.off + w->delta, w->set };
    memory_assign(to, to_off, bytes, &q, 1);
    return true;
  }
  size_t n = memory_read(from.memory, from.off, bytes, &e->left, &e->left_cap);
  if (!n) return unwritten(e, from.rank, from.op, from.buf, from.memory, from.off);
  memory_assign(to, to_off, bytes, e->left, n);
  return true;
}

static uint64_t piece_end(const piece *q, size_t i, size_t n, uint64_t len) { return i + 1 < n ? q[i + 1].rel : len; }

/* Is an element cut in two where the piece that holds `at` begins, or is every one of the piece? */
static bool cuts(const piece *q, size_t i, uint64_t at, uint64_t elem) {
  if (q[i].coord % elem != q[i].rel % elem) return true;
  bool begins = i && q[i].rel == at && at % elem;
  return begins && (q[i].set != q[i - 1].set || q[i].coord - q[i].rel != q[i - 1].coord - q[i - 1].rel);
}

bool data_reduce(proof *e, int rank, size_t op, const rec_op *o) {
  memory *left = buffer_of(e, rank, o->buf, rank), *right = buffer_of(e, rank, o->buf2, rank);
  size_t nl = memory_read(left, o->off, o->bytes, &e->left, &e->left_cap);
  if (!nl) return unwritten(e, rank, op, o->buf, left, o->off);
  size_t nr = memory_read(right, o->off2, o->bytes, &e->right, &e->right_cap);
  if (!nr) return unwritten(e, rank, op, o->buf2, right, o->off2);
  size_t i = 0, k = 0, n = 0;
  for (uint64_t at = 0; at < o->bytes;) {
    const piece *l = &e->left[i], *r = &e->right[k];
    uint64_t lc = l->coord + (at - l->rel), rc = r->coord + (at - r->rel);
    if (!e->reduces)
      return proof_fail(e, PROOF_OPERANDS, "rank %d: %s in a collective that has no operator", rank,
                        op_text(e, rank, op).text);
    if (lc != rc)
      return proof_fail(e, PROOF_OPERANDS, "rank %d: %s combines %s with %s", rank, op_text(e, rank, op).text,
                        value_text(e, lc, l->set).text, value_text(e, rc, r->set).text);
    if (cuts(e->left, i, at, e->elem) || cuts(e->right, k, at, e->elem))
      return proof_fail(e, PROOF_OPERANDS,
                        "rank %d: %s combines a part of element %" PRIu64
                        "; an operator takes whole elements of %" PRIu64 " bytes, so make each whole first",
                        rank, op_text(e, rank, op).text, lc / e->elem, e->elem);
    uint64_t set = set_join(e, l->set, r->set);
    if (!set)
      return proof_fail(e, PROOF_TWICE, "rank %d: %s combines %s with %s: some are counted twice", rank,
                        op_text(e, rank, op).text, value_text(e, lc, l->set).text, set_text(e, r->set).text);
    if (e->ordered && !set_follows(e, l->set, r->set))
      return proof_fail(e, PROOF_ORDER, "rank %d: %s puts %s to the left of %s, but the operator does not commute",
                        rank, op_text(e, rank, op).text, value_text(e, lc, l->set).text, set_text(e, r->set).text);
    if (!n || e->out[n - 1].set != set || e->out[n - 1].coord + (at - e->out[n - 1].rel) != lc) {
      PUSH(e->out, n, e->out_cap, (piece){ at, lc, set });
    }
    uint64_t le = piece_end(e->left, i, nl, o->bytes), re = piece_end(e->right, k, nr, o->bytes);
    at = le < re ? le : re;
    i += le == at;
    k += re == at;
  }
  memory_assign(right, o->off2, o->bytes, e->out, n);
  return true;
}
