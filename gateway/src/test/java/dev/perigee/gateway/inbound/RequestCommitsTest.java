package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The commits of requests")
final class RequestCommitsTest {
    @ParameterizedTest
    @CsvSource({"3, m-1, true", "0, m-1, true", "-1, m-1, false", "3, '', false", "-1, '', false"})
    @DisplayName("OWN-05: are no transaction in the name of nobody, which no coordinator refuses")
    void areFenced(int generation, String member, boolean fenced) {
        assertThat(RequestCommits.isFenced(generation, member)).isEqualTo(fenced);
    }
}
