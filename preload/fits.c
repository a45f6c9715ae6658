#include "preload/fits.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* What the version of a library that fits begins with, blanks aside, and what this one was built for, in words. */
#ifdef OPEN_MPI
#define SERIES "OpenMPIv" TEXT(OMPI_MAJOR_VERSION) "."
#define BUILT_FOR "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(MPICH_VERSION)
#define SERIES "MPICHVersion:" MPICH_VERSION
#define BUILT_FOR "MPICH " MPICH_VERSION
#else
#define SERIES ""
#define BUILT_FOR "this MPI library"
#endif

/* How many characters of SERIES the version has, blanks aside. */
static size_t in_common(const char *version) {
  const char *expected = SERIES;
  size_t n = 0;
  for (; *version && expected[n]; version++) {
    if (*version == ' ' || *version == '\t') continue;
    if (*version != expected[n]) break;
    n++;
  }
  return n;
}

static bool is_series(const char *version) { return in_common(version) >= strcspn(SERIES, ".") + (*SERIES != '\0'); }
/* Another series of the same library: one that was not tried, but whose functions take the same arguments. */
static bool is_family(const char *version) { return in_common(version) >= strcspn(SERIES, "v:0123456789"); }

/* As launchers number processes; before MPI_Init nothing else is known. */
static bool is_first(void) {
  static const char *const numbers[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const char *number = getenv(numbers[i]);
    if (number) return !strcmp(number, "0");
  }
  return true;
}

bool fits_program(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  const char *strict = getenv("COLLSCOPE_STRICT");
  bool goes_on;
  int length;
  MPI_Get_library_version(version, &length);
  if (is_series(version)) return true;
  goes_on = strict && !strcmp(strict, "0") && is_family(version); /* of two families, both would be in the process */
  for (char *c = version; *c; c++)
    if (*c == '\t') *c = ' ';
  if (is_first())
    fprintf(stderr,
            "collscope: libcollscope.so is built for " BUILT_FOR
            ", and this program runs on %.*s; take the one for it: ./collscope exec finds or builds it%s\n",
            (int)strcspn(version, ",\n"), version,
            goes_on ? " (the program goes on without choices: COLLSCOPE_STRICT=0)" : "");
  if (goes_on) return false;
  fflush(NULL);
  _exit(2);
}
