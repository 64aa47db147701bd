package dev.perigee.worker.oauth;

import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * Addresses of OAuth: https, or http to this machine only, without user or fragment; and the
 * well-known ones of metadata. Whether they may be reached at all is the egress policy's. Pure.
 */
final class OAuthAddress {
    private static final int MOST_CHARACTERS = 2048;
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final String RESOURCE = "/.well-known/oauth-protected-resource";
    private static final String OAUTH = "/.well-known/oauth-authorization-server";
    private static final String OPENID = "/.well-known/openid-configuration";

    private OAuthAddress() {}

    /**
     * The address.
     *
     * @param what it is of, for people
     * @throws OAuthException when it is none that OAuth may be spoken with
     */
    static URI of(String text, String what) throws OAuthException {
        try {
            if (text.length() <= MOST_CHARACTERS) {
                var address = URI.create(text);
                var host = address.getHost();
                boolean secure = "https".equalsIgnoreCase(address.getScheme());
                boolean local = "http".equalsIgnoreCase(address.getScheme());
                if (host != null
                        && address.getRawUserInfo() == null
                        && address.getRawFragment() == null
                        && (secure || (local && LOOPBACK.contains(host)))) {
                    return address;
                }
            }
        } catch (IllegalArgumentException e) {
            // As any other that is none.
        }
        throw OAuthException.refused("The " + what + " is no https address");
    }

    /** Whether both are of one scheme, host and port. */
    static boolean sameOrigin(URI one, URI other) {
        return origin(one).equalsIgnoreCase(origin(other));
    }

    private static String origin(URI address) {
        int port = address.getPort();
        boolean secure = "https".equalsIgnoreCase(address.getScheme());
        return address.getScheme()
                + "://"
                + address.getHost()
                + ":"
                + (port >= 0 ? port : secure ? 443 : 80);
    }

    /** Where a server describes itself, best first. */
    static List<URI> ofResource(URI server) {
        var path = path(server);
        var root = at(server, RESOURCE);
        return path.isEmpty() ? List.of(root) : List.of(at(server, RESOURCE + path), root);
    }

    /** Where an authorization server describes itself, best first. */
    static List<URI> ofIssuer(URI issuer) {
        var path = path(issuer);
        return path.isEmpty()
                ? List.of(at(issuer, OAUTH), at(issuer, OPENID))
                : List.of(
                        at(issuer, OAUTH + path),
                        at(issuer, OPENID + path),
                        at(issuer, path + OPENID));
    }

    private static String path(URI of) {
        var path = of.getRawPath();
        return path == null ? "" : path.replaceAll("/++$", "");
    }

    private static URI at(URI of, String path) {
        return URI.create(of.getScheme() + "://" + of.getRawAuthority() + path);
    }
}
