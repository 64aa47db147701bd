package dev.perigee.worker.mcp;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decision on a redirect. 307 and 308 keep method and body and are followed within the origin, so
 * that no credential leaves it, a bounded number of times. Pure.
 */
sealed interface RedirectDecision {
    /** How many redirects of one request are followed. */
    int MOST = 5;

    /** The same request goes to this address of the same origin. */
    record Follow(URI address) implements RedirectDecision {}

    /** The request fails. */
    record Refuse(String message) implements RedirectDecision {}

    /** Whether a response with this status redirects. */
    static boolean isMeant(int status) {
        return status >= 300 && status < 400;
    }

    /**
     * Decides on a redirect.
     *
     * @param from the address that the request was sent to
     * @param followed how many redirects of the request were followed before
     */
    static RedirectDecision of(URI from, int status, @Nullable String location, int followed) {
        var to = resolved(from, location);
        boolean inside = to != null && origin(to).equals(origin(from));
        if (to == null || !inside || (status != 307 && status != 308)) {
            var where = to == null ? "" : " to " + (inside ? "another path" : origin(to));
            return new Refuse(
                    "The server redirects%s (HTTP %d), which is not followed: configure that url"
                            .formatted(where, status));
        }
        if (followed >= MOST) {
            return new Refuse(
                    "The server redirects in a circle (HTTP %d, more than %d times)"
                            .formatted(status, MOST));
        }
        return new Follow(withoutUser(to));
    }

    private static @Nullable URI resolved(URI from, @Nullable String location) {
        try {
            var to = from.resolve(location == null ? "" : location.strip());
            boolean http = "http".equals(scheme(to)) || "https".equals(scheme(to));
            return location == null || !http || to.getHost() == null ? null : to;
        } catch (IllegalArgumentException e) {
            return null; // Its message quotes the location.
        }
    }

    private static String origin(URI uri) {
        int port = uri.getPort();
        boolean usual = port < 0 || port == (scheme(uri).equals("https") ? 443 : 80);
        var host = uri.getHost().toLowerCase(Locale.ROOT);
        return scheme(uri) + "://" + host + (usual ? "" : ":" + port);
    }

    private static String scheme(URI uri) {
        return uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    }

    private static URI withoutUser(URI to) {
        var path = to.getRawPath() == null || to.getRawPath().isEmpty() ? "/" : to.getRawPath();
        var query = to.getRawQuery() == null ? "" : "?" + to.getRawQuery();
        return URI.create(origin(to) + path + query);
    }
}
