! A program in Fortran that knows nothing of collscope: collectives by mpif.h's names and by those of mpi_f08.
module old
contains
  subroutine by_old_names(wrong)
    include 'mpif.h'
    integer, intent(inout) :: wrong
    integer :: rank, ranks, error, i, sum
    integer, allocatable :: all(:)
    double precision :: half(2)
    integer :: request(2)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    half = merge(0.5d0, 0d0, rank == ranks - 1)
    call MPI_Bcast(half, 2, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, error)
    if (any(half /= 0.5d0)) wrong = wrong + 1
    sum = rank
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (sum /= ranks * (ranks - 1) / 2) wrong = wrong + 1
    allocate (all(ranks))
    all = -1
    all(rank + 1) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (any(all /= [(i, i = 0, ranks - 1)])) wrong = wrong + 1
    call MPI_Barrier(MPI_COMM_WORLD, error)
    half = merge(0.25d0, 0d0, rank == 0)
    call MPI_Ibcast(half, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, request(1), error)
    sum = rank + 1
    call MPI_Iallreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request(2), error)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, error)
    if (any(half /= 0.25d0) .or. sum /= ranks * (ranks + 1) / 2) wrong = wrong + 1
  end subroutine
end module

program calls
  use mpi_f08
  use old
  implicit none
  integer :: rank, ranks, wrong, total, i
  integer, allocatable :: mine(:), all(:)
  type(MPI_Comm) :: part
  type(MPI_Request) :: request
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  wrong = 0
  call by_old_names(wrong)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, part)
  total = rank
  call MPI_Bcast(total, 1, MPI_INTEGER, 0, part)
  if (total /= mod(rank, 2)) wrong = wrong + 1
  call MPI_Comm_free(part)
  allocate (mine(ranks), all(ranks))
  mine = [(rank * 100 + i, i = 1, ranks)]
  call MPI_Alltoall(mine, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(all /= [(i * 100 + rank + 1, i = 0, ranks - 1)])) wrong = wrong + 1
  all = -1
  call MPI_Ialltoall(mine, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (any(all /= [(i * 100 + rank + 1, i = 0, ranks - 1)])) wrong = wrong + 1
  call MPI_Allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print *, total, "wrong"
  call MPI_Finalize()
  if (total /= 0) stop 1
end program
