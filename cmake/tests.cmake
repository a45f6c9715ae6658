# How tests are launched: by SMPI, by mpirun, or as they are.
set(test_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
  UBSAN_OPTIONS=print_stacktrace=1)

# The launcher of the library that the compiler belongs to. More ranks than cores: whoever waits gives his core away, and sleeps.
if(COLLSCOPE_BACKEND STREQUAL "mpi")
  add_library(resting SHARED ${CMAKE_SOURCE_DIR}/tests/libraries/resting.c)
  set_target_properties(resting PROPERTIES C_VISIBILITY_PRESET default)
  set(resting $<TARGET_FILE:resting>)
  if(CMAKE_C_FLAGS MATCHES "sanitize=address")   # its runtime comes first
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE runtime_of_asan OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(resting ${runtime_of_asan}:${resting})
  endif()
  get_filename_component(compilers ${CMAKE_C_COMPILER} DIRECTORY)
  find_program(COLLSCOPE_MPIRUN mpirun HINTS ${compilers} REQUIRED)
  execute_process(COMMAND ${COLLSCOPE_MPIRUN} --version OUTPUT_VARIABLE mpirun_version ERROR_QUIET)
  if(mpirun_version MATCHES "Open MPI")
    set(mpirun_options --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -x LD_PRELOAD=${resting})
  elseif(mpirun_version MATCHES "HYDRA")
    set(mpirun_options -genv MPIR_CVAR_ENABLE_HEAVY_YIELD 1 -genv LD_PRELOAD ${resting})
  endif()
endif()

if(COLLSCOPE_BACKEND STREQUAL "smpi")
  list(APPEND test_environment LD_PRELOAD=${CMAKE_BINARY_DIR}/collscope-untimed.so)
endif()

# Sets `launch`: the launcher of this back-end, and one core a rank or not.
macro(set_launch ranks)
  if(COLLSCOPE_BACKEND STREQUAL "smpi")
    set(launch smpirun -np ${ranks} -platform ${CMAKE_SOURCE_DIR}/tests/driver/sixteen.xml
      -hostfile ${CMAKE_SOURCE_DIR}/tests/driver/sixteen.hosts --log=root.thresh:warning
      --cfg=smpi/privatization:no --cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0
      # Both protocols occur: eager up to here, rendezvous above.
      --cfg=smpi/async-small-thresh:1024 --cfg=smpi/send-is-detached-thresh:1024)
  else()
    set(launch ${COLLSCOPE_MPIRUN} ${mpirun_options} -np ${ranks})
  endif()
endmacro()

# add_mpi_test(name RANKS n… COMMAND program arguments…): a test "name.n" for each number of ranks
function(add_mpi_test name)
  cmake_parse_arguments(T "" "" "RANKS;COMMAND" ${ARGN})
  foreach(ranks ${T_RANKS})
    set_launch(${ranks})
    add_test(NAME ${name}.${ranks} COMMAND ${launch} ${T_COMMAND})
    # A simulation that hangs ends with status 0.
    set_tests_properties(${name}.${ranks} PROPERTIES TIMEOUT 900 FAIL_REGULAR_EXPRESSION "Deadlock detected" ENVIRONMENT
      "${test_environment}")
  endforeach()
endfunction()

# leave_to_sanitizers(test…): real ranks that find in the sanitized tree what they find in the other one, and more; there they are in the full test.
macro(leave_to_sanitizers)
  if(COLLSCOPE_BACKEND STREQUAL "mpi" AND NOT CMAKE_C_FLAGS MATCHES "sanitize=address")
    set_tests_properties(${ARGN} PROPERTIES LABELS full TIMEOUT 1800)
  endif()
endmacro()

# skip_where_leaks_are_not_seen(test…): LeakSanitizer says so where nobody may look at processes.
function(skip_where_leaks_are_not_seen)
  set_tests_properties(${ARGN} PROPERTIES SKIP_REGULAR_EXPRESSION "LeakSanitizer has encountered a fatal error")
endfunction()

# add_launched_test(name script arguments…): a script that gets the launcher of one rank as its last arguments.
function(add_launched_test name)
  set_launch(1)
  add_test(NAME ${name} COMMAND ${ARGN} ${launch})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${test_environment}")
endfunction()
