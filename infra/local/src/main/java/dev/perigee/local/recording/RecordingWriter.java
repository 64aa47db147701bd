package dev.perigee.local.recording;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes a recording beside its name and moves it there when it is whole: what has the name is
 * complete. The file is its owner's only. For one thread.
 */
public final class RecordingWriter implements AutoCloseable {
    private final Path file;
    private final OwnFile own;
    private final GZIPOutputStream zip;
    private final OutputStream out;
    private final MessageDigest digest = Sha256.begin();
    private long records;

    /**
     * Begins a file.
     *
     * @throws RecordingException when there is one of this name, or none can be written
     */
    public RecordingWriter(Path file, RecordingHeader header) {
        this.file = file;
        // Said before the work; what comes up meanwhile is found when the file gets its name.
        if (Files.exists(file)) {
            throw taken();
        }
        try {
            this.own = new OwnFile(file);
        } catch (IOException e) {
            throw unwritable(e);
        }
        try {
            this.zip = new GZIPOutputStream(own.out(), 64 << 10);
            this.out = new BufferedOutputStream(zip, 64 << 10);
        } catch (IOException e) {
            close();
            throw unwritable(e);
        }
        var line = RecordingJson.MAPPER.createObjectNode();
        line.put("format", RecordingHeader.FORMAT).put("version", header.version());
        line.put("perigee", header.perigee()).put("source", header.source());
        line.put("partitions", header.partitions());
        if (header.since() != null) {
            line.put("since", header.since().toString());
        }
        line.put("until", header.until().toString());
        line.put("recorded_at", header.recordedAt().toString());
        write(line);
    }

    /** Appends one record. */
    public void write(RecordedRecord record) {
        var line = RecordingJson.MAPPER.createObjectNode();
        line.put("topic", record.topic().suffix()).put("partition", record.partition());
        line.put("offset", record.offset()).put("at", record.at());
        if (record.key() != null) {
            line.put("key", record.key());
        }
        if (!record.headers().isEmpty()) {
            var headers = line.putObject("headers");
            record.headers().forEach(headers::put);
        }
        line.set("value", record.value());
        records++;
        write(line);
    }

    /** Writes the end and gives the file its name. */
    public void finish() {
        var sum = HexFormat.of().formatHex(digest.digest());
        var line = RecordingJson.MAPPER.createObjectNode();
        line.putObject("end").put("records", records).put("sha256", sum);
        write(line);
        try {
            out.flush();
            zip.finish();
            own.publish();
        } catch (FileAlreadyExistsException e) {
            throw taken();
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** Bytes on disk until now. */
    public long bytes() {
        try {
            return own.bytes();
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private void write(ObjectNode line) {
        var bytes = RecordingJson.MAPPER.writeValueAsBytes(line);
        try {
            out.write(bytes);
            out.write('\n');
        } catch (IOException e) {
            throw unwritable(e);
        }
        digest.update(bytes);
        digest.update((byte) '\n');
    }

    private RecordingException taken() {
        return new RecordingException(file + " exists: remove it, or name another file");
    }

    private RecordingException unwritable(IOException failure) {
        var message =
                file
                        + " cannot be written: "
                        + failure.getMessage()
                        + ". Name a file in a folder that is there and has room";
        return failure instanceof FileSystemException
                ? new RecordingException(message)
                : RecordingException.ofStorage(message);
    }

    /** Removes what is unfinished. */
    @Override
    public void close() {
        try {
            own.close();
        } catch (IOException e) {
            throw unwritable(e);
        }
    }
}
