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

    private CommandSecrets secrets(String script) throws Exception {
        var program = directory.resolve("provider");
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        var options = new SecretOptions(directory, program, PATIENCE, 4, Duration.ofSeconds(10));
        return new CommandSecrets(program, options, launcher, new Termination());
    }

    private static String read(CommandSecrets secrets) throws Exception {
        return secrets.read(
                SecretAddress.of("t1", "u1", "key"), System.nanoTime() + PATIENCE.toNanos());
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
        assertThatThrownBy(() -> read(secrets("exec yes"))).hasMessageContaining("64 KiB");
    }

    @Test
    @DisplayName("are given up in time, and the program is killed with all that it started")
    void killed() throws Exception {
        var pids = directory.resolve("pids");
        var secrets =
                secrets(
                        "trap '' TERM; sleep 600 & echo $! $$ > %s.tmp; mv %s.tmp %s; wait; sleep 600"
                                .formatted(pids, pids, pids));
        var address = SecretAddress.of("t1", "u1", "key");
        var deadline = System.nanoTime() + Duration.ofSeconds(6).toNanos();

        assertThatThrownBy(() -> secrets.read(address, deadline))
                .hasMessageContaining("within secrets.command-timeout");

        for (var pid : Files.readString(pids).strip().split(" ")) {
            await().atMost(PATIENCE)
                    .until(
                            () ->
                                    ProcessHandle.of(Long.parseLong(pid))
                                            .filter(ProcessHandle::isAlive)
                                            .isEmpty());
        }
    }
}
