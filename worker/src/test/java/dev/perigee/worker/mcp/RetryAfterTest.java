package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The pause that a response asks for")
final class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 || PT0S",
                "120 || PT2M",
                " 7  || PT7S",
                "999999999 || P1D",
                "Sun, 22 Nov 2026 12:01:30 GMT || PT1M30S",
                "Sun, 22 Nov 2026 11:00:00 GMT || PT0S",
                "Sun, 22 Nov 2026 12:01:30 GMT | Sun, 22 Nov 2026 12:01:00 GMT | PT30S",
                "-1 ||",
                "1.5 ||",
                "99999999999999999999 ||",
                "soon ||",
                "||",
            })
    @DisplayName("is seconds, or a date by the server's clock; at most a day")
    void isRead(@Nullable String value, @Nullable String date, @Nullable Duration pause) {
        var headers = new HashMap<String, List<String>>();
        if (value != null) {
            headers.put("Retry-After", List.of(value));
        }
        if (date != null) {
            headers.put("Date", List.of(date));
        }

        assertThat(RetryAfter.read(HttpHeaders.of(headers, (_, _) -> true), NOW)).isEqualTo(pause);
    }
}
