/* Plays a script on the timing engine and prints when each rank is done. Usage: timing_script MACHINE SCRIPT… */
#include "tests/model/script.h"
#include "model/timing.h"

static const rec_kind kinds[] = { REC_SEND, REC_RECV, REC_ISEND, REC_IRECV, REC_WAIT, REC_REDUCE };

int main(int argc, char **argv) {
  char error[256];
  machine m;
  if (argc < 3 || !machine_read(&m, argv[1], error, sizeof error)) {
    fprintf(stderr, "%s\n", argc < 3 ? "usage: timing_script MACHINE SCRIPT..." : error);
    return 2;
  }
  timing_result result = { 0 };
  for (int f = 2; f < argc; f++) {
    script s = script_read(argv[f]);
    record rec = { .args.size = s.ranks, .rank = calloc((size_t)s.ranks, sizeof *rec.rank) };
    for (int r = 0; r < s.ranks; r++) {
      rec.rank[r] = (rec_rank){ .op = calloc((size_t)s.n[r] + 1, sizeof(rec_op)), .n = (size_t)s.n[r] };
      for (int i = 0; i < s.n[r]; i++) {
        const script_op *o = &s.op[r][i];
        /* What is sent, received and computed lies apart: a script names no buffers.
         * Time to compute is bytes at gamma: the machine file says 1e-12 seconds per byte, so picoseconds are exact. */
        rec.rank[r].op[i] = (rec_op){ .kind = (uint8_t)kinds[o->kind],
                                      .buf = rec_receives(kinds[o->kind]) ? REC_OUT : REC_IN,
                                      .buf2 = REC_SCRATCH,
                                      .peer = o->peer,
                                      .bytes = o->kind == SCRIPT_COMPUTE ? (uint64_t)(o->seconds * 1e12 + 0.5)
                                                                         : o->bytes };
      }
    }
    if (timing_run(&rec, &m, &result)) {
      fprintf(stderr, "%s: %s\n", argv[f], result.error);
      return 1;
    }
    for (int r = 0; r < s.ranks; r++) printf("%d %.12e\n", r, result.rank_end_s[r]);
    for (int r = 0; r < s.ranks; r++) free(rec.rank[r].op);
    free(rec.rank);
  }
  timing_free(&result);
  machine_free(&m);
  return 0;
}
