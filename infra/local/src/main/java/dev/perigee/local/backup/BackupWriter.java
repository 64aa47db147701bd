package dev.perigee.local.backup;

import dev.perigee.local.recording.OwnFile;
import dev.perigee.local.recording.Sha256;
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

/**
 * Writer of a backup beside its name, which the file gets when it is whole and on disk: it never
 * takes the place of another, and is its owner's only. For one thread.
 */
final class BackupWriter implements AutoCloseable {
    private final Path file;
    private final OwnFile own;
    private final GZIPOutputStream zip;
    private final OutputStream out;
    private final MessageDigest digest = Sha256.begin();
    private long records;

    /**
     * Begins a file.
     *
     * @throws BackupException when there is one of this name, or none can be written
     */
    BackupWriter(Path file, BackupHeader header) {
        this.file = file;
        // Said before the work; what comes up meanwhile is found when the file gets its name.
        refuseTaken(file);
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
        line(BackupLines.header(header));
    }

    /**
     * Refuses a name that is taken.
     *
     * @throws BackupException when there is a file of this name
     */
    static void refuseTaken(Path file) {
        if (Files.exists(file)) {
            throw taken(file);
        }
    }

    /** Begins a partition; its records follow. */
    void begin(BackupLines.Section section) {
        line(BackupLines.section(section));
    }

    /** Appends a record, as {@link BackupLines#record(BackupRecord)} has made a line of it. */
    void record(byte[] line) {
        records++;
        line(line);
    }

    /** Writes the end and gives the file its name. */
    void finish() {
        var sum = HexFormat.of().formatHex(digest.digest());
        line(BackupLines.end(records, sum));
        try {
            out.flush();
            zip.finish();
            own.publish();
        } catch (FileAlreadyExistsException e) {
            throw taken(file);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** Bytes on disk until now. */
    long bytes() {
        try {
            return own.bytes();
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private void line(byte[] bytes) {
        try {
            out.write(bytes);
            out.write('\n');
        } catch (IOException e) {
            throw unwritable(e);
        }
        digest.update(bytes);
        digest.update((byte) '\n');
    }

    private static BackupException taken(Path file) {
        return BackupException.usage(file + " exists: remove it, or name another file");
    }

    private BackupException unwritable(IOException failure) {
        return unwritable(file, failure);
    }

    /** A wrong name is the user's, a disk that is full is not. */
    static BackupException unwritable(Path file, IOException failure) {
        var message =
                file
                        + " cannot be written: "
                        + failure.getMessage()
                        + ". Name a file in a folder that is there and has room";
        return failure instanceof FileSystemException
                ? BackupException.usage(message)
                : BackupException.unavailable(message);
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
