package dev.perigee.worker.egress;

import dev.perigee.protocol.config.EgressRule;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the guards of a worker's requests, and runs their tasks in the scope of each. Safe for use
 * by any thread.
 */
public final class EgressGuards {
    /** Whose lookups those are that no request is known of. */
    private static final Object NOBODY = new Object();

    private final EgressPolicy policy;
    private final Names names;
    private final EgressGuard anybody;
    private final OwnPlaces own = OwnPlaces.ofThisMachine();
    private final LongAdder refused = new LongAdder();

    /** Guards that ask the system for names. */
    public static EgressGuards of(EgressPolicy policy) {
        return new EgressGuards(policy, new RecentNames(System::nanoTime));
    }

    /** Guards that take addresses from somewhere else. */
    public EgressGuards(EgressPolicy policy, Names names) {
        this.policy = policy;
        this.names = names;
        // A connection that the client makes a second time by itself has no request's scope.
        var strict = policy.atAnyPort();
        this.anybody =
                new EgressGuard(
                        NOBODY,
                        names,
                        (host, address) ->
                                strict.refusal(host, address, own.at(address, -1), -1, null));
    }

    /** The worker listens at this port: no network that is allowed opens it to servers. */
    public void listensAt(int port) {
        own.listensAt(port);
    }

    /**
     * The guard of one request.
     *
     * @param owner whose share its lookups count to, a quarter of all at most; compared by equals
     * @param only what the installation narrows itself to, null when it does not
     */
    public EgressGuard guard(URI target, Object owner, @Nullable List<EgressRule> only) {
        int port = port(target);
        return new EgressGuard(
                owner,
                names,
                (host, address) ->
                        policy.refusal(host, address, own.at(address, port), port, only));
    }

    /**
     * The guard of one process.
     *
     * @param only what the installation narrows itself to, null when it does not
     * @param refused told what was refused, for people; must not block
     */
    public ProcessGuard process(@Nullable List<EgressRule> only, Consumer<String> refused) {
        return new ProcessGuard(
                policy,
                own,
                only,
                what -> {
                    count();
                    refused.accept(what);
                });
    }

    /** What the fleet's policy is. */
    public EgressPolicy policy() {
        return policy;
    }

    /**
     * The addresses of a host that count, of which none was decided on. Blocks as long as the
     * resolver.
     *
     * @throws UnknownHostException when it has none
     */
    public List<InetAddress> addresses(String host) throws UnknownHostException {
        return Names.first(names.addresses(host, () -> List.of(InetAddress.getAllByName(host))));
    }

    /** Runs tasks in the scope of the guard in which they are handed over, or the policy's own. */
    public Executor guarded(Executor threads) {
        return task -> {
            var guard = EgressGuard.CURRENT.isBound() ? EgressGuard.CURRENT.get() : anybody;
            threads.execute(() -> ScopedValue.where(EgressGuard.CURRENT, guard).run(task));
        };
    }

    /** Counts a request that was refused. */
    public void count() {
        refused.increment();
    }

    /** Requests that were refused until now. */
    public long refused() {
        return refused.sum();
    }

    /**
     * Tries whether every lookup of this JVM comes by the guards.
     *
     * @throws IllegalStateException when one does not: then no connection must be made
     */
    public static void requireEnforced() {
        var asked = new AtomicInteger();
        var trial =
                new EgressGuard(
                        NOBODY,
                        (_, _) -> {
                            asked.incrementAndGet();
                            return List.of(InetAddress.getLoopbackAddress());
                        },
                        (_, _) -> null);
        for (int lookup = 1; lookup <= 2; lookup++) {
            trial.within(EgressGuards::lookUp);
            if (asked.get() != lookup) {
                throw new IllegalStateException(
                        "The egress policy is not enforced: this JVM resolves names by another"
                                + " provider, or caches them (networkaddress.cache.ttl must be 0)");
            }
        }
    }

    private static boolean lookUp() {
        try {
            return InetAddress.getAllByName("egress-policy.invalid").length > 0;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static int port(URI target) {
        return target.getPort() >= 0
                ? target.getPort()
                : "https".equalsIgnoreCase(target.getScheme()) ? 443 : 80;
    }
}
