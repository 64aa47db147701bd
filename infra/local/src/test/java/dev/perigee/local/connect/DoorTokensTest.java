package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import dev.perigee.local.connect.DoorTokens.Holder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("CAL-20: tokens of a door")
final class DoorTokensTest {
    private final List<String> notes = new ArrayList<>();
    private final AtomicLong time = new AtomicLong();
    private Path file;

    @BeforeEach
    void begin(@TempDir Path folder) {
        file = folder.resolve("tokens");
    }

    private static String line(String token, String user) throws Exception {
        var digest = MessageDigest.getInstance("SHA-256");
        return HexFormat.of().formatHex(digest.digest(token.getBytes(StandardCharsets.UTF_8)))
                + " t1 "
                + user
                + "\n";
    }

    private DoorTokens tokens(String text) throws IOException {
        Files.writeString(file, text);
        return DoorTokens.of(file, notes::add, time::get);
    }

    private void later() {
        time.addAndGet(Duration.ofSeconds(2).toNanos());
    }

    @Test
    @DisplayName("name their users, by their digests")
    void name() throws Exception {
        var tokens = tokens("# people\n" + line("one", "u1") + "\n" + line("two", "u2"));

        assertThat(tokens.holder("Bearer one")).isEqualTo(new Holder("t1", "u1"));
        assertThat(tokens.holder("bearer  two ")).isEqualTo(new Holder("t1", "u2"));
        assertThat(tokens.holder("Bearer three")).isNull();
        assertThat(tokens.holder("Basic one")).isNull();
        assertThat(tokens.holder("Bearer ")).isNull();
        assertThat(tokens.holder(null)).isNull();
        assertThat(notes).isEmpty();
    }

    @Test
    @DisplayName("leave out lines that are none, and tokens of two users")
    void leavesOut() throws Exception {
        var tokens =
                tokens(
                        "one t1 u1\n"
                                + line("two", "u2")
                                + line("two", "u3")
                                + line("four", "u4").replace(" u4", ""));

        assertThat(tokens.holder("Bearer two")).isEqualTo(new Holder("t1", "u2"));
        assertThat(notes).hasSize(3).noneMatch(note -> note.contains("one t1"));
    }

    @Test
    @DisplayName("leave out a last line that is not written to its end")
    void half() throws Exception {
        var tokens = tokens(line("one", "u1") + line("two", "u12").replace("2\n", ""));

        assertThat(tokens.holder("Bearer one")).isNotNull();
        assertThat(tokens.holder("Bearer two")).isNull();
        assertThat(notes).singleElement().asString().contains("Line 2");
    }

    @Test
    @DisplayName("are not believed of another user than the door's own and root")
    void owner() throws Exception {
        Files.writeString(file, line("one", "u1"));
        assumeThatCode(() -> Files.setAttribute(file, "unix:uid", 12_345))
                .as("only root gives files away, and to ids that there are")
                .doesNotThrowAnyException();

        assertThatThrownBy(() -> DoorTokens.of(file, notes::add, time::get))
                .hasMessageContaining("neither this user's nor root's");
    }

    @Test
    @DisplayName("are read again when the file has changed")
    void readAgain() throws Exception {
        var tokens = tokens(line("one", "u1"));

        Files.writeString(file, line("two", "u2") + "\n# changed\n");
        assertThat(tokens.holder("Bearer one")).isNotNull();
        later();

        assertThat(tokens.holder("Bearer one")).isNull();
        assertThat(tokens.holder("Bearer two")).isEqualTo(new Holder("t1", "u2"));
    }

    @Test
    @DisplayName("let nobody in while the file cannot be trusted")
    void trust() throws Exception {
        var tokens = tokens(line("one", "u1"));
        Files.delete(file);
        later();
        assertThat(tokens.holder("Bearer one")).isNull();

        Files.writeString(file, line("one", "u1"));
        later();
        assertThat(tokens.holder("Bearer one")).isNotNull();

        Files.writeString(file, line("one", "u1") + "# changed\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
        later();
        assertThat(tokens.holder("Bearer one")).isNull();
        assertThatThrownBy(() -> DoorTokens.of(file, notes::add, time::get))
                .hasMessageContaining("chmod");
    }
}
