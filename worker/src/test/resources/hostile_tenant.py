"""A program of one installation that tries to get at what is another's: `reach TOKEN PATH...` at a home and its processes,
`package PATH` at an installed package, `neighbour TOKEN NUMBER... PATH...` at processes and paths. Prints what came of each attempt."""
import ctypes, fcntl, mmap, os, shutil, signal, struct, subprocess, sys


def attempt(name, deed):
    try:
        print(name, "DONE", deed())
    except BaseException as e:
        print(name, "failed", getattr(e, "errno", type(e).__name__))


def read(path):
    with open(path, errors="replace") as file:
        return file.read(100000)


def write(path):
    with open(path, "w") as file:
        file.write("changed by another")


def contents(top):
    """Everything that can be read below a path, and be listed, by its real name and through links."""
    print(top, "lists", sorted(os.listdir(top)))
    for directory, _, files in os.walk(top, followlinks=False):
        for file in files:
            try:
                print(os.path.join(directory, file), read(os.path.join(directory, file)))
            except OSError:
                pass


def reach(token, *paths):
    home = os.environ["HOME"]
    for number, path in enumerate(paths):
        link = f"{home}/link{number}"
        os.symlink(path, link)
        around = [path, link, f"{home}/../../{path}", f"/proc/self/cwd/../..{path}", f"/proc/1/root{path}", f"/oldroot{path}",
                  f"/newroot{path}"]
        for at in around:
            attempt("list " + at, lambda: os.listdir(at))
            attempt("read " + at, lambda: read(at))
            attempt("write " + at, lambda: write(at + "/planted" if os.path.isdir(at) else at))
            attempt("hard link " + at, lambda: os.link(at, f"{home}/hard{number}", follow_symlinks=True))
            attempt("rename " + at, lambda: os.rename(at, f"{home}/taken{number}"))
            attempt("chmod " + at, lambda: os.chmod(at, 0o777))
    for top in ("/home", "/package", "/tmp", "/dev/shm", "/run", "/var", "/app"):
        attempt("all below " + top, lambda: contents(top))
    for process in filter(str.isdigit, os.listdir("/proc")):
        for name in ("environ", "cmdline", "maps"):
            attempt(f"/proc/{process}/{name}", lambda: read(f"/proc/{process}/{name}"))
        for name in ("root", "cwd"):
            for path in paths:
                attempt(f"/proc/{process}/{name}{path}", lambda: read(f"/proc/{process}/{name}{path}"))
    print("END")


def package(top):
    made = []
    for directory, directories, files in os.walk(top):
        made += [os.path.join(directory, name) for name in directories + files]
    home = os.environ["HOME"]
    evil = home + "/evil"
    write(evil)
    libc = ctypes.CDLL(None, use_errno=True)

    def call(result):
        if result != 0:
            raise OSError(ctypes.get_errno(), "call")

    def new(number, *arguments):
        """One of the newer calls for mounts, which libraries may lack; numbers are the same on all machines."""
        result = libc.syscall(number, *arguments)
        if result < 0:
            raise OSError(ctypes.get_errno(), "call")
        return result

    def writable(path):
        # mount_setattr: takes away read-only
        new(442, -100, path.encode(), 0x8000, struct.pack("QQQQ", 0, 1, 0, 0), 32)

    def copied(path):
        # open_tree and move_mount: home in its place
        new(429, new(428, -100, home.encode(), 1 | 0x8000), b"", -100, path.encode(), 4)

    def handle(path):
        # by a file's handle: past every mount
        buffer = bytearray(struct.pack("Ii", 128, 0) + bytes(128))
        number = 303 if os.uname().machine == "x86_64" else 264
        mount = ctypes.c_int()
        new(number, -100, path.encode(), (ctypes.c_char * len(buffer)).from_buffer(buffer), ctypes.byref(mount), 0)
        new(number + 1, os.open(home, os.O_RDONLY), (ctypes.c_char * len(buffer)).from_buffer(buffer), os.O_RDWR)

    def mapped(path):
        with open(path) as file:
            mmap.mmap(file.fileno(), 1, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)

    def cloned(path):
        with open(evil) as source, open(path) as target:
            fcntl.ioctl(target, 0x40049409, source.fileno())

    def flags(path):
        with open(path) as file:
            fcntl.ioctl(file, 0x40086602, struct.pack("i", 0))

    files = [path for path in made if os.path.isfile(path)]
    for path in [top] + made:
        attempt("chmod " + path, lambda: os.chmod(path, 0o777))
        attempt("rename " + path, lambda: os.rename(path, path + ".old"))
        attempt("rename out " + path, lambda: os.rename(path, home + "/out"))
        attempt("utime " + path, lambda: os.utime(path))
        attempt("xattr " + path, lambda: os.setxattr(path, "user.x", b"x"))
        attempt("bind " + path, lambda: call(libc.mount(evil.encode(), path.encode(), None, 4096, None)))
        attempt("mount_setattr " + path, lambda: writable(path))
        attempt("move_mount " + path, lambda: copied(path))
        attempt("swap " + path, lambda: call(libc.renameat2(-100, path.encode(), -100, evil.encode(), 2)))
        for process in ("self", "1"):
            attempt(f"chmod by /proc/{process} " + path, lambda: os.chmod(f"/proc/{process}/root{path}", 0o777))
    for path in files:
        attempt("write " + path, lambda: write(path))
        attempt("append " + path, lambda: os.open(path, os.O_WRONLY | os.O_APPEND))
        attempt("truncate " + path, lambda: os.truncate(path, 0))
        attempt("unlink " + path, lambda: os.unlink(path))
        attempt("replace " + path, lambda: os.replace(evil, path))
        attempt("link " + path, lambda: os.link(path, home + "/hard"))
        attempt("map " + path, lambda: mapped(path))
        attempt("clone into " + path, lambda: cloned(path))
        attempt("flags of " + path, lambda: flags(path))
        attempt("handle of " + path, lambda: handle(path))
        attempt("by proc " + path, lambda: os.open("/proc/self/fd/%d" % os.open(path, os.O_RDONLY), os.O_RDWR))
    for directory in [top] + [path for path in made if os.path.isdir(path)]:
        attempt("create in " + directory, lambda: write(directory + "/planted"))
        attempt("mkdir in " + directory, lambda: os.mkdir(directory + "/d"))
        attempt("symlink in " + directory, lambda: os.symlink(evil, directory + "/s"))
        attempt("hard link in " + directory, lambda: os.link(evil, directory + "/h"))
        attempt("rmtree " + directory, lambda: shutil.rmtree(directory))
        attempt("remount " + directory, lambda: call(libc.mount(None, directory.encode(), None, 32 | 4096, None)))
        attempt("unmount " + directory, lambda: call(libc.umount2(directory.encode(), 2)))
    attempt("remount /", lambda: call(libc.mount(None, b"/", None, 32 | 4096, None)))
    attempt("tmpfs", lambda: call(libc.mount(b"none", top.encode(), b"tmpfs", 0, None)))
    attempt("fsopen", lambda: new(430, b"tmpfs", 0))
    attempt("chroot", lambda: os.chroot(home))
    attempt("pivot_root", lambda: new(155 if os.uname().machine == "x86_64" else 41, home.encode(), home.encode()))
    attempt("namespace", lambda: call(libc.unshare(0x10000000 | 0x20000)))
    attempt("unshare", lambda: subprocess.run(["unshare", "-rm", "mount", "-o", "remount,rw,bind", top], check=True,
                                             stderr=subprocess.DEVNULL))
    print("END")


def neighbour(token, *others):
    libc = ctypes.CDLL(None, use_errno=True)
    arm = os.uname().machine == "aarch64"
    buffer = ctypes.create_string_buffer(64)
    # One piece of memory (struct iovec).
    here = (ctypes.c_ulong * 2)(ctypes.addressof(buffer), 64)

    def call(x86, arm64, *arguments):
        # Whole registers: what a number leaves of one on the stack is not zero.
        whole = [ctypes.c_long(it) if isinstance(it, int) else it for it in arguments]
        result = libc.syscall(arm64 if arm else x86, *whole)
        if result < 0:
            raise OSError(ctypes.get_errno(), "call")
        return result

    for path in (other for other in others if not other.isdigit()):
        attempt("list " + path, lambda: os.listdir(path))
    for pid in map(int, filter(str.isdigit, others)):
        for name, x86, arm64, *arguments in [
            ("attach", 101, 117, 16, pid, 0, 0), ("seize", 101, 117, 0x4206, pid, 0, 0),
            ("readv", 310, 270, pid, here, 1, here, 1, 0), ("writev", 311, 271, pid, here, 1, here, 1, 0),
            ("move_pages", 279, 239, pid, 0, 0, 0, 0, 0), ("kcmp", 312, 272, pid, os.getpid(), 0, 0, 0),
            ("prlimit", 302, 261, pid, 7, 0, buffer), ("queue", 129, 138, pid, 10, buffer), ("affinity", 203, 122, pid, 64, b"\1" + bytes(63)),
        ]:
            attempt(f"{'ptrace ' if name in ('attach', 'seize') else ''}{name} {pid}", lambda: call(x86, arm64, *arguments))
        for number in (0, signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
            attempt(f"kill {pid} {number}", lambda: os.kill(pid, number))
            attempt(f"kill group {pid} {number}", lambda: os.killpg(pid, number))
        attempt(f"priority {pid}", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
        attempt(f"descriptor {pid}", lambda: call(438, 438, os.pidfd_open(pid), 1, 0))
        for name in ("environ", "maps", "mem", "auxv", "stack", "syscall", "io"):
            attempt(f"/proc/{pid}/{name}", lambda: os.read(os.open(f"/proc/{pid}/{name}", os.O_RDONLY), 1))
        for name in ("mem", "oom_score_adj", "comm", "attr/current", "clear_refs"):
            attempt(f"/proc/{pid}/{name} to write", lambda: os.write(os.open(f"/proc/{pid}/{name}", os.O_WRONLY), b"1"))
        for name in ("root", "cwd", "exe", "ns/mnt", "fd/0"):
            attempt(f"/proc/{pid}/{name}", lambda: os.readlink(f"/proc/{pid}/{name}"))
            attempt(f"/proc/{pid}/{name} through", lambda: os.stat(f"/proc/{pid}/{name}"))
        for name in ("fd", "map_files", "root"):
            attempt(f"/proc/{pid}/{name} lists", lambda: os.listdir(f"/proc/{pid}/{name}"))
    print("END")


{"reach": reach, "package": package, "neighbour": neighbour}[sys.argv[1]](*sys.argv[2:])
