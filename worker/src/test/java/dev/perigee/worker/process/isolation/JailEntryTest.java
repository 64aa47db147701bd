package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.worker.egress.EgressGuards;
import dev.perigee.worker.egress.EgressPolicy;
import dev.perigee.worker.process.Tenant;
import dev.perigee.worker.process.network.InstanceNetworks;
import dev.perigee.worker.process.network.NetworkLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that jails begin with, without a jail. */
@DisplayName("What a jail begins with")
@NeedsProgram(Program.BUBBLEWRAP)
final class JailEntryTest {
    private static final Path PERL = Path.of("/usr/bin/perl");

    @TempDir private Path directory;
    private JailEntry entry;

    @BeforeEach
    void write() {
        entry = JailEntry.write(PERL, directory, new Identities.Shared("tried"), Quotas.here());
    }

    private record Ended(int code, String said) {}

    private Ended run(List<String> network, String... program) throws Exception {
        var process =
                new ProcessBuilder(
                                entry.command(null, HostIdentity.WORKER, network, List.of(program)))
                        .redirectErrorStream(true)
                        .start();
        process.getOutputStream().close();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), said);
    }

    @Test
    @DisplayName(
            "TEN-08: is the first to be killed for want of memory, and opens nothing for others")
    void score() throws Exception {
        var ended = run(List.of(), "sh", "-c", "cat /proc/self/oom_score_adj; ls /proc/self/fd");
        assertThat(ended.said().lines()).startsWith("1000", "0", "1", "2").hasSizeLessThan(6);
    }

    @Test
    @DisplayName("sets limits of its user namespace, or does not begin")
    void limits() throws Exception {
        var limit = "limit=max_inotify_instances=7";
        assertThat(run(List.of(limit), "cat", "/proc/sys/user/max_inotify_instances"))
                .isEqualTo(new Ended(0, "7\n"));
        var wrong = run(List.of("limit=max_inotify_instances=none"), "true");
        assertThat(wrong.code()).isEqualTo(125);
        assertThat(wrong.said()).startsWith("The jail cannot be entered: write /proc/sys/user/");
    }

    @Test
    @DisplayName("fails where it cannot join its group")
    void group() throws Exception {
        var command =
                entry.command(
                        directory.resolve("none"), HostIdentity.WORKER, List.of(), List.of("true"));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("cgroup.procs");
        assertThat(process.waitFor()).isEqualTo(125);
    }

    @Test
    @DisplayName("TEN-05: is given a network once by one name, and none by any other")
    void once() throws Exception {
        try (var networks = networks();
                var opened = networks.open(Tenant.WORKER, null, _ -> {})) {
            assertThat(run(opened.words(), "true")).isEqualTo(new Ended(0, ""));
            assertRefused(opened.words());
            var guessed = new ArrayList<>(opened.words());
            guessed.set(1, "network=guessed");
            assertRefused(guessed);
            // Of one that was closed before it began.
            var closed = networks.open(Tenant.WORKER, null, _ -> {});
            closed.close();
            assertRefused(closed.words());
        }
    }

    @Test
    @DisplayName("does not begin without a worker")
    void alone() throws Exception {
        List<String> words;
        try (var networks = networks();
                var opened = networks.open(Tenant.WORKER, null, _ -> {})) {
            words = opened.words();
        }
        var ended = run(words, "true");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.said()).contains("the worker does not listen");
    }

    private InstanceNetworks networks() throws IOException {
        // Longer than the name of a socket may be.
        var deep = Files.createDirectories(directory.resolve("d".repeat(150)));
        return InstanceNetworks.start(
                deep,
                EgressGuards.of(EgressPolicy.INTERNET),
                new NetworkLimits(10, 100, Duration.ZERO));
    }

    private void assertRefused(List<String> words) throws Exception {
        var ended = run(words, "true");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.said()).contains("the worker refuses its network");
    }
}
