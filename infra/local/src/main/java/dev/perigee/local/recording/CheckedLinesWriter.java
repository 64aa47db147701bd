package dev.perigee.local.recording;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.JsonNode;

/**
 * Writer of compressed lines of JSON, of which the last has the number of records and the checksum
 * of all lines before. The file stands beside its name, which it gets when it is whole and on disk:
 * it never takes the place of another, and is its owner's only. For one thread. Failures are those
 * of the file's kind.
 */
public final class CheckedLinesWriter implements AutoCloseable {
    private final Path file;
    private final FileKind kind;
    private final OwnFile own;
    private final GZIPOutputStream zip;
    private final OutputStream out;
    private final MessageDigest digest = Sha256.begin();

    /** Begins a file whose name is free. */
    public CheckedLinesWriter(Path file, FileKind kind, JsonNode header) {
        this.file = file;
        this.kind = kind;
        // Said before the work; what comes up meanwhile is found when the file gets its name.
        kind.refuseTaken(file);
        try {
            this.own = new OwnFile(file);
        } catch (IOException e) {
            throw kind.unwritable(file, e);
        }
        try {
            this.zip = new GZIPOutputStream(own.out(), 64 << 10);
            this.out = new BufferedOutputStream(zip, 64 << 10);
        } catch (IOException e) {
            close();
            throw kind.unwritable(file, e);
        }
        write(header);
    }

    public void write(JsonNode line) {
        write(RecordingJson.MAPPER.writeValueAsBytes(line));
    }

    /** Writes a line, without its end. */
    public void write(byte[] line) {
        try {
            out.write(line);
            out.write('\n');
        } catch (IOException e) {
            throw kind.unwritable(file, e);
        }
        digest.update(line);
        digest.update((byte) '\n');
    }

    /** Writes the end and gives the file its name. */
    public void finish(long records) {
        var sum = HexFormat.of().formatHex(digest.digest());
        var line = RecordingJson.MAPPER.createObjectNode();
        line.putObject("end").put("records", records).put("sha256", sum);
        write(line);
        try {
            out.flush();
            zip.finish();
            own.publish();
        } catch (FileAlreadyExistsException e) {
            throw kind.taken(file);
        } catch (IOException e) {
            throw kind.unwritable(file, e);
        }
    }

    /** Bytes on disk until now. */
    public long bytes() {
        try {
            return own.bytes();
        } catch (IOException e) {
            throw kind.unwritable(file, e);
        }
    }

    /** Removes what is unfinished. */
    @Override
    public void close() {
        try {
            own.close();
        } catch (IOException e) {
            throw kind.unwritable(file, e);
        }
    }
}
