package dev.perigee.local.recording;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes a recording beside its name and moves it there when it is whole: what has the name is
 * complete. The file is its owner's only. For one thread.
 */
public final class RecordingWriter implements AutoCloseable {
    private final Path file;
    private final Path part;
    private final OutputStream out;
    private final MessageDigest digest = sha256();
    private long records;
    private boolean finished;

    /**
     * Begins a file.
     *
     * @throws RecordingException when there is one of this name, or none can be written
     */
    public RecordingWriter(Path file, RecordingHeader header) {
        this.file = file;
        this.part = file.resolveSibling(file.getFileName() + ".part");
        if (Files.exists(file)) {
            throw new RecordingException(file + " exists: remove it, or name another file");
        }
        try {
            Files.deleteIfExists(part);
            Files.createFile(part, ownerOnly());
            this.out =
                    new BufferedOutputStream(
                            new GZIPOutputStream(
                                    Files.newOutputStream(part, StandardOpenOption.WRITE),
                                    64 << 10),
                            64 << 10);
        } catch (IOException e) {
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

    private static FileAttribute<?>[] ownerOnly() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            EnumSet.copyOf(PosixFilePermissions.fromString("rw-------")))
                }
                : new FileAttribute<?>[0];
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
            out.close();
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            finished = true;
        } catch (FileAlreadyExistsException e) {
            throw new RecordingException(file + " exists: remove it, or name another file");
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** Bytes on disk until now. */
    public long bytes() {
        try {
            return Files.size(finished ? file : part);
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

    private RecordingException unwritable(IOException failure) {
        return new RecordingException(
                file
                        + " cannot be written: "
                        + failure.getMessage()
                        + ". Name a file in a folder that is there and has room");
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Removes what is unfinished. */
    @Override
    public void close() {
        if (!finished) {
            try {
                out.close();
                Files.deleteIfExists(part);
            } catch (IOException e) {
                throw unwritable(e);
            }
        }
    }
}
