/* The registry: the one list of algorithms and decisions. Command line, tests, docs and Python read it through
 * coll_list_json. To add an algorithm: its file, one line here, one line in CMakeLists.txt. */
#include "decision/rules.h"

#define ALGORITHMS(X) \
  X(bcast_mst) \
  X(bcast_mst_scatter_bucket_allgather) \
  X(bcast_linear) \
  X(bcast_chain) \
  X(bcast_pipeline) \
  X(bcast_split_binary) \
  X(bcast_binary) \
  X(bcast_binomial) \
  X(bcast_knomial) \
  X(bcast_scatter_recursive_doubling) \
  X(bcast_scatter_ring) \
  X(bcast_hierarchical_known_root) \
  X(bcast_hierarchical_nary) \
  X(bcast_hierarchical_sequential) \
  X(bcast_hierarchical_unknown_root) \
  X(bcast_bine) \
  X(bcast_bine_scatter_allgather) \
  X(bcast_lanes) \
  X(bcast_circulant) \
  X(bcast_double_binary_tree) \
  X(bcast_pipelined_tree) \
  X(bcast_knomial_scatter_allgather) \
  X(reduce_mst) \
  X(reduce_bucket_reduce_scatter_mst_gather) \
  X(reduce_linear) \
  X(reduce_chain) \
  X(reduce_pipeline) \
  X(reduce_knomial) \
  X(reduce_binary) \
  X(reduce_binomial) \
  X(reduce_in_order_binary) \
  X(reduce_rabenseifner) \
  X(reduce_reduce_scatter_gather) \
  X(reduce_bine) \
  X(reduce_bine_reduce_scatter_gather) \
  X(reduce_circulant) \
  X(reduce_double_binary_tree) \
  X(reduce_pipelined_tree) \
  X(reduce_knomial_reduce_scatter_gather) \
  X(scatter_linear) \
  X(scatter_linear_nb) \
  X(scatter_knomial) \
  X(scatter_mst) \
  X(scatter_binomial) \
  X(scatter_bine) \
  X(gather_linear) \
  X(gather_linear_nb) \
  X(gather_mst) \
  X(gather_ring) \
  X(gather_ring_buffered) \
  X(gather_ring_waitall) \
  X(gather_knomial) \
  X(gather_binary_tree) \
  X(gather_binary_tree_chunks) \
  X(gather_binomial) \
  X(gather_linear_sync) \
  X(gather_bine) \
  X(allgather_mst_gather_mst_bcast) \
  X(allgather_bucket) \
  X(allgather_bruck) \
  X(allgather_bruck_k) \
  X(allgather_recursive_doubling) \
  X(allgather_recursive_multiplying) \
  X(allgather_neighbor_exchange) \
  X(allgather_two_proc) \
  X(allgather_batched) \
  X(allgather_leaders) \
  X(allgather_linear) \
  X(allgather_pat) \
  X(allgather_sparbit) \
  X(allgather_bine) \
  X(allgather_swing) \
  X(allgather_bruck_locality_aware) \
  X(allgather_circulant) \
  X(allgather_direct) \
  X(allgather_bucket_torus) \
  X(allgather_swing_torus) \
  X(allgather_recursive_exchange_halving) \
  X(reduce_scatter_mst_reduce_mst_scatter) \
  X(reduce_scatter_bucket) \
  X(reduce_scatter_nonoverlapping) \
  X(reduce_scatter_recursive_halving) \
  X(reduce_scatter_ring) \
  X(reduce_scatter_pat) \
  X(reduce_scatter_butterfly) \
  X(reduce_scatter_pairwise) \
  X(reduce_scatter_bine) \
  X(reduce_scatter_swing) \
  X(reduce_scatter_circulant) \
  X(reduce_scatter_bucket_torus) \
  X(reduce_scatter_swing_torus) \
  X(reduce_scatter_recursive_exchange) \
  X(reduce_scatter_block_mst_reduce_mst_scatter) \
  X(reduce_scatter_block_bucket) \
  X(reduce_scatter_block_linear) \
  X(reduce_scatter_block_pat) \
  X(reduce_scatter_block_recursive_doubling) \
  X(reduce_scatter_block_recursive_halving) \
  X(reduce_scatter_block_butterfly) \
  X(reduce_scatter_block_pairwise) \
  X(reduce_scatter_block_bine) \
  X(reduce_scatter_block_swing) \
  X(reduce_scatter_block_circulant) \
  X(reduce_scatter_block_bucket_torus) \
  X(reduce_scatter_block_swing_torus) \
  X(reduce_scatter_block_recursive_exchange) \
  X(allreduce_mst_reduce_mst_bcast) \
  X(allreduce_bucket) \
  X(allreduce_linear) \
  X(allreduce_nonoverlapping) \
  X(allreduce_recursive_doubling) \
  X(allreduce_recursive_multiplying) \
  X(allreduce_recursive_exchange) \
  X(allreduce_ring) \
  X(allreduce_ring_segmented) \
  X(allreduce_rabenseifner) \
  X(allreduce_knomial_rabenseifner) \
  X(allreduce_reduce_scatter_allgather) \
  X(allreduce_hierarchical) \
  X(allreduce_bine) \
  X(allreduce_bine_reduce_scatter_allgather) \
  X(allreduce_swing_latency) \
  X(allreduce_swing_bandwidth) \
  X(allreduce_lanes) \
  X(allreduce_circulant) \
  X(allreduce_double_binary_tree) \
  X(allreduce_allgather_reduce) \
  X(allreduce_bucket_torus) \
  X(allreduce_hamiltonian_rings) \
  X(allreduce_dual_root) \
  X(allreduce_trivance) \
  X(rotation_shift) \
  X(rotation_nonblocking) \
  X(rotation_ordered) \
  X(rotation_serial) \
  X(barrier_linear) \
  X(barrier_double_ring) \
  X(barrier_recursive_doubling) \
  X(barrier_recursive_doubling_acknowledged) \
  X(barrier_dissemination) \
  X(barrier_dissemination_k) \
  X(barrier_two_proc) \
  X(barrier_tree) \
  X(barrier_recursive_king) \
  X(barrier_hierarchical) \
  X(alltoall_linear) \
  X(alltoall_pairwise) \
  X(alltoall_bruck) \
  X(alltoall_bruck_k) \
  X(alltoall_linear_sync) \
  X(alltoall_two_proc) \
  X(alltoall_in_place) \
  X(alltoall_pairwise_exchange) \
  X(alltoall_scattered) \
  X(alltoall_swap_in_order) \
  X(alltoall_bine) \
  X(alltoall_node_aware) \
  X(alltoall_circulant) \
  X(alltoall_multileader) \
  X(scan_linear) \
  X(scan_recursive_doubling) \
  X(scan_pipeline) \
  X(scan_binary_tree) \
  X(exscan_linear) \
  X(exscan_recursive_doubling) \
  X(exscan_doubling_123) \
  X(exscan_pipeline) \
  X(exscan_binary_tree) \
  X(gatherv_linear) \
  X(gatherv_binomial) \
  X(gatherv_irregular_binomial) \
  X(scatterv_linear) \
  X(scatterv_binomial) \
  X(scatterv_irregular_binomial) \
  X(allgatherv_bucket) \
  X(allgatherv_ring_pipelined) \
  X(allgatherv_bruck) \
  X(allgatherv_circulant) \
  X(allgatherv_recursive_doubling) \
  X(allgatherv_neighbor_exchange) \
  X(allgatherv_two_proc) \
  X(alltoallv_linear) \
  X(alltoallv_pairwise) \
  X(alltoallv_scattered) \
  X(alltoallv_bruck_two_phase) \

#define DECISIONS(X) \
  X(decision_ompi_4_0) \
  X(decision_ompi_4_1) \
  X(decision_ompi_4_1_acknowledged) \
  X(decision_ompi_5_0) \
  X(decision_rd_ring) \
  X(decision_mpich_4) \
  X(decision_smpi_ompi) \


#define DECLARE_ALGORITHM(name) extern const coll_alg name;
#define DECLARE_DECISION(name) extern const coll_decision name;
#define ADDRESS(name) &name,

/* Those of files outside the tree: this file is compiled once more with them. */
#ifndef OWN_ALGORITHMS
#define OWN_ALGORITHMS(X)
#endif

ALGORITHMS(DECLARE_ALGORITHM)
OWN_ALGORITHMS(DECLARE_ALGORITHM)
DECISIONS(DECLARE_DECISION)

const coll_alg *const coll_registry[] = { ALGORITHMS(ADDRESS) OWN_ALGORITHMS(ADDRESS) NULL };
const coll_decision *const coll_decisions[] = { DECISIONS(ADDRESS) NULL };
