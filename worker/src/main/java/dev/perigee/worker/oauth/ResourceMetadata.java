package dev.perigee.worker.oauth;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Description that an MCP server gives of itself as a protected resource (RFC 9728).
 *
 * @param resource its identifier: its address, or one above it
 * @param issuers its authorization servers, at least one
 * @param scopes for what is needed at least
 */
record ResourceMetadata(String resource, List<String> issuers, List<String> scopes) {

    /**
     * Finds it.
     *
     * @param named by the server's challenge, null where it names none; at its origin only
     */
    static ResourceMetadata find(OAuthHttp http, URI server, @Nullable String named)
            throws OAuthException, InterruptedException {
        var places = new ArrayList<URI>();
        if (named != null) {
            var place = OAuthAddress.of(named, "address of the server's metadata");
            if (!OAuthAddress.sameOrigin(place, server)) {
                throw OAuthException.refused("The server's metadata is at another origin");
            }
            places.add(place);
        } else {
            places.addAll(
                    OAuthAddress.ofResource(
                            OAuthAddress.of(server.toString(), "address of the server")));
        }
        for (var place : places) {
            var document = http.document(place);
            if (document != null) {
                return of(document, server);
            }
        }
        throw OAuthException.refused("The server does not say who authorizes its users");
    }

    private static ResourceMetadata of(JsonNode document, URI server) throws OAuthException {
        var resource = OAuthHttp.text(document, "resource");
        if (resource == null || !covers(resource, server)) {
            throw OAuthException.refused("The server's metadata is of another server");
        }
        var issuers = ServerMetadata.texts(document, "authorization_servers");
        if (issuers.isEmpty()) {
            throw OAuthException.refused("The server's metadata names no authorization server");
        }
        return new ResourceMetadata(
                resource,
                issuers,
                BearerChallenge.scopes(
                        ServerMetadata.texts(document, "scopes_supported").stream()));
    }

    /** Whether an identifier is the server's address or one above it: no token is for another. */
    static boolean covers(String resource, URI server) throws OAuthException {
        var identifier = OAuthAddress.of(resource, "server's resource identifier");
        var above = path(identifier);
        var path = path(server);
        return OAuthAddress.sameOrigin(identifier, server)
                && (path.equals(above) || path.startsWith(above + "/"));
    }

    private static String path(URI of) {
        var path = of.getRawPath();
        return path == null ? "" : path.replaceAll("/++$", "");
    }
}
