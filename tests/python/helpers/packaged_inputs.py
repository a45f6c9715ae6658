"""Short inputs of Debian's programs, and a script of mpi4py."""

LAMMPS = """# a Lennard-Jones liquid of 4,000 atoms
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 10
run 200
"""
QUANTUM_ESPRESSO = """&control
  calculation = 'scf', prefix = 'si', outdir = '.', pseudo_dir = '/usr/share/espresso/pseudo'
/
&system
  ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = 12
/
&electrons
  conv_thr = 1e-8
/
ATOMIC_SPECIES
  Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
  Si 0.00 0.00 0.00
  Si 0.25 0.25 0.25
K_POINTS automatic
  2 2 2 1 1 1
"""
NWCHEM = """start water
geometry units angstrom
  O 0 0 0.117
  H 0 0.757 -0.470
  H 0 -0.757 -0.470
end
basis
  * library 6-31g
end
scf; thresh 1e-8; end
task scf energy
"""
GROMACS = """; water, long range by particle-mesh Ewald
integrator = md
dt = 0.001
nsteps = 100
nstlog = 20
nstenergy = 20
nstcalcenergy = 20
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen-vel = yes
gen-temp = 300
gen-seed = 1
"""
GROMACS_TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
"""
HPCC = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name
8            device out: a file
1            number of problem sizes
400          Ns
1            number of NBs
80           NBs
0            process mapping by rows
1            number of process grids
2            Ps
2            Qs
16.0         threshold
1            number of panel factorizations
2            PFACTs: right
1            number of recursive stopping criteria
4            NBMINs
1            number of panels in recursion
2            NDIVs
1            number of recursive panel factorizations
1            RFACTs: Crout
1            number of broadcasts
1            BCASTs: 1rM
1            number of lookahead depths
1            DEPTHs
2            SWAP: mix
64           swapping threshold
0            L1 transposed
0            U transposed
1            equilibration
8            memory alignment in doubles
##### ignored
0            additional problem sizes for PTRANS
1200
0            additional blocking sizes for PTRANS
40
"""
MPI4PY = """# conjugate gradients for a one-dimensional Laplacian: rows in blocks, neighbours' values by allgather
from array import array
from mpi4py import MPI
comm = MPI.COMM_WORLD
setup = comm.bcast({"rows": 64, "iterations": 500} if comm.rank == 0 else None)
n = setup["rows"]
def dot(a, b):
    mine, all_ = array("d", [sum(x * y for x, y in zip(a, b))]), array("d", [0.0])
    comm.Allreduce(mine, all_)
    return all_[0]
def times(x):
    edges = array("d", bytes(16 * comm.size))
    comm.Allgather(array("d", [x[0], x[-1]]), edges)
    left = edges[2 * comm.rank - 1] if comm.rank else 0.0
    right = edges[2 * comm.rank + 2] if comm.rank < comm.size - 1 else 0.0
    whole = [left, *x, right]
    return [2 * whole[i] - whole[i - 1] - whole[i + 1] for i in range(1, n + 1)]
x, r = [0.0] * n, [1.0] * n
p, rho = r[:], dot(r, r)
for step in range(setup["iterations"]):
    q = times(p)
    alpha = rho / dot(p, q)
    x = [a + alpha * b for a, b in zip(x, p)]
    r = [a - alpha * b for a, b in zip(r, q)]
    old, rho = rho, dot(r, r)
    if rho < 1e-20:
        break
    p = [a + rho / old * b for a, b in zip(r, p)]
parts = comm.gather(x)
if comm.rank == 0:
    solution = [v for part in parts for v in part]
    size = len(solution)
    exact = [(i + 1) * (size - i) / 2 for i in range(size)]
    print("error", max(abs(a - b) for a, b in zip(solution, exact)), "after", step + 1)
"""
