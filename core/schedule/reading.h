/* What the files that read a schedule share: reading.c has words, read_operation.c one operation, read.c lines and ranks. */
#ifndef COLLSCOPE_CORE_SCHEDULE_READING_H
#define COLLSCOPE_CORE_SCHEDULE_READING_H

#include "core/plan/line.h"
#include "core/schedule/array.h"
#include "core/schedule/pool.h"
#include "core/schedule/text.h"

#define READING_MAX_BYTES ((uint64_t)1 << 39) /* of a buffer: as many as the recorder has addresses for */
enum { READING_MAX_RANKS = 1 << 20, READING_MAX_NAMES = 1 << 24, READING_MAX_SEGMENTS = 255 - REC_SEGMENT };

/* A schedule from a file. */
typedef struct {
  record record; /* first: what the caller sees */
  char *path, algorithm[256];
  pool keep;
  rec_segment *group; /* [record.segment_groups] */
  int *opened;        /* [record.segment_groups] by how many members */
  uint32_t **line;    /* [ranks][operations] of the file */
  int ranks;          /* that there is memory for; 0 before the line `call` */
  /* while it is read */
  const file_line *at;
  size_t *displs; /* of the line `call`; its blocks that have been read */
  size_t blocks, expected;
  char *rest;       /* of the line */
  bool versioned;   /* the first line has been read */
  int rank, call;   /* the ones that are read; -1: no rank yet */
  uint32_t *posted; /* [name] the rank's operation of this name that is not waited for, plus 1; 0: the name is free */
  size_t names;
  int pending; /* requests not waited for */
  size_t operations, line_cap, piece_cap, group_cap, opened_cap;
} reading;

extern const char reading_blanks[];

/* The next word of the line; NULL: there is no more. */
char *reading_word(reading *);
/* The next word must be this one, or a number up to `max`. False, with the message set, where it is not. */
bool reading_expects(reading *, const char *word);
bool reading_number(reading *, const char *what, uint64_t max, uint64_t *value);
bool reading_ends(reading *);

/* Takes the operation whose name has been read; the rest of the line says which. */
bool reading_operation(reading *, const char *name);

#endif
