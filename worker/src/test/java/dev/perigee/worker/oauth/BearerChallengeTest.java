package dev.perigee.worker.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A challenge of a server")
final class BearerChallengeTest {

    @Test
    @DisplayName("CAL-17: says where the server describes itself, and which scopes it wants")
    void isRead() {
        var challenge =
                BearerChallenge.of(
                        "Basic realm=\"x\", bearer error=\"insufficient_scope\", scope=\"a b:c\","
                                + " resource_metadata=\"https://s.example/meta?a,b=\\\"c\"");

        assertThat(challenge.wantsMoreScopes()).isTrue();
        assertThat(challenge.scopes()).containsExactly("a", "b:c");
        assertThat(challenge.resourceMetadata()).isEqualTo("https://s.example/meta?a,b=\"c");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "Basic scope=\"a\"", "bearer", "bearer scope", "Bearer ,,=\"", "x"})
    @DisplayName("CAL-17: that says nothing is none")
    void isNone(String header) {
        assertThat(BearerChallenge.of(header)).isEqualTo(BearerChallenge.NONE);
    }

    @Test
    @DisplayName("CAL-17: has scopes in bounds, and only such as a parameter can carry")
    void isBounded() {
        var many = IntStream.range(0, 500).mapToObj(n -> "s" + n).collect(Collectors.joining(" "));
        assertThat(BearerChallenge.of("Bearer scope=\"" + many + "\"").scopes()).hasSize(64);
        assertThat(BearerChallenge.of("Bearer scope=\"a\u0007 é b\"").scopes())
                .containsExactly("b");
        assertThat(BearerChallenge.of("Bearer scope=\"" + "a".repeat(9000) + "\""))
                .isEqualTo(BearerChallenge.NONE);
        assertThat(BearerChallenge.union(List.of("a", "b"), List.of("b", "c")))
                .containsExactly("a", "b", "c");
    }
}
