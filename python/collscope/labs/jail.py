"""Runs commands whose code nobody vouches for: `python -I -S jail.py` with a request in JSON on standard input. Standard library only.

Where namespaces are allowed, the commands see a root of their own with the folders of the request and nothing else, no network, and no
process but theirs. Elsewhere Landlock keeps them off all other files, and seccomp off the network. Limits of processor time, memory and
size of files hold in both, and seccomp forbids what no algorithm needs. The reply, in JSON on standard output, says what held.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import platform
import resource
import signal
import struct
import sys
import time
from pathlib import Path
from typing import Any

Request = dict[str, Any]
"""commands: lists of words; reads, writes: paths that are seen, writes also to be changed; cwd; out: a folder for N.out and N.err of
command N; wall_s, cpu_s, data_bytes, file_bytes: limits of each command; all_s: of the processor time of all; forks: they may start
others; only: "namespaces" or "landlock"."""

NEW = {
    "user": 0x10000000,
    "mount": 0x00020000,
    "net": 0x40000000,
    "pid": 0x20000000,
    "ipc": 0x08000000,
    "uts": 0x04000000,
}
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 1 << 18
MNT_DETACH = 2
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
AT_RECURSIVE, AT_FDCWD = 0x8000, -100
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 1, 24, 38, 22
PIVOT_ROOT, MOUNT_SETATTR, LANDLOCK, CAPSET = 155, 442, 444, 126  # of x86_64
READING, ALL_RIGHTS = 0b1101, (1 << 13) - 1  # of Landlock's first version: execute, read a file, list a folder
CAPABILITIES = 64

# System calls of x86_64 that neither an algorithm nor a compiler needs. Those of ENDING end a program that is not a compiler: whoever
# makes one of them means harm, and is not judged any further.
FORBIDDEN = {
    "network": (41, 42, 43, 44, 46, 49, 50, 53, 288),
    "other processes": (62, 101, 129, 200, 297, 310, 311, 312, 424, 434, 438),
    "the system": (155, 161, 165, 166, 167, 169, 170, 171, 175, 179, 246, 272, 298, 308, 313, 321, 323, 428, 429, 430, 442),
    "memory beside the limit": (29, 64, 68, 240, 248, 249, 250, 319, 425, 426, 427),
}  # fmt: skip
ENDING = ("network", "other processes")
WAITING = (
    7,
    23,
    34,
    35,
    128,
    130,
    202,
    230,
    232,
    270,
    271,
    281,
)  # sleep, poll, select, locks: whoever runs for long uses its processor time
MMAP, CLONE, FORK, VFORK, TGKILL, CLONE3 = 9, 56, 57, 58, 234, 435
OPEN, CREAT, OPENAT, OPENAT2 = 2, 85, 257, 437
CLONE_THREAD, MAP_SHARED = 0x10000, 1
TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

libc = ctypes.CDLL(None, use_errno=True)


def call(function: str, *arguments: Any) -> int:
    """A function of the C library; OSError where it fails."""
    result = int(getattr(libc, function)(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")
    return result


# ---- a root of its own ------------------------------------------------------------------------------------------------------------


def enter_namespaces() -> None:
    """Namespaces of this process and its children. OSError: they are not allowed."""
    uid, gid = os.geteuid(), os.getegid()
    call("unshare", sum(NEW.values()))
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def make_root(request: Request) -> None:
    """A root with the folders of the request alone. OSError: it cannot be made."""
    root = request["root"]
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("none", root, "tmpfs", 0, b"size=4m,mode=755")
    for path in request["reads"]:
        bind(path, root)
    for path in request["writes"]:
        bind(path, root)
    for path in request["reads"]:
        if not Path(root + path).is_symlink():
            set_attributes(root + path, ATTR_RDONLY | ATTR_NOSUID | (0 if path.startswith("/dev/") else ATTR_NODEV))
    for path in request["writes"]:
        set_attributes(root + path, ATTR_NOSUID | ATTR_NODEV)
    os.chdir(root)
    call("syscall", PIVOT_ROOT, b".", b".")
    call("umount2", b".", MNT_DETACH)
    set_attributes("/", ATTR_RDONLY, recursive=False)


def bind(path: str, root: str) -> None:
    """Shows a file or folder below the new root, a link as the link that it is."""
    source, target = Path(path), Path(root + path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(source.readlink())
        return
    if source.is_dir():
        target.mkdir(exist_ok=True)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
    mount(path, str(target), None, MS_BIND | MS_REC)


def mount(source: str | None, target: str, kind: str | None, flags: int, data: bytes | None = None) -> None:
    """mount(2)."""
    words = [None if text is None else text.encode() for text in (source, target, kind)]
    call("mount", *words, ctypes.c_ulong(flags), data)


def set_attributes(path: str, flags: int, recursive: bool = True) -> None:
    """mount_setattr(2), which leaves flags that the system has locked."""
    attributes = struct.pack("QQQQ", flags, 0, 0, 0)
    call(
        "syscall", MOUNT_SETATTR, AT_FDCWD, path.encode(), AT_RECURSIVE if recursive else 0, attributes, len(attributes)
    )


def keep_off_files(request: Request) -> None:
    """Landlock: nothing but the files of the request. OSError: the kernel has none."""
    rights = struct.pack("Q", ALL_RIGHTS)
    rules = call("syscall", LANDLOCK, rights, len(rights), 0)
    for path, allowed in [(p, READING) for p in request["reads"]] + [(p, ALL_RIGHTS) for p in request["writes"]]:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        if not Path(path).is_dir():
            allowed &= 0b111  # rights of files
        # /dev/null is opened for writing by compilers
        rule = struct.pack("=Qi", 0b111 if path.startswith("/dev/") else allowed, opened)
        call("syscall", LANDLOCK + 1, rules, 1, rule, 0)
        os.close(opened)
    call("syscall", LANDLOCK + 2, rules, 0)
    os.close(rules)


# ---- a command --------------------------------------------------------------------------------------------------------------------


def filter_calls(forks: bool) -> None:
    """seccomp: forbidden calls fail with EPERM. Without `forks` also whatever waits, and uncounted memory; and the network, other
    processes and files that are opened for writing end the program (SIGSYS)."""
    load, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    allow, refuse, unknown, kill = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS, 0x80000000
    code: list[tuple[int, int, int, int]] = [
        (load, 0, 0, 4), (equal, 1, 0, 0xC000003E), (give, 0, 0, kill),
        (load, 0, 0, 0), (any_bit, 0, 1, 0x40000000), (give, 0, 0, kill),
    ]  # fmt: skip
    for kind, numbers in FORBIDDEN.items():
        for number in numbers:
            code += [(equal, 0, 1, number), (give, 0, 0, kill if kind in ENDING and not forks else refuse)]
    code += [
        (equal, 0, 4, TGKILL),
        (load, 0, 0, 16),
        (equal, 0, 1, os.getpid()),
        (give, 0, 0, allow),
        (give, 0, 0, refuse),
    ]
    if not forks:
        for number in (CLONE3, OPENAT2):  # the library then takes clone and openat, whose flags can be looked at
            code += [(equal, 0, 1, number), (give, 0, 0, unknown)]
        for number in (FORK, VFORK, CREAT):
            code += [(equal, 0, 1, number), (give, 0, 0, kill)]
        for number in WAITING:
            code += [(equal, 0, 1, number), (give, 0, 0, refuse)]
        for number, argument, bits, found, absent in (
            (CLONE, 0, CLONE_THREAD, allow, kill), (MMAP, 3, MAP_SHARED, refuse, allow),
            (OPEN, 1, TO_WRITE, kill, allow), (OPENAT, 2, TO_WRITE, kill, allow),
        ):  # fmt: skip
            code += [(equal, 0, 4, number), (load, 0, 0, 16 + 8 * argument)]
            code += [(any_bit, 0, 1, bits), (give, 0, 0, found), (give, 0, 0, absent)]
    code.append((give, 0, 0, allow))
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(text))
    call("prctl", PR_SET_SECCOMP, 2, program, 0, 0)


def become(command: list[str], request: Request, number: int, held: str) -> None:
    """Turns this process into the command. Never returns."""
    os.setsid()
    for ignored in (signal.SIGXFSZ, signal.SIGPIPE):  # by Python, and so by whatever it turns into
        signal.signal(ignored, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    for fd, name in ((1, "out"), (2, "err")):
        os.dup2(request["opened"][number][name], fd)
    limits = {
        resource.RLIMIT_CPU: request["cpu_s"],
        resource.RLIMIT_DATA: request["data_bytes"],
        resource.RLIMIT_FSIZE: request["file_bytes"],
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_STACK: 8 << 20,
    }
    for what, most in limits.items():
        resource.setrlimit(what, (most, most + (what == resource.RLIMIT_CPU)))
    os.chdir(request["cwd"])
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if held == "namespaces":
        for capability in range(CAPABILITIES):
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        call("syscall", CAPSET, struct.pack("Ii", 0x20080522, 0), bytes(24))
    elif held == "landlock":
        keep_off_files(request)
    if platform.machine() == "x86_64":
        filter_calls(request["forks"])
    os.execve(command[0], command, {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": request["cwd"]})


def run(command: list[str], request: Request, number: int, held: str) -> dict[str, Any]:
    """Runs a command to its end, or to its limit: status (negative: the signal), whether it was late, its processor time."""
    child = os.fork()
    if not child:
        try:
            become(command, request, number, held)
        except BaseException as error:
            os.write(2, f"jail: {command[0]}: {error}\n".encode())
        os._exit(125)
    until = time.monotonic() + request["wall_s"]
    late = False
    while True:
        left = until - time.monotonic()
        if left <= 0 and not late:
            late = True
            os.kill(child, signal.SIGKILL)
        signal.sigtimedwait([signal.SIGCHLD], 0.2 if late else max(left, 0.001))
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            break
    with contextlib.suppress(OSError):  # what it has started and left behind
        os.kill(-1, signal.SIGKILL) if held == "namespaces" else os.killpg(child, signal.SIGKILL)
    return {"status": os.waitstatus_to_exitcode(status), "late": late, "cpu_s": usage.ru_utime + usage.ru_stime}


def inside(request: Request, held: str) -> dict[str, Any]:
    """The commands, one after the other, up to the first that fails, or until their time is spent."""
    request["opened"] = [
        {
            kind: os.open(Path(request["out"], f"{i}.{kind}"), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
            for kind in ("out", "err")
        }
        for i in range(len(request["commands"]))
    ]
    if held == "namespaces":
        make_root(request)
    results = []
    for i, command in enumerate(request["commands"]):
        results.append(run(command, request, i, held))
        if results[-1]["status"] or sum(result["cpu_s"] for result in results) > request["all_s"]:
            break
    return {"held": held, "results": results}


def attempt(request: Request, held: str) -> dict[str, Any]:
    """Runs the commands with these means, in a process of its own: {"error": …} where the means are not there."""
    if held == "namespaces":
        enter_namespaces()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        try:
            reply = inside(request, held)
        except OSError as error:
            reply = {"error": str(error)}
        os.write(writer, json.dumps(reply).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        text = file.read()
    os.waitpid(child, 0)
    return dict(json.loads(text)) if text else {"error": "the jail was ended"}


def has_landlock() -> bool:
    """Whether this kernel has Landlock."""
    return int(libc.syscall(LANDLOCK, None, 0, 1)) >= 1


def main() -> int:
    """Reads the request, runs it and prints the reply."""
    request = json.load(sys.stdin)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    os.umask(0o077)
    reply: dict[str, Any] = {"error": "this processor is not known to it"}
    if platform.machine() == "x86_64":
        reply = {}
        if request["only"] != "landlock":
            try:
                reply = attempt(request, "namespaces")
            except OSError as error:
                reply = {"error": f"namespaces: {error.strerror}"}
        if "results" not in reply and request["only"] != "namespaces":
            why = f"{reply.get('error', '')}; the kernel has no Landlock"
            reply = attempt(request, "landlock") if has_landlock() else {"error": why}
    print(json.dumps(reply))
    return 0


if __name__ == "__main__":
    sys.exit(main())
