package dev.perigee.local.recording;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that is readable by its owner only, and has its name when it is whole and on disk. Until
 * then it stands beside it under a name of its own, so that two programs never write one file; what
 * a killed program leaves is called {@code .NAME-DIGITS.part}. For one thread.
 */
public final class OwnFile implements AutoCloseable {
    private final Path file;
    private final Path part;
    private final FileChannel channel;

    /**
     * Begins a file.
     *
     * @throws IOException when none can be written there
     */
    public OwnFile(Path file) throws IOException {
        this.file = file;
        // Temporary files are their owner's only, where the file system has owners.
        this.part = Files.createTempFile(folder(file), "." + file.getFileName() + "-", ".part");
        try {
            this.channel = FileChannel.open(part, StandardOpenOption.WRITE);
        } catch (IOException e) {
            Files.deleteIfExists(part);
            throw e;
        }
    }

    /** Writes a text under a name, in place of what had it. */
    public static void replace(Path file, String text) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // Such as /dev/stdout.
            Files.writeString(file, text);
            return;
        }
        try (var own = new OwnFile(file)) {
            own.out().write(text.getBytes(StandardCharsets.UTF_8));
            own.sync();
            Files.move(own.part, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Where to write; not buffered. */
    public OutputStream out() {
        return Channels.newOutputStream(channel);
    }

    /**
     * Gives the file its name.
     *
     * @throws java.nio.file.FileAlreadyExistsException when there is one of this name
     */
    public void publish() throws IOException {
        publish(Files::createLink);
    }

    void publish(Link link) throws IOException {
        sync();
        try {
            // Unlike a move, a link never takes another file's name.
            link.of(file, part);
            Files.delete(part);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (FileSystemException | UnsupportedOperationException e) {
            Files.move(part, file); // There are file systems without links.
        }
    }

    /** Gives a file one more name. */
    interface Link {
        void of(Path name, Path file) throws IOException;
    }

    private void sync() throws IOException {
        channel.force(true);
        channel.close();
    }

    /** Bytes on disk until now. */
    public long bytes() throws IOException {
        return Files.size(channel.isOpen() ? part : file);
    }

    private static Path folder(Path file) {
        var folder = file.toAbsolutePath().getParent();
        return folder == null ? file.toAbsolutePath() : folder;
    }

    /** Removes what has no name yet. */
    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(part);
    }
}
