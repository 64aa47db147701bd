package dev.perigee.testing.operate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.testing.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The profile is read, not enforced: that takes a kernel with AppArmor, which few machines of CI
 * have.
 */
@DisplayName("The AppArmor profile of a worker's container")
final class AppArmorTest {
    /** Its name, which compose file and chart have. */
    static final String PROFILE = "perigee-worker";

    private static final Path FILE =
            Checkout.root().resolve("infra/images/worker/apparmor.profile");

    @Test
    @NeedsProgram(Program.APPARMOR_PARSER)
    @DisplayName("TEN-13: is one that AppArmor takes, by the name that compose file and chart have")
    void isTaken() throws Exception {
        assertThat(parse("--names")).contains(PROFILE);
        assertThat(parse("--skip-kernel-load", "--skip-cache")).doesNotContain("error");
    }

    @Test
    @DisplayName("TEN-13: allows no mount of a kind that jails are not made of, and no tracing")
    void isNarrow() throws Exception {
        var rules =
                Files.readAllLines(FILE).stream()
                        .map(String::strip)
                        .filter(line -> !line.startsWith("#"))
                        .toList();

        assertThat(rules).contains("mount fstype=(devpts, mqueue, proc, tmpfs),");
        assertThat(rules)
                .doesNotContain("mount,", "ptrace,", "signal,", "network,")
                .noneMatch(line -> line.matches("ptrace .*\\btrace.*"))
                .noneMatch(line -> line.contains("complain"))
                .anyMatch(
                        line -> line.matches("deny mount fstype=.*\\bcgroup2?\\b.*\\bsysfs\\b.*"));
        assertThat(rules)
                .as("what engines cover otherwise")
                .anyMatch(
                        line -> line.startsWith("deny @{PROC}/") && line.contains("sysrq-trigger"))
                .anyMatch(line -> line.startsWith("deny @{PROC}/sys/"))
                .anyMatch(line -> line.startsWith("deny /sys/") && line.contains("firmware"));
    }

    private static String parse(String... options) throws Exception {
        var command =
                Stream.of(
                                Stream.of(Program.APPARMOR_PARSER.path().toString()),
                                Stream.of(options),
                                Stream.of(FILE.toString()))
                        .flatMap(Function.identity())
                        .toList();
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
