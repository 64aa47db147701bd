package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A redirect")
final class RedirectDecisionTest {
    private static final URI FROM = URI.create("https://host.example/mcp?k=s3cret");

    @ParameterizedTest
    @DisplayName("to the same origin is followed, without what is no part of an address")
    @CsvSource({
        "307, /mcp/, https://host.example/mcp/",
        "308, /mcp/?a=1, https://host.example/mcp/?a=1",
        "307, other, https://host.example/other",
        "307, https://HOST.example:443/x, https://host.example/x",
        "307, https://user:pass@host.example/x#part, https://host.example/x",
        "307, //host.example/x, https://host.example/x",
    })
    void isFollowed(int status, String location, URI address) {
        assertThat(RedirectDecision.of(FROM, status, location, 0))
                .isEqualTo(new RedirectDecision.Follow(address));
    }

    @ParameterizedTest
    @DisplayName("to anywhere else is not; what is said of it has no path, user or query")
    @CsvSource({
        "307, https://evil.example/x?k=s3cret, ' to https://evil.example (HTTP 307)'",
        "308, http://host.example/mcp?k=s3cret, ' to http://host.example (HTTP 308)'",
        "307, https://host.example:8443/s3cret, ' to https://host.example:8443 (HTTP 307)'",
        "307, https://s3cret:s3cret@evil.example/, ' to https://evil.example (HTTP 307)'",
        "307, //evil.example/s3cret, ' to https://evil.example (HTTP 307)'",
        "302, /s3cret, ' to another path (HTTP 302)'",
        "307, file:///s3cret, 'redirects (HTTP 307)'",
        "307, 'ht tp://s3cret', 'redirects (HTTP 307)'",
        "307, , 'redirects (HTTP 307)'",
    })
    void isRefused(int status, @Nullable String location, String message) {
        assertThat(RedirectDecision.of(FROM, status, location, 0))
                .isInstanceOfSatisfying(
                        RedirectDecision.Refuse.class,
                        refuse ->
                                assertThat(refuse.message())
                                        .contains(message)
                                        .doesNotContain("s3cret"));
    }

    @Test
    @DisplayName("is followed a few times only")
    void isBounded() {
        assertThat(RedirectDecision.of(FROM, 307, "/mcp", RedirectDecision.MOST - 1))
                .isInstanceOf(RedirectDecision.Follow.class);
        assertThat(RedirectDecision.of(FROM, 307, "/mcp", RedirectDecision.MOST))
                .isInstanceOfSatisfying(
                        RedirectDecision.Refuse.class,
                        refuse -> assertThat(refuse.message()).contains("circle"));
    }
}
