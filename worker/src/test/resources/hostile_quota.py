"""A program that uses up what the kernel counts for a user, as `use WHAT TOKEN`, and holds it until standard input ends; or, as
`work TOKEN`, a neighbour that needs a little of each and says line by line whether it got it."""
import ctypes, errno, fcntl, mmap, os, resource, select, signal, socket, sys, tempfile, time

libc = ctypes.CDLL(None, use_errno=True)
F_SETPIPE_SZ, F_GETPIPE_SZ = 1031, 1032
kept = []


def call(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def until_refused(deed, most):
    """How often it worked, and what refused the next."""
    for count in range(most):
        try:
            kept.append(deed())
        except OSError as e:
            return count, errno.errorcode[e.errno]
    return most, "never"


def forked(deed, most, children=1):
    """The same in several processes, each of which holds what it got."""
    total, last = 0, "never"
    for _ in range(children):
        here, there = os.pipe()
        if os.fork() == 0:
            os.close(here)
            count, refused = deed()
            os.write(there, f"{count} {refused}".encode())
            os.close(there)
            signal.pause()
        os.close(there)
        count, refused = os.read(here, 100).split()
        os.close(here)
        total, last = total + int(count), refused.decode()
        if total >= most:
            break
    return total, last


def inotify():
    return forked(lambda: until_refused(lambda: call(libc.inotify_init1(0)), 900), 10000, 20)


def watches():
    home = os.environ["HOME"]
    instance = call(libc.inotify_init1(0))

    def watch():
        path = f"{home}/d{len(kept)}"
        os.mkdir(path)
        return call(libc.inotify_add_watch(instance, path.encode(), 2))

    return until_refused(watch, 20000)


def pipes():
    def large():
        here, there = os.pipe()
        kept.extend((here, there))
        fcntl.fcntl(there, F_SETPIPE_SZ, 1 << 20)

    return until_refused(large, 400)


def flight():
    """Descriptors that are sent and never received."""
    def send():
        here, there = socket.socketpair()
        kept.extend((here, there))
        for _ in range(4):
            socket.send_fds(here, [b"x"], [0] * 200)

    return forked(lambda: until_refused(send, 20), 100000, 3)


def epoll():
    """Each watched end in each epoll instance."""
    ends = [os.eventfd(0) for _ in range(500)]

    def instance():
        watching = select.epoll()
        for end in ends:
            watching.register(end)
        return watching

    return forked(lambda: until_refused(instance, 450), 10000, 40)


def signals():
    """Queued and never taken."""
    number = signal.SIGRTMIN + 1
    signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    return until_refused(lambda: call(libc.sigqueue(os.getpid(), number, ctypes.c_void_p(0))), 200000)


def processes():
    def child():
        pid = os.fork()
        if pid == 0:
            signal.pause()
        return pid

    return until_refused(child, 3000)


def locked():
    """Shared memory that is locked, which the kernel would count for a user, other than a process's own: it is not to be had."""
    libc.shmat.restype = ctypes.c_void_p

    def lock():
        segment = call(libc.shmget(0, 4096, 0o1600))
        call(libc.shmctl(segment, 11, None))

    return until_refused(lock, 4000)


def keys():
    """Keys in a keyring of its own, which the kernel would count for a user: not to be had."""
    add = 217 if os.uname().machine == "aarch64" else 248
    return until_refused(lambda: call(libc.syscall(add, b"user", b"key%d" % len(kept), b"x", 1, -2)), 1000)


def namespaces():
    return until_refused(lambda: call(libc.unshare(0x10000000)), 100)


def attempt(name, deed):
    try:
        print(name, "works", deed())
    except BaseException as e:
        print(name, "FAILS", errno.errorcode.get(getattr(e, "errno", None), repr(e)))
    sys.stdout.flush()


def work():
    def watched():
        instance = call(libc.inotify_init1(0))
        call(libc.inotify_add_watch(instance, os.environ["HOME"].encode(), 0x100))
        open(os.environ["HOME"] + "/seen", "w").close()
        return len(os.read(instance, 1000)) > 0

    def piped():
        here, there = os.pipe()
        size = fcntl.fcntl(there, F_GETPIPE_SZ)
        if size < 65536:
            raise OSError(errno.ENOBUFS, size)
        return size

    def passed():
        here, there = socket.socketpair()
        socket.send_fds(here, [b"x"], [0])
        return len(socket.recv_fds(there, 1, 1)[1])

    def polled():
        here, there = os.pipe()
        watching = select.epoll()
        watching.register(here)
        os.write(there, b"x")
        return len(watching.poll(5))

    def signalled():
        number = signal.SIGRTMIN + 1
        signal.pthread_sigmask(signal.SIG_BLOCK, [number])
        for value in range(10):
            call(libc.sigqueue(os.getpid(), number, ctypes.c_void_p(value)))
        return signal.sigtimedwait([number], 5).si_signo == number

    def timed():
        timer = ctypes.c_void_p()
        call(libc.timer_create(0, None, ctypes.byref(timer)))
        return call(libc.timer_delete(timer))

    def forks():
        children = [os.posix_spawn("/bin/true", ["true"], {}) for _ in range(20)]
        return sum(os.waitpid(child, 0)[1] for child in children)

    def locks():
        page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE)
        return call(libc.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page))), 4096))

    for deed in (watched, piped, passed, polled, signalled, timed, forks, locks):
        attempt(deed.__name__, deed)
    print("END")


def use(what):
    used, refused = {deed.__name__: deed for deed in
                     (inotify, watches, pipes, flight, epoll, signals, processes, locked, keys, namespaces)}[what]()
    print("used", what, used, refused)
    sys.stdout.flush()
    sys.stdin.read()
    os.kill(0, signal.SIGKILL)


if sys.argv[1] == "use":
    use(sys.argv[2])
else:
    work()
