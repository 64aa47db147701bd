package dev.perigee.testing.operate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Checkout;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gateway and worker as images and packages have them: each on its own class path. */
@DisplayName("DEP-02: a part's own program")
final class PartProgramsTest {
    private static final long PATIENCE_SECONDS = 60;

    private static final String BROKER =
            "scala|kafka_2|kafka-(server|metadata|raft|storage|tools|.*coordinator)|log4j"
                    + "|jackson-[a-z]+-2[.](?!22[.]jar)|snakeyaml|^commons-";
    private static final String LOCAL =
            "perigee-(local|faults|testing|testkit|bench)|infra/(?!console|link|part|tracing)";

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "gateway (perigee-|/)(part-)?worker[-/]|mcp-core|reactor|resilience4j|core-server",
                "worker (perigee-|/)(part-)?(gateway|console)[-/]|kafka|zstd|snappy|lz4|jetty-client|core-client"
            })
    @DisplayName("DEP-02: has no jar of the broker, of the command line, of tests or of the other")
    void hasItsOwnJarsOnly(String part, String other) throws IOException {
        var foreign = Pattern.compile(BROKER + "|" + LOCAL + "|" + other);

        assertThat(classPath(part))
                .hasSizeGreaterThan(20)
                .noneMatch(entry -> foreign.matcher(entry).find());
    }

    @ParameterizedTest
    @CsvSource({
        "gateway,GatewayMain,gateway",
        "gateway,GatewayMain,topics",
        "worker,WorkerMain,worker"
    })
    @DisplayName("DEP-02: says what its commands are and which version it is")
    void answers(String part, String main, String command) throws Exception {
        assertThat(run(part, main, command, "--help")).contains("Usage: perigee " + command + " [");
        assertThat(run(part, main, "--version"))
                .matches("(?s)perigee \\d+[.]\\d+[.]\\d+.*Java 25.*");
    }

    /** From the root of the checkout where they are in it. */
    private static List<String> classPath(String part) throws IOException {
        var target = Checkout.root().resolve("infra/part-" + part + "/target");
        var entries = new ArrayList<String>();
        entries.add(relative(target.resolve("classes").toString()));
        for (var entry :
                Files.readString(target.resolve("classpath")).strip().split(File.pathSeparator)) {
            entries.add(relative(entry));
        }
        return entries;
    }

    private static String relative(String entry) {
        var root = Checkout.root();
        var path = Path.of(entry);
        return path.startsWith(root) ? "/" + root.relativize(path) : path.getFileName().toString();
    }

    private static String run(String part, String main, String... arguments) throws Exception {
        var target = Checkout.root().resolve("infra/part-" + part + "/target");
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
        command.add(
                target.resolve("classes")
                        + File.pathSeparator
                        + Files.readString(target.resolve("classpath")).strip());
        command.add("dev.perigee.part." + part + "." + main);
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        var printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }
}
