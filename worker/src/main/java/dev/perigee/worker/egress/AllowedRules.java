package dev.perigee.worker.egress;

import dev.perigee.protocol.config.EgressRule;
import java.util.List;

/**
 * Rules of {@code egress.allow}, by the destination that they open. A network or a host without a
 * port that has this machine in it was hardly meant to open this machine, with the link and the
 * admin pages of its worker. Pure.
 *
 * @param all of any place else
 * @param ofMachine those of them that open this machine: one host or address with a port, and
 *     networks of loopback, which are nothing but this machine
 * @param ofWorker those of them that open what the worker listens at: one host or address with a
 *     port
 */
record AllowedRules(List<EgressRule> all, List<EgressRule> ofMachine, List<EgressRule> ofWorker) {
    AllowedRules {
        all = List.copyOf(all);
        ofMachine = List.copyOf(ofMachine);
        ofWorker = List.copyOf(ofWorker);
    }

    static AllowedRules of(List<EgressRule> rules) {
        return new AllowedRules(
                rules,
                rules.stream().filter(AllowedRules::isOfMachine).toList(),
                rules.stream().filter(AllowedRules::isExact).toList());
    }

    private static boolean isOfMachine(EgressRule rule) {
        return isExact(rule)
                || (rule instanceof EgressRule.Network network
                        && network.first().isLoopbackAddress());
    }

    /** A network, of more than one address, never has a port. */
    private static boolean isExact(EgressRule rule) {
        return switch (rule) {
            case EgressRule.Named named -> !named.below() && named.port() != 0;
            case EgressRule.Network network -> network.port() != 0;
        };
    }

    /** Those that count there. */
    List<EgressRule> at(Place place) {
        return switch (place) {
            case ELSEWHERE -> all;
            case MACHINE -> ofMachine;
            case WORKER -> ofWorker;
        };
    }

    /** The same destinations, whatever the port. */
    AllowedRules atAnyPort() {
        return new AllowedRules(atAnyPort(all), atAnyPort(ofMachine), atAnyPort(ofWorker));
    }

    private static List<EgressRule> atAnyPort(List<EgressRule> rules) {
        return rules.stream().map(EgressRule::atAnyPort).toList();
    }
}
