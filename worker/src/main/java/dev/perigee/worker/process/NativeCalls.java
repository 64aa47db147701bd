package dev.perigee.worker.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The system calls that the native launcher needs, by the Foreign Function API. Each returns its
 * result, or the negated error number. An instance owns the memory of its calls, so it is used by
 * one thread at a time.
 */
@SuppressWarnings("restricted")
final class NativeCalls {

    static final int CLOSE_ON_EXEC = 0x80000;
    static final int NONBLOCKING = 0x800;

    private static final int F_SETFL = 4;
    private static final int P_PID = 1;
    private static final int P_PIDFD = 3;
    private static final int WNOHANG = 1;
    private static final int WEXITED = 4;
    private static final int CLD_EXITED = 1;
    private static final int SIGINFO_BYTES = 128;
    private static final int SIGINFO_CODE = 8;
    private static final int SIGINFO_PID = 16;
    private static final int SIGINFO_STATUS = 24;
    private static final int STATFS_BYTES = 120;
    private static final int STATFS_TYPE = 0;
    private static final int STATFS_BLOCK_BYTES = 8;
    private static final int STATFS_BLOCKS = 16;
    private static final int STATFS_FREE_BLOCKS = 24;
    private static final int STATFS_FILES = 40;
    private static final int STATFS_FREE_FILES = 48;
    private static final int LONGEST_PATH = 256;
    private static final long SYS_PIDFD_OPEN = 434;

    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO =
            Linker.Option.captureStateLayout()
                    .varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle PIPE2 = function("pipe2", 0, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle READ =
            function("read", 0, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle WRITE =
            function("write", 0, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle CLOSE = function("close", 0, JAVA_INT, JAVA_INT);
    private static final MethodHandle FCNTL =
            function("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle KILL = function("kill", 0, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle WAITID =
            function("waitid", 0, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SYSCALL =
            function("syscall", 1, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle STATFS = function("statfs", 0, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle EVENTFD =
            function("eventfd", 0, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle EPOLL_CREATE =
            function("epoll_create1", 0, JAVA_INT, JAVA_INT);
    private static final MethodHandle EPOLL_CTL =
            function("epoll_ctl", 0, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle EPOLL_WAIT =
            function("epoll_wait", 0, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);

    private final MemorySegment state;
    private final MemorySegment info;
    private final MemorySegment path;
    private final MemorySegment fileSystem;

    NativeCalls() {
        var memory = Arena.ofAuto();
        state = memory.allocate(Linker.Option.captureStateLayout());
        info = memory.allocate(SIGINFO_BYTES, Long.BYTES);
        path = memory.allocate(LONGEST_PATH);
        fileSystem = memory.allocate(STATFS_BYTES, Long.BYTES);
    }

    /** A function of the C library that leaves its error in errno; missing ones are an error. */
    private static MethodHandle function(
            String name, int fixedArguments, MemoryLayout result, MemoryLayout... arguments) {
        var options = new ArrayList<>(List.of(CAPTURE));
        if (fixedArguments > 0) {
            options.add(Linker.Option.firstVariadicArg(fixedArguments));
        }
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments),
                options.toArray(Linker.Option[]::new));
    }

    /** Fills two ints, the reading and the writing end. */
    int pipe(MemorySegment ends) {
        try {
            return result((int) PIPE2.invokeExact(state, ends, CLOSE_ON_EXEC));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    long read(int file, MemorySegment buffer, long count) {
        try {
            return result((long) READ.invokeExact(state, file, buffer, count));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    long write(int file, MemorySegment buffer, long count) {
        try {
            return result((long) WRITE.invokeExact(state, file, buffer, count));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    void close(int file) {
        try {
            var _ = (int) CLOSE.invokeExact(state, file);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    int makeNonblocking(int file) {
        try {
            return result((int) FCNTL.invokeExact(state, file, F_SETFL, NONBLOCKING));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** A negative pid is a process group, as in kill(2). */
    int kill(int pid, int signal) {
        try {
            return result((int) KILL.invokeExact(state, pid, signal));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** A descriptor that becomes readable when the process ends. */
    int openProcess(int pid) {
        try {
            return (int) result((long) SYSCALL.invokeExact(state, SYS_PIDFD_OPEN, (long) pid, 0L));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Collects an ended child by its descriptor; null while it runs. */
    @Nullable ExitStatus collect(int processFile) {
        return collect(P_PIDFD, processFile, WEXITED | WNOHANG);
    }

    /** Waits for a child that is about to end, and forgets it. */
    void collectBlocking(int pid) {
        collect(P_PID, pid, WEXITED);
    }

    private @Nullable ExitStatus collect(int kind, int id, int options) {
        info.fill((byte) 0);
        int failure;
        try {
            failure = result((int) WAITID.invokeExact(state, kind, id, info, options));
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (failure < 0) {
            throw new IllegalStateException(
                    "waitid failed with error " + -failure + ": another part collected the child");
        }
        if (info.get(JAVA_INT, SIGINFO_PID) == 0) {
            return null;
        }
        var value = info.get(JAVA_INT, SIGINFO_STATUS);
        if (info.get(JAVA_INT, SIGINFO_CODE) == CLD_EXITED) {
            return ExitStatus.exited(value);
        }
        var name = SignalNames.name(value);
        return ExitStatus.killedBy(name == null ? "SIG" + value : name);
    }

    /**
     * Usage of a file system.
     *
     * @param type as statfs(2) numbers them
     */
    record FileSystemUse(long type, long bytes, long files, long freeFiles) {}

    /** Of the file system that a path is in; null where there is none to be seen, or it is long. */
    @Nullable FileSystemUse fileSystem(String of) {
        if (of.getBytes(StandardCharsets.UTF_8).length >= LONGEST_PATH) {
            return null;
        }
        path.setString(0, of);
        int failure;
        try {
            failure = result((int) STATFS.invokeExact(state, path, fileSystem));
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return failure < 0
                ? null
                : new FileSystemUse(
                        fileSystem.get(JAVA_LONG, STATFS_TYPE),
                        (fileSystem.get(JAVA_LONG, STATFS_BLOCKS)
                                        - fileSystem.get(JAVA_LONG, STATFS_FREE_BLOCKS))
                                * fileSystem.get(JAVA_LONG, STATFS_BLOCK_BYTES),
                        fileSystem.get(JAVA_LONG, STATFS_FILES)
                                - fileSystem.get(JAVA_LONG, STATFS_FREE_FILES),
                        fileSystem.get(JAVA_LONG, STATFS_FREE_FILES));
    }

    int eventFile() {
        try {
            return result((int) EVENTFD.invokeExact(state, 0, CLOSE_ON_EXEC | NONBLOCKING));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    int epollCreate() {
        try {
            return result((int) EPOLL_CREATE.invokeExact(state, CLOSE_ON_EXEC));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    int epollControl(int epoll, int operation, int file, MemorySegment event) {
        try {
            return result((int) EPOLL_CTL.invokeExact(state, epoll, operation, file, event));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    int epollWait(int epoll, MemorySegment events, int capacity, int timeoutMillis) {
        try {
            return result(
                    (int) EPOLL_WAIT.invokeExact(state, epoll, events, capacity, timeoutMillis));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private int result(int value) {
        return value == -1 ? -(int) ERRNO.get(state, 0L) : value;
    }

    private long result(long value) {
        return value == -1 ? -(int) ERRNO.get(state, 0L) : value;
    }

    private static RuntimeException unexpected(Throwable e) {
        return switch (e) {
            case RuntimeException failure -> failure;
            case Error failure -> throw failure;
            default -> new IllegalStateException(e);
        };
    }
}
