#include "model/explain.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/path.h"

/* ---- the path ------------------------------------------------------------------------------------------ */

/* The links of a machine, and the messages of the schedule that was timed. */
typedef struct {
  const wiring *w;
  const machine *m;
  link_paths paths;
  crossing *crossed; /* [paths.longest] */
} laid_out;

/* The time from `begin` to where the walk stands; it then stands at `begin`. */
static void take(explanation *x, part_kind part, double begin, path_part p) {
  p.part = part;
  p.begin = fmin(fmax(begin, 0), x->end);
  p.end = x->end;
  if (p.end - p.begin <= 1e-13 * p.end) return; /* rounding: it goes to the part before */
  x->end = p.begin;
  x->seconds[part] += p.end - p.begin;
  PUSH(x->path, x->parts, x->part_cap, p);
}

/* Until when a message waits before its bytes flow, without what only its size makes longer than its links say: that is bandwidth, too. */
static double latency_of(const laid_out *on, const message *m, const link_path *v) {
  const machine_piece *c = message_price(m, on->m);
  double start = c->latency_s - message_spent(m, c, on->m);
  if (on->m->core_bytes_per_s <= 0 || !on->m->places) return fmax(0, start);
  return v->latency_s - fmax(0, fmin(v->latency_s, (double)m->bytes * c->s_per_byte - v->left / v->most));
}

static void take_fluid(explanation *x, const laid_out *on, int32_t id, path_part p) {
  causes *c = &x->causes;
  const tracked *t = &c->tracked[c->slot[id]];
  const message *m = &on->w->message[id];
  link_path v = paths_lay(&on->paths, m, on->crossed);
  int32_t narrowest = NONE;
  double most = 0;
  for (int k = 0; k < v.crossed; k++)
    if (on->crossed[k].weight > most) most = on->crossed[k].weight, narrowest = on->crossed[k].resource;
  if (v.most * most < 1) narrowest = NONE;
  double waits = 0;
  for (int32_t at = t->waits; at != NONE; at = c->wait[at].next) {
    p.link = c->wait[at].link;
    x->wait_s[p.link] += c->wait[at].seconds;
    waits += c->wait[at].seconds;
    take(x, PART_WAIT, x->end - c->wait[at].seconds, p);
  }
  p.link = narrowest;
  take(x, PART_BANDWIDTH, t->flow, p);
  p.link = NONE;
  take(x, PART_ORDER, t->ready, p);
  v.most = fmin(v.most, 1 / most); /* its rate alone */
  double latency = latency_of(on, m, &v);
  take(x, PART_BANDWIDTH, t->ready - v.latency_s + latency, p);
  take(x, PART_LATENCY, t->ready - v.latency_s, p);
  take(x, PART_NIC_GAP, c->message[id].posted, p);
}

/* The parts of a message; the walk stands at its end, and then at its start. Returns the message that it follows; NONE. */
static int32_t take_message(explanation *x, const laid_out *on, int32_t id) {
  const message *m = &on->w->message[id];
  const message_cause *c = &x->causes.message[id];
  path_part p = { .rank = m->src, .other = m->dst, .bytes = m->bytes, .link = NONE };
  x->messages++;
  if (!x->one_port) {
    take_fluid(x, on, id, p);
    return NONE;
  }
  const machine_piece *price = message_price(m, on->m);
  take(x, PART_BANDWIDTH, c->start + price->latency_s - message_spent(m, price, on->m), p);
  take(x, PART_LATENCY, c->start, p);
  return c->before;
}

/* What is visited on the way back: with on NULL, messages get their slots for the second run; else parts are taken. */
static void walk(explanation *x, int32_t last, double makespan, const laid_out *on) {
  causes *c = &x->causes;
  double counted = makespan; /* from here on the time of waiting receivers is counted already */
  x->end = makespan;
  for (int32_t at = last; at != NONE;) {
    const cause_step *s = &c->step[at];
    if (s->message == NONE) {
      int32_t before = s->part == PARTS ? s->set_by : s->before;
      path_part own = { .rank = s->rank, .other = NONE, .link = NONE };
      if (on && s->part != PARTS) take(x, s->part, before == NONE ? 0 : c->step[before].time, own);
      at = before;
      continue;
    }
    int32_t id = s->message, first = id;
    for (int32_t next = id; next != NONE;) {
      id = next;
      if (on) next = take_message(x, on, id);
      else {
        next = x->one_port ? c->message[id].before : NONE;
        c->slot[id] = (int32_t)c->trackeds;
        PUSH(c->tracked, c->trackeds, c->tracked_cap, (tracked){ .message = id, .waits = NONE });
      }
      first = id;
    }
    const message_cause *cause = &c->message[first];
    if (on && cause->sender_waited_s > 0) {
      double from = cause->posted - cause->sender_waited_s;
      x->rendezvous_s += fmax(0, fmin(cause->posted, counted) - from);
      counted = fmin(counted, from);
    }
    at = cause->step;
  }
}

/* ---- links --------------------------------------------------------------------------------------------- */

static void add_loads(explanation *x, laid_out *on) {
  for (size_t i = 0; i < on->w->transfers; i++) {
    const message *m = &on->w->message[i];
    if (!(m->flags & DONE)) continue; /* the line of a flag that the rank has set itself */
    if (x->one_port && m->flags & TRANSFER) continue;
    link_path v = paths_lay(&on->paths, m, on->crossed);
    for (int k = 0; k < v.crossed; k++) x->busy_s[on->crossed[k].resource] += on->crossed[k].weight * v.left;
  }
}

/* In the one-port model a message has its ports for its whole time. */
static void add_port_loads(explanation *x, const laid_out *on) {
  for (size_t i = 0; i < on->w->messages; i++) {
    const message *m = &on->w->message[i];
    double takes = m->time - x->causes.message[i].start;
    x->busy_s[m->src] += takes;
    x->busy_s[on->w->ranks + m->dst] += takes;
  }
}

/* Of one instant, what ends comes first: a message that follows at once keeps the port busy. */
static int by_time(const void *a, const void *b) {
  const link_load *x = a, *y = b;
  if (x->time != y->time) return x->time > y->time ? 1 : -1;
  return (x->load > y->load) - (x->load < y->load);
}

static void load_port(explanation *x, const laid_out *on) {
  causes *c = &x->causes;
  int p = on->w->ranks;
  for (size_t i = 0; i < on->w->messages; i++) {
    const message *m = &on->w->message[i];
    if (x->watched != m->src && x->watched != p + m->dst) continue;
    PUSH(c->load, c->loads, c->load_cap, (link_load){ c->message[i].start, 1 });
    PUSH(c->load, c->loads, c->load_cap, (link_load){ m->time, 0 });
  }
  if (c->loads) qsort(c->load, c->loads, sizeof *c->load, by_time);
  size_t n = 0;
  for (size_t i = 0; i < c->loads; i++) {
    if (n && !c->load[n - 1].load && c->load[i].time - c->load[n - 1].time <= 1e-12 * c->load[i].time) n--;
    else c->load[n++] = c->load[i];
  }
  c->loads = n;
}

static int32_t most_of(const double *value, size_t n) {
  int32_t most = NONE;
  for (size_t i = 0; i < n; i++)
    if (value[i] > (most == NONE ? 0 : value[most])) most = (int32_t)i;
  return most;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static laid_out lay_out(const machine *m, const wiring *w) {
  laid_out on = { .w = w, .m = m };
  paths_prepare(&on.paths, m, w->ranks); /* as for the run, which has passed */
  on.crossed = array_grow(NULL, sizeof *on.crossed * (size_t)on.paths.longest);
  return on;
}

static void clear(explanation *x, const machine *m) {
  for (int k = 0; k < PARTS; k++) x->seconds[k] = 0;
  x->rendezvous_s = 0;
  x->messages = x->parts = x->causes.trackeds = x->causes.waits = x->causes.loads = 0;
  x->one_port = m->ports == MACHINE_ONE_PORT;
}

static double *zeroes(double *array, size_t *cap, size_t n) {
  RESERVE(array, *cap, n);
  for (size_t i = 0; i < n; i++) array[i] = 0;
  return array;
}

int explain_run(const record *rec, const machine *m, timing_result *t, explanation *x) {
  clear(x, m);
  t->why = &x->causes;
  t->why->stage = CAUSES_PATH;
  int status = timing_run(rec, m, t);
  if (!status) {
    int32_t last = x->causes.last[t->last_rank];
    laid_out on = lay_out(m, timing_wiring(t));
    x->links = x->one_port ? 2 * (size_t)t->ranks : (size_t)on.paths.resources;
    x->busy_s = zeroes(x->busy_s, &x->busy_cap, x->links);
    x->wait_s = zeroes(x->wait_s, &x->wait_cap, x->links);
    walk(x, last, t->makespan_s, NULL);
    t->why->stage = CAUSES_RATES;
    if (!x->one_port) status = timing_run(rec, m, t);
    walk(x, last, t->makespan_s, &on);
    if (x->one_port) add_port_loads(x, &on);
    else add_loads(x, &on);
    x->watched = most_of(x->wait_s, x->links);
    if (x->watched == NONE) x->watched = most_of(x->busy_s, x->links);
    t->why->stage = CAUSES_LOAD;
    t->why->watched = x->watched;
    if (x->watched != NONE && x->one_port) load_port(x, &on);
    else if (x->watched != NONE) status = timing_run(rec, m, t);
    paths_free(&on.paths);
    free(on.crossed);
  }
  t->why = NULL;
  return status;
}

void explain_free(explanation *x) {
  causes_free(&x->causes);
  free(x->path);
  free(x->busy_s);
  free(x->wait_s);
  *x = (explanation){ 0 };
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

typedef struct {
  int32_t *place, *listed; /* [links] the place of each in the list; [n] */
  size_t n, cap;
} link_list;

static int32_t list_link(link_list *l, int32_t link) {
  if (link == NONE) return NONE;
  if (l->place[link] == NONE) {
    l->place[link] = (int32_t)l->n;
    PUSH(l->listed, l->n, l->cap, link);
  }
  return l->place[link];
}

static void print_path(json *j, const explanation *x, link_list *l) {
  json_array(j, "path");
  for (size_t i = x->parts; i--;) {
    const path_part *p = &x->path[i];
    json_array(j, NULL);
    json_text(j, NULL, part_names[p->part]);
    json_int(j, NULL, p->rank);
    json_int(j, NULL, p->other);
    json_size(j, NULL, p->bytes);
    json_real(j, NULL, p->begin);
    json_real(j, NULL, p->end);
    json_int(j, NULL, list_link(l, p->link));
    json_end(j);
  }
  json_end(j);
}

static void print_links(json *j, const machine *m, int ranks, const explanation *x, const link_list *l) {
  link_paths on = { 0 };
  paths_prepare(&on, m, ranks);
  json_array(j, "links");
  for (size_t i = 0; i < l->n; i++) {
    char name[80];
    const char *kind = paths_name(&on, l->listed[i], name, sizeof name);
    json_array(j, NULL);
    json_text(j, NULL, kind);
    json_text(j, NULL, name);
    json_real(j, NULL, x->busy_s[l->listed[i]]);
    json_real(j, NULL, x->wait_s[l->listed[i]]);
    json_end(j);
  }
  json_end(j);
  paths_free(&on);
}

void explain_print(json *j, const machine *m, int ranks, const explanation *x) {
  link_list l = { .place = array_grow(NULL, sizeof *l.place * (x->links + 1)) };
  for (size_t i = 0; i < x->links; i++) l.place[i] = NONE;
  list_link(&l, x->watched);
  json_size(j, "path_messages", x->messages);
  json_object(j, "parts");
  for (int k = 0; k < PARTS; k++) json_real(j, part_names[k], x->seconds[k]);
  json_end(j);
  json_real(j, "rendezvous_s", x->rendezvous_s);
  print_path(j, x, &l);
  print_links(j, m, ranks, x, &l);
  json_array(j, "load");
  for (size_t i = 0; i < x->causes.loads; i++) {
    json_array(j, NULL);
    json_real(j, NULL, x->causes.load[i].time);
    json_real(j, NULL, x->causes.load[i].load);
    json_end(j);
  }
  json_end(j);
  free(l.place);
  free(l.listed);
}
