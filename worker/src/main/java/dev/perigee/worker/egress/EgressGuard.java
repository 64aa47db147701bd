package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds one request to the policy: in its scope names resolve to addresses that may be dialled, or
 * not at all. A host is refused when any of its addresses is, whichever the client would take. Made
 * by {@link EgressGuards}; safe for use by any thread.
 */
public final class EgressGuard {
    /** The guard of lookups on this thread; unbound where the JVM looks up for itself. */
    static final ScopedValue<EgressGuard> CURRENT = ScopedValue.newInstance();

    private final Object owner;
    private final Names names;
    private final BiFunction<String, InetAddress, EgressPolicy.@Nullable Refusal> decision;
    private volatile EgressPolicy.@Nullable Refusal refusal;

    EgressGuard(
            Object owner,
            Names names,
            BiFunction<String, InetAddress, EgressPolicy.@Nullable Refusal> decision) {
        this.owner = owner;
        this.names = names;
        this.decision = decision;
    }

    /** Whose share its lookups count to. */
    Object owner() {
        return owner;
    }

    /** Why it refused, for people; null when it did not. */
    public @Nullable String refusal() {
        var why = refusal;
        return why == null ? null : why.text();
    }

    /**
     * Whether the host is refused without a lookup: an address in whatever form the JDK takes for
     * one, which it dials without asking a resolver, and forms that others do.
     */
    public boolean refusesLiteral(String host) {
        return Literals.addresses(host).stream().anyMatch(address -> !admits(host, address));
    }

    /** Runs the action with its lookups, and those of what it starts, held to the policy. */
    public <T> T within(Supplier<T> action) {
        return ScopedValue.where(CURRENT, this).call(action::get);
    }

    /** The addresses of a host that count, all of which may be dialled. */
    List<InetAddress> resolve(String host, Names.Lookup system) throws UnknownHostException {
        var found = Names.first(names.addresses(host, system));
        for (var address : found) {
            if (!admits(host, address)) {
                throw new UnknownHostException("refused by the egress policy");
            }
        }
        return found;
    }

    private boolean admits(String host, InetAddress address) {
        var why = decision.apply(host, address);
        if (why != null) {
            refusal = why;
        }
        return why == null;
    }
}
