package dev.perigee.worker.process.isolation;

import dev.perigee.worker.process.ChildListener;
import dev.perigee.worker.process.ExitStatus;
import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessSignal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs something harmless in a jail, once, to see whether jails work on this host. That it ends
 * well is no proof, since a program that jails nothing ends well, too: it says in which namespaces
 * it ran, which must not be the worker's.
 */
final class JailProbe implements ChildListener {
    private static final List<String> ALWAYS = List.of("pid", "mnt", "ipc");
    private static final List<String> WITH_NETWORK = List.of("pid", "mnt", "ipc", "net");
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int KEPT_CHARACTERS = 1000;

    private final StringBuilder output = new StringBuilder();
    private final StringBuilder errors = new StringBuilder();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable ExitStatus exit;

    private final List<String> namespaces;

    /**
     * One probe.
     *
     * @param network whether the jail has a network of its own
     */
    JailProbe(boolean network) {
        this.namespaces = network ? WITH_NETWORK : ALWAYS;
    }

    /** What is to run in the jail. */
    List<String> command() {
        return Stream.concat(Stream.of("readlink"), namespaces.stream().map(JailProbe::link))
                .toList();
    }

    private static String link(String namespace) {
        return "/proc/self/ns/" + namespace;
    }

    /** Null when it worked, else what went wrong, as the jail and its log tell it. */
    @Nullable String failure(ProcessLauncher launcher, LaunchSpec spec, JailLog log)
            throws InterruptedException {
        try {
            var child = launcher.launch(spec, this);
            if (!closed.await(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                child.signal(ProcessSignal.KILL);
                return "it did not end within " + LIMIT.toSeconds() + " s";
            }
        } catch (LaunchException e) {
            return e.getMessage();
        }
        var ended = exit;
        var logged = log.take();
        return ended != null && ended.clean()
                ? notJailed(said(), own(namespaces))
                : "%s: %s".formatted(ended, (told() + " " + logged).strip());
    }

    /**
     * Null when what ran said that it has a namespace of its own of each kind.
     *
     * @param said its lines, such as {@code pid:[4026532201]}
     * @param own the worker's namespaces, in the same form
     */
    @Nullable String notJailed(String said, Set<String> own) {
        var shared = new TreeSet<String>();
        var lines = List.of(said.strip().split("\\s+"));
        for (var namespace : namespaces) {
            var named = lines.stream().filter(line -> line.startsWith(namespace + ":[")).toList();
            if (named.size() != 1 || own.contains(named.getFirst())) {
                shared.add(namespace);
            }
        }
        return shared.isEmpty()
                ? null
                : "it ran a program and ended well, but not in namespaces of its own ("
                        + String.join(", ", shared)
                        + "): is it the real program?";
    }

    private static Set<String> own(List<String> namespaces) {
        var own = new TreeSet<String>();
        for (var namespace : namespaces) {
            try {
                own.add(Files.readSymbolicLink(Path.of(link(namespace))).toString());
            } catch (IOException e) {
                throw new UncheckedIOException("The worker's own namespaces are not readable", e);
            }
        }
        return own;
    }

    private synchronized String said() {
        return output.toString();
    }

    private synchronized String told() {
        return errors.toString().strip();
    }

    @Override
    public synchronized void onStdout(ByteBuffer bytes) {
        if (output.length() < KEPT_CHARACTERS) {
            output.append(StandardCharsets.UTF_8.decode(bytes));
        }
    }

    @Override
    public synchronized void onStderr(ByteBuffer bytes) {
        if (errors.length() < KEPT_CHARACTERS) {
            errors.append(StandardCharsets.UTF_8.decode(bytes));
        }
    }

    @Override
    public void onExit(ExitStatus status) {
        exit = status;
    }

    @Override
    public void onClosed() {
        closed.countDown();
    }
}
