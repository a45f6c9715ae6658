/* What a real launch says of what it depends on, word for word: the system and MPI are played, so that every file, setting and variable is
 * known. Nothing is started. */
#define _GNU_SOURCE
#include "validate/driver/environment.h"

#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static int me, failures;
static const char *cpuinfo, *governor; /* NULL: there is no such file */
static int cpus[8];                    /* that each rank may run on; -1: nobody says */

/* ---- the system ------------------------------------------------------------------------------------- */

FILE *fopen(const char *path, const char *mode) {
  const char *text = !strcmp(path, "/proc/cpuinfo")                                           ? cpuinfo
                     : !strcmp(path, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") ? governor
                     : !strcmp(path, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver")   ? "acpi\nsecond line\n"
                     : !strcmp(path, "/sys/devices/system/cpu/intel_pstate/no_turbo")         ? "1"
                     : !strcmp(path, "/sys/kernel/mm/transparent_hugepage/enabled") ? "always [madvise] never\n"
                                                                                    : NULL;
  return text ? fmemopen((void *)text, strlen(text), mode) : NULL;
}

int getloadavg(double *load, int n) {
  for (int i = 0; i < n; i++) load[i] = 0.5 + i;
  return n;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  memset(set, 0, size);
  for (int i = 0; i < 8 && cpus[i]; i++) CPU_SET((size_t)cpus[i] - 1, set);
  return cpus[0] < 0 ? -1 : 0;
}

int uname(struct utsname *system) {
  strcpy(system->sysname, "Plan");
  strcpy(system->release, "9.4");
  return 0;
}

/* ---- three ranks on two hosts ----------------------------------------------------------------------- */

int MPI_Comm_rank(MPI_Comm comm, int *rank) { return *rank = comm == MPI_COMM_WORLD ? me : 0, MPI_SUCCESS; }
int MPI_Comm_size(MPI_Comm comm, int *size) { return *size = 3, MPI_SUCCESS; }
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *node) {
  failures += type != MPI_COMM_TYPE_SHARED || key != me;
  return *node = MPI_COMM_SELF, MPI_SUCCESS;
}
int MPI_Comm_free(MPI_Comm *comm) { return *comm = MPI_COMM_NULL, MPI_SUCCESS; }
int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  failures += *(const int *)in != 1 || n != 1 || op != MPI_SUM || root; /* this rank is the first of its host */
  return *(int *)out = 2, MPI_SUCCESS;
}

static char gathered[128]; /* by this rank, to rank 0 */
int MPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype types, int root,
               MPI_Comm comm) {
  strcpy(gathered, in);
  failures += n != m || root;
  for (int r = 0; out && r < 3; r++) snprintf((char *)out + r * m, (size_t)m, r ? "%d" : "%.0d%s", r ? r : 0, gathered);
  return MPI_SUCCESS;
}

/* ---- the library's variables ------------------------------------------------------------------------ */

static const struct {
  const char *name;
  MPI_Datatype type;
  int bound, count;
  unsigned long long value;
} variables[] = {
  { "pml", MPI_CHAR, 0, 5, 0 },
  { "btl", MPI_CHAR, 0, 4096, 0 }, /* longer than what is read */
  { "btls", MPI_CHAR, 0, 5, 0 },
  { "mtl", MPI_INT, 1, 1, 4 },  /* of a communicator, say */
  { "coll", MPI_INT, 0, 2, 4 }, /* two numbers */
  { "mpi_yield_when_idle", MPI_INT, 0, 1, (unsigned long long)-1 },
  { "coll_tuned_use_dynamic_rules", MPI_UNSIGNED, 0, 1, 4294967295u },
  { "coll_tuned_priority", MPI_INT, 0, 1, 30 },
  { "coll_tuned_prioritys", MPI_INT, 0, 1, 31 },
  { "coll_tuned_bcast_algorithm", MPI_INT, 0, 1, 3 },
  { "coll_basic_bcast_algorithm", MPI_INT, 0, 1, 3 },
  { "priority", MPI_INT, 0, 1, 3 },
  { "btl_vader_eager_limit", MPI_UNSIGNED_LONG, 0, 1, 4096 },
  { "btl_vader_max_send_size", MPI_UNSIGNED_LONG_LONG, 0, 1, 1ull << 60 },
  { "btl_vader_single_copy_mechanism", MPI_CHAR, 0, 5, 0 },
  { "pml_ob1_min_rdma_size", MPI_DOUBLE, 0, 1, 1 }, /* a type that is not told */
  { "mtl_ofi_eager_limit", MPI_INT, 0, 1, 7 },
  { "MPIR_CVAR_CH4_EAGER_MAX_MSG_SIZE", MPI_INT, 0, 1, 8 },
  { "MPIR_CVAR_CH3_EAGER_THRESHOLD", MPI_INT, 0, 1, 9 },
  { "osc_rdma_eager_limit", MPI_INT, 0, 1, 10 },
  { "btl_vader_flags", MPI_INT, 0, 1, 11 },
};
enum { VARIABLES = sizeof variables / sizeof *variables };
static int open_handles, sessions;
static bool no_tool;

int MPI_T_init_thread(int required, int *provided) { return no_tool ? 1 : (sessions++, MPI_SUCCESS); }
int MPI_T_finalize(void) { return sessions--, MPI_SUCCESS; }
int MPI_T_cvar_get_num(int *n) { return *n = VARIABLES + 1, MPI_SUCCESS; }
int MPI_T_cvar_get_info(int i, char *name, int *length, int *verbosity, MPI_Datatype *type, MPI_T_enum *words,
                        char *text, int *text_length, int *binding, int *scope) {
  if (i == VARIABLES) return 1; /* one that has gone */
  *length = snprintf(name, (size_t)*length, "%s", variables[i].name) + 1;
  *type = variables[i].type;
  *binding = variables[i].bound ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT;
  return MPI_SUCCESS;
}
int MPI_T_cvar_handle_alloc(int i, void *object, MPI_T_cvar_handle *handle, int *count) {
  *handle = (MPI_T_cvar_handle)&variables[i];
  *count = variables[i].count;
  return open_handles++, MPI_SUCCESS;
}
int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle) { return open_handles--, MPI_SUCCESS; }
int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *value) {
  int i = (int)((const char *)handle - (const char *)variables) / (int)sizeof *variables;
  MPI_Datatype type = variables[i].type;
  if (type == MPI_CHAR) strcpy(value, "text");
  else memcpy(value, &variables[i].value, type == MPI_INT || type == MPI_UNSIGNED ? 4 : 8);
  return MPI_SUCCESS;
}

/* ---- the test --------------------------------------------------------------------------------------- */

static void says(const char *expected) {
  char *text = NULL;
  size_t n;
  FILE *out = open_memstream(&text, &n);
  json j = json_on(out);
  json_object(&j, NULL);
  environment_describe(MPI_COMM_WORLD, &j);
  json_end(&j);
  fclose(out);
  if (strcmp(text, expected)) failures++, printf("%swanted %s", text, expected);
  free(text);
}

int main(void) {
  static char *settings[] = { "PATH=/bin",
                              "OMPI_MCA_btl=self,vader",
                              "OMPI_MCA_ess_x=1",
                              "OMPI_MCA_orte_x=1",
                              "OMPI_MCA_initial_wdir=/",
                              "PRTE_MCA_a=1",
                              "MPIR_CVAR_B=2=3",
                              "UCX_TLS=",
                              "FI_C",
                              "PSM2_D=4",
                              "I_MPI_E=5",
                              "XUCX_F=6",
                              NULL };
  environ = settings;
  cpuinfo = "processor\t: 0\nmodel\t\t: 7\nmodel name\t:  A processor: x\nmodel name\t: another\n";
  governor = "performance\n";
  memcpy(cpus, (int[]){ 1, 2, 3, 5, 7, 8, 1024, 0 }, sizeof cpus);
#define SETTINGS                                                                                                 \
  "\"settings\":{\"OMPI_MCA_btl\":\"self,vader\",\"PRTE_MCA_a\":\"1\",\"MPIR_CVAR_B\":\"2=3\",\"UCX_TLS\":\"\"," \
  "\"PSM2_D\":\"4\",\"I_MPI_E\":\"5\"}"
  says("{\"hosts\":2,\"environment\":{\"kernel\":\"Plan 9.4\",\"cpu\":\"A processor: x\",\"governor\":\"performance\","
       "\"frequency_driver\":\"acpi\",\"turbo_off\":\"1\",\"transparent_huge_pages\":\"always [madvise] never\","
       "\"load\":[0.5,1.5,2.5],\"cpus_of_ranks\":[\"0-2,4,6-7,1023\",\"1\",\"2\"]," SETTINGS ","
       "\"library_variables\":{\"pml\":\"text\",\"mpi_yield_when_idle\":-1,\"coll_tuned_use_dynamic_rules\":4294967295,"
       "\"coll_tuned_priority\":30,\"coll_tuned_bcast_algorithm\":3,\"btl_vader_eager_limit\":4096,"
       "\"btl_vader_max_send_size\":1152921504606846976,\"btl_vader_single_copy_mechanism\":\"text\","
       "\"mtl_ofi_eager_limit\":7,\"MPIR_CVAR_CH4_EAGER_MAX_MSG_SIZE\":8,\"MPIR_CVAR_CH3_EAGER_THRESHOLD\":9}}}\n");
  /* What nobody tells is left out. */
  cpuinfo = "processor\t: 0\nmodel name\n";
  governor = NULL;
  no_tool = true;
  cpus[0] = -1;
  says("{\"hosts\":2,\"environment\":{\"kernel\":\"Plan 9.4\",\"frequency_driver\":\"acpi\",\"turbo_off\":\"1\","
       "\"transparent_huge_pages\":\"always [madvise] never\",\"load\":[0.5,1.5,2.5],"
       "\"cpus_of_ranks\":[\"\",\"1\",\"2\"]," SETTINGS "}}\n");
  cpuinfo = NULL;
  me = 1;
  memcpy(cpus, (int[]){ 4, 0 }, 2 * sizeof *cpus);
  says("{}\n");
  if (strcmp(gathered, "3")) failures++, printf("rank 1 tells %s\n", gathered);
  if (open_handles || sessions) failures++, printf("%d handles, %d sessions are open\n", open_handles, sessions);
  return failures != 0;
}
