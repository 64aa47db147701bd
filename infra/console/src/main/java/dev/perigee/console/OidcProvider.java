package dev.perigee.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * An OpenID provider, asked by authorization code and PKCE. Its keys are asked for at each login,
 * so that a rotation needs nothing; its addresses hold for some minutes. Each answer takes some
 * seconds and 1 MiB at most, of a few logins at a time. Any thread.
 */
final class OidcProvider {
    /** How long an answer may take. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration KNOWN = Duration.ofMinutes(5);
    private static final long LARGEST = 1 << 20;
    private static final int AT_ONCE = 4;

    /** What may stand in a header, and fits there. */
    private static final Pattern BEARER = Pattern.compile("[A-Za-z0-9._~+/=-]{1,8192}");

    /** Signatures by a key of which the provider shows one half only. */
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(
                    JWSAlgorithm.RS256,
                    JWSAlgorithm.RS384,
                    JWSAlgorithm.RS512,
                    JWSAlgorithm.PS256,
                    JWSAlgorithm.PS384,
                    JWSAlgorithm.PS512,
                    JWSAlgorithm.ES256,
                    JWSAlgorithm.ES384,
                    JWSAlgorithm.ES512);

    private final OidcClient client;
    private final Duration patience;
    private final InstantSource clock;
    private final Semaphore asking = new Semaphore(AT_ONCE, true);
    private volatile @Nullable Known known;

    private record Known(Metadata metadata, Instant until) {}

    private record Metadata(
            @Nullable String issuer,
            @Nullable String authorizationEndpoint,
            @Nullable String tokenEndpoint,
            @Nullable String userinfoEndpoint,
            @Nullable String jwksUri,
            @Nullable List<String> tokenEndpointAuthMethodsSupported) {}

    private record Tokens(@Nullable String idToken, @Nullable String accessToken) {
        @Override
        public String toString() {
            return "(secret)";
        }
    }

    OidcProvider(OidcClient client, Duration patience, InstantSource clock) {
        this.client = client;
        this.patience = patience;
        this.clock = clock;
    }

    /**
     * Where the browser goes to log in.
     *
     * @throws LoginRefusedException when the provider does not say it
     */
    URI loginPage(LoginTickets.Attempt attempt) throws LoginRefusedException, InterruptedException {
        var metadata = known();
        if (metadata == null) {
            metadata = inTurn(this::metadata);
        }
        var page = endpoint(metadata.authorizationEndpoint(), "authorization");
        var query = new LinkedHashMap<String, String>();
        query.put("response_type", "code");
        query.put("client_id", client.id());
        query.put("redirect_uri", client.redirect().toString());
        query.put("scope", String.join(" ", client.scopes()));
        query.put("state", attempt.state());
        query.put("nonce", attempt.nonce());
        query.put("code_challenge", attempt.challenge());
        query.put("code_challenge_method", "S256");
        return URI.create(page + (page.getRawQuery() == null ? "?" : "&") + form(query));
    }

    /**
     * Who logged in, by the code that the browser brought; in turn.
     *
     * @throws LoginRefusedException when the provider does not vouch for it
     */
    Person person(String code, LoginTickets.Attempt attempt)
            throws LoginRefusedException, InterruptedException {
        var metadata = metadata();
        var tokens = redeemed(metadata, code, attempt);
        var claims = claims(metadata, tokens, attempt).getClaims();
        var endpoint = metadata.userinfoEndpoint();
        var access = tokens.accessToken();
        if (client.hasRoleClaim(claims) || endpoint == null || access == null) {
            return client.person(claims);
        }
        var told = userInfo(claims.get("sub"), endpoint(endpoint, "userinfo"), access);
        var all = new LinkedHashMap<>(told);
        all.putAll(claims); // What is signed holds.
        return client.person(all, told);
    }

    /**
     * What the provider says of the person beside the token, where by the standard it keeps the
     * claims of scopes.
     */
    private Map<String, Object> userInfo(@Nullable Object subject, URI endpoint, String token)
            throws LoginRefusedException, InterruptedException {
        if (!BEARER.matcher(token).matches()) {
            throw broken("its access token is none");
        }
        var answer =
                ask(HttpRequest.newBuilder(endpoint).header("Authorization", "Bearer " + token));
        int status = answer.statusCode();
        if (status == HttpStatus.UNAUTHORIZED_401 || status == HttpStatus.FORBIDDEN_403) {
            throw new LoginRefusedException(
                    HttpStatus.FORBIDDEN_403,
                    "The OpenID provider tells nothing of you: HTTP " + status + ".");
        }
        try {
            var told = JSONObjectUtils.parse(new String(body(answer), UTF_8));
            if (!Objects.equals(told.get("sub"), subject)) {
                throw broken("its userinfo is of somebody else");
            }
            return told;
        } catch (ParseException e) {
            throw broken("its userinfo is not understood");
        }
    }

    /** Something that asks the provider. */
    interface Asking<T> {
        T ask() throws LoginRefusedException, InterruptedException;
    }

    /**
     * Asks when few others do.
     *
     * @throws LoginRefusedException also when others ask for too long; then nothing was done
     */
    <T> T inTurn(Asking<T> asked) throws LoginRefusedException, InterruptedException {
        if (!asking.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new LoginRefusedException(
                    HttpStatus.SERVICE_UNAVAILABLE_503,
                    "Others log in: load this page again in some seconds.");
        }
        try {
            return asked.ask();
        } finally {
            asking.release();
        }
    }

    private @Nullable Metadata known() {
        var before = known;
        return before != null && before.until().isAfter(clock.instant()) ? before.metadata() : null;
    }

    private Metadata metadata() throws LoginRefusedException, InterruptedException {
        var before = known();
        if (before != null) {
            return before;
        }
        var base = client.issuer().endsWith("/") ? client.issuer() : client.issuer() + "/";
        var page = URI.create(base + ".well-known/openid-configuration");
        var metadata = read(asked(HttpRequest.newBuilder(page)), Metadata.class);
        if (!client.issuer().equals(metadata.issuer())) {
            throw broken("it calls itself another issuer than console.oidc.issuer does");
        }
        known = new Known(metadata, clock.instant().plus(KNOWN));
        return metadata;
    }

    private static URI endpoint(@Nullable String text, String name) throws LoginRefusedException {
        try {
            var uri = URI.create(text == null ? "" : text);
            if (uri.getHost() != null && uri.getFragment() == null && OidcSettings.isSafe(uri)) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // As if there were none.
        }
        throw broken("it has no " + name + " endpoint by https");
    }

    private Tokens redeemed(Metadata metadata, String code, LoginTickets.Attempt attempt)
            throws LoginRefusedException, InterruptedException {
        var answer = ask(redemption(metadata, code, attempt));
        if (isOfTheCode(answer)) {
            throw new LoginRefusedException(
                    HttpStatus.FORBIDDEN_403,
                    "The OpenID provider does not take this login: HTTP "
                            + answer.statusCode()
                            + ".");
        }
        return read(body(answer), Tokens.class);
    }

    private JWTClaimsSet claims(Metadata metadata, Tokens tokens, LoginTickets.Attempt attempt)
            throws LoginRefusedException, InterruptedException {
        var token = tokens.idToken();
        if (token == null) {
            throw broken("it gives no id_token");
        }
        var keys = asked(HttpRequest.newBuilder(endpoint(metadata.jwksUri(), "jwks")));
        try {
            var processor = new DefaultJWTProcessor<SecurityContext>();
            processor.setJWSKeySelector(
                    new JWSVerificationKeySelector<>(
                            ALGORITHMS,
                            new ImmutableJWKSet<>(JWKSet.parse(new String(keys, UTF_8)))));
            processor.setJWTClaimsSetVerifier(
                    new Verifier(
                            client.id(),
                            new JWTClaimsSet.Builder()
                                    .issuer(client.issuer())
                                    .claim("nonce", attempt.nonce())
                                    .build(),
                            clock));
            var claims = processor.process(token, null);
            var party = claims.getStringClaim("azp");
            if (party == null ? claims.getAudience().size() > 1 : !party.equals(client.id())) {
                throw new BadJOSEException("issued to another party");
            }
            return claims;
        } catch (BadJOSEException | JOSEException | ParseException e) {
            throw broken("its token is not accepted: " + Text.cut("" + e.getMessage(), Text.NAME));
        }
    }

    /** Whether a code is refused, which anybody can make up, and not this client or address. */
    private static boolean isOfTheCode(HttpResponse<byte[]> answer) {
        return answer.statusCode() == HttpStatus.BAD_REQUEST_400
                && new String(answer.body(), UTF_8).contains("\"invalid_grant\"");
    }

    private static final class Verifier extends DefaultJWTClaimsVerifier<SecurityContext> {
        private final InstantSource clock;

        Verifier(String audience, JWTClaimsSet exactly, InstantSource clock) {
            super(audience, exactly, Set.of("sub", "iat", "exp"));
            this.clock = clock;
        }

        @Override
        protected Date currentTime() {
            return Date.from(clock.instant());
        }
    }

    private HttpRequest.Builder redemption(
            Metadata metadata, String code, LoginTickets.Attempt attempt)
            throws LoginRefusedException {
        var request =
                HttpRequest.newBuilder(endpoint(metadata.tokenEndpoint(), "token"))
                        .header("Content-Type", "application/x-www-form-urlencoded");
        var fields = new LinkedHashMap<String, String>();
        fields.put("grant_type", "authorization_code");
        fields.put("code", code);
        fields.put("redirect_uri", client.redirect().toString());
        fields.put("code_verifier", attempt.verifier());
        var secret = client.secret();
        var methods = metadata.tokenEndpointAuthMethodsSupported();
        if (secret != null && (methods == null || methods.contains("client_secret_basic"))) {
            var pair = encoded(client.id()) + ":" + encoded(secret);
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8)));
        } else {
            fields.put("client_id", client.id());
            if (secret != null) {
                fields.put("client_secret", secret);
            }
        }
        return request.POST(HttpRequest.BodyPublishers.ofString(form(fields)));
    }

    private byte[] asked(HttpRequest.Builder request)
            throws LoginRefusedException, InterruptedException {
        return body(ask(request));
    }

    private static byte[] body(HttpResponse<byte[]> answer) throws LoginRefusedException {
        if (answer.statusCode() != HttpStatus.OK_200) {
            throw broken("it answers HTTP " + answer.statusCode());
        }
        return answer.body();
    }

    private HttpResponse<byte[]> ask(HttpRequest.Builder request)
            throws LoginRefusedException, InterruptedException {
        var http = HttpClient.newBuilder().connectTimeout(patience).build();
        try {
            // A timeout of the request would end with the headers, and a body may stall.
            return http.sendAsync(
                            request.header("Accept", "application/json").build(),
                            BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST))
                    .get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw broken("it does not answer");
        } catch (TimeoutException e) {
            throw broken("it does not answer in time");
        } finally {
            http.shutdownNow();
        }
    }

    private static <T> T read(byte[] json, Class<T> type) throws LoginRefusedException {
        try {
            return Json.read(json, type);
        } catch (InvalidRecordException e) {
            throw broken("its answer is not understood");
        }
    }

    private static String form(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    private static LoginRefusedException broken(String why) {
        return new LoginRefusedException(
                HttpStatus.BAD_GATEWAY_502, "The OpenID provider lets nobody in: " + why + ".");
    }
}
