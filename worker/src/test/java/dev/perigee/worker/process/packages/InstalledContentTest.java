package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("TEN-02: what was installed is identified by its lock file")
final class InstalledContentTest {
    @TempDir Path made;

    private InstalledContent lock(String integrity) throws IOException {
        Files.writeString(
                made.resolve("package-lock.json"),
                """
                {"packages":{"":{},"node_modules/a":{"integrity":"%s"},
                 "node_modules/b":{"hasInstallScript":true}}}
                """
                        .formatted(integrity));
        return InstalledContent.of(made);
    }

    @Test
    void isAnotherByTheIntegrityOfAnyPackage() throws IOException {
        var one = lock("sha512-x");

        assertThat(one.digest()).startsWith("sha256:").hasSize(71);
        assertThat(one.scripted()).containsExactly("node_modules/b");
        assertThat(lock("sha512-x")).isEqualTo(one);
        assertThat(lock("sha512-y").digest()).isNotEqualTo(one.digest());
    }

    @Test
    void isUnknownWithoutALockFile(@TempDir Path elsewhere) throws IOException {
        assertThat(InstalledContent.of(made).digest()).isNull();
        var secret = Files.writeString(elsewhere.resolve("secret"), "{}");
        Files.createSymbolicLink(made.resolve("package-lock.json"), secret);
        assertThat(InstalledContent.of(made).digest()).isNull();
        Files.delete(made.resolve("package-lock.json"));
        Files.writeString(made.resolve("package-lock.json"), "not json");
        assertThat(InstalledContent.of(made).scripted()).isEmpty();
    }
}
