package dev.perigee.worker.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpException.Kind;
import dev.perigee.worker.mcp.McpFailures;
import dev.perigee.worker.tool.ToolCatalogue.ServerTool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Failed requests are tried again as far as that is safe")
final class RetryTest {
    private static final RetryOptions DEFAULTS = options(Map.of());
    private static final RetryOptions QUICK =
            new RetryOptions(3, List.of(Duration.ofMillis(40), Duration.ofMillis(80)), true);

    private final List<Long> attemptedAt = new ArrayList<>();

    private static RetryOptions options(Map<String, String> settings) {
        SettingsSchema schema = RetrySettings.SCHEMA;
        return RetrySettings.read(schema.read(settings));
    }

    private static McpException failure(Kind kind, boolean sent) {
        return McpFailures.of(kind, sent, "port 4010");
    }

    private String run(RetryOptions options, boolean repeatable, Duration left, McpException... why)
            throws Exception {
        return new Retrying(options)
                .call(
                        () -> {
                            attemptedAt.add(System.nanoTime());
                            if (attemptedAt.size() <= why.length) {
                                throw why[attemptedAt.size() - 1];
                            }
                            return "ok";
                        },
                        repeatable,
                        System.nanoTime() + left.toNanos());
    }

    @Test
    @DisplayName("REC-17, REC-18 Three attempts, 500 ms and 1 s apart, 2 s before a fourth")
    void hasTheDocumentedDefaults() {
        assertThat(DEFAULTS.maxAttempts()).isEqualTo(3);
        assertThat(DEFAULTS.trustHints()).isTrue();
        assertThat(List.of(1, 2, 3, 4))
                .extracting(attempts -> DEFAULTS.delayAfter(attempts).toMillis())
                .containsExactly(500L, 1000L, 2000L, 2000L);
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,2", "2,3"})
    @DisplayName("REC-19, REC-20 A success ends the retries")
    void endsWithSuccess(int failures, int attempts) throws Exception {
        var unsent = failure(Kind.UNREACHABLE, false);
        var why = new McpException[failures];
        Arrays.fill(why, unsent);

        assertThat(run(QUICK, false, Duration.ofMinutes(1), why)).isEqualTo("ok");
        assertThat(attemptedAt).hasSize(attempts);
    }

    @Test
    @DisplayName("REC-17, REC-18 The last attempt's failure is told at once")
    void givesUp() {
        var pauses = List.of(Duration.ofMillis(40), Duration.ofMillis(80), Duration.ofSeconds(20));
        var last = failure(Kind.UNREACHABLE, false);
        var other = failure(Kind.UNREACHABLE, false);

        assertThatThrownBy(
                        () ->
                                run(
                                        new RetryOptions(3, pauses, true),
                                        false,
                                        Duration.ofMinutes(1),
                                        other,
                                        other,
                                        last,
                                        other))
                .isSameAs(last);
        assertThat(System.nanoTime() - attemptedAt.getLast())
                .as("no pause behind the last attempt")
                .isLessThan(Duration.ofSeconds(10).toNanos());
        assertThat(attemptedAt).hasSize(3);
        assertThat(attemptedAt.get(1) - attemptedAt.get(0)).isGreaterThan(39_000_000);
        assertThat(attemptedAt.get(2) - attemptedAt.get(1)).isGreaterThan(79_000_000);
    }

    @Test
    @DisplayName("No attempt is made for which there would be no time")
    void keepsTheDeadline() {
        var why = failure(Kind.UNREACHABLE, false);
        assertThatThrownBy(() -> run(DEFAULTS, false, Duration.ofMillis(400), why, why))
                .isSameAs(why);
        assertThat(attemptedAt).hasSize(1);
    }

    @Test
    @DisplayName("An interrupt ends the pause")
    void canBeInterrupted() {
        var why = failure(Kind.UNREACHABLE, false);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> run(DEFAULTS, false, Duration.ofMinutes(1), why, why))
                .isInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("REC-25, REC-26, REC-27, REC-31, REC-32 Only a server out of reach is asked again")
    void decidesByKind(Kind kind) {
        boolean away = kind == Kind.UNREACHABLE || kind == Kind.HTTP_FAILED;
        assertThat(RetryDecision.retries(failure(kind, false), false)).isEqualTo(away);
        assertThat(RetryDecision.retries(failure(kind, true), true)).isEqualTo(away);
        assertThat(RetryDecision.retries(failure(kind, true), false)).isFalse();
    }

    @Test
    @DisplayName("CAL-15 What was not processed is asked for again when the server says when")
    void waitsAsLongAsAsked() throws Exception {
        var pause = Duration.ofMillis(200);
        var busy = McpFailures.retryAfter(Kind.RATE_LIMITED, pause);

        assertThat(run(QUICK, false, Duration.ofMinutes(1), busy)).isEqualTo("ok");

        assertThat(attemptedAt).hasSize(2);
        assertThat(attemptedAt.get(1) - attemptedAt.get(0)).isGreaterThanOrEqualTo(pause.toNanos());
        attemptedAt.clear();
        assertThatThrownBy(() -> run(QUICK, false, Duration.ofMillis(100), busy)).isSameAs(busy);
        assertThat(attemptedAt).hasSize(1);
    }

    @Test
    @DisplayName("REC-32 Hints make a call repeatable, if they are trusted")
    void knowsWhatMayRunTwice() {
        var call = new ServerRequest("tools/call", RawJson.EMPTY_OBJECT, "t");
        var list = new ServerRequest("resources/list", RawJson.EMPTY_OBJECT, null);

        assertThat(RetryDecision.isRepeatable(list, null, false)).isTrue();
        assertThat(RetryDecision.isRepeatable(call, null, true)).isFalse();
        assertThat(RetryDecision.isRepeatable(call, tool(false, false), true)).isFalse();
        assertThat(RetryDecision.isRepeatable(call, tool(true, false), true)).isTrue();
        assertThat(RetryDecision.isRepeatable(call, tool(false, true), true)).isTrue();
        assertThat(RetryDecision.isRepeatable(call, tool(true, true), false)).isFalse();
    }

    private static ServerTool tool(boolean readOnly, boolean idempotent) {
        var described = new DiscoveredTool("s:t", "t", null, RawJson.EMPTY_OBJECT, 1, null);
        return new ServerTool(described, readOnly, idempotent);
    }

    @ParameterizedTest
    @CsvSource({
        "UNREACHABLE,true,OFFLINE,Server unreachable",
        "UNREACHABLE,false,OFFLINE,Server unreachable",
        "UNAUTHORIZED,true,REQUIRES_REAUTH,port 4010",
        "FORBIDDEN,true,REQUIRES_REAUTH,port 4010",
        "AUTHORIZATION_REQUIRED,true,REQUIRES_REAUTH,port 4010",
        "HTTP_REFUSED,true,ERROR,port 4010",
        "HTTP_FAILED,true,ERROR,port 4010",
        "INVALID_ANSWER,true,ERROR,port 4010",
        "TIMEOUT,false,ERROR,port 4010",
    })
    @DisplayName("REC-25, REC-26, REC-28, REC-29, REC-30 A server's failure is its status")
    void mapsFailures(Kind kind, boolean sent, ServerStatus status, String message) {
        var expected = new FailureStatus(status, message);
        assertThat(FailureStatus.afterCall(failure(kind, sent))).isEqualTo(expected);
        assertThat(FailureStatus.of(failure(kind, sent))).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {
                "SERVER_ERROR",
                "RATE_LIMITED",
                "REQUEST_REFUSED",
                "TIMEOUT",
                "TOO_LARGE",
                "CANCELLED",
                "CLOSED"
            })
    @DisplayName("REC-31 An application's failure changes nothing, except in a discovery")
    void leavesApplicationsAlone(Kind kind) {
        assertThat(FailureStatus.afterCall(failure(kind, true))).isNull();
        assertThat(FailureStatus.of(failure(kind, true)).status()).isEqualTo(ServerStatus.ERROR);
    }
}
