package dev.perigee.worker.process.network;

import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.process.Tenant;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks names up on threads of its own, {@value #MOST} at a time: the system's resolver blocks as
 * long as it likes. All instances of an owner have {@value #MOST_OF_OWNER} at a time, also for
 * names that nobody waits for any more. When half of all are taken an instance has one at a time.
 */
final class Lookups implements AutoCloseable {
    private static final int MOST = 64;
    private static final int MOST_OF_ONE = 8;
    static final int MOST_OF_OWNER = 16;
    private static final int IDLE_SECONDS = 10;
    private static final int ANY_PORT = 53;

    private final EgressGuards guards;
    private final Executor back;
    private final ThreadPoolExecutor threads;

    /** Of those under way; of the thread that begins them. */
    private final Shares shares = new Shares();

    /**
     * Starts no thread yet.
     *
     * @param back where what was found is told: the thread that begins lookups
     */
    Lookups(EgressGuards guards, Executor back) {
        this.guards = guards;
        this.back = back;
        this.threads =
                new ThreadPoolExecutor(
                        0,
                        MOST,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        Thread.ofPlatform().daemon().name("instance-names-", 1).factory());
    }

    /**
     * Looks a name up unless too many are.
     *
     * @param owner whose share it counts to
     * @param own how many the same instance has under way
     * @param found told the addresses, or null when there are none
     */
    boolean begin(String name, Tenant owner, int own, Consumer<@Nullable List<InetAddress>> found) {
        int most = threads.getActiveCount() < MOST / 2 ? MOST_OF_ONE : 1;
        if (own >= most || shares.of(owner) >= MOST_OF_OWNER) {
            return false;
        }
        try {
            threads.execute(
                    () -> {
                        var addresses = addresses(name);
                        back.execute(
                                () -> {
                                    shares.remove(owner);
                                    found.accept(addresses);
                                });
                    });
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            return false; // The latter where the system has no thread left.
        }
        shares.add(owner);
        return true;
    }

    private @Nullable List<InetAddress> addresses(String name) {
        try {
            return guards.addresses(name).stream().filter(Lookups::isRouted).toList();
        } catch (UnknownHostException | RuntimeException e) {
            return null;
        }
    }

    /**
     * Whether this machine has a way to an address: programs try one of IPv6 first and, since the
     * worker takes their connections in any case, would not see that there is none.
     */
    private static boolean isRouted(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return true;
        }
        try (var socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(address, ANY_PORT));
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    @Override
    public void close() {
        ExecutorService all = threads;
        all.shutdownNow();
    }
}
