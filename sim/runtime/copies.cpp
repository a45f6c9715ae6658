/* Messages between shared buffers move no data. In C++ because SimGrid's hook is. */
#include "sim/runtime/copies.h"

#include <functional>

#include <smpi/smpi.h>

namespace simgrid::kernel::activity {
class CommImpl;
}

/* SMPI's own, which it exports but declares in no public header. It copies, and releases what an eager send had set aside. */
void smpi_comm_copy_buffer_callback(simgrid::kernel::activity::CommImpl *message, void *data, size_t bytes);

/* The hook's declared type names a smart pointer; what SMPI calls takes the plain one. */
extern std::function<void(simgrid::kernel::activity::CommImpl *, void *, size_t)> smpi_comm_copy_data_callback;

void sim_copy_unless(bool (*stays)(const void *buffer)) {
  smpi_comm_copy_data_callback = [stays](simgrid::kernel::activity::CommImpl *message, void *data, size_t bytes) {
    if (not stays(data)) smpi_comm_copy_buffer_callback(message, data, bytes);
  };
}
