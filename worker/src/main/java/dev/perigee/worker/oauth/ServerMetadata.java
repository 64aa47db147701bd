package dev.perigee.worker.oauth;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Metadata of an authorization server that the flow acts on (RFC 8414, or OpenID Connect
 * Discovery).
 *
 * @param issuer its identifier, the one that it was looked for by
 * @param authorizationEndpoint where users authorize, null where it has none
 * @param namesItself whether its redirects have {@code iss} (RFC 9207)
 * @param readsDocuments whether a client may be the address of its metadata document
 * @param provesCodes whether it has PKCE with S256
 * @param keepsOffline whether it has the scope that refresh tokens need in OpenID Connect
 */
record ServerMetadata(
        String issuer,
        @Nullable String authorizationEndpoint,
        String tokenEndpoint,
        boolean namesItself,
        boolean readsDocuments,
        boolean provesCodes,
        boolean keepsOffline) {

    /**
     * Of a document.
     *
     * @throws OAuthException when it is another server's, or has no token endpoint
     */
    static ServerMetadata of(JsonNode document, String issuer) throws OAuthException {
        if (!issuer.equals(OAuthHttp.text(document, "issuer"))) {
            throw OAuthException.refused(
                    "The authorization server's metadata has another issuer than it was asked by");
        }
        var tokens = OAuthHttp.text(document, "token_endpoint");
        if (tokens == null) {
            throw OAuthException.refused("The authorization server has no token endpoint");
        }
        return new ServerMetadata(
                issuer,
                OAuthHttp.text(document, "authorization_endpoint"),
                tokens,
                document.path("authorization_response_iss_parameter_supported").asBoolean(false),
                document.path("client_id_metadata_document_supported").asBoolean(false),
                texts(document, "code_challenge_methods_supported").contains("S256"),
                texts(document, "scopes_supported").contains("offline_access"));
    }

    /** The texts of a member that is a list. */
    static List<String> texts(JsonNode of, String name) {
        return of.path(name)
                .valueStream()
                .filter(JsonNode::isString)
                .map(JsonNode::asString)
                .toList();
    }
}
