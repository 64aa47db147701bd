package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Lines of a client")
final class LineReaderTest {
    private static final int MOST = 100_000;

    private static List<String> lines(String text) throws IOException {
        var in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        var reader = new LineReader(in, MOST);
        var lines = new ArrayList<String>();
        for (var line = reader.next(); line != null; line = reader.next()) {
            var bytes = line.bytes();
            lines.add(bytes == null ? "too long" : new String(bytes, StandardCharsets.UTF_8));
        }
        return lines;
    }

    @Test
    @DisplayName("come one by one, the last with or without its end")
    void come() throws IOException {
        assertThat(lines("")).isEmpty();
        assertThat(lines("a\n\nb\r\n")).containsExactly("a", "", "b\r");
        assertThat(lines("a\nb")).containsExactly("a", "b");
        assertThat(new LineReader.Line(" \t\r".getBytes(StandardCharsets.UTF_8)).isBlank())
                .isTrue();
    }

    @Test
    @DisplayName("are as long as they may be, across blocks, and no longer")
    void areBounded() throws IOException {
        var most = "x".repeat(MOST);

        assertThat(lines(most + "\n" + most + "x\n" + most + most + "\nafter"))
                .containsExactly(most, "too long", "too long", "after");
        assertThat(lines(most + most)).containsExactly("too long");
    }
}
