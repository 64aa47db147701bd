package dev.perigee.worker.egress;

import dev.perigee.protocol.config.EgressRule;
import dev.perigee.protocol.config.EgressRule.Destination;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Egress policy of a fleet's servers: the internet, but for this machine's own addresses, and
 * destinations that its operator allows. {@link EgressSettings} has the keys. Pure.
 *
 * @param allow destinations that are allowed though their address is no internet one; a host by
 *     name is allowed whatever address it has, but for this machine's own
 * @param deny destinations that are refused in any case
 */
public record EgressPolicy(AllowedRules allow, List<EgressRule> deny) {
    /** The internet and nothing else. */
    public static final EgressPolicy INTERNET = EgressPolicy.of(List.of(), List.of());

    /** Why a connection is refused. */
    enum Refusal {
        /** The fleet's policy: the address is no internet one, or the operator denies it. */
        FLEET("the fleet's egress policy does not allow it (egress.allow of the workers)"),
        /** The installation's own list does not have it. */
        INSTALLATION("it is not in the installation's list (config.egress)");

        private final String text;

        Refusal(String text) {
            this.text = text;
        }

        /** For people, without the address that a name has. */
        String text() {
            return text;
        }
    }

    public EgressPolicy {
        deny = List.copyOf(deny);
    }

    /** The policy that lists of {@link EgressRule} describe. */
    public static EgressPolicy of(List<String> allow, List<String> deny) {
        return new EgressPolicy(
                AllowedRules.of(allow.stream().map(EgressRule::parse).toList()),
                deny.stream().map(EgressRule::parse).toList());
    }

    /**
     * Why a server must not connect, null when it may.
     *
     * @param host as it was asked for, a name or an address
     * @param address that is dialled
     * @param place what is there; what is not elsewhere is not on the internet
     * @param only what the installation narrows itself to, null when it does not
     */
    @Nullable Refusal refusal(
            String host,
            InetAddress address,
            Place place,
            int port,
            @Nullable List<EgressRule> only) {
        var destinations = destinations(new Destination(host, address, port));
        boolean internet = place == Place.ELSEWHERE && Internet.contains(address);
        boolean allowed = internet || matches(allow.at(place), destinations);
        if (!allowed || matches(deny, destinations)) {
            return Refusal.FLEET;
        }
        return only == null || matches(only, destinations) ? null : Refusal.INSTALLATION;
    }

    /** The same for connections of which the port is not at hand: what it denies at one, at all. */
    EgressPolicy atAnyPort() {
        return new EgressPolicy(allow, deny.stream().map(EgressRule::atAnyPort).toList());
    }

    /** For names of which no port is asked for yet: what is allowed at one, and denied at all. */
    EgressPolicy atSomePort() {
        return new EgressPolicy(
                allow.atAnyPort(),
                deny.stream().filter(rule -> rule.equals(rule.atAnyPort())).toList());
    }

    /**
     * Single ports of loopback that are allowed. For a server with a loopback of its own these, and
     * no others of it, are the worker's machine's.
     */
    public List<InetSocketAddress> loopbackPorts() {
        return allow.all().stream()
                .filter(EgressRule.Network.class::isInstance)
                .map(EgressRule.Network.class::cast)
                .filter(rule -> rule.port() != 0 && rule.first().isLoopbackAddress())
                .map(rule -> new InetSocketAddress(rule.first(), rule.port()))
                .distinct()
                .toList();
    }

    /** As it is dialled and, where that is another one, as it arrives. */
    private static List<Destination> destinations(Destination dialled) {
        var reached = Internet.reached(dialled.address());
        return reached.equals(dialled.address())
                ? List.of(dialled)
                : List.of(dialled, dialled.at(reached));
    }

    private static boolean matches(List<EgressRule> rules, List<Destination> destinations) {
        return rules.stream().anyMatch(rule -> destinations.stream().anyMatch(rule::matches));
    }
}
