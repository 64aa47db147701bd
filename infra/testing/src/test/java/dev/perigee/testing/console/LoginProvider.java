package dev.perigee.testing.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;

/**
 * OpenID provider of one person, who is logged in there: it sends each browser back at once. Its
 * site, localhost, is another than that of a console at 127.0.0.1. Hostile ones are in the unit
 * tests.
 */
final class LoginProvider implements AutoCloseable {
    private final HttpServer server;
    private final RSAKey key;
    private volatile String console = "";
    private volatile String nonce = "";
    private volatile List<String> groups = List.of();

    LoginProvider() throws IOException, JOSEException {
        key = new RSAKeyGenerator(2048).keyID("only").generate();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/.well-known/openid-configuration", this::metadata);
        server.createContext("/authorize", this::sendBack);
        server.createContext("/token", this::token);
        server.createContext(
                "/jwks",
                exchange ->
                        answer(exchange, new JWKSet(key.toPublicJWK()).toString().getBytes(UTF_8)));
        server.start();
    }

    String issuer() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    /** The console's address, which is known when it runs. */
    void console(String url) {
        console = url;
    }

    void groups(String... names) {
        groups = List.of(names);
    }

    private void metadata(HttpExchange exchange) throws IOException {
        answer(
                exchange,
                Json.write(
                        Map.of(
                                "issuer", issuer(),
                                "authorization_endpoint", issuer() + "/authorize",
                                "token_endpoint", issuer() + "/token",
                                "jwks_uri", issuer() + "/jwks")));
    }

    private void sendBack(HttpExchange exchange) throws IOException {
        var query = exchange.getRequestURI().getRawQuery();
        nonce = query.replaceAll(".*(?:^|&)nonce=([^&]*).*", "$1");
        var state = query.replaceAll(".*(?:^|&)state=([^&]*).*", "$1");
        exchange.getResponseHeaders()
                .add("Location", console + "/oidc/callback?code=c&state=" + state);
        try (exchange) {
            exchange.sendResponseHeaders(302, -1);
        }
    }

    private void token(HttpExchange exchange) throws IOException {
        var now = Instant.now();
        var token =
                new SignedJWT(
                        new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
                        new JWTClaimsSet.Builder()
                                .issuer(issuer())
                                .audience("perigee")
                                .subject("0815")
                                .claim("preferred_username", "olga")
                                .claim("groups", groups)
                                .claim("nonce", nonce)
                                .issueTime(Date.from(now))
                                .expirationTime(Date.from(now.plusSeconds(300)))
                                .build());
        try {
            token.sign(new RSASSASigner(key));
        } catch (JOSEException e) {
            throw new IOException("cannot sign", e);
        }
        answer(exchange, Json.write(Map.of("id_token", token.serialize())));
    }

    private static void answer(HttpExchange exchange, byte[] body) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
