package dev.perigee.local.connect;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names by which clients reach a door. A page of another site that has its name resolve to the
 * door's address says that name in {@code Host}, and where it is from in {@code Origin}. Immutable.
 */
final class DoorHosts {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Set<String> names;

    /**
     * Names of this machine for itself, and these.
     *
     * @param more names or addresses, without ports
     */
    DoorHosts(Collection<String> more) {
        var all = new HashSet<>(LOOPBACK);
        for (var each : more) {
            boolean isBare = each.indexOf(':') >= 0 && !each.startsWith("[");
            all.add((isBare ? "[" + each + "]" : each).toLowerCase(Locale.ROOT));
        }
        names = Set.copyOf(all);
    }

    /**
     * Whether a request may be from a client that means this door, by the values of its headers.
     */
    boolean allow(@Nullable String host, @Nullable String origin) {
        return isName(host == null ? null : "http://" + host, host)
                && (origin == null || isName(origin, origin));
    }

    private boolean isName(@Nullable String address, @Nullable String text) {
        if (address == null || text == null) {
            return false;
        }
        try {
            var uri = new URI(address);
            var scheme = uri.getScheme();
            return ("http".equals(scheme) || "https".equals(scheme))
                    && uri.getUserInfo() == null
                    && uri.getHost() != null
                    && names.contains(uri.getHost().toLowerCase(Locale.ROOT));
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
