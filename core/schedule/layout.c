/* Where in and out lie at a rank. */
#include "core/catalogue/collective.h"
#include "core/schedule/schedule.h"

rec_layout rec_layout_of(coll_collective k, const coll_args *a, int rank) {
  rec_layout l = { .in_buf = REC_IN, .out_buf = REC_OUT, .in_place = coll_shares_buffer(k, a, rank) };
  coll_in_place where = coll_facts_of(k)->in_place;
  l.has_in = coll_has_input(k, a, rank) || l.in_place;
  l.has_out = coll_has_output(k, a, rank);
  l.in_bytes = coll_in_count(k, a, rank) * a->elem;
  l.out_bytes = coll_result_count(k, a, rank) * a->elem;
  if (l.in_place && where == COLL_IN_PLACE_OUT_IN) l.out_buf = REC_IN;
  else if (l.in_place) l.in_buf = REC_OUT;
  l.in_off = coll_in_offset(k, a, rank) * a->elem;
  l.out_off = coll_out_offset(k, a, rank) * a->elem;
  if (l.has_in && l.size[l.in_buf] < l.in_off + l.in_bytes) l.size[l.in_buf] = l.in_off + l.in_bytes;
  if (l.has_out && l.size[l.out_buf] < l.out_off + l.out_bytes) l.size[l.out_buf] = l.out_off + l.out_bytes;
  return l;
}
