package dev.perigee.local.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.topic.Topic;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A recording's file")
final class RecordingFileTest {
    private static final int RECORDS = 500;
    private static final RecordingHeader HEADER =
            new RecordingHeader(
                    RecordingHeader.VERSION,
                    "1.2.3",
                    "cluster/mcp.",
                    4,
                    Instant.parse("2026-11-20T00:00:00Z"),
                    Instant.parse("2026-11-21T00:00:00Z"),
                    Instant.parse("2026-11-21T00:00:01Z"));

    private Path file;

    @BeforeEach
    void write(@TempDir Path folder) {
        file = folder.resolve("day.recording");
        try (var writer = new RecordingWriter(file, HEADER)) {
            for (int i = 0; i < RECORDS; i++) {
                writer.write(record(i));
            }
            assertThat(file).doesNotExist();
            writer.finish();
        }
    }

    private static RecordedRecord record(int number) {
        var value = RecordingJson.MAPPER.createObjectNode();
        value.put("id", "c-" + number).put("salt", Integer.toString(number * 7919, 36));
        return new RecordedRecord(
                number % 2 == 0 ? Topic.COMMANDS : Topic.STATUS,
                number % 4,
                number,
                1_000L + number,
                "t/u",
                Map.of("h", "v"),
                number % 10 == 1 ? null : value);
    }

    @Test
    @DisplayName("is read as it was written, and belongs to its owner only")
    void roundTrip() throws IOException {
        try (var reader = new RecordingReader(file)) {
            assertThat(reader.header()).isEqualTo(HEADER);
            for (int i = 0; i < RECORDS; i++) {
                assertThat(reader.next()).isEqualTo(record(i));
            }
            assertThat(reader.next()).isNull();
            assertThat(reader.next()).isNull();
            assertThat(reader.unknown()).isEmpty();
        }
        assertThat(file.getParent()).isDirectoryNotContaining("glob:**.part");
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
    }

    @Test
    @DisplayName("is not written over, and not there until it is whole")
    void whole() {
        assertThatThrownBy(() -> new RecordingWriter(file, HEADER).close())
                .isInstanceOf(RecordingException.class)
                .hasMessageContaining("exists: remove it");
        var other = file.resolveSibling("other");
        try (var writer = new RecordingWriter(other, HEADER)) {
            writer.write(record(0));
        }
        assertThat(file.getParent()).isDirectoryNotContaining("glob:**other*");
    }

    @Test
    @DisplayName("is the first's of two that are written under one name, and whole")
    void two() throws IOException {
        var other = file.resolveSibling("other");
        var own = Files.writeString(file.resolveSibling("other.part"), "of somebody");
        try (var first = new RecordingWriter(other, HEADER);
                var second = new RecordingWriter(other, HEADER)) {
            second.write(record(0));
            first.write(record(1));
            first.finish();

            assertThatThrownBy(second::finish)
                    .isInstanceOf(RecordingException.class)
                    .hasMessageContaining("exists: remove it");
        }
        try (var reader = new RecordingReader(other)) {
            assertThat(reader.next()).isEqualTo(record(1));
            assertThat(reader.next()).isNull();
        }
        assertThat(own).hasContent("of somebody");
        assertThat(file.getParent()).isDirectoryNotContaining("glob:**/.other*");
    }

    @Test
    @DisplayName("stands beside reports that belong to their owner only and replace older ones")
    void report() throws IOException {
        var report = Files.writeString(file.resolveSibling("report.html"), "older");

        OwnFile.replace(report, "newer");

        assertThat(report).hasContent("newer");
        assertThat(Files.getPosixFilePermissions(report)).hasSize(2);
        assertThat(file.getParent()).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    @DisplayName("is refused with what to do when it is cut off, wherever that is")
    void cut() throws IOException {
        var bytes = Files.readAllBytes(file);
        for (int length : new int[] {bytes.length - 1, bytes.length - 9, bytes.length / 2}) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> RecordingReader.verify(file))
                    .isInstanceOf(RecordingException.class)
                    .hasMessageMatching("(?s).*cut off behind record \\d+: copy it again.*");
        }
        for (int length : new int[] {0, 5}) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> RecordingReader.verify(file))
                    .hasMessageContaining("is no recording");
        }
    }

    @Test
    @DisplayName(
            "is refused when any byte of it is another, or a line was changed and packed again")
    void damaged() throws IOException {
        var bytes = Files.readAllBytes(file);
        for (int at = bytes.length / 2; at < bytes.length; at += bytes.length / 7) {
            var changed = bytes.clone();
            changed[at] ^= 0x10;
            Files.write(file, changed);
            assertThatThrownBy(() -> RecordingReader.verify(file))
                    .as("byte " + at)
                    .isInstanceOf(RecordingException.class)
                    .hasMessageMatching("(?s).*(damaged|cut off).*again.*");
        }
        Files.write(file, zipped(unzipped(bytes).replace("\"c-42\"", "\"c-43\"")));
        assertThatThrownBy(() -> RecordingReader.verify(file)).hasMessageContaining("is damaged");
    }

    @Test
    @DisplayName("is refused when it is another kind of file")
    void foreign() throws IOException {
        for (var content :
                new byte[][] {
                    "{\"id\":1}\n".getBytes(StandardCharsets.UTF_8),
                    zipped("{\"id\":1}\n"),
                    zipped("no json\n"),
                    zipped("")
                }) {
            Files.write(file, content);
            assertThatThrownBy(() -> RecordingReader.verify(file))
                    .isInstanceOf(RecordingException.class)
                    .hasMessageContaining("name a file that 'perigee recording make' wrote");
        }
        assertThatThrownBy(() -> new RecordingReader(Path.of("/nowhere")).close())
                .hasMessageContaining("is not there");
    }

    @Test
    @DisplayName("RPL-08: of another version is read as far as it is known, and the rest counted")
    void otherVersion() throws IOException {
        var lines =
                """
                {"format":"perigee-recording","version":7,"source":"c/mcp.","new":1,"until":"2026-11-21T00:00:00Z"}
                {"topic":"commands","partition":1,"offset":2,"at":3,"new":{},"value":{"id":"a"}}
                {"topic":"moods","partition":1,"offset":2,"at":3,"value":{"id":"a"}}
                {"topic":"moods","partition":1,"offset":3,"at":3,"value":{"id":"a"}}
                {"picture":"of something"}
                {"topic":"commands","when":3,"value":{"id":"b"}}
                """;
        var sum = HexFormat.of().formatHex(sha256().digest(lines.getBytes(StandardCharsets.UTF_8)));
        var end = "{\"end\":{\"records\":5,\"sha256\":\"" + sum + "\"}}\n";
        Files.write(file, zipped(lines + end));

        var reader = RecordingReader.verify(file);

        assertThat(reader.header().version()).isEqualTo(7);
        assertThat(reader.records()).isEqualTo(1);
        assertThat(reader.unknown())
                .containsOnly(
                        Map.entry("topic moods", 2L),
                        Map.entry("line of an unknown kind", 1L),
                        Map.entry("record of commands in an unknown form", 1L));
    }

    private static MessageDigest sha256() {
        return Sha256.begin();
    }

    private static byte[] zipped(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(bytes)) {
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private static String unzipped(byte[] bytes) throws IOException {
        try (var zip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return new String(zip.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
