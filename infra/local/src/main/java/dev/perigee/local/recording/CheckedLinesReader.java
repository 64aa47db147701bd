package dev.perigee.local.recording;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Reader of what {@link CheckedLinesWriter} wrote, one line at a time. That a file is whole is
 * known at its end only. For one thread. Failures are those of the file's kind.
 */
public final class CheckedLinesReader implements AutoCloseable {
    private final Path file;
    private final FileKind kind;
    private final RecordingLines lines;
    private final MessageDigest digest = Sha256.begin();
    private final JsonNode header;
    private long records;
    private long bytes;
    private boolean opened;
    private boolean ended;
    private String sha256 = "";

    /** Opens a file and reads its first line. */
    public CheckedLinesReader(Path file, FileKind kind) {
        this.file = file;
        this.kind = kind;
        if (!Files.isRegularFile(file)) {
            throw kind.missing(file);
        }
        try {
            this.lines = unpacked(file);
        } catch (ZipException | EOFException e) {
            throw foreign();
        } catch (IOException e) {
            throw kind.ofStorage().apply(file + " cannot be read: " + e.getMessage());
        }
        boolean understood = false;
        try {
            this.header = first();
            understood = true;
        } finally {
            if (!understood) {
                close();
            }
        }
        this.opened = true;
    }

    private static RecordingLines unpacked(Path file) throws IOException {
        var input = Files.newInputStream(file);
        try {
            return new RecordingLines(new GZIPInputStream(input, 64 << 10));
        } catch (IOException e) {
            input.close();
            throw e;
        }
    }

    private JsonNode first() {
        var line = line();
        if (line == null || !line.path("format").asString("").equals(kind.format())) {
            throw foreign();
        }
        return line;
    }

    /** The first line. */
    public JsonNode header() {
        return header;
    }

    /** The next line, null at the end, which has been compared with what was read and counted. */
    public @Nullable JsonNode next() {
        if (ended) {
            return null;
        }
        var line = line();
        if (line == null) {
            throw kind.cut(file, records);
        }
        if (!line.path("end").isObject()) {
            return line;
        }
        end(line.path("end"));
        return null;
    }

    /** Counts the line that was read last as a record. */
    public void count() {
        records++;
    }

    /** Records counted so far. */
    public long records() {
        return records;
    }

    /** Bytes of lines read so far, unpacked. */
    public long bytes() {
        return bytes;
    }

    /** Checksum of all lines before the end, once that was read; empty before. */
    public String sha256() {
        return sha256;
    }

    private void end(JsonNode end) {
        ended = true;
        sha256 = HexFormat.of().formatHex(digest.digest());
        if (!sha256.equals(end.path("sha256").asString(""))
                || records != end.path("records").asLong(-1)) {
            throw damaged();
        }
        try {
            if (lines.next() != null) {
                throw damaged();
            }
        } catch (EOFException e) {
            throw kind.cut(file, records);
        } catch (IOException e) {
            throw damaged();
        }
    }

    private @Nullable JsonNode line() {
        try {
            var read = lines.next();
            if (read == null) {
                return null;
            }
            bytes += read.length;
            var line = RecordingJson.MAPPER.readTree(read);
            if (!line.path("end").isObject()) {
                digest.update(read);
                digest.update((byte) '\n');
            }
            return line;
        } catch (EOFException e) {
            throw kind.cut(file, records);
        } catch (IOException | JacksonException e) {
            throw opened ? damaged() : foreign();
        }
    }

    /** Failure of a file of another kind. */
    public RuntimeException foreign() {
        return kind.foreign(file);
    }

    /** Failure of a file that is not as it was written. */
    public RuntimeException damaged() {
        return kind.damaged(file, records);
    }

    @Override
    public void close() {
        try {
            lines.close();
        } catch (IOException e) {
            // Only read: nothing is lost.
        }
    }
}
