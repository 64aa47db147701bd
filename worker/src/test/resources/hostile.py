# A program that tries what a jailed one must not be able to. Run as: python3 -c PROGRAM WHAT TOKEN [MORE...]
# It says on standard output how far it got. The token only makes its processes known from outside.
import ctypes, errno, fcntl, mmap, os, resource, shutil, signal, socket, sys, time

what, token, more = sys.argv[1], sys.argv[2], sys.argv[3:]


def attempt(name, deed):
    try:
        print(name, "done", deed())
    except OSError as e:
        print(name, errno.errorcode.get(e.errno, e.errno))
    sys.stdout.flush()


def create(path):
    with open(path, "w") as file:
        file.write("mine now")


def processes():
    for name in sorted(filter(str.isdigit, os.listdir("/proc")), key=int):
        with open(f"/proc/{name}/cmdline") as file:
            print(name, file.read().split("\0")[0])


def system():
    for path in ["/usr", "/usr/bin", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/", "/home", "/dev", "/proc/sys/kernel"]:
        attempt(path, lambda: create(path + "/owned"))
    attempt("/etc/passwd", lambda: create("/etc/passwd"))
    attempt("/usr/bin/env", lambda: os.unlink("/usr/bin/env"))
    attempt("/etc/shadow", lambda: open("/etc/shadow").read())


def caches():
    print("homes", os.listdir("/home"), "mine", sorted(os.listdir(os.environ["HOME"])))
    for path in more:
        attempt(path, lambda: open(path).read())
    attempt("own", lambda: create(os.environ["HOME"] + "/own"))


def fill(directory, megabytes):
    written = 0
    try:
        for number in range(100):
            with open(f"{directory}/{number}", "wb", buffering=0) as file:
                for _ in range(20):
                    if written == megabytes:
                        return print(directory, "took", written)
                    file.write(bytes(1 << 20))
                    written += 1
    except OSError as e:
        print(directory, "full after", written, errno.errorcode[e.errno])


def files():
    opened = []
    try:
        while len(opened) < 5000:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as e:
        print("files", errno.errorcode[e.errno], opened[-1] + 1)


def big_file():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("/tmp/big", "wb", buffering=0) as file:
        try:
            for _ in range(51):
                file.write(bytes(1 << 20))
            print("wrote all")
        except OSError as e:
            print("file", errno.errorcode[e.errno], file.tell())


def privileges():
    libc = ctypes.CDLL(None, use_errno=True)

    def call(name, *arguments):
        if getattr(libc, name)(*arguments) != 0:
            raise OSError(ctypes.get_errno(), name)

    print("user", os.getuid(), os.geteuid())
    attempt("setuid", lambda: os.setuid(0))
    attempt("setgid", lambda: os.setgid(0))
    attempt("setgroups", lambda: os.setgroups([0]))
    attempt("mount", lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None))
    attempt("unshare", lambda: call("unshare", 0x10000000))
    attempt("chroot", lambda: os.chroot("/tmp"))
    attempt("hostname", lambda: socket.sethostname("mine"))
    attempt("mknod", lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)))
    with open("/proc/self/status") as status:
        print("".join(line for line in status if line.startswith(("Cap", "NoNewPrivs"))))


def devices():
    attempt("chmod", lambda: os.chmod("/dev/null", 0o666))
    attempt("write", lambda: open("/dev/null", "w").write("x"))
    ours, theirs = os.openpty()
    os.write(theirs, b"typed")
    print("terminal", os.read(ours, 5).decode(), os.listdir("/dev/pts"))
    print("names", [os.path.realpath(f"/dev/{name}") == os.path.realpath(f"/proc/self/fd/{number}")
                    for number, name in enumerate(["stdin", "stdout", "stderr"])], os.path.isdir("/dev/fd"))


def shared_memory():
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.shmget(int(more[0]), 0, 0)
    print("segment", found if found >= 0 else errno.errorcode[ctypes.get_errno()])
    with open("/proc/sysvipc/shm") as table:
        print("segments", len(table.readlines()) - 1)


def memory():
    block = bytearray()
    for _ in range(600):
        block += bytes(1 << 20)
    print("has", len(block) >> 20)


def address_space():
    print("mapped", len(mmap.mmap(-1, 10 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)) >> 30)


def network():
    with socket.create_connection(("127.0.0.1", int(more[0])), 5) as connection:
        print("answer", connection.recv(100).decode())


def apart(deed):
    """In a child: the filter of a container's engine may end who does it."""
    child = os.fork()
    if child == 0:
        try:
            deed()
            os._exit(0)
        except OSError as e:
            os._exit(e.errno)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        raise OSError(signal.Signals(os.WTERMSIG(status)).name, "ended")
    if os.WEXITSTATUS(status):
        raise OSError(os.WEXITSTATUS(status), "refused")
    return "it"


def syscalls():
    libc = ctypes.CDLL(None, use_errno=True)
    arm = os.uname().machine == "aarch64"

    def call(number, *arguments):
        result = libc.syscall(number, *arguments)
        if result < 0:
            raise OSError(ctypes.get_errno(), number)
        return "it"

    # With arguments that a kernel without a filter takes, or refuses with another error than EPERM and ENOSYS.
    bad = ctypes.c_void_p(8)
    for name, x86, arm64, *arguments in [
        ("io_uring_setup", 425, 425, 1, bad), ("io_uring_register", 427, 427, -1, 0, 0, 0), ("userfaultfd", 323, 282, 1),
        ("keyctl", 250, 219, 0, -3, 0), ("add_key", 248, 217, bad, bad, bad, 0, 0), ("bpf", 321, 280, 0, bad, 8),
        ("perf_event_open", 298, 241, bad, 0, -1, -1, 0), ("process_vm_readv", 310, 270, os.getpid(), 0, 0, 0, 0, 0),
        ("ptrace", 101, 117, 0, 0, 0, 0), ("pidfd_getfd", 438, 438, -1, 0, 0), ("open_tree", 428, 428, -100, b"/tmp", 0),
        ("fsopen", 430, 430, b"tmpfs", 0), ("setns", 308, 268, -1, 0), ("clone3", 435, 435, bad, 8),
        ("memfd_secret", 447, 447, 0), ("name_to_handle_at", 303, 264, -100, b"/tmp", bad, bad, 0),
        ("io_setup", 206, 0, 1, bad), ("ioprio_set", 251, 30, 1, 0, 2 << 13), ("newer", 999, 999, 0), ("x32", 0x40000000 + 39, 999),
        ("unshare", 272, 97, 0x40000000), ("unshare_time", 272, 97, 0x80), ("personality", 135, 92, 8),
        ("ioctl", 16, 29, -1, 0x5412, bad), ("ioctl_high", 16, 29, -1, ctypes.c_ulong(0x100005412), bad),
    ]:
        if name == "x32":
            attempt(name, lambda: apart(lambda: call(arm64 if arm else x86, *arguments)))
            continue
        attempt(name, lambda: call(arm64 if arm else x86, *arguments))
    for name, family, kind, protocol in [
        ("netfilter", 16, socket.SOCK_RAW, 12), ("audit", 16, socket.SOCK_RAW, 9), ("vsock", 40, socket.SOCK_STREAM, 0), ("alg", 38, 5, 0),
        ("packet", 17, socket.SOCK_RAW, 0), ("xdp", 44, socket.SOCK_RAW, 0), ("bluetooth", 31, socket.SOCK_RAW, 1),
        ("sctp", 2, 1, 132), ("dccp", 2, 6, 33), ("mptcp", 10, 1, 262), ("udplite", 2, 2, 136),
        ("route", 16, socket.SOCK_RAW, 0), ("unix", 1, 1, 0), ("inet", 2, 1, 0), ("inet6", 10, 1, 0),
    ]:
        attempt(name, lambda: bool(socket.socket(family, kind, protocol)))
    print("descriptors", sorted(os.listdir("/proc/self/fd"), key=int)[:-1])


def nested():
    """Namespaces and mounts of its own, with which to get at what is not its own."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "call")
        if result == 0 and os.getpid() != own:
            os._exit(0)
        return "it"

    own = os.getpid()
    clone = 220 if os.uname().machine == "aarch64" else 56
    for name, flag in [("mnt", 0x20000), ("cgroup", 0x2000000), ("uts", 0x4000000), ("ipc", 0x8000000), ("user", 0x10000000),
                       ("pid", 0x20000000), ("net", 0x40000000), ("time", 0x80)]:
        attempt("unshare " + name, lambda: call(libc.unshare(flag)))
        if flag > 0xff:
            attempt("clone " + name, lambda: call(libc.syscall(clone, flag | signal.SIGCHLD, 0, 0, 0, 0)))
        attempt("enter " + name, lambda: call(libc.setns(os.open(f"/proc/1/ns/{name}", os.O_RDONLY), 0)))
    home = os.environ["HOME"].encode()
    for name, source, target, kind, flags in [
        ("tmpfs", b"none", home, b"tmpfs", 0), ("proc", b"none", home, b"proc", 0), ("sysfs", b"none", home, b"sysfs", 0),
        ("overlay", b"none", home, b"overlay", 0), ("bind", b"/usr", home, None, 4096), ("writable", None, b"/usr", None, 32 | 4096),
        ("proc writable", None, b"/proc", None, 32 | 4096), ("devices", None, b"/dev", None, 32 | 4096), ("moved", b"/tmp", home, None, 8192),
        ("propagating", None, b"/", None, 1 << 20),
    ]:
        attempt("mount " + name, lambda: call(libc.mount(source, target, kind, flags, None)))
    attempt("umount /proc", lambda: call(libc.umount2(b"/proc", 2)))
    attempt("root", lambda: os.chroot(home))
    attempt("map", lambda: os.open("/proc/self/uid_map", os.O_WRONLY))
    attempt("sysctl", lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
    print("END")


def mounts():
    """What is mounted without the flags that take rights from files, other than devices."""
    with open("/proc/self/mountinfo") as table:
        for line in table:
            path, flags = line.split()[4:6]
            lacking = {"nosuid", "nodev"} - set(flags.split(","))
            print(path, "rw" if flags.startswith("rw") else "ro", *sorted(lacking))


def first():
    """The first process of its jail, which is not confined as it is itself."""
    for path, mode in [("mem", os.O_RDWR), ("mem", os.O_WRONLY), ("oom_score_adj", os.O_WRONLY), ("attr/current", os.O_WRONLY),
                       ("clear_refs", os.O_WRONLY), ("root/usr/owned", os.O_WRONLY | os.O_CREAT)]:
        attempt(f"{path} {mode & 3}", lambda: os.open("/proc/1/" + path, mode))
    print("same", os.path.samefile("/proc/1/root", "/"))
    # The kernel keeps these from the first process of a namespace that does not handle them.
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV):
        os.kill(1, number)
    time.sleep(0.2)
    with open("/proc/1/stat") as file:
        print("state", file.read().rsplit(")", 1)[1].split()[0] in "SR")


def terminals():
    """Typing into others' terminals, and devices beyond the harmless ones."""
    ours, theirs = os.openpty()
    for name, at in [("own", ours), ("other end", theirs), ("input", 0), ("output", 1), ("errors", 2)]:
        attempt("type into " + name, lambda: fcntl.ioctl(at, 0x5412, b"x"))
        attempt("select in " + name, lambda: fcntl.ioctl(at, 0x541C, b"\3" + bytes(15)))
    attempt("controlling", lambda: os.open("/dev/tty", os.O_RDWR))
    harmless = {"full", "null", "ptmx", "random", "tty", "urandom", "zero", "console"}
    print("devices", sorted(name for name in os.listdir("/dev") if not os.path.isdir("/dev/" + name)
                            and not os.path.islink("/dev/" + name) and name not in harmless))
    for name, kind, major, minor in [("disk", 0o60600, 8, 0), ("mem", 0o20600, 1, 1), ("kmsg", 0o20600, 1, 11), ("fuse", 0o20600, 10, 229)]:
        for directory in ("/tmp", os.environ["HOME"], "/dev/shm"):
            attempt("make " + name, lambda: os.mknod(f"{directory}/{name}", kind, os.makedev(major, minor)))
    for name in ("kmsg", "mem", "fuse", "kvm", "net/tun", "loop-control", "sda", "vda"):
        attempt("open " + name, lambda: os.open("/dev/" + name, os.O_RDONLY))
    print("END")


def core():
    def more():
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
        except ValueError:
            raise OSError(errno.EPERM, "limit")

    attempt("limit", more)
    child = os.fork()
    if child == 0:
        os.chdir(os.environ["HOME"])
        os.abort()
    status = os.waitpid(child, 0)[1]
    print("ended by", signal.Signals(os.WTERMSIG(status)).name, os.WCOREDUMP(status), os.listdir(os.environ["HOME"]))


def survive():
    """Leaves behind, by every means, a process that nothing but its namespace holds."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 32):
                if number not in (signal.SIGKILL, signal.SIGSTOP):
                    signal.signal(number, signal.SIG_IGN)
            print("survivor up", flush=True)
            os.execve(sys.executable, ["innocent", "-c", "import time; time.sleep(600)", token], {})
        os._exit(0)
    os.wait()
    time.sleep(600 if not more else float(more[0]))


def children(deed):
    """Forks as often as the first argument says; each does something of its own and stays."""
    for _ in range(int(more[0])):
        try:
            if os.fork() == 0:
                deed()
                time.sleep(600)
        except BlockingIOError:
            break
    print("children up", flush=True)
    time.sleep(600)


def many():
    kept = []
    children(lambda: kept.append(b"x" * (int(more[1]) << 20)))


def sharers():
    """Children that share what their parent has, which is there once."""
    block = b"x" * (int(more[1]) << 20)
    children(lambda: block)


def bomb():
    children(lambda: None)


def burners():
    children(burn)


def given_up():
    """Memory that is shared with nobody: its pages stay when they are given up, and are nobody's."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    size = int(more[0]) << 20

    def hold(flags, device=None):
        opened = -1 if device is None else os.open(device, os.O_RDWR)
        start = libc.mmap(None, size, 3, flags, opened, 0)
        if start == 2 ** 64 - 1:
            raise OSError(ctypes.get_errno(), "mmap")
        ctypes.memset(start, 1, size)
        if libc.munmap(start + mmap.PAGESIZE, size - mmap.PAGESIZE) < 0:
            raise OSError(ctypes.get_errno(), "munmap")
        return "it"

    attempt("anonymous", lambda: hold(0x21))
    attempt("anonymous with more bits", lambda: hold(0x21 | 1 << 40))
    attempt("validated", lambda: hold(0x23))
    for name in ("zero", "full", "null", "random"):
        attempt(name, lambda: hold(0x1, "/dev/" + name))
    attempt("huge", lambda: hold(0x40022))
    pinned()
    with open("/dev/zero", "rb") as zeroes:
        print("read", zeroes.read(4) == bytes(4))


def larger():
    """Memory of no process, or more of it in a pipe or socket than the kernel gives by itself."""
    attempt("memfd", lambda: bool(os.memfd_create("mine")))
    reading, writing = os.pipe()
    attempt("pipe", lambda: fcntl.fcntl(writing, 1031, 1 << 20))
    one, other = socket.socketpair()
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF, socket.SO_RCVLOWAT):
        before = one.getsockopt(socket.SOL_SOCKET, option)
        one.setsockopt(socket.SOL_SOCKET, option, 8 << 20)
        print("buffer same", one.getsockopt(socket.SOL_SOCKET, option) == before)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    print("other option", one.getsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED))


def filters():
    """Seven of the longest take a megabyte of each process, and a host has memory for no more than some thousands."""
    libc = ctypes.CDLL(None, use_errno=True)
    count = 4095
    room = ctypes.create_string_buffer(b"\0" * 8 * (count - 1) + b"\6\0\0\0\0\0\xff\x7f")
    program = (ctypes.c_ulong * 2)(count, ctypes.addressof(room))

    def call(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "call")
        return "it"

    libc.prctl(38, 1, 0, 0, 0)
    number = 277 if os.uname().machine == "aarch64" else 317
    attempt("of calls", lambda: call(libc.prctl(22, 2, program, 0, 0)))
    attempt("of calls by the newer one", lambda: call(libc.syscall(number, 1, 0, program)))
    attempt("of a socket", lambda: socket.socket().setsockopt(socket.SOL_SOCKET, 26, bytes(program)))
    attempt("of a group", lambda: socket.socket().setsockopt(socket.SOL_SOCKET, 51, bytes(program)))
    attempt("no new privileges", lambda: call(libc.prctl(38, 1, 0, 0, 0)))


def pinned():
    """A byte of a file keeps all of the large piece of memory that it is in, also when the file is gone."""
    libc = ctypes.CDLL(None, use_errno=True)
    path = os.environ["HOME"] + "/pinned"

    def keep(call, into):
        file = os.open(path, os.O_RDWR | os.O_CREAT)
        os.write(file, bytes(2 << 20))
        os.lseek(file, 0, 0)
        os.unlink(path)
        if call(file, into) < 0:
            raise OSError(ctypes.get_errno(), "call")
        os.close(file)
        return "it"

    _, into = os.pipe()
    one, other = socket.socketpair()
    attempt("splice", lambda: keep(lambda file, to: libc.splice(file, None, to, None, 1, 0), into))
    attempt("sendfile", lambda: keep(lambda file, to: libc.sendfile(to, file, None, 1), into))
    attempt("sendfile to a socket", lambda: keep(lambda file, to: libc.sendfile(to, file, None, 1), one.fileno()))
    reading, writing = os.pipe()
    os.write(writing, b"1")
    attempt("tee", lambda: keep(lambda _, to: libc.tee(reading, to, 1, 0), into))
    libc.mmap.restype = ctypes.c_void_p
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        sender, receiver = socket.create_connection(listener.getsockname()), listener.accept()[0]
    room = libc.mmap(None, ctypes.c_size_t(mmap.PAGESIZE), 1, 1, receiver.fileno(), ctypes.c_long(0))
    asked, size = (ctypes.c_ulonglong * 8)(room, mmap.PAGESIZE), ctypes.c_uint(64)

    def receive():
        sender.send(b"1")
        if libc.getsockopt(receiver.fileno(), 6, 35, asked, ctypes.byref(size)) < 0:
            raise OSError(ctypes.get_errno(), "getsockopt")
        return "it"

    attempt("mapped from a socket", receive)

    def without_copy(sending):
        """Pages that were given up stay as long as nobody reads: of 2 MiB each a byte, 1.6 GB of 800 in a trial."""
        sending.setsockopt(socket.SOL_SOCKET, 60, 1)
        sending.setblocking(False)
        full(sending.send, bytes(32768))
        receiver.recv(1 << 16)
        piece = mmap.mmap(-1, 4 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        sending.send(memoryview(piece)[:1], 0x4000000)
        return "it"

    attempt("sent without a copy", lambda: without_copy(sender))
    attempt("of UDP", lambda: without_copy(socket.socket(type=socket.SOCK_DGRAM)))
    attempt("of IPv6", lambda: without_copy(socket.socket(socket.AF_INET6)))
    attempt("of a listener", lambda: socket.create_server(("127.0.0.1", 0)).setsockopt(socket.SOL_SOCKET, 60, 1))
    attempt("reserved", lambda: sender.setsockopt(socket.SOL_SOCKET, 73, 64 << 20))
    shutil.copyfile("/etc/hostname", path)
    with open("/etc/hostname", "rb") as sent, socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        print("copied", os.path.getsize(path) == client.sendfile(sent) == os.fstat(sent.fileno()).st_size)


def full(write, piece):
    try:
        while True:
            write(piece)
    except BlockingIOError:
        pass


def sockets():
    """Children with pairs of sockets that nobody reads; what they hold is no process's."""
    kept = []

    def fill_some():
        for _ in range(int(more[1])):
            for end in (pair := socket.socketpair()):
                end.setblocking(False)
                full(end.send, bytes(32768))
            kept.append(pair)

    children(fill_some)


def tcp_sockets():
    """The same over its own loopback, full in both directions."""
    kept = []

    def fill_some():
        for number in range(int(more[1])):
            family, host = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")][number % 2]
            with socket.socket(family) as listener:
                listener.bind((host, 0))
                listener.listen(1)
                pair = socket.create_connection(listener.getsockname()[:2]), listener.accept()[0]
            for end in pair:
                end.setblocking(False)
                full(end.send, bytes(32768))
            kept.append(pair)

    children(fill_some)


def empty_sockets():
    kept = []
    children(lambda: kept.extend(socket.socketpair() for _ in range(int(more[1]))))


def pipes(closed_to_others=False):
    kept = []

    def fill_some():
        if closed_to_others:
            ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        for _ in range(int(more[1])):
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            full(lambda piece: os.write(writing, piece), bytes(4096))
            os.close(writing)
            kept.append(reading)

    children(fill_some)


def hidden_pipes():
    pipes(True)


def handed_pipes():
    """Full pipes handed to children that have been looked at and use next to no time to take them."""
    ends = []

    def take(end):
        kept = []
        while True:
            kept.extend(socket.recv_fds(end, 1, 250)[1])
            end.send(b"k")

    for _ in range(int(more[0])):
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            take(theirs)
        theirs.close()
        ends.append(ours)
    time.sleep(2.5)
    for end in ends:
        full_ones = []
        for _ in range(int(more[1])):
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            full(lambda piece: os.write(writing, piece), bytes(4096))
            os.close(writing)
            full_ones.append(reading)
        socket.send_fds(end, [b"x"], full_ones)
        end.recv(1)
        for reading in full_ones:
            os.close(reading)
    print("handed", flush=True)
    time.sleep(600)


def under_way():
    """Pipes that are sent and not received: no process has them open."""
    ours, theirs = socket.socketpair()
    for _ in range(int(more[0])):
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        full(lambda piece: os.write(writing, piece), bytes(4096))
        socket.send_fds(ours, [b"x"], [reading])
        os.close(reading)
        os.close(writing)
    # It is looked at soon after that, and otherwise sometime.
    seen = time.process_time() + 0.1
    while time.process_time() < seen:
        pass
    print("children up", flush=True)
    time.sleep(600)
    theirs.close()


def page_tables():
    """Page by page, far from each other: reading takes no page, and a table for each."""
    kept = []

    def touch():
        kept.append(space := mmap.mmap(-1, int(more[1]) << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000))
        space.madvise(15)  # MADV_NOHUGEPAGE
        for at in range(0, len(space), 2 << 20):
            space[at]

    children(touch)


def mappings():
    """Every other page with other rights: as many mappings, and nothing in them."""
    kept = []
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def split():
        start = libc.mmap(None, int(more[1]) * mmap.PAGESIZE, 3, 0x22, -1, 0)
        kept.append(start)
        for at in range(0, int(more[1]), 2):
            libc.mprotect(start + at * mmap.PAGESIZE, mmap.PAGESIZE, 0)

    children(split)


def many_descriptors():
    """As many as a large server has, of pipes that its children have too; next to nothing is in them."""
    kept = [os.pipe() for _ in range(int(more[1]))]
    children(lambda: kept)


def files_in_memory():
    fill("/tmp", int(more[0]))
    fill("/dev/shm", int(more[0]))
    time.sleep(600)


def empty_files():
    for number in range(int(more[0])):
        os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
    time.sleep(600)


def home_bytes():
    for number in range(int(more[0])):
        with open(f"{os.environ['HOME']}/{number}", "wb") as file:
            file.write(bytes(1 << 20))
    print("wrote", flush=True)
    time.sleep(600)


def removed_files():
    """Files that are on the disk and in no directory."""
    kept = []
    for number in range(int(more[0])):
        path = f"{os.environ['HOME']}/removed"
        kept.append(open(path, "wb", buffering=0))
        os.unlink(path)
        kept[-1].write(bytes(1 << 20))
    print("wrote", flush=True)
    time.sleep(600)


def mapped_files():
    """The same, and not open: mapped in part or whole."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    for number in range(int(more[0])):
        path = f"{os.environ['HOME']}/removed"
        with open(path, "wb+", buffering=0) as file:
            file.write(bytes(1 << 20))
            if libc.mmap(None, int(more[1]), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0) in (None, 2 ** 64 - 1):
                raise OSError(ctypes.get_errno(), "mmap")
        os.unlink(path)
    print("wrote", flush=True)
    time.sleep(600)


def attributes():
    """Data beside a file, and space behind its end, which its length does not show."""
    path = f"{os.environ['HOME']}/empty"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    file = os.open(path, os.O_RDWR)
    attempt("of a path", lambda: os.setxattr(path, "user.a", bytes(2000)))
    attempt("of a link", lambda: os.setxattr(path, "user.a", bytes(2000), follow_symlinks=False))
    attempt("of an open file", lambda: os.setxattr(file, "user.a", bytes(2000)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]

    def call(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "call")
        return os.fstat(file).st_blocks

    attempt("behind the end", lambda: call(libc.fallocate(file, 1, 0, 8 << 20)))
    attempt("in zeros", lambda: call(libc.fallocate(file, 0x11, 0, 8 << 20)))
    space = (ctypes.c_longlong * 6)(0, 0, 8 << 20)
    for number in (0x40305828, 0x4030582A, 0x40305839, 0x401C5820):
        attempt("by control", lambda: call(libc.ioctl(file, ctypes.c_ulong(number), space)))
    os.posix_fallocate(file, 0, 4096)
    print("grown", os.fstat(file).st_size)
    shutil.copy2(path, path + "2")
    print("kept", os.listxattr(path), "copied", os.path.exists(path + "2"))


def home_files():
    for number in range(int(more[0])):
        os.mkdir(f"{os.environ['HOME']}/d{number}")
    print("wrote", flush=True)
    time.sleep(600)


def empty_files_at_home():
    for number in range(int(more[0])):
        os.close(os.open(f"{os.environ['HOME']}/e{number}", os.O_CREAT | os.O_WRONLY))
    print("wrote", flush=True)
    time.sleep(600)


def write_over():
    """One small file again and again, each time as far as the disk."""
    with open(f"{os.environ['HOME']}/over", "wb", buffering=0) as file:
        for number in range(int(more[0])):
            file.seek(0)
            file.write(bytes([number % 256]) * (1 << 20))
            os.fdatasync(file.fileno())
    print("wrote", flush=True)
    time.sleep(600)


def write_over_by_children():
    """The same by processes that live shorter than anybody looks."""
    for number in range(int(more[0])):
        child = os.fork()
        if child == 0:
            with open(f"{os.environ['HOME']}/over", "wb", buffering=0) as file:
                file.write(bytes(1 << 20))
                os.fdatasync(file.fileno())
            os._exit(0)
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass
    print("wrote", flush=True)
    time.sleep(600)


def write_over_unseen():
    """The same, and nobody waits for them: the kernel forgets what they did."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    write_over_by_children()


def read_over():
    """A file that memory is asked to forget each time."""
    path = f"{os.environ['HOME']}/over"
    with open(path, "wb", buffering=0) as file:
        file.write(bytes(4 << 20))
        os.fdatasync(file.fileno())
    with open(path, "rb", buffering=0) as file:
        for number in range(int(more[0]) // 4):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            file.seek(0)
            while file.read(1 << 20):
                pass
    print("read", flush=True)
    time.sleep(600)


def burn():
    while True:
        pass


def limits():
    with open("/proc/self/limits") as file:
        print(file.read())


deeds = {
    "tmp": lambda: fill("/tmp", 101),
    "shm": lambda: fill("/dev/shm", 101),
    "app": lambda: fill("/app", 301),
}
deeds.get(what, globals().get(what))()
