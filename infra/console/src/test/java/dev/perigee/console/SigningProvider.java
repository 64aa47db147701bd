package dev.perigee.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * OpenID provider over HTTP, which checks codes and PKCE as a real one, and lies where it is told.
 */
final class SigningProvider implements AutoCloseable {
    static final String CLIENT = "perigee-console";
    static final String SECRET = "s3cret of the client";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Grant> grants = new ConcurrentHashMap<>();
    private final AtomicInteger codes = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Semaphore stalled = new Semaphore(0);
    private final Duration patience;
    private volatile RSAKey key = Keys.FIRST;
    private volatile JWKSet shown = new JWKSet(key.toPublicJWK());
    private volatile UnaryOperator<JWTClaimsSet.Builder> change = it -> it;
    private volatile Signing signing = Signing.OWN_KEY;
    private volatile Manner manner = Manner.HONEST;
    private volatile @Nullable Map<String, Object> told;
    private volatile int telling = 200;

    /** How tokens are signed. */
    enum Signing {
        OWN_KEY,
        FOREIGN_KEY,
        NONE,
        HMAC_WITH_PUBLIC_KEY
    }

    /** How the token endpoint answers. */
    enum Manner {
        HONEST,
        STALLS,
        SENDS_ELSEWHERE,
        NONSENSE,
        ENDLESS
    }

    private record Grant(String nonce, String challenge, Instant at) {}

    SigningProvider(Duration patience) throws IOException {
        this.patience = patience;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/.well-known/openid-configuration", this::metadata);
        server.createContext("/token", this::token);
        server.createContext("/me", this::tell);
        server.createContext(
                "/jwks", exchange -> answer(exchange, 200, shown.toString().getBytes(UTF_8)));
        server.start();
    }

    String issuer() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    OidcClient client() {
        return new OidcClient(
                issuer(),
                CLIENT,
                SECRET,
                URI.create("http://127.0.0.1:1/console/oidc/callback"),
                List.of("openid", "profile"),
                "preferred_username",
                "groups",
                Map.of(
                        ActionRole.READ, Set.of("staff"),
                        ActionRole.OPERATE, Set.of("ops", "on-call"),
                        ActionRole.ADMIN, Set.of("chiefs")));
    }

    OidcPages pages(ConsoleAccess access, InstantSource clock) {
        return new OidcPages(
                client(),
                new OidcProvider(client(), patience, clock),
                new LoginTickets(clock),
                access,
                clock);
    }

    /** Lets somebody log in; gives the code that the browser brings back. */
    String grant(Map<String, String> query, Instant at) {
        var code = "code-" + codes.incrementAndGet();
        grants.put(
                code,
                new Grant(
                        String.valueOf(query.get("nonce")),
                        String.valueOf(query.get("code_challenge")),
                        at));
        return code;
    }

    void change(UnaryOperator<JWTClaimsSet.Builder> with) {
        change = with;
    }

    void sign(Signing how) {
        signing = how;
    }

    void behave(Manner how) {
        manner = how;
    }

    /** Has a userinfo endpoint from now on, which tells this to who brings its access token. */
    void tellOfPerson(Map<String, Object> claims) {
        told = claims;
    }

    /** Tells it with this status of HTTP. */
    void tellWith(int status) {
        telling = status;
    }

    private void tell(HttpExchange exchange) throws IOException {
        boolean may = "Bearer a".equals(exchange.getRequestHeaders().getFirst("Authorization"));
        answer(exchange, may ? telling : 401, Json.write(Objects.requireNonNull(told)));
    }

    /** Waits until so many answers stall. */
    void awaitStalled(int count) throws InterruptedException {
        if (!stalled.tryAcquire(count, 30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("fewer stall");
        }
    }

    /** Ends the answers that stall, and lets no other. */
    void goOn() {
        manner = Manner.HONEST;
        closed.countDown();
    }

    /** Signs by a new key from now on, and shows that one only. */
    void rotate() {
        key = Keys.SECOND;
        shown = new JWKSet(key.toPublicJWK());
    }

    /** Made once: it takes a while. The foreign one has the first one's id. */
    private static final class Keys {
        static final RSAKey FIRST = newKey("first");
        static final RSAKey SECOND = newKey("second");
        static final RSAKey FOREIGN = newKey("first");
    }

    private static RSAKey newKey(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException("every JDK has RSA", e);
        }
    }

    private void metadata(HttpExchange exchange) throws IOException {
        var metadata =
                new HashMap<>(
                        Map.of(
                                "issuer", issuer(),
                                "authorization_endpoint", issuer() + "/authorize?tenant=1",
                                "token_endpoint", issuer() + "/token",
                                "jwks_uri", issuer() + "/jwks"));
        if (told != null) {
            metadata.put("userinfo_endpoint", issuer() + "/me");
        }
        answer(exchange, 200, Json.write(metadata));
    }

    private void token(HttpExchange exchange) throws IOException {
        switch (manner) {
            case HONEST -> redeem(exchange);
            case NONSENSE -> answer(exchange, 200, "<html>".getBytes(UTF_8));
            case SENDS_ELSEWHERE -> {
                exchange.getResponseHeaders().add("Location", issuer() + "/jwks");
                answer(exchange, 302, new byte[0]);
            }
            case STALLS -> stall(exchange, "{\"id_token\":");
            case ENDLESS -> stall(exchange, "x".repeat(2 << 20));
        }
    }

    private void stall(HttpExchange exchange, String begin) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(200, 0);
            var body = exchange.getResponseBody();
            body.write(begin.getBytes(UTF_8));
            body.flush();
            stalled.release();
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void redeem(HttpExchange exchange) throws IOException {
        var form =
                Arrays.stream(
                                new String(exchange.getRequestBody().readAllBytes(), UTF_8)
                                        .split("&"))
                        .map(field -> field.split("=", 2))
                        .collect(
                                Collectors.toMap(
                                        pair -> pair[0],
                                        pair -> URLDecoder.decode(pair[1], UTF_8)));
        var login =
                Base64.getEncoder()
                        .encodeToString((CLIENT + ":s3cret+of+the+client").getBytes(UTF_8));
        var grant = grants.remove(form.get("code"));
        if (grant == null
                || !("Basic " + login)
                        .equals(exchange.getRequestHeaders().getFirst("Authorization"))
                || !"authorization_code".equals(form.get("grant_type"))
                || !grant.challenge()
                        .equals(challenge(String.valueOf(form.get("code_verifier"))))) {
            answer(exchange, 400, "{\"error\":\"invalid_grant\"}".getBytes(UTF_8));
            return;
        }
        answer(exchange, 200, Json.write(Map.of("id_token", idToken(grant), "access_token", "a")));
    }

    private static String challenge(String verifier) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private String idToken(Grant grant) {
        var claims =
                change.apply(
                                new JWTClaimsSet.Builder()
                                        .issuer(issuer())
                                        .audience(CLIENT)
                                        .subject("0815")
                                        .claim("preferred_username", "olga")
                                        .claim("groups", List.of("staff", "ops"))
                                        .claim("nonce", grant.nonce())
                                        .issueTime(Date.from(grant.at()))
                                        .expirationTime(Date.from(grant.at().plusSeconds(300))))
                        .build();
        try {
            var signer = signing == Signing.FOREIGN_KEY ? Keys.FOREIGN : key;
            var header =
                    new JWSHeader.Builder(
                                    signing == Signing.HMAC_WITH_PUBLIC_KEY
                                            ? JWSAlgorithm.HS256
                                            : JWSAlgorithm.RS256)
                            .keyID(key.getKeyID())
                            .build();
            var token = new SignedJWT(header, claims);
            switch (signing) {
                case NONE -> {
                    return new PlainJWT(claims).serialize();
                }
                case HMAC_WITH_PUBLIC_KEY ->
                        token.sign(new MACSigner(key.toRSAPublicKey().getEncoded()));
                case OWN_KEY, FOREIGN_KEY -> token.sign(new RSASSASigner(signer));
            }
            return token.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException("cannot sign", e);
        }
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
