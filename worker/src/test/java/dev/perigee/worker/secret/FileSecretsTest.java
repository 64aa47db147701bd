package dev.perigee.worker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OPS-13: secrets in files")
final class FileSecretsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir private Path top;

    private Path write(String file, String text) throws Exception {
        var path = top.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, text);
    }

    private String read(String team, String user, String name) throws Exception {
        return read(top, SecretAddress.of(team, user, name));
    }

    private static String read(Path directory, SecretAddress address) throws Exception {
        return new FileSecrets(directory).read(address, System.nanoTime() + PATIENCE.toNanos());
    }

    @Test
    @DisplayName("are the file of team, user and name, as it is at that moment")
    void reads() throws Exception {
        write("t1/u1/key", "first\n");
        write("t1/u2/key", "another's");

        assertThat(read("t1", "u1", "key")).isEqualTo("first");
        var next = write("t1/u1/.next", "second\n");
        Files.move(next, top.resolve("t1/u1/key"), StandardCopyOption.ATOMIC_MOVE);
        assertThat(read("t1", "u1", "key")).isEqualTo("second");
    }

    @Test
    @DisplayName("say which is missing, and not where it was looked for")
    void missing() throws Exception {
        write("t1/u1/key", "value");
        write("t2", "a file");
        assertThatThrownBy(() -> read("t2", "u1", "key"))
                .isInstanceOf(SecretException.class)
                .hasMessageNotContaining(top.toString());

        for (var user : new String[][] {{"t1", "u1"}, {"t1", "u2"}, {"t3", "u1"}}) {
            assertThatThrownBy(() -> read(user[0], user[1], "other"))
                    .isInstanceOf(SecretException.class)
                    .hasMessageContaining("'other'")
                    .hasMessageContaining("secrets.directory")
                    .hasMessageNotContaining(top.toString());
        }
        assertThatThrownBy(() -> read(top.resolve("none"), SecretAddress.of("t1", "u1", "key")))
                .isInstanceOf(SecretException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", ".hidden", "-flag", "a\\b"})
    @DisplayName("never belong to ids that lead elsewhere, or could be a flag")
    void strictIds(String id) throws Exception {
        write("key", "of the top");
        write("t1/key", "of the team");

        assertThatThrownBy(() -> read("t1", id, "key")).isInstanceOf(SecretException.class);
        assertThatThrownBy(() -> read(id, "t1", "key")).isInstanceOf(SecretException.class);
        assertThatThrownBy(() -> new SecretAddress("t1", "u1", id))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SecretAddress("t1", "u1", "../u2/key"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("are found where a volume of Kubernetes has links to its newest version")
    void volumes() throws Exception {
        write("..2026_1/t1/u1/key", "first");
        write("..2026_2/t1/u1/key", "second");
        Files.createSymbolicLink(top.resolve("..data"), Path.of("..2026_1"));
        Files.createSymbolicLink(top.resolve("t1"), Path.of("..data/t1"));
        assertThat(read("t1", "u1", "key")).isEqualTo("first");

        var next = Files.createSymbolicLink(top.resolve("..data_tmp"), Path.of("..2026_2"));
        Files.move(next, top.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        assertThat(read("t1", "u1", "key")).isEqualTo("second");

        write("t2/u1/..v1/key", "of a volume for one user");
        Files.createSymbolicLink(top.resolve("t2/u1/key"), Path.of("..v1/key"));
        assertThat(read("t2", "u1", "key")).isEqualTo("of a volume for one user");
    }

    @Test
    @DisplayName("are refused where a link leads to another user, or out of the directory")
    void linksThatLeadOutside(@TempDir Path elsewhere) throws Exception {
        Files.writeString(elsewhere.resolve("key"), "outside");
        Files.createDirectories(elsewhere.resolve("t1/u3"));
        Files.writeString(elsewhere.resolve("t1/u3/key"), "outside");
        write("t1/u2/key", "another's");
        Files.createDirectories(top.resolve("t1/u1"));
        Files.createSymbolicLink(top.resolve("t1/u1/theirs"), Path.of("../u2/key"));
        Files.createSymbolicLink(top.resolve("t1/u1/out"), elsewhere.resolve("key"));
        Files.createSymbolicLink(top.resolve("t1/u3"), elsewhere.resolve("t1/u3"));
        Files.createSymbolicLink(top.resolve("t1/u4"), Path.of("u2"));

        for (var name : new String[] {"theirs", "out"}) {
            assertThatThrownBy(() -> read("t1", "u1", name))
                    .hasMessageContaining("'" + name + "'")
                    .hasMessageContaining("leads out of its user's directory");
        }
        for (var user : new String[] {"u3", "u4"}) {
            assertThatThrownBy(() -> read("t1", user, "key"))
                    .hasMessageContaining("leads out of its user's directory");
        }
    }

    @Test
    @DisplayName("are files, and no directories or what else would be waited for")
    void onlyFiles() throws Exception {
        Files.createDirectories(top.resolve("t1/u1/key"));

        assertThatThrownBy(() -> read("t1", "u1", "key")).hasMessageContaining("no file");
        assertThat(Files.exists(Path.of("/dev/zero"))).isTrue();
        Files.createSymbolicLink(top.resolve("t1/u1/zero"), Path.of("/dev/zero"));
        assertThatThrownBy(() -> read("t1", "u1", "zero")).hasMessageContaining("leads out");
    }
}
