package dev.perigee.worker.oauth;

import dev.perigee.protocol.config.OAuthConfig;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.mcp.PolicedRequests;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Client of one installation's authorization server. A secret and a refresh token go only to the
 * endpoint, or the issuer, that the configuration or the user's own authorization named: what the
 * MCP server says decides only where its user is sent. Blocks; for one thread.
 */
public final class OAuthClient {
    private static final Duration OFFER = Duration.ofDays(1);

    private final OAuthHttp http;
    private final ServerConfig config;
    private final OAuthConfig oauth;
    private final OAuthOptions options;
    private final InstantSource clock;

    /**
     * @param config with OAuth
     */
    public OAuthClient(
            PolicedRequests requests,
            ServerConfig config,
            OAuthOptions options,
            InstantSource clock) {
        this.http = new OAuthHttp(requests);
        this.config = config;
        this.oauth = Objects.requireNonNull(config.oauth());
        this.options = options;
        this.clock = clock;
    }

    /**
     * Tokens in the place of these.
     *
     * @throws OAuthException which is final by the token endpoint's own word only: whatever else is
     *     in its place for a while must not cost a refresh token
     */
    public Tokens refresh(Tokens tokens) throws OAuthException, InterruptedException {
        try {
            return refreshed(tokens);
        } catch (OAuthException e) {
            throw e.isAnswer() ? e : OAuthException.unanswered(String.valueOf(e.getMessage()));
        }
    }

    private Tokens refreshed(Tokens tokens) throws OAuthException, InterruptedException {
        var form = new LinkedHashMap<String, String>();
        form.put("grant_type", "refresh_token");
        form.put("refresh_token", Objects.requireNonNull(tokens.refreshToken()));
        var resource = tokens.resource();
        if (resource != null) {
            form.put("resource", resource);
        }
        var issuer = tokens.issuer();
        var endpoint = tokens.tokenEndpoint();
        if (endpoint == null && issuer != null) {
            endpoint = metadata(issuer).tokenEndpoint();
        }
        if (endpoint == null) {
            throw OAuthException.refused("There is no token endpoint");
        }
        return tokens.replacedBy(post(endpoint, issuer, form, tokens.clientId()), clock.instant());
    }

    /** Tokens for the code of an answer that was checked. */
    public Tokens exchange(AuthorizationOffer offer, String code)
            throws OAuthException, InterruptedException {
        var form = new LinkedHashMap<String, String>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", offer.redirectUri());
        form.put("code_verifier", offer.verifier());
        form.put("resource", offer.resource());
        var answer = post(offer.tokenEndpoint(), offer.issuer(), form, offer.clientId());
        var now = clock.instant();
        return offer.granting(now).replacedBy(answer, now);
    }

    private JsonNode post(
            String endpoint,
            @Nullable String issuer,
            Map<String, String> form,
            @Nullable String clientId)
            throws OAuthException, InterruptedException {
        var address = OAuthAddress.of(endpoint, "token endpoint");
        var secret = oauth.clientSecret();
        if (secret != null && clientId != null) {
            if (!endpoint.equals(oauth.tokenEndpoint())
                    && (issuer == null || !issuer.equals(oauth.issuer()))) {
                throw OAuthException.refused(
                        "The client secret is for another authorization server");
            }
            return http.post(address, form, clientId, secret);
        }
        if (clientId != null) {
            form.put("client_id", clientId);
        }
        return http.post(address, form, null, "");
    }

    /** Whether users can be asked to authorize. */
    public static boolean asksUsers(OAuthConfig oauth, OAuthOptions options) {
        return options.redirectUri() != null
                && (oauth.clientId() != null || options.clientMetadataUrl() != null);
    }

    /**
     * Finds out where the user authorizes.
     *
     * @param challenge by which the server refused
     * @param granted scopes that are not to be lost
     */
    public AuthorizationOffer offer(BearerChallenge challenge, List<String> granted)
            throws OAuthException, InterruptedException {
        var server = URI.create(Objects.requireNonNull(config.url()).strip());
        var resource = ResourceMetadata.find(http, server, challenge.resourceMetadata());
        var issuer = issuer(resource);
        var metadata = metadata(issuer);
        if (!metadata.provesCodes()) {
            throw OAuthException.refused("The authorization server does not have PKCE with S256");
        }
        var endpoint = metadata.authorizationEndpoint();
        if (endpoint == null) {
            throw OAuthException.refused("The authorization server has no authorization endpoint");
        }
        var authorizes = OAuthAddress.of(endpoint, "authorization endpoint");
        if (!metadata.namesItself()
                && oauth.issuer() == null
                && !OAuthAddress.sameOrigin(authorizes, URI.create(issuer))) {
            throw OAuthException.refused(
                    "The authorization server's answers have no iss, and its users authorize at"
                            + " another origin: config.oauth.issuer is needed");
        }
        var wanted =
                !challenge.scopes().isEmpty()
                        ? challenge.scopes()
                        : oauth.wantedScopes().isEmpty() ? resource.scopes() : oauth.wantedScopes();
        var configured = oauth.resource();
        return new AuthorizationOffer(
                Pkce.random(),
                Pkce.random(),
                authorizes.toString(),
                OAuthAddress.of(metadata.tokenEndpoint(), "token endpoint").toString(),
                issuer,
                metadata.namesItself(),
                metadata.keepsOffline(),
                clientId(metadata),
                Objects.requireNonNull(options.redirectUri()),
                configured == null ? resource.resource() : configured,
                BearerChallenge.union(wanted, granted),
                clock.instant().plus(OFFER));
    }

    private String issuer(ResourceMetadata resource) throws OAuthException {
        var configured = oauth.issuer();
        var named = resource.issuers();
        if (configured == null) {
            return named.getFirst();
        }
        if (!Set.copyOf(named).contains(configured)) {
            throw OAuthException.refused(
                    "The server names another authorization server than its configuration");
        }
        return configured;
    }

    private String clientId(ServerMetadata metadata) throws OAuthException {
        var own = oauth.clientId();
        var document = options.clientMetadataUrl();
        if (own != null) {
            return own;
        }
        if (document == null || !metadata.readsDocuments()) {
            throw OAuthException.refused(
                    "The authorization server takes no client metadata document:"
                            + " config.oauth.client_id is needed");
        }
        return document;
    }

    private ServerMetadata metadata(String issuer) throws OAuthException, InterruptedException {
        for (var address : OAuthAddress.ofIssuer(OAuthAddress.of(issuer, "issuer"))) {
            var document = http.document(address);
            if (document != null) {
                return ServerMetadata.of(document, issuer);
            }
        }
        throw OAuthException.refused("The authorization server has no metadata");
    }
}
