package dev.perigee.worker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.Termination;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OPS-13: secrets that a program prints")
final class CommandSecretsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ProcessLauncher launcher = ProcessLaunchers.create(LauncherOptions.defaults());
    @TempDir private Path directory;

    @AfterEach
    void end() {
        launcher.close();
    }

    private CommandSecrets secrets(String script, Duration timeout, int parallel) throws Exception {
        var program = directory.resolve("provider");
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        var options =
                new SecretOptions(directory, program, timeout, parallel, Duration.ofSeconds(10));
        return new CommandSecrets(program, options, launcher, new Termination());
    }

    private CommandSecrets secrets(String script) throws Exception {
        return secrets(script, PATIENCE, 4);
    }

    private static String read(CommandSecrets secrets) throws Exception {
        return read(secrets, "u1");
    }

    private static String read(CommandSecrets secrets, String user) throws Exception {
        return secrets.read(
                SecretAddress.of("t1", user, "key"), System.nanoTime() + PATIENCE.toNanos());
    }

    @Test
    @DisplayName("are asked for by team, user and name, without input or the worker's settings")
    void asks() throws Exception {
        var secrets =
                secrets(
                        "read line && exit 9; echo noise >&2;"
                                + " echo \"$1|$2|$3|$#|$(env | grep -c ^PERIGEE_)\"");

        assertThat(read(secrets)).isEqualTo("t1|u1|key|3|0");
    }

    @Test
    @DisplayName("fail with the code of the program, and nothing of what it said")
    void fails() throws Exception {
        assertThatThrownBy(() -> read(secrets("echo s3cret; echo s3cret >&2; exit 3")))
                .isInstanceOf(SecretException.class)
                .hasMessageContaining("'key'")
                .hasMessageContaining("exit code 3")
                .hasMessageNotContaining("s3cret");
        assertThatThrownBy(() -> read(secrets("true"))).hasMessageContaining("empty");
    }

    @Test
    @DisplayName("fail where the program cannot be run, without its path")
    void noProgram() throws Exception {
        var secrets = secrets("true");
        Files.delete(directory.resolve("provider"));

        assertThatThrownBy(() -> read(secrets))
                .hasMessageContaining("cannot be run")
                .hasMessageNotContaining(directory.toString());
    }

    @Test
    @DisplayName("are bounded in size, whatever is printed")
    void largest() throws Exception {
        assertThatThrownBy(() -> read(secrets("head -c 10000000 /dev/zero | tr '\\0' x")))
                .hasMessageContaining("64 KiB");
    }

    @Test
    @DisplayName("are given up in time, and the program is killed with all that it started")
    void killed() throws Exception {
        var pids = directory.resolve("pids");
        var secrets =
                secrets(
                        "trap '' TERM; sleep 600 & echo $! $$ > %s.tmp; mv %s.tmp %s; wait; sleep 600"
                                .formatted(pids, pids, pids),
                        Duration.ofSeconds(3),
                        4);

        assertThatThrownBy(() -> read(secrets)).hasMessageContaining("took longer than 3000 ms");

        for (var pid : Files.readString(pids).strip().split(" ")) {
            await().atMost(PATIENCE)
                    .until(
                            () ->
                                    ProcessHandle.of(Long.parseLong(pid))
                                            .filter(ProcessHandle::isAlive)
                                            .isEmpty());
        }
    }

    @Test
    @DisplayName("are asked for by few at a time, and a user's many hold up no other team")
    void inTurns() throws Exception {
        var gate = directory.resolve("gate");
        var running = Files.createDirectory(directory.resolve("running"));
        var secrets =
                secrets(
                        "[ $2 = u1 ] || exec echo theirs; touch %s/$$; while [ ! -e %s ]; do sleep 0.05; done; echo mine"
                                .formatted(running, gate),
                        PATIENCE,
                        2);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var mine = new ArrayList<Future<String>>();
            for (int i = 0; i < 5; i++) {
                mine.add(threads.submit(() -> read(secrets)));
            }
            await().atMost(PATIENCE).until(() -> count(running) == 1);

            var theirs =
                    secrets.read(
                            SecretAddress.of("t2", "u2", "key"),
                            System.nanoTime() + PATIENCE.toNanos());
            assertThat(theirs).isEqualTo("theirs");
            assertThat(count(running)).isEqualTo(1);

            Files.createFile(gate);
            for (var one : mine) {
                assertThat(one.get()).isEqualTo("mine");
            }
        }
    }

    private static long count(Path directory) throws Exception {
        try (var files = Files.list(directory)) {
            return files.count();
        }
    }

    @Test
    @DisplayName("are not waited for longer than the deadline of who asks")
    void noSlot() throws Exception {
        var gate = directory.resolve("gate");
        var began = directory.resolve("began");
        var secrets =
                secrets(
                        "touch %s; while [ ! -e %s ]; do sleep 0.05; done; echo mine"
                                .formatted(began, gate),
                        PATIENCE,
                        1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(() -> read(secrets));
            await().atMost(PATIENCE).until(() -> Files.exists(began));

            assertThatThrownBy(
                            () ->
                                    secrets.read(
                                            SecretAddress.of("t2", "u2", "key"),
                                            System.nanoTime() + 1_000_000))
                    .hasMessageContaining("try again later");

            Files.createFile(gate);
            assertThat(first.get()).isEqualTo("mine");
        }
    }
}
