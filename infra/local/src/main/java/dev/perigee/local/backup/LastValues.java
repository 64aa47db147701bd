package dev.perigee.local.backup;

import dev.perigee.local.recording.Sha256;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Last line of each key of one partition. The lines are in a file, memory holds 100 bytes for each
 * key. What a killed program leaves is called {@code .NAME-DIGITS.part} and is its owner's only.
 * For one thread.
 */
final class LastValues implements AutoCloseable {
    /** Keys of one partition: 50 MB. */
    static final int MOST = 500_000;

    private final Path file;
    private final FileChannel channel;
    private final DataOutputStream out;
    private final MessageDigest digest = Sha256.begin();
    private final Map<Hash, Long> last = new HashMap<>();
    private final int most;
    private long size;

    /** Half of a key's SHA-256: no two keys share it, whoever chose them. */
    private record Hash(long high, long low) {}

    /** A taker of lines. */
    interface Lines {
        void line(byte[] key, byte[] line) throws IOException;
    }

    /** More keys than memory is for. */
    static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * @param beside a file in the folder that has room
     */
    LastValues(Path beside) throws IOException {
        this(beside, MOST);
    }

    LastValues(Path beside, int most) throws IOException {
        this.most = most;
        var folder = beside.toAbsolutePath().getParent();
        this.file =
                Files.createTempFile(
                        folder == null ? beside.toAbsolutePath() : folder,
                        "." + beside.getFileName() + "-",
                        ".part");
        try {
            this.channel =
                    FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
        this.out =
                new DataOutputStream(
                        new BufferedOutputStream(Channels.newOutputStream(channel), 64 << 10));
    }

    /**
     * Takes the next record of the partition.
     *
     * @param line null for a tombstone
     * @throws TooManyException when there are more than {@link #MOST} keys
     */
    void put(byte[] key, byte @Nullable [] line) throws IOException {
        var hash = hash(key);
        if (line == null) {
            last.remove(hash);
            return;
        }
        last.put(hash, size);
        if (last.size() > most) {
            throw new TooManyException();
        }
        size += write(key) + write(line);
    }

    private long write(byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
        return (long) Integer.BYTES + bytes.length;
    }

    private Hash hash(byte[] key) {
        var bytes = ByteBuffer.wrap(digest.digest(key));
        return new Hash(bytes.getLong(), bytes.getLong());
    }

    /** Gives the last line of each key, in the order of their records, and begins anew. */
    void take(Lines lines) throws IOException {
        out.flush();
        var places = last.values().stream().mapToLong(Long::longValue).sorted().toArray();
        channel.position(0);
        var in =
                new DataInputStream(
                        new BufferedInputStream(Channels.newInputStream(channel), 64 << 10));
        long at = 0;
        for (long place : places) {
            in.skipNBytes(place - at);
            var key = in.readNBytes(in.readInt());
            var line = in.readNBytes(in.readInt());
            lines.line(key, line);
            at = place + 2L * Integer.BYTES + key.length + line.length;
        }
        last.clear();
        size = 0;
        channel.truncate(0);
        channel.position(0);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(file);
    }
}
