package dev.perigee.worker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("OPS-06: the line of standard error that says why")
final class FailureReasonTest {
    /** What real programs said; the first line of each file is the reason. */
    private static final Path RECORDED =
            Path.of(
                    Objects.requireNonNull(FailureReasonTest.class.getResource("/stderr"))
                            .getPath());

    static Stream<String> recorded() throws IOException {
        try (var files = Files.list(RECORDED)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void saysWhyARealProgramFailed(String program) throws IOException {
        var bytes = Files.readAllBytes(RECORDED.resolve(program));
        var tail = new StderrTail(LogOptions.defaults().tailLines());
        var lines = new LineSplitter(LogOptions.defaults().maxLineBytes());
        var expected = Files.readAllLines(RECORDED.resolve(program)).getFirst();
        int said = expected.getBytes(StandardCharsets.UTF_8).length + 1;
        lines.accept(ByteBuffer.wrap(bytes, said, bytes.length - said), tail::add);
        lines.finish(tail::add);

        var reason = FailureReason.among(tail.lines());

        assertThat(reason.text()).isEqualTo(expected);
        assertThat(reason.certain()).isTrue();
    }

    private static String reason(String... lines) {
        return FailureReason.among(List.of(lines)).text();
    }

    @Test
    void readsGo() {
        assertThat(
                        reason(
                                "2026/11/22 10:00:00 starting",
                                "panic: no config",
                                "",
                                "goroutine 1 [running]:",
                                "main.main()",
                                "\t/srv/app/main.go:4 +0x2c",
                                "exit status 2"))
                .isEqualTo("panic: no config");
    }

    @Test
    void readsUv() {
        assertThat(
                        reason(
                                "  × No solution found when resolving tool dependencies:",
                                "  ╰─▶ Because nope was not found in the package registry"))
                .isEqualTo("Because nope was not found in the package registry");
    }

    @Test
    void readsAnOlderNpm() {
        assertThat(
                        reason(
                                "npm ERR! code 128",
                                "npm ERR! An unknown git error occurred",
                                "npm ERR! command git ls-remote https://127.0.0.1/x.git",
                                "npm ERR! fatal: repository 'https://127.0.0.1/x.git/' not found",
                                "npm ERR! A complete log of this run can be found in: /x"))
                .isEqualTo("npm ERR! fatal: repository 'https://127.0.0.1/x.git/' not found");
    }

    @Test
    void quotesTheLatestLinesWhereNoneSaysWhyByItsForm() {
        var reason = FailureReason.among(List.of("a", "b", "    at x (y.js:1:2)", "c", "}", "d"));

        assertThat(reason).isEqualTo(new FailureReason("a | b | c | d", false));
        assertThat(reason("API_KEY is not set")).isEqualTo("API_KEY is not set");
        assertThat(reason("1", "2", "3", "4", "5", "6")).isEqualTo("2 | 3 | 4 | 5 | 6");
        assertThat(reason("}", "Node.js v20.20.2")).isEqualTo("} | Node.js v20.20.2");
        assertThat(reason()).isEmpty();
    }

    @Test
    void findsTheComplaintBeforeALongUsageText() {
        var lines =
                Stream.concat(
                                Stream.of("the flag --root is required", "usage: server"),
                                IntStream.range(0, 9).mapToObj(i -> "  --option-" + i + "  x"))
                        .toList();

        assertThat(FailureReason.among(lines).text()).isEqualTo("the flag --root is required");
    }

    @Test
    void takesTheLatestFailure() {
        assertThat(reason("Error: a call failed", "listening", "RangeError: too deep", "    at f"))
                .isEqualTo("RangeError: too deep");
    }

    @Test
    void prefersWhatTheProgramSaysToWhatItsRunnerSays() {
        var said = "Error: Cannot find module '/x.js'";
        var stack = "    at Function._load (node:internal/modules/cjs/loader:1:2)";

        assertThat(reason(said, stack, "error: script \"start\" exited with code 1"))
                .isEqualTo(said);
        assertThat(
                        reason(
                                said,
                                stack,
                                "npm error Lifecycle script `start` failed with error:",
                                "npm error code 1",
                                "npm error path /srv/app",
                                "npm error in workspace: app@1.0.0"))
                .isEqualTo(said);
        assertThat(
                        reason(
                                said,
                                "npm error Lifecycle script 'start' failed with error: npm error"
                                        + " code 1"))
                .isEqualTo(said);
        assertThat(
                        reason(
                                said,
                                "npm ERR! code ELIFECYCLE",
                                "npm ERR! app@1.0.0 start: `node x.js`",
                                "npm ERR! Exit status 1",
                                "npm ERR! Failed at the app@1.0.0 start script."))
                .isEqualTo(said);
        assertThat(reason(said, stack, "Warning: telemetry error: connect ETIMEDOUT"))
                .isEqualTo(said);
        assertThat(reason(said, stack, "(node:7) SomeWarning: an error: of no weight"))
                .isEqualTo(said);
        assertThat(
                        reason(
                                "ERROR:    Traceback (most recent call last):",
                                "  File \"/srv/app/main.py\", line 3, in lifespan",
                                "    raise ValueError(\"DATABASE_URL is missing\")",
                                "ValueError: DATABASE_URL is missing",
                                "",
                                "ERROR:    Application startup failed. Exiting."))
                .isEqualTo("ValueError: DATABASE_URL is missing");
    }

    @Test
    void saysWhatTheRunnerSaysWhereNobodySaysMore() {
        assertThat(reason("starting", "error: script \"start\" exited with code 1"))
                .isEqualTo("error: script \"start\" exited with code 1");
        assertThat(reason("Warning: telemetry error: down")).contains("telemetry");
    }

    @Test
    void saysWhatTheListAfterAnErrorSays() {
        assertThat(
                        reason(
                                "ZodError: [",
                                "  {",
                                "    \"code\": \"invalid_type\",",
                                "    \"path\": [",
                                "      \"API_KEY\"",
                                "    ],",
                                "    \"message\": \"Required\"",
                                "  }",
                                "]",
                                "    at parse (/srv/app/x.js:1:2)"))
                .isEqualTo(
                        "ZodError: [ { \"code\": \"invalid_type\", \"path\": [ \"API_KEY\" ],"
                                + " \"message\": \"Required\" } ]");
    }

    @Test
    void saysWhatIsInAnErrorThatSaysNothingItself() {
        var details =
                List.of(
                        "  code: 'ECONNREFUSED',",
                        "  [errors]: [",
                        "    Error: connect ECONNREFUSED 127.0.0.1:5432",
                        "        at afterConnect (node:net:1:2) {",
                        "      errno: -111,",
                        "    }",
                        "  ]",
                        "}");
        for (var first : List.of("[AggregateError [ECONNREFUSED]: ] {", "AggregateError: ")) {
            var lines = Stream.concat(Stream.of(first), details.stream()).toList();
            assertThat(FailureReason.among(lines).text())
                    .isEqualTo("Error: connect ECONNREFUSED 127.0.0.1:5432");
        }
    }

    @Test
    void leavesOutControlCharacters() {
        assertThat(reason("\u001b[31mError:\u001b[0m no\tkey\u0007 \u001b]0;title\u0007here"))
                .isEqualTo("Error: no key  here");
    }

    @Test
    void isBounded() {
        var long1 = "Error: " + "😀".repeat(500);
        var lines = IntStream.range(0, 5).mapToObj(i -> "x".repeat(300)).toList();

        assertThat(reason(long1)).hasSizeLessThanOrEqualTo(FailureReason.MAX_CHARS).endsWith("😀…");
        assertThat(FailureReason.among(lines).text()).hasSize(603);
    }

    @Test
    void takesNoTimeForLinesThatAreMadeToTakeIt() {
        int million = 1 << 20;
        var lines =
                List.of(
                        "npm ERR! " + "@".repeat(million),
                        "npm ERR! " + "a@".repeat(million / 2),
                        "error [".repeat(million / 7),
                        ": ".repeat(million / 2) + "x",
                        "\u001b[".repeat(million / 2));

        for (var line : lines) {
            assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () ->
                            assertThat(reason(line))
                                    .hasSizeLessThanOrEqualTo(FailureReason.MAX_CHARS));
        }
    }

    @Test
    void keepsABoundedTailWithoutDeepStacks() {
        var tail = new StderrTail(64);
        tail.add("java.lang.StackOverflowError");
        IntStream.range(0, 1024).forEach(i -> tail.add("\tat A.a(A.java:" + i + ")"));
        assertThat(FailureReason.among(tail.lines()).text())
                .isEqualTo("java.lang.StackOverflowError");

        IntStream.range(0, 100).forEach(i -> tail.add("x".repeat(1000)));
        assertThat(tail.lines()).hasSize(8);
        tail.add("y".repeat(100_000));
        assertThat(tail.lines()).hasSize(1);
        IntStream.range(0, 100).forEach(i -> tail.add("line " + i));
        assertThat(tail.lines()).hasSize(64).endsWith("line 99");
    }
}
