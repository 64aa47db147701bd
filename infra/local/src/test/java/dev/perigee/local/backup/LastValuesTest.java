package dev.perigee.local.backup;

import static dev.perigee.local.backup.Examples.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OPS-15: the last line of each key")
final class LastValuesTest {
    @TempDir private Path folder;

    private List<String> take(LastValues values) throws IOException {
        var taken = new ArrayList<String>();
        values.take(
                (key, line) ->
                        taken.add(
                                new String(key, StandardCharsets.UTF_8)
                                        + "="
                                        + new String(line, StandardCharsets.UTF_8)));
        return taken;
    }

    @Test
    @DisplayName("is given in the order of the records, tombstones and what was replaced left out")
    void last() throws IOException {
        try (var values = new LastValues(folder.resolve("file"))) {
            values.put(bytes("a"), bytes("1"));
            values.put(bytes("b"), bytes("2"));
            values.put(bytes("gone"), bytes("3"));
            values.put(bytes("c"), bytes(""));
            values.put(bytes("a"), bytes("4"));
            values.put(bytes("gone"), null);
            values.put(bytes("never"), null);

            assertThat(take(values)).containsExactly("b=2", "c=", "a=4");
            assertThat(take(values)).isEmpty();
            values.put(bytes("gone"), bytes("5"));
            assertThat(take(values)).containsExactly("gone=5");
            try (var files = Files.list(folder)) {
                assertThat(Files.getPosixFilePermissions(files.findFirst().orElseThrow()))
                        .hasSize(2);
            }
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    @DisplayName("is not kept of more keys than memory is for")
    void bounded() throws IOException {
        try (var values = new LastValues(folder.resolve("file"), 2)) {
            values.put(bytes("a"), bytes("1"));
            values.put(bytes("b"), bytes("2"));
            values.put(bytes("a"), bytes("3"));
            assertThatThrownBy(() -> values.put(bytes("c"), bytes("4")))
                    .isInstanceOf(LastValues.TooManyException.class);
        }
    }

    @Test
    @DisplayName("is of instances that are installed, by their process ids")
    void installed() {
        var installed = new Installed();
        for (int i = 0; i < 5_000; i++) {
            installed.add("p-" + i);
        }
        assertThat(installed.count()).isEqualTo(5_000);
        assertThat(installed.has(bytes("p-0"))).isTrue();
        assertThat(installed.has(bytes("p-4999"))).isTrue();
        assertThat(installed.has(bytes("p-5000"))).isFalse();
        installed.add("p-5000");
        assertThat(installed.has(bytes("p-5000"))).isTrue();
    }
}
