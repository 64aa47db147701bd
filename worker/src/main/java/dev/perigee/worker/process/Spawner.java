package dev.perigee.worker.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts one program by posix_spawn(3): a session of its own, every signal at its default and none
 * blocked, nothing open but the three standard streams. Used by one thread.
 */
@SuppressWarnings("restricted")
final class Spawner {

    /** The descriptors are ours: the pipes' own ends, nonblocking, and the process's. */
    record Spawned(int pid, int processFile, int stdin, int stdout, int stderr) {}

    private static final short SET_SIGNALS_DEFAULT = 0x04;
    private static final short SET_SIGNAL_MASK = 0x08;
    private static final short SET_SESSION = 0x80;
    private static final int STANDARD_STREAMS = 3;

    /** Generous upper bounds of glibc's structures (80, 336 and 128 bytes). */
    private static final int ACTIONS_BYTES = 256;

    private static final int ATTRIBUTES_BYTES = 512;
    private static final int SIGNAL_SET_BYTES = 128;

    private static final MethodHandle SPAWN =
            function("posix_spawn", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    private static final MethodHandle ACTIONS_INIT =
            function("posix_spawn_file_actions_init", JAVA_INT, ADDRESS);
    private static final MethodHandle ACTIONS_DESTROY =
            function("posix_spawn_file_actions_destroy", JAVA_INT, ADDRESS);
    private static final MethodHandle ADD_DUP2 =
            function("posix_spawn_file_actions_adddup2", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle ADD_CLOSE_FROM =
            function("posix_spawn_file_actions_addclosefrom_np", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle ADD_CHANGE_DIRECTORY =
            function("posix_spawn_file_actions_addchdir_np", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle ATTRIBUTES_INIT =
            function("posix_spawnattr_init", JAVA_INT, ADDRESS);
    private static final MethodHandle ATTRIBUTES_DESTROY =
            function("posix_spawnattr_destroy", JAVA_INT, ADDRESS);
    private static final MethodHandle SET_FLAGS =
            function("posix_spawnattr_setflags", JAVA_INT, ADDRESS, JAVA_SHORT);
    private static final MethodHandle SET_MASK =
            function("posix_spawnattr_setsigmask", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SET_DEFAULT =
            function("posix_spawnattr_setsigdefault", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle FILL_SIGNALS = function("sigfillset", JAVA_INT, ADDRESS);

    private final NativeCalls calls = new NativeCalls();

    private static MethodHandle function(
            String name, MemoryLayout result, MemoryLayout... arguments) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, arguments));
    }

    Spawned spawn(LaunchSpec spec) throws LaunchException {
        var program = ProgramLookup.find(spec).toString();
        var open = new ArrayList<Integer>();
        try (var memory = Arena.ofConfined()) {
            var input = pipe(spec, memory, open);
            var output = pipe(spec, memory, open);
            var errors = pipe(spec, memory, open);
            check(spec, calls.makeNonblocking(input[1]));
            check(spec, calls.makeNonblocking(output[0]));
            check(spec, calls.makeNonblocking(errors[0]));
            var pid = spawn(spec, program, memory, input[0], output[1], errors[1]);
            var processFile = calls.openProcess(pid);
            if (processFile < 0) {
                calls.kill(-pid, ProcessSignal.KILL.number());
                calls.collectBlocking(pid);
                check(spec, processFile);
            }
            var ours = List.of(input[1], output[0], errors[0]);
            open.removeAll(ours);
            return new Spawned(pid, processFile, input[1], output[0], errors[0]);
        } finally {
            open.forEach(calls::close);
        }
    }

    private int[] pipe(LaunchSpec spec, Arena memory, List<Integer> open) throws LaunchException {
        var ends = memory.allocate(JAVA_INT, 2);
        check(spec, calls.pipe(ends));
        var pair = ends.toArray(JAVA_INT);
        open.add(pair[0]);
        open.add(pair[1]);
        return pair;
    }

    private static void check(LaunchSpec spec, int result) throws LaunchException {
        if (result < 0) {
            throw Errno.launchFailure(spec.program(), -result);
        }
    }

    private static int spawn(
            LaunchSpec spec, String program, Arena memory, int stdin, int stdout, int stderr)
            throws LaunchException {
        var actions = memory.allocate(ACTIONS_BYTES, Long.BYTES);
        var attributes = memory.allocate(ATTRIBUTES_BYTES, Long.BYTES);
        var pid = memory.allocate(JAVA_INT);
        var directory = spec.workingDirectory();
        try {
            require((int) ACTIONS_INIT.invokeExact(actions));
            require((int) ATTRIBUTES_INIT.invokeExact(attributes));
            try {
                describe(actions, attributes, memory, new int[] {stdin, stdout, stderr});
                if (directory != null) {
                    var path = memory.allocateFrom(directory.toAbsolutePath().toString());
                    require((int) ADD_CHANGE_DIRECTORY.invokeExact(actions, path));
                }
                var error =
                        (int)
                                SPAWN.invokeExact(
                                        pid,
                                        memory.allocateFrom(program),
                                        actions,
                                        attributes,
                                        strings(spec.command(), memory),
                                        strings(environment(spec), memory));
                check(spec, -error);
                return pid.get(JAVA_INT, 0);
            } finally {
                var _ = (int) ACTIONS_DESTROY.invokeExact(actions);
                var _ = (int) ATTRIBUTES_DESTROY.invokeExact(attributes);
            }
        } catch (LaunchException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void describe(
            MemorySegment actions, MemorySegment attributes, Arena memory, int[] streams)
            throws Throwable {
        for (var stream = 0; stream < STANDARD_STREAMS; stream++) {
            require((int) ADD_DUP2.invokeExact(actions, streams[stream], stream));
        }
        require((int) ADD_CLOSE_FROM.invokeExact(actions, STANDARD_STREAMS));
        var noSignals = memory.allocate(SIGNAL_SET_BYTES, Long.BYTES);
        var allSignals = memory.allocate(SIGNAL_SET_BYTES, Long.BYTES);
        require((int) FILL_SIGNALS.invokeExact(allSignals));
        require((int) SET_MASK.invokeExact(attributes, noSignals));
        require((int) SET_DEFAULT.invokeExact(attributes, allSignals));
        var flags = (short) (SET_SIGNALS_DEFAULT | SET_SIGNAL_MASK | SET_SESSION);
        require((int) SET_FLAGS.invokeExact(attributes, flags));
    }

    private static void require(int error) {
        if (error != 0) {
            throw new IllegalStateException("Preparing a spawn failed with error " + error);
        }
    }

    private static List<String> environment(LaunchSpec spec) {
        return spec.environment().entrySet().stream()
                .map(entry -> entry.getKey() + '=' + entry.getValue())
                .toList();
    }

    private static MemorySegment strings(List<String> values, Arena memory) {
        var array = memory.allocate(ADDRESS, values.size() + 1L);
        for (var index = 0; index < values.size(); index++) {
            array.setAtIndex(ADDRESS, index, memory.allocateFrom(values.get(index)));
        }
        array.setAtIndex(ADDRESS, values.size(), MemorySegment.NULL);
        return array;
    }

    /** Loads what is needed; null when this system has it all, else what is missing. */
    static @Nullable String missing() {
        try {
            var calls = new NativeCalls();
            var self = calls.openProcess((int) ProcessHandle.current().pid());
            if (self < 0) {
                return "pidfd_open (Linux 5.4 or newer)";
            }
            calls.close(self);
            var _ = new Spawner();
            return null;
        } catch (LinkageError e) {
            var cause = e.getCause();
            return cause == null ? e.toString() : cause.toString();
        }
    }
}
