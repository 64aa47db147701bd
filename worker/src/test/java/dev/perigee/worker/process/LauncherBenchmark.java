package dev.perigee.worker.process;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Measures a way to spawn children and to carry their pipes. Not run by the build. Arguments:
 * {@code native}, {@code portable} or the name of a {@link ProcessLauncher} class with a
 * constructor without parameters; how many children; a program that echoes its input. Prints one
 * line of a table: threads and memory that the children cost this JVM, time of a spawn, round trips
 * of 300 bytes.
 */
final class LauncherBenchmark {

    private static final int IN_FLIGHT = 64;
    private static final int SINGLE_CALLS = 3_000;
    private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final byte[] MESSAGE =
            ("x".repeat(299) + '\n').getBytes(StandardCharsets.US_ASCII);

    private LauncherBenchmark() {}

    /** Measures one candidate. */
    public static void main(String[] arguments) throws Exception {
        var name = arguments[0];
        var count = Integer.parseInt(arguments[1]);
        var spec =
                new LaunchSpec(List.of(arguments[2]), Map.of("PATH", System.getenv("PATH")), null);
        try (var launcher = open(name)) {
            var threads = threads();
            var began = System.nanoTime();
            var peers = new ArrayList<Peer>();
            for (var index = 0; index < count; index++) {
                var peer = new Peer();
                peer.started = launcher.launch(spec, peer);
                peers.add(peer);
            }
            var spawnMillis = (System.nanoTime() - began) / 1e6 / count;
            for (var peer : peers) {
                peer.call();
            }
            var idleThreads = threads() - threads;
            System.gc();
            var idleRss = rssMegabytes();
            concurrent(peers, RUN_NANOS / 2);
            var single = single(peers);
            var together = concurrent(peers, RUN_NANOS);
            System.out.printf(
                    "| %s | %d | %d | %d / %d | %.1f | %.3f / %.3f | %,.0f/s, %.2f / %.2f |%n",
                    name,
                    count,
                    idleThreads,
                    idleRss,
                    rssMegabytes(),
                    spawnMillis,
                    percentile(single, 50),
                    percentile(single, 99),
                    together.length / (RUN_NANOS / 1e9),
                    percentile(together, 50),
                    percentile(together, 99));
            for (var peer : peers) {
                peer.child().signal(ProcessSignal.KILL);
            }
            for (var peer : peers) {
                if (!peer.child().awaitExit(DEADLINE)) {
                    System.out.println("no exit reported for " + peer.child().pid());
                    break;
                }
            }
        }
        System.exit(0);
    }

    private static ProcessLauncher open(String name) throws ReflectiveOperationException {
        return switch (name) {
            case "native" -> NativeProcessLauncher.start(LauncherOptions.defaults());
            case "portable" -> new PortableProcessLauncher(LauncherOptions.defaults());
            default ->
                    Class.forName(name)
                            .asSubclass(ProcessLauncher.class)
                            .getDeclaredConstructor()
                            .newInstance();
        };
    }

    private static long[] single(List<Peer> peers) throws Exception {
        var times = new long[SINGLE_CALLS];
        for (var call = 0; call < SINGLE_CALLS; call++) {
            times[call] = peers.get(call * 7 % peers.size()).call();
        }
        return times;
    }

    /** Each caller goes round its own part of the children. */
    private static long[] concurrent(List<Peer> peers, long nanos) throws Exception {
        var end = System.nanoTime() + nanos;
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks =
                    IntStream.range(0, IN_FLIGHT)
                            .mapToObj(
                                    caller ->
                                            (Callable<LongStream>)
                                                    () -> {
                                                        var times = LongStream.builder();
                                                        for (var at = caller;
                                                                System.nanoTime() < end;
                                                                at += IN_FLIGHT) {
                                                            if (at >= peers.size()) {
                                                                at = caller;
                                                            }
                                                            times.add(peers.get(at).call());
                                                        }
                                                        return times.build();
                                                    })
                            .toList();
            var all = LongStream.empty();
            for (var done : callers.invokeAll(tasks)) {
                all = LongStream.concat(all, done.get());
            }
            return all.toArray();
        }
    }

    private static double percentile(long[] nanos, int percent) {
        var sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[(int) ((long) (sorted.length - 1) * percent / 100)] / 1e6;
    }

    private static int threads() throws Exception {
        try (var entries = Files.list(Path.of("/proc/self/task"))) {
            return (int) entries.count();
        }
    }

    private static long rssMegabytes() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        }
    }

    /** One child, called by one thread at a time. */
    private static final class Peer implements ChildListener {

        private final Semaphore answered = new Semaphore(0);
        private int received;
        private volatile @Nullable ChildProcess started;

        ChildProcess child() {
            return Objects.requireNonNull(started);
        }

        long call() throws Exception {
            var began = System.nanoTime();
            child().write(MESSAGE, DEADLINE);
            if (!answered.tryAcquire(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("No answer from " + child().pid());
            }
            return System.nanoTime() - began;
        }

        @Override
        public void onStdout(ByteBuffer bytes) {
            received += bytes.remaining();
            if (received >= MESSAGE.length) {
                received -= MESSAGE.length;
                answered.release();
            }
        }

        @Override
        public void onStderr(ByteBuffer bytes) {}

        @Override
        public void onExit(ExitStatus status) {}

        @Override
        public void onClosed() {}
    }
}
