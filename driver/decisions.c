#include "driver/decisions.h"

#include <string.h>

#include "core/catalogue/decision_file.h"
#include "core/catalogue/text.h"

static bool key_agrees(const launch *l, const char *key, const char *before, char *error, size_t size) {
  if (!decision_file_names(key) || (before && !strcmp(key, before)) ||
      launch_agrees(l->world, decision_file_digest(key)))
    return true;
  return say(error, size, "%.300s: ranks read different files; every node needs the same at this path", key);
}

bool decisions_agree(const launch *l, const plan *p, char *error, size_t size) {
  const plan_point *before = NULL;
  for (const plan_point *q = p->point; q < p->point + p->points; before = q++)
    if (!key_agrees(l, q->key, before ? before->key : NULL, error, size) ||
        !key_agrees(l, q->barrier, before ? before->barrier : NULL, error, size))
      return false;
  return true;
}
