package dev.perigee.local.replay;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rules that replace hosts. A name is {@code host}, {@code host:port} or {@code *.domain}; the most
 * exact one counts. Immutable.
 *
 * @param mapped by lower-case name; {@link #MASK} as the new one masks it
 * @param maskOthers hosts without a rule are masked, instead of kept
 */
record HostRules(Map<String, String> mapped, boolean maskOthers) {
    static final String MASK = "mask";

    /** A name that never resolves. */
    static final String MASKED = "masked.invalid";

    HostRules {
        mapped = Map.copyOf(mapped);
    }

    /** The new host and port in the place of {@code host} or {@code host:port}. */
    String replace(String hostAndPort) {
        var to = ruleFor(hostAndPort);
        if (to == null) {
            return maskOthers ? MASKED : hostAndPort;
        }
        if (to.equals(MASK)) {
            return MASKED;
        }
        var port = port(hostAndPort);
        return port == null || port(to) != null ? to : to + ":" + port;
    }

    /** Whether a rule names the host. */
    boolean names(String hostAndPort) {
        return ruleFor(hostAndPort) != null;
    }

    private @Nullable String ruleFor(String hostAndPort) {
        var name = hostAndPort.toLowerCase(Locale.ROOT);
        var exact = mapped.get(name);
        if (exact != null) {
            return exact;
        }
        var port = port(name);
        var host = port == null ? name : name.substring(0, name.length() - port.length() - 1);
        var ofHost = mapped.get(host);
        for (int dot = host.indexOf('.');
                ofHost == null && dot >= 0;
                dot = host.indexOf('.', dot + 1)) {
            ofHost = mapped.get("*" + host.substring(dot));
        }
        return ofHost;
    }

    private static @Nullable String port(String hostAndPort) {
        int colon = hostAndPort.lastIndexOf(':');
        return colon < 0 || hostAndPort.endsWith("]") ? null : hostAndPort.substring(colon + 1);
    }
}
