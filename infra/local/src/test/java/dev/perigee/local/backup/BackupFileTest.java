package dev.perigee.local.backup;

import static dev.perigee.local.backup.Examples.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.local.backup.BackupLines.Section;
import dev.perigee.local.recording.Sha256;
import dev.perigee.protocol.topic.Topic;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OPS-15: a backup's file")
final class BackupFileTest {
    private static final int RECORDS = 300;
    private static final BackupHeader HEADER =
            new BackupHeader(
                    BackupHeader.VERSION,
                    "1.2.3",
                    "cluster",
                    "mcp.",
                    Instant.parse("2026-11-20T00:00:00Z"),
                    new TreeMap<>(Map.of(Topic.STATE, 2, Topic.STATUS, 1)));

    private Path file;

    @BeforeEach
    void write(@TempDir Path folder) {
        file = folder.resolve("fleet.backup");
        try (var writer = new BackupWriter(file, HEADER)) {
            for (var section :
                    List.of(
                            new Section(Topic.STATE, 0, 900),
                            new Section(Topic.STATE, 1, 0),
                            new Section(Topic.STATUS, 0, 5))) {
                writer.begin(section);
                for (int i = 0; i < (section.end() > 0 ? RECORDS : 0); i++) {
                    writer.record(BackupLines.record(record(section, i)));
                }
            }
            assertThat(file).doesNotExist();
            writer.finish();
        }
    }

    /** Values of any bytes, as encrypted ones are. */
    private static BackupRecord record(Section section, int number) {
        var value = new byte[number % 90];
        Arrays.fill(value, (byte) (number * 7919));
        return new BackupRecord(
                section.topic(),
                section.partition(),
                number,
                1_000L + number,
                bytes("instance/p-" + number),
                number % 3 == 0
                        ? List.of()
                        : List.of(
                                new BackupRecord.Header("a", bytes("x")),
                                new BackupRecord.Header("a", null)),
                value);
    }

    private List<BackupRecord> read() {
        var records = new ArrayList<BackupRecord>();
        var reader = BackupReader.verify(file, records::add);
        assertThat(reader.header()).isEqualTo(HEADER);
        return records;
    }

    @Test
    @DisplayName("is read byte by byte as it was written, and belongs to its owner only")
    void roundTrip() throws IOException {
        var read = read();

        assertThat(read).hasSize(2 * RECORDS);
        for (int i = 0; i < RECORDS; i++) {
            assertThat(read.get(i))
                    .usingRecursiveComparison()
                    .isEqualTo(record(new Section(Topic.STATE, 0, 900), i));
            assertThat(read.get(RECORDS + i))
                    .usingRecursiveComparison()
                    .isEqualTo(record(new Section(Topic.STATUS, 0, 5), i));
        }
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        assertThat(file.getParent()).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    @DisplayName("takes no other file's name, and has none until it is whole")
    void whole() {
        assertThatThrownBy(() -> new BackupWriter(file, HEADER).close())
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("exists: remove it");
        var other = file.resolveSibling("other");
        try (var writer = new BackupWriter(other, HEADER)) {
            writer.begin(new Section(Topic.STATE, 0, 1));
        }
        assertThat(file.getParent()).isDirectoryNotContaining("glob:**other*");
    }

    @Test
    @DisplayName("is refused when it is cut off, wherever that is")
    void cut() throws IOException {
        var bytes = Files.readAllBytes(file);
        for (int length : new int[] {bytes.length - 1, bytes.length - 9, bytes.length / 2}) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThatThrownBy(this::read)
                    .isInstanceOf(BackupException.class)
                    .hasMessageMatching("(?s).*cut off behind record \\d+: copy it again.*");
        }
        for (int length : new int[] {0, 5}) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThatThrownBy(this::read).hasMessageContaining("is no backup");
        }
    }

    @Test
    @DisplayName("is refused when a byte is another, or lines were changed and packed again")
    void damaged() throws IOException {
        var bytes = Files.readAllBytes(file);
        for (int at = bytes.length / 2; at < bytes.length; at += bytes.length / 7) {
            var changed = bytes.clone();
            changed[at] ^= 0x10;
            Files.write(file, changed);
            assertThatThrownBy(this::read)
                    .as("byte " + at)
                    .isInstanceOf(BackupException.class)
                    .hasMessageMatching("(?s).*(damaged|cut off).*again.*");
        }
        var text = unzipped(bytes);
        Files.write(file, zipped(text.replace("\"offset\":42,", "\"offset\":43,")));
        assertThatThrownBy(this::read).hasMessageContaining("is damaged");
        Files.write(file, zipped(text + "{}\n"));
        assertThatThrownBy(this::read).hasMessageContaining("is damaged");
    }

    @Test
    @DisplayName("is refused when it lacks a partition, has one twice, or one that is not there")
    void partitions() throws IOException {
        var state0 = "{\"topic\":\"state\",\"partition\":0,\"end\":1}\n";
        var state1 = "{\"topic\":\"state\",\"partition\":1,\"end\":1}\n";
        var status = "{\"topic\":\"status\",\"partition\":0,\"end\":1}\n";
        var header = BackupLines.header(HEADER) + "\n";
        summed(header + state0 + state1 + status);
        assertThat(read()).isEmpty();
        for (var sections :
                List.of(
                        state0 + status,
                        state0 + state0 + state1 + status,
                        state0 + state1 + status + status.replace("0,", "1,"),
                        state0 + state1 + status + status.replace("status", "tools"),
                        state0 + state1 + status + status.replace("status", "moods"),
                        "{\"key\":\"\"}\n" + state0 + state1 + status,
                        state0 + "{\"key\":\"YQ==\",\"offset\":1,\"at\":1}\n" + state1 + status)) {
            summed(header + sections);
            assertThatThrownBy(this::read).as(sections).hasMessageContaining("is damaged");
        }
    }

    @Test
    @DisplayName("is refused when it is of a newer version, or another kind of file")
    void foreign() throws IOException {
        summed("{\"format\":\"perigee-backup\",\"version\":2,\"perigee\":\"9.1\",\"moods\":{}}\n");
        assertThatThrownBy(this::read)
                .hasMessageContaining("version 2 of the format, by Perigee 9.1; this one knows 1");
        for (var content :
                new byte[][] {
                    bytes("{\"id\":1}\n"),
                    zipped("{\"id\":1}\n"),
                    zipped("no json\n"),
                    zipped("{\"format\":\"perigee-recording\",\"version\":1}\n"),
                    zipped("")
                }) {
            Files.write(file, content);
            assertThatThrownBy(this::read)
                    .isInstanceOf(BackupException.class)
                    .hasMessageContaining("name a file that 'perigee backup' wrote");
        }
        file = Path.of("/nowhere");
        assertThatThrownBy(this::read).hasMessageContaining("is not there");
    }

    private void summed(String lines) throws IOException {
        var sum = HexFormat.of().formatHex(Sha256.begin().digest(bytes(lines)));
        var end = "{\"end\":{\"records\":0,\"sha256\":\"%s\"}}\n".formatted(sum);
        Files.write(file, zipped(lines + end));
    }

    private static byte[] zipped(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(bytes)) {
            zip.write(bytes(text));
        }
        return bytes.toByteArray();
    }

    private static String unzipped(byte[] bytes) throws IOException {
        try (var zip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return new String(zip.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
