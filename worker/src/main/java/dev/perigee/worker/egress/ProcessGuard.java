package dev.perigee.worker.egress;

import dev.perigee.protocol.config.EgressRule;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds one process to the policy. It asks for addresses of names, and connects to addresses: a
 * name is decided on when it is looked up, and remembered with its addresses, so that a connection
 * to one is decided on as one to the name. An address that no name led to is decided on as it is.
 * Used by one thread; made by {@link EgressGuards}.
 */
public final class ProcessGuard {
    private static final InetAddress ANY = InetAddress.ofLiteral("0.0.0.0");

    private final EgressPolicy policy;
    private final EgressPolicy ofNames;
    private final OwnPlaces own;
    private final @Nullable List<EgressRule> only;
    private final @Nullable List<EgressRule> onlyAtSomePort;
    private final Consumer<String> refused;
    private final AdmittedNames admitted = new AdmittedNames(System::nanoTime);

    /**
     * Decides by the policy.
     *
     * @param own what of this machine an address leads to
     * @param only what the installation narrows itself to, null when it does not
     * @param refused told what was refused, for people
     */
    ProcessGuard(
            EgressPolicy policy,
            OwnPlaces own,
            @Nullable List<EgressRule> only,
            Consumer<String> refused) {
        this.policy = policy;
        this.ofNames = policy.atSomePort();
        this.own = own;
        this.only = only;
        this.onlyAtSomePort =
                only == null ? null : only.stream().map(EgressRule::atAnyPort).toList();
        this.refused = refused;
    }

    /**
     * Whether a name may be looked up at all: one that the installation's list does not name, or
     * that the operator denies, is asked of nobody, since asking already tells somebody.
     */
    public boolean mayAsk(String name) {
        if (names(ofNames.deny(), name)) {
            return refuse(name, EgressPolicy.Refusal.FLEET);
        }
        for (var address : Literals.addresses(name)) {
            var why = refusal(name, address);
            if (why != null) {
                return refuse(name, why);
            }
        }
        return onlyAtSomePort == null
                || names(onlyAtSomePort, name)
                || refuse(name, EgressPolicy.Refusal.INSTALLATION);
    }

    private static boolean names(List<EgressRule> rules, String name) {
        var asked = new EgressRule.Destination(name, ANY, 0);
        return rules.stream()
                .anyMatch(rule -> rule instanceof EgressRule.Named && rule.matches(asked));
    }

    /** Whether the process gets the addresses of a name: when it may have all of them. */
    public boolean admit(String name, List<InetAddress> addresses) {
        for (var address : addresses) {
            var why = refusal(name, address);
            if (why != null) {
                return refuse(name, why);
            }
        }
        addresses.forEach(address -> admitted.add(address, name));
        return true;
    }

    private EgressPolicy.@Nullable Refusal refusal(String name, InetAddress address) {
        return ofNames.refusal(name, address, own.at(address, 0), 0, onlyAtSomePort);
    }

    /** Whether the process may connect there. */
    public boolean admits(InetAddress address, int port) {
        var place = own.at(address, port);
        var names = admitted.of(address);
        var hosts = names.isEmpty() ? List.of(address.getHostAddress()) : names;
        EgressPolicy.Refusal why = null;
        for (var host : hosts) {
            why = policy.refusal(host, address, place, port, only);
            if (why == null) {
                return true;
            }
        }
        return why != null && refuse(hosts.getLast() + ":" + port, why);
    }

    private boolean refuse(String what, EgressPolicy.Refusal why) {
        refused.accept("%s: %s".formatted(what, why.text()));
        return false;
    }
}
