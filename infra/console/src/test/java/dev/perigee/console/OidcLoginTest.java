package dev.perigee.console;

import static dev.perigee.console.ServedConsole.TOKEN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.console.SigningProvider.Manner;
import dev.perigee.console.SigningProvider.Signing;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@DisplayName("OPS-05: login to the console by an OpenID provider, over HTTP,")
final class OidcLoginTest {
    @AutoClose private final ServedConsole console = new ServedConsole();
    @AutoClose private SigningProvider provider;

    OidcLoginTest() throws Exception {
        provider = new SigningProvider(Duration.ofSeconds(20));
    }

    @BeforeEach
    void start() throws Exception {
        console.trust(provider);
        console.start(TOKEN, true);
    }

    /**
     * Login that a browser has begun.
     *
     * @param query what it brings to the provider
     */
    private record Begun(String cookie, Map<String, String> query) {
        String state() {
            return String.valueOf(query.get("state"));
        }
    }

    private Begun begin() throws Exception {
        return begin("");
    }

    private Begun begin(String more) throws Exception {
        var sent = console.get("/console/oidc/login" + more);
        assertThat(sent.statusCode()).as(sent.body()).isEqualTo(302);
        var page = URI.create(sent.headers().firstValue("Location").orElseThrow());
        assertThat(page.toString()).startsWith(provider.issuer() + "/authorize?tenant=1&");
        var query =
                Arrays.stream(page.getRawQuery().split("&"))
                        .map(field -> field.split("=", 2))
                        .collect(
                                Collectors.toMap(
                                        pair -> pair[0],
                                        pair -> URLDecoder.decode(pair[1], UTF_8)));
        var cookie = sent.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(cookie).contains("HttpOnly", "SameSite=Lax", "Path=/console/oidc");
        return new Begun(cookie.substring(0, cookie.indexOf(';')), query);
    }

    private HttpResponse<String> back(String cookie, String state, String code, String more)
            throws Exception {
        return console.send(
                console.request(
                                "/console/oidc/callback?state="
                                        + URLEncoder.encode(state, UTF_8)
                                        + "&code="
                                        + URLEncoder.encode(code, UTF_8)
                                        + more)
                        .header("Cookie", cookie));
    }

    private HttpResponse<String> login() throws Exception {
        var begun = begin();
        return back(
                begun.cookie(), begun.state(), provider.grant(begun.query(), console.now()), "");
    }

    private static List<String> sessions(HttpResponse<String> response) {
        return response.headers().allValues("Set-Cookie").stream()
                .filter(it -> it.startsWith("perigee-console-"))
                .toList();
    }

    private static String session(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(302);
        assertThat(response.headers().firstValue("Location")).hasValue("../");
        var cookie = sessions(response).getFirst();
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict", "Path=/console");
        return cookie.substring(0, cookie.indexOf(';'));
    }

    private void assertRefused(HttpResponse<String> response, int status, String why) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.body()).contains(why, "Log in with a token");
        assertThat(sessions(response)).isEmpty();
        assertThat(response.body() + response.headers())
                .doesNotContain(SigningProvider.SECRET, "s3cret");
    }

    @Test
    @DisplayName("OPS-05: a person acts under the name and in the role of the provider's claims")
    void actsUnderItsName() throws Exception {
        assertThat(console.get("/console/api/login").body()).isEqualTo("{\"oidc\":true}");
        var begun = begin();
        assertThat(begun.query())
                .containsEntry("response_type", "code")
                .containsEntry("client_id", SigningProvider.CLIENT)
                .containsEntry("scope", "openid profile")
                .containsEntry("code_challenge_method", "S256");
        var code = provider.grant(begun.query(), console.now());
        var cookie = session(back(begun.cookie(), begun.state(), code, ""));

        var who =
                ServedConsole.json(
                        console.send(
                                console.request("/console/api/session").header("Cookie", cookie)));
        assertThat(who.get("name").asString()).isEqualTo("oidc:olga (0815)");
        assertThat(who.get("role").asString()).isEqualTo("operate");
        var acted =
                console.send(
                        console.request("/console/api/actions")
                                .header("Cookie", cookie)
                                .header("Content-Type", "application/json")
                                .header(ConsoleAccess.MARK, "1")
                                .header("Sec-Fetch-Site", "same-origin")
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"action\":\"restart\",\"process_ids\":[\"a\"],"
                                                        + "\"reason\":\"r\"}")));
        assertThat(acted.statusCode()).as(acted.body()).isEqualTo(202);
        assertThat(console.log.audits().getFirst().actor()).isEqualTo("oidc:olga (0815)");
        console.pass(LoginSessions.LIFETIME);
        assertThat(
                        console.send(
                                        console.request("/console/api/session")
                                                .header("Cookie", cookie))
                                .statusCode())
                .isEqualTo(401);
    }

    @Test
    @DisplayName("OPS-05: who has no role at the provider is not let in, and reads nothing")
    void wantsARole() throws Exception {
        provider.change(claims -> claims.claim("groups", List.of("guests", "admin")));

        assertRefused(login(), 403, "knows you as olga");
    }

    /** A claim that is not as it must be. */
    enum Lie {
        AUDIENCE,
        ISSUER,
        NONCE,
        NO_NONCE,
        EXPIRED,
        NO_EXPIRY,
        NO_SUBJECT,
        TWO_AUDIENCES,
        ANOTHER_PARTY,
        NOT_YET
    }

    private HttpResponse<String> loginWithoutGroups(Map<String, Object> told) throws Exception {
        provider.change(it -> it.claim("groups", null));
        provider.tellOfPerson(told);
        return login();
    }

    @Test
    @DisplayName("OPS-05: a provider that keeps claims out of its token is asked for them")
    void asksForClaims() throws Exception {
        var cookie =
                session(
                        loginWithoutGroups(
                                Map.of(
                                        "sub",
                                        "0815",
                                        "preferred_username",
                                        "boss",
                                        "groups",
                                        List.of("chiefs"))));

        var who =
                ServedConsole.json(
                        console.send(
                                console.request("/console/api/session").header("Cookie", cookie)));
        assertThat(who.get("role").asString()).isEqualTo("admin");
        // What is signed holds.
        assertThat(who.get("name").asString()).isEqualTo("oidc:olga (0815)");
    }

    @Test
    @DisplayName("OPS-05: claims of somebody else, or of nobody, let nobody in")
    void refusesClaimsOfOthers() throws Exception {
        assertRefused(
                loginWithoutGroups(Map.of("sub", "4711", "groups", List.of("chiefs"))),
                502,
                "its userinfo is of somebody else");
        assertRefused(
                loginWithoutGroups(Map.of("groups", List.of("chiefs"))),
                502,
                "its userinfo is of somebody else");
        assertRefused(loginWithoutGroups(Map.of("sub", "0815")), 403, "gives you a role here");
        var told = Map.<String, Object>of("sub", "0815", "groups", List.of("chiefs"));
        for (int status : List.of(401, 403)) {
            provider.tellWith(status);
            assertRefused(loginWithoutGroups(told), 403, "nothing of you: HTTP " + status);
        }
        provider.tellWith(500);
        assertRefused(loginWithoutGroups(told), 502, "it answers HTTP 500");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("OPS-05: a token with a false claim lets nobody in")
    void refusesFalseClaims(Lie lie) throws Exception {
        provider.change(
                claims ->
                        switch (lie) {
                            case AUDIENCE -> claims.audience("another");
                            case ISSUER -> claims.issuer("https://elsewhere.example");
                            case NONCE -> claims.claim("nonce", "of another login");
                            case NO_NONCE -> claims.claim("nonce", null);
                            case EXPIRED ->
                                    claims.expirationTime(
                                            Date.from(console.now().minusSeconds(90)));
                            case NO_EXPIRY -> claims.expirationTime(null);
                            case NO_SUBJECT -> claims.subject(null);
                            case TWO_AUDIENCES ->
                                    claims.audience(List.of(SigningProvider.CLIENT, "another"));
                            case ANOTHER_PARTY -> claims.claim("azp", "another");
                            case NOT_YET ->
                                    claims.notBeforeTime(Date.from(console.now().plusSeconds(90)));
                        });

        assertRefused(login(), 502, "is not accepted");
    }

    @ParameterizedTest
    @EnumSource(names = "OWN_KEY", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("OPS-05: a token that is not signed by the provider's key lets nobody in")
    void refusesSignatures(Signing signing) throws Exception {
        provider.sign(signing);

        assertRefused(login(), 502, "is not accepted");
    }

    @Test
    @DisplayName("OPS-05: a key that the provider has replaced is known at the next login")
    void followsRotation() throws Exception {
        assertThat(session(login())).isNotEmpty();
        provider.rotate();
        assertThat(session(login())).isNotEmpty();
    }

    @Test
    @DisplayName("OPS-05: a code and a state are good once, in their browser, for ten minutes")
    void refusesReplays() throws Exception {
        var begun = begin();
        var code = provider.grant(begun.query(), console.now());
        var other = begin();

        assertRefused(back(begun.cookie(), "", code, ""), 400, "not begun in this browser");
        assertRefused(
                back(begun.cookie(), other.state(), code, ""), 400, "not begun in this browser");
        assertRefused(
                back(other.cookie(), begun.state(), code, ""), 400, "not begun in this browser");
        assertRefused(back("a=b", begun.state(), code, ""), 400, "not begun in this browser");
        var forged = begun.cookie().substring(0, begun.cookie().length() - 2) + "AA";
        assertRefused(back(forged, begun.state(), code, ""), 400, "not begun in this browser");

        assertThat(session(back(begun.cookie(), begun.state(), code, ""))).isNotEmpty();
        assertRefused(back(begun.cookie(), begun.state(), code, ""), 400, "taken back before");
        // A stolen code in a login of somebody else's: the verifier is another.
        var stolen = provider.grant(begin().query(), console.now());
        assertRefused(back(other.cookie(), other.state(), stolen, ""), 403, "HTTP 400");
        var late = begin();
        console.pass(LoginTickets.LIFETIME);
        assertRefused(
                back(late.cookie(), late.state(), provider.grant(late.query(), console.now()), ""),
                400,
                "more than ten minutes ago");
    }

    @Test
    @DisplayName("OPS-05: a login leads to the console, whatever address it is given")
    void redirectsNowhereElse() throws Exception {
        var elsewhere = "https%3A%2F%2Felsewhere.example";
        var begun = begin("?redirect_uri=" + elsewhere + "&return_to=" + elsewhere);
        assertThat(begun.query().get("redirect_uri"))
                .isEqualTo(provider.client().redirect().toString());

        var code = provider.grant(begun.query(), console.now());
        var more = "&return_to=" + elsewhere + "&redirect_uri=" + elsewhere;
        assertThat(session(back(begun.cookie(), begun.state(), code, more))).isNotEmpty();
        var mixed = begin();
        assertRefused(
                back(mixed.cookie(), mixed.state(), "c", "&iss=" + elsewhere),
                400,
                "Another provider");
    }

    @Test
    @DisplayName("OPS-05: text of the provider is text")
    void showsText() throws Exception {
        var begun = begin();

        var refused =
                back(begun.cookie(), begun.state(), "c", "&error=%3Cscript%3E%E2%80%AE%0Aalert(1)");

        assertRefused(refused, 403, "&lt;script&gt;??alert(1)");
        assertThat(refused.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("default-src 'none'");
    }

    @ParameterizedTest
    @EnumSource(names = {"SENDS_ELSEWHERE", "NONSENSE", "ENDLESS"})
    @DisplayName("OPS-05: an answer that is none lets nobody in")
    void refusesNonsense(Manner manner) throws Exception {
        provider.behave(manner);

        assertRefused(login(), 502, "The OpenID provider lets nobody in");
    }

    @Test
    @DisplayName("OPS-05: a provider that stalls or is gone says so on a page, and tokens hold")
    void outlivesItsProvider() throws Exception {
        try (var hasty = new SigningProvider(Duration.ofMillis(500));
                var second = new ServedConsole()) {
            second.trust(hasty);
            second.start(TOKEN, true);
            hasty.behave(Manner.STALLS);
            var sent = second.get("/console/oidc/login");
            if (sent.statusCode() == 302) { // A slow machine may have refused it already.
                var cookie = sent.headers().firstValue("Set-Cookie").orElseThrow();
                var state = sent.headers().firstValue("Location").orElseThrow();
                state = state.replaceAll(".*[?&]state=([^&]*).*", "$1");
                var stalled =
                        second.send(
                                second.request("/console/oidc/callback?code=c&state=" + state)
                                        .header(
                                                "Cookie",
                                                cookie.substring(0, cookie.indexOf(';'))));
                assertRefused(stalled, 502, "does not answer in time");
            }
        }
        provider.close();
        assertRefused(console.get("/console/oidc/login"), 502, "does not answer");
        assertThat(console.login(TOKEN).statusCode()).isEqualTo(204);
    }

    @Test
    @DisplayName("OPS-05: logins that stall keep nobody from beginning one, and from ending it")
    void outlivesStalls() throws Exception {
        var begun = new ArrayList<Begun>();
        for (int i = 0; i < 5; i++) {
            begun.add(begin());
        }
        var last = begun.removeLast();
        provider.behave(Manner.STALLS);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var held = new ArrayList<Future<HttpResponse<String>>>();
            for (var login : begun) {
                held.add(threads.submit(() -> back(login.cookie(), login.state(), "junk", "")));
            }
            provider.awaitStalled(4);
            assertThat(begin().state()).isNotEmpty();
            var code = provider.grant(last.query(), console.now());
            var waits = threads.submit(() -> back(last.cookie(), last.state(), code, ""));
            provider.goOn();
            assertThat(session(waits.get())).isNotEmpty();
            for (var login : held) {
                assertRefused(login.get(), 502, "lets nobody in");
            }
        }
    }

    @Test
    @DisplayName("OPS-05: junk is refused and not in the log; who is told to wait loses nothing")
    void boundsJunk() throws Exception {
        var logger = (Logger) LoggerFactory.getLogger(OidcPages.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        try {
            for (int i = 0; i < 30; i++) {
                var junk = begin();
                assertRefused(back(junk.cookie(), junk.state(), "junk", ""), 403, "HTTP 400");
                assertRefused(back(junk.cookie(), junk.state(), "x", ""), 400, "taken back before");
            }
            var begun = begin();
            var code = provider.grant(begun.query(), console.now());
            assertRefused(back(begun.cookie(), begun.state(), code, ""), 429, "Many log in");
            assertThat(warnings(lines)).isZero();

            console.pass(Duration.ofSeconds(1));
            assertThat(session(back(begun.cookie(), begun.state(), code, ""))).isNotEmpty();
            provider.behave(Manner.NONSENSE);
            assertRefused(login(), 502, "lets nobody in");
            assertRefused(login(), 502, "lets nobody in");
            assertThat(warnings(lines)).isOne();
            console.pass(Duration.ofSeconds(61));
            assertRefused(login(), 502, "lets nobody in");
            assertThat(warnings(lines)).isEqualTo(2);
        } finally {
            logger.detachAppender(lines);
        }
    }

    private static long warnings(ListAppender<ILoggingEvent> lines) {
        return List.copyOf(lines.list).stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .count();
    }

    @Test
    @DisplayName("OPS-05: where there is a provider nobody is let in for being on the same machine")
    void wantsALoginOnLoopback() throws Exception {
        try (var second = new ServedConsole()) {
            second.trust(provider);
            second.start(null, true);

            assertThat(second.get("/console/api/instances").statusCode()).isEqualTo(401);
            assertThat(second.login("anything").statusCode()).isEqualTo(401);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"login", "callback"})
    void answersGetOnly(String page) throws Exception {
        var posted =
                console.send(
                        console.request("/console/oidc/" + page)
                                .POST(HttpRequest.BodyPublishers.noBody()));

        assertRefused(posted, 405, "Only GET");
    }
}
