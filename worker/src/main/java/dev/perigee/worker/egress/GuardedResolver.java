package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.security.Security;
import java.util.List;
import java.util.stream.Stream;

/**
 * The JVM's resolver of host names: the system's, but that lookups in the scope of an {@link
 * EgressGuard} have its answer. That is how the addresses which the JDK's HTTP client dials are the
 * ones that were decided on: it resolves each time it connects, in that scope, and connects to what
 * this answers. The JVM loads it by itself (META-INF/services); it turns the JVM's cache of names
 * off, in which an answer could be one to another guard.
 */
public final class GuardedResolver extends InetAddressResolverProvider {

    /** For the JVM, at its first lookup and before it reads how long to cache names. */
    public GuardedResolver() {
        Security.setProperty("networkaddress.cache.ttl", "0");
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
    }

    @Override
    public InetAddressResolver get(Configuration configuration) {
        return new Resolver(
                configuration.builtinResolver(), new SystemLookups(SystemLookups.LONGEST));
    }

    @Override
    public String name() {
        return "perigee-egress";
    }

    /** Asks the system in the share of whom the guard of the lookup is. */
    record Resolver(InetAddressResolver system, SystemLookups lookups)
            implements InetAddressResolver {
        @Override
        public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
                throws UnknownHostException {
            if (!EgressGuard.CURRENT.isBound()) {
                return system.lookupByName(host, policy);
            }
            var guard = EgressGuard.CURRENT.get();
            List<InetAddress> admitted =
                    guard.resolve(
                            host, () -> lookups.ask(guard.owner(), () -> unguarded(host, policy)));
            return admitted.stream();
        }

        private List<InetAddress> unguarded(String host, LookupPolicy policy)
                throws UnknownHostException {
            return system.lookupByName(host, policy).toList();
        }

        @Override
        public String lookupByAddress(byte[] address) throws UnknownHostException {
            return system.lookupByAddress(address);
        }
    }
}
