package dev.perigee.protocol.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.access.ScramServer.Verdict;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The exchange by which gateway and worker prove to each other that they have the token. */
final class ScramTest {
    private static final String PASSWORD = "a token";

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final ScramServer server = new ScramServer(PASSWORD, nanos::get, 3);
    private final ScramClient client = new ScramClient(PASSWORD);

    private static String header(String text) {
        return new ScramMessage(text).header();
    }

    private static String text(String data) {
        var base64 = data.substring(data.indexOf("data=") + 5);
        return new String(Base64.getDecoder().decode(base64), UTF_8);
    }

    private static String challenge(ScramServer server, ScramClient.Login login) {
        return switch (server.judge(login.first())) {
            case Verdict.Challenged(var challenge) -> challenge;
            case Verdict.Refused _, Verdict.Accepted _ -> throw new AssertionError("no challenge");
        };
    }

    private String last(ScramClient.Login login) throws ScramException {
        return login.last(List.of(challenge(server, login)));
    }

    private void refused(String authorization) {
        assertThat(server.judge(authorization)).isEqualTo(new Verdict.Refused("SCRAM-SHA-256"));
    }

    @Test
    @DisplayName("RFC 7677, section 3: the example of the standard")
    void isTheStandards() throws ScramException {
        var login = new ScramClient("pencil").login("user", "rOprNGfwEbeRWgbNEkqO");
        assertThat(text(login.first())).isEqualTo("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");

        var nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        var last =
                login.last(
                        List.of(
                                "Basic realm=\"x\"",
                                header("r=" + nonce + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")));

        assertThat(text(last))
                .isEqualTo("c=biws,r=" + nonce + ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(login.proves(proof("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="))).isTrue();
    }

    private static String proof(String text) {
        return new ScramMessage(text).parameters();
    }

    @Test
    @DisplayName("both sides prove the same token, again and again, and neither shows it")
    void provesBothSides() throws ScramException {
        for (int i = 0; i < 3; i++) {
            var login = client.login();
            var last = last(login);
            assertThat(text(last)).doesNotContain(PASSWORD);
            assertThat(server.judge(last))
                    .isInstanceOfSatisfying(
                            Verdict.Accepted.class,
                            accepted ->
                                    assertThat(login.proves(accepted.authenticationInfo()))
                                            .isTrue());
        }
    }

    @Test
    void refusesWhoHasAnotherPassword() throws ScramException {
        var login = new ScramClient("a tokem").login();
        refused(last(login));
    }

    @Test
    @DisplayName("a server of another password, or of none, proves nothing")
    void doesNotBelieveAServerOfAnotherPassword() throws ScramException {
        var login = client.login();
        assertThat(login.proves(proof("v=AAAA"))).isFalse();
        last(login);
        for (var shown : new String[] {null, "", "data=", "data=?", proof("e=other-error")}) {
            assertThat(login.proves(shown)).as(shown).isFalse();
        }
        assertThat(login.proves(proof("v=" + "A".repeat(43) + "="))).isFalse();
        assertThat(login.proves(proof("v="))).isFalse();
    }

    @Test
    @DisplayName("TEN-14: what met a challenge does not meet it again, nor one of another worker")
    void acceptsEachProofOnce() throws ScramException {
        var last = last(client.login());
        assertThat(new ScramServer(PASSWORD).judge(last)).isInstanceOf(Verdict.Refused.class);
        assertThat(server.judge(last)).isInstanceOf(Verdict.Accepted.class);
        refused(last);
        nanos.addAndGet(ScramServer.VALID.toNanos() + 1);
        refused(last);
    }

    @Test
    void aChallengeIsGoodForAWhile() throws ScramException {
        var inTime = last(client.login());
        var late = last(client.login());
        nanos.addAndGet(ScramServer.VALID.toNanos());
        assertThat(server.judge(inTime)).isInstanceOf(Verdict.Accepted.class);
        nanos.addAndGet(1);
        refused(late);
    }

    @Test
    @DisplayName("more proofs than are remembered are refused, until those are too old to matter")
    void remembersABoundedNumber() throws ScramException {
        for (int i = 0; i < 3; i++) {
            assertThat(server.judge(last(client.login()))).isInstanceOf(Verdict.Accepted.class);
        }
        refused(last(client.login()));
        nanos.addAndGet(ScramServer.VALID.plus(Duration.ofNanos(1)).toNanos());
        assertThat(server.judge(last(client.login()))).isInstanceOf(Verdict.Accepted.class);
    }

    @Test
    void refusesAChallengeThatItDidNotMake() throws ScramException {
        var login = client.login();
        var challenge = text(challenge(server, login));
        int nonce = challenge.indexOf(",s=") - 48;
        for (int at : new int[] {nonce, nonce + 20, nonce + 47}) {
            var changed = new StringBuilder(challenge);
            changed.setCharAt(at, changed.charAt(at) == 'A' ? 'B' : 'A');
            refused(login.last(List.of(header(changed.toString()))));
        }
        refused(login.last(List.of(header(challenge.replace("i=15000", "i=4096")))));
        assertThat(server.judge(login.last(List.of(header(challenge)))))
                .isInstanceOf(Verdict.Accepted.class);
    }

    @Test
    void doesNotMeetTheChallengeOfAnotherLogin() {
        var login = client.login();
        var other = challenge(server, client.login());
        assertThatThrownBy(() -> login.last(List.of(other)))
                .isInstanceOf(ScramException.class)
                .hasMessageContaining("another request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4095", "100001", "0", "-4096", "x", "", "99999999999", "4096x"})
    @DisplayName("too few iterations make guessing cheap, too many make the client busy")
    void meetsNoChallengeOfOtherIterations(String iterations) {
        var login = client.login("user", "nonce");
        assertThatThrownBy(() -> login.last(List.of(header("r=nonce2,s=c2FsdA==,i=" + iterations))))
                .isInstanceOf(ScramException.class)
                .hasMessageContaining("iterations");
    }

    @ParameterizedTest
    @ValueSource(strings = {"r=nonce2,i=4096", "r=nonce2,s=?,i=4096", "r=nonce,s=c2FsdA==,i=4096"})
    void meetsNoChallengeThatIsMalformed(String challenge) {
        var login = client.login("user", "nonce");
        assertThatThrownBy(() -> login.last(List.of(header(challenge))))
                .isInstanceOf(ScramException.class);
        assertThatThrownBy(() -> login.last(List.of("Bearer", "SCRAM-SHA-256")))
                .isInstanceOf(ScramException.class);
    }

    @Test
    void refusesWhatIsNoMessage() {
        var other = header("n,,n=other,r=" + "r".repeat(24));
        var bound = header("y,,n=perigee,r=" + "r".repeat(24));
        var huge = "SCRAM-SHA-256 data=" + "A".repeat(1 << 16);
        for (var value :
                new String[] {
                    null,
                    "",
                    "Bearer " + PASSWORD,
                    "SCRAM-SHA-256",
                    "SCRAM-SHA-256 data=?",
                    huge,
                    other,
                    bound,
                    header(""),
                    header("n,,n=perigee,r=short"),
                    header("c=biws,r=x,p=y"),
                    header("c=biws,r=" + "r".repeat(72) + ",p=?")
                }) {
            assertThat(server.judge(value)).as(value).isInstanceOf(Verdict.Refused.class);
        }
    }

    @Test
    void showsNoProofAsText() {
        assertThat(new ScramMessage("p=" + PASSWORD).toString()).doesNotContain(PASSWORD);
    }
}
