package dev.perigee.worker.process.network;

import dev.perigee.protocol.config.EgressRule;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.ProcessGuard;
import dev.perigee.worker.process.Tenant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The networks of one worker's instances. Who sets one up in a namespace of its own makes the
 * listeners there, and gives them over a socket that only this machine's worker and what it starts
 * can reach, by a name that counts once. Thread-safe.
 */
public final class InstanceNetworks implements AutoCloseable {
    private static final String SOCKET = "network";
    private static final long JOIN_MILLIS = 5_000;
    private static final int MOST_GIVERS = 1024;
    private static final int GIVERS_PER_SECOND = 1000;
    private static final int LEAST_SOCKETS = 2;
    private static final int MOST_SOCKETS = 3;

    private final Path directory;
    private final EgressGuards guards;
    private final NetworkLoop loop;
    private final Thread thread;
    private final ListeningSocket entrance;

    /** Of the loop's thread, as are those below. */
    private final Map<String, Expected> expected = new HashMap<>();

    private final Map<String, InstanceDesk> desks = new HashMap<>();
    private int givers;

    private record Expected(Tenant owner, ProcessGuard guard) {}

    private InstanceNetworks(Path directory, EgressGuards guards, NetworkLimits limits) {
        this.directory = directory;
        this.guards = guards;
        this.loop = new NetworkLoop(guards, limits);
        int listener = loop.calls().listen(directory, SOCKET);
        this.entrance =
                new ListeningSocket(
                        loop,
                        listener,
                        new RateLimiter(GIVERS_PER_SECOND, System.nanoTime()),
                        () -> accept(listener),
                        () -> givers < MOST_GIVERS);
        entrance.open();
        this.thread = Thread.ofPlatform().daemon().name("instance-network").unstarted(loop);
    }

    /**
     * Serves networks.
     *
     * @param directory of this worker alone, which no server sees or can write to
     * @param guards by which it is decided what is reached
     * @throws IllegalStateException when it cannot
     */
    public static InstanceNetworks start(
            Path directory, EgressGuards guards, NetworkLimits limits) {
        try {
            Files.deleteIfExists(directory.resolve(SOCKET));
            Files.writeString(resolver(directory), "nameserver 127.0.0.1\n");
            Files.writeString(
                    hosts(directory),
                    "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n");
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "What networks of servers need cannot be written to " + directory, e);
        }
        var networks = new InstanceNetworks(directory, guards, limits);
        networks.thread.start();
        return networks;
    }

    private static Path resolver(Path directory) {
        return directory.resolve("resolv.conf");
    }

    private static Path hosts(Path directory) {
        return directory.resolve("hosts");
    }

    /** What a server finds as {@code /etc/resolv.conf}. */
    public Path resolver() {
        return resolver(directory);
    }

    /** What a server finds as {@code /etc/hosts}. */
    public Path hosts() {
        return hosts(directory);
    }

    /** Connections that are carried now. */
    public int connections() {
        return loop.connections();
    }

    /** Connections that were broken off until now, since they carried nothing for too long. */
    public long idle() {
        return loop.idle();
    }

    /** Whether they are carried: false after a fault that only a new worker mends. */
    public boolean areCarried() {
        return !loop.hasFailed();
    }

    /** Attempts that were refused until now. */
    public long refused() {
        return guards.refused();
    }

    /**
     * One instance's network, until it is closed.
     *
     * @param words what its jail's entry is told
     */
    public record Opened(List<String> words, Runnable closing) implements AutoCloseable {
        /** Breaks off what is connected. */
        @Override
        public void close() {
            closing.run();
        }
    }

    /**
     * Expects one network more.
     *
     * @param owner whose share its connections and lookups count to
     * @param only what the installation narrows itself to, null when it does not
     * @param refused told what was refused, for people; must not block
     */
    public Opened open(Tenant owner, @Nullable List<EgressRule> only, Consumer<String> refused) {
        var name = UUID.randomUUID().toString();
        var guard = guards.process(only, refused);
        loop.execute(() -> expected.put(name, new Expected(owner, guard)));
        var words = new ArrayList<>(List.of("socket=" + directory, "network=" + name));
        guards.policy().loopbackPorts().forEach(port -> words.add("host=" + text(port)));
        return new Opened(List.copyOf(words), () -> loop.execute(() -> end(name)));
    }

    private static String text(InetSocketAddress port) {
        return port.getAddress() instanceof Inet6Address
                ? "[::1]:" + port.getPort()
                : port.getAddress().getHostAddress() + ":" + port.getPort();
    }

    private void end(String name) {
        expected.remove(name);
        var desk = desks.remove(name);
        if (desk != null) {
            desk.close();
        }
    }

    private Taken accept(int listener) {
        int giver = loop.calls().accept(listener);
        if (giver >= 0) {
            boolean watched = false;
            try {
                new Giver(giver);
                givers++;
                watched = true;
            } finally {
                if (!watched) {
                    loop.calls().close(giver);
                }
            }
        }
        return Taken.of(giver);
    }

    /** An entry of a jail that has connected; it ends by itself when it gives nothing. */
    private final class Giver {
        private final int socket;
        private final long key;

        Giver(int socket) {
            this.socket = socket;
            this.key = loop.watchReadable(socket, this::ready);
        }

        private void ready() {
            var gift = loop.calls().receiveGift(socket);
            if (gift == null) {
                return;
            }
            try {
                if (take(gift)) {
                    loop.calls().confirm(socket);
                }
            } finally {
                loop.forget(socket, key);
                loop.calls().close(socket);
                givers--;
                entrance.open();
            }
        }
    }

    private boolean take(SocketCalls.Gift gift) {
        var sockets = gift.descriptors();
        var known = expected.remove(gift.text());
        if (known == null || sockets.size() < LEAST_SOCKETS || sockets.size() > MOST_SOCKETS) {
            sockets.forEach(loop.calls()::close);
            return false;
        }
        sockets.forEach(loop.calls()::makeNonblocking);
        var desk = new InstanceDesk(loop, known.owner(), known.guard(), sockets);
        desks.put(gift.text(), desk);
        desk.open();
        return true;
    }

    /** Breaks off all that is connected. */
    @Override
    public void close() {
        loop.execute(
                () -> {
                    List.copyOf(desks.keySet()).forEach(this::end);
                    entrance.close();
                    loop.stop();
                });
        try {
            thread.join(JOIN_MILLIS);
            Files.deleteIfExists(directory.resolve(SOCKET));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // Replaced at the next start.
        }
    }
}
