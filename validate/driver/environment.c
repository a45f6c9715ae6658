/* What else a measurement depends on, as the system and MPI's tool interface tell it. What they do not tell is left out. */
#define _GNU_SOURCE
#include "validate/driver/environment.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/runtime/allocate.h"

enum { CPUS_TEXT = 128, VALUE_TEXT = 4096 };
extern char **environ;

/* ---- the system ------------------------------------------------------------------------------------- */

static void add_file(json *j, const char *name, const char *path) {
  char text[256];
  FILE *file = fopen(path, "r");
  if (!file) return;
  if (fgets(text, sizeof text, file)) {
    text[strcspn(text, "\n")] = '\0';
    json_text(j, name, text);
  }
  fclose(file);
}

static void add_processor(json *j) {
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  bool found = false;
  while (file && !found && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    found = colon && !strncmp(line, "model name", 10);
    if (!found) continue;
    colon[1 + strcspn(colon + 1, "\n")] = '\0';
    json_text(j, "cpu", colon + 1 + strspn(colon + 1, " "));
  }
  if (file) fclose(file);
}

void environment_load(json *j) {
  double load[3];
  int n = getloadavg(load, 3);
  json_array(j, "load");
  for (int i = 0; i < n; i++) json_real(j, NULL, load[i]);
  json_end(j);
}

/* The processors that this process may run on: 0-3,8. */
static void write_cpus(char text[CPUS_TEXT]) {
  cpu_set_t set;
  size_t used = 0;
  *text = '\0';
  if (sched_getaffinity(0, sizeof set, &set)) return;
  for (int first = 0; first < CPU_SETSIZE && used < CPUS_TEXT - 1; first++) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) last++;
    const char *comma = used ? "," : "";
    int n = last > first ? snprintf(text + used, CPUS_TEXT - used, "%s%d-%d", comma, first, last)
                         : snprintf(text + used, CPUS_TEXT - used, "%s%d", comma, first);
    used += (size_t)n;
    first = last;
  }
}

static void add_bindings(MPI_Comm comm, json *j) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  char mine[CPUS_TEXT], *all = rank ? NULL : runtime_allocate((size_t)size * CPUS_TEXT);
  write_cpus(mine);
  MPI_Gather(mine, CPUS_TEXT, MPI_CHAR, all, CPUS_TEXT, MPI_CHAR, 0, comm);
  if (rank) return;
  json_array(j, "cpus_of_ranks");
  for (int r = 0; r < size; r++) json_text(j, NULL, all + (size_t)r * CPUS_TEXT);
  json_end(j);
  free(all);
}

static int count_hosts(MPI_Comm comm) {
  MPI_Comm node;
  int rank, first, hosts = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &first);
  MPI_Comm_free(&node);
  first = first == 0;
  MPI_Reduce(&first, &hosts, 1, MPI_INT, MPI_SUM, 0, comm);
  return hosts;
}

/* ---- the library ------------------------------------------------------------------------------------ */

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static bool ends(const char *text, const char *with) {
  size_t n = strlen(text), m = strlen(with);
  return n >= m && !strcmp(text + n - m, with);
}

/* What decides how messages travel, among the hundreds of variables that a library has. */
static bool of_transport(const char *name) {
  static const char *const whole[] = {
    "pml", "btl", "mtl", "coll", "mpi_yield_when_idle", "coll_tuned_use_dynamic_rules"
  };
  static const char *const endings[] = { "eager_limit",   "max_send_size",      "single_copy_mechanism",
                                         "min_rdma_size", "EAGER_MAX_MSG_SIZE", "EAGER_THRESHOLD" };
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (!strcmp(name, whole[i])) return true;
  /* What serves a communicator, and what it is forced to. */
  if (begins(name, "coll_") && ends(name, "_priority")) return true;
  if (begins(name, "coll_tuned_") && ends(name, "_algorithm")) return true;
  if (!begins(name, "btl_") && !begins(name, "pml_") && !begins(name, "mtl_") && !begins(name, "MPIR_CVAR_"))
    return false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ends(name, endings[i])) return true;
  return false;
}

static void add_variable(json *j, int index, const char *name, MPI_Datatype type) {
  union {
    int whole;
    unsigned natural;
    unsigned long wide;
    unsigned long long widest;
    char text[VALUE_TEXT];
  } value = { 0 };
  MPI_T_cvar_handle handle;
  int count;
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) return;
  if ((type == MPI_CHAR ? count < VALUE_TEXT : count == 1) && !MPI_T_cvar_read(handle, &value)) {
    if (type == MPI_INT) json_int(j, name, value.whole);
    else if (type == MPI_UNSIGNED) json_size(j, name, value.natural);
    else if (type == MPI_UNSIGNED_LONG) json_size(j, name, value.wide);
    else if (type == MPI_UNSIGNED_LONG_LONG) json_size(j, name, value.widest);
    else if (type == MPI_CHAR) json_text(j, name, value.text);
  }
  MPI_T_cvar_handle_free(&handle);
}

static void add_variables(json *j) {
  int provided, n = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)) return;
  MPI_T_cvar_get_num(&n);
  json_object(j, "library_variables");
  for (int i = 0; i < n; i++) {
    char name[256];
    int length = sizeof name, verbosity, binding, scope;
    MPI_Datatype type;
    if (!MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, NULL, NULL, NULL, &binding, &scope) &&
        binding == MPI_T_BIND_NO_OBJECT && of_transport(name))
      add_variable(j, i, name, type);
  }
  json_end(j);
  MPI_T_finalize();
}

static bool begins_as(const char *text, const char *const *with) {
  while (*with && !begins(text, *with)) with++;
  return *with;
}

/* What users set for the library and what lies below it; not what a launcher tells its ranks of itself. */
static void add_settings(json *j) {
  static const char *const set[] = { "OMPI_MCA_", "PRTE_MCA_", "MPIR_CVAR_", "UCX_", "FI_", "PSM", "I_MPI_", NULL };
  static const char *const by_launcher[] = { "OMPI_MCA_ess", "OMPI_MCA_orte_", "OMPI_MCA_initial_wdir", NULL };
  json_object(j, "settings");
  for (char **e = environ; *e; e++) {
    char name[128];
    size_t n = strcspn(*e, "=");
    if (!begins_as(*e, set) || begins_as(*e, by_launcher) || n >= sizeof name || !(*e)[n]) continue;
    memcpy(name, *e, n);
    name[n] = '\0';
    json_text(j, name, *e + n + 1);
  }
  json_end(j);
}

void environment_describe(MPI_Comm comm, json *j) {
  int rank, hosts = count_hosts(comm);
  MPI_Comm_rank(comm, &rank);
  if (rank) {
    add_bindings(comm, NULL);
    return;
  }
  struct utsname system;
  json_int(j, "hosts", hosts);
  json_object(j, "environment");
  if (!uname(&system)) {
    char kernel[2 * sizeof system.release];
    snprintf(kernel, sizeof kernel, "%s %s", system.sysname, system.release);
    json_text(j, "kernel", kernel);
  }
  add_processor(j);
  add_file(j, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  add_file(j, "frequency_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
  add_file(j, "turbo_off", "/sys/devices/system/cpu/intel_pstate/no_turbo");
  add_file(j, "transparent_huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled");
  environment_load(j);
  add_bindings(comm, j);
  add_settings(j);
  add_variables(j);
  json_end(j);
}
