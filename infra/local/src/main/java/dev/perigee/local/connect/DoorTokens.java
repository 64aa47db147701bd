package dev.perigee.local.connect;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Users by the tokens that clients of a door present, from a file of digests: on each line the
 * SHA-256 of a token in hexadecimal, a team and a user; of a last line without its end nothing is
 * believed. The file is read again when it has changed, at most once a second; while it cannot be
 * read, or others may write it, nobody is let in. All digests are compared, each in constant time.
 * Safe for use by any thread.
 */
final class DoorTokens {
    /** Largest file. */
    static final int MOST_BYTES = 1 << 20;

    private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();
    private static final String SCHEME = "Bearer ";
    private static final int MOST_CHARACTERS = 4_096;
    private static final int FIELDS = 3;
    private static final Integer ROOT = 0;

    /** Of the user that this process is, where there is such a thing. */
    private static final Path SELF = Path.of("/proc/self");

    private static final Pattern DIGEST = Pattern.compile("[0-9a-fA-F]{64}");
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final Set<PosixFilePermission> OTHERS =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private final Path file;
    private final Consumer<String> note;
    private final LongSupplier nanoTime;
    private @Nullable Object version;
    private List<Entry> entries = List.of();
    private long lookedAt;

    /** A user, as whom the holder of a token acts. */
    record Holder(String teamId, String userId) {}

    @SuppressWarnings("ArrayRecordComponent") // Compared by MessageDigest only.
    private record Entry(byte[] digest, Holder holder) {
        @Override
        public String toString() {
            return "Entry[" + holder + "]";
        }
    }

    private record Version(Object time, long size, @Nullable Object key) {}

    private DoorTokens(Path file, Consumer<String> note, LongSupplier nanoTime) {
        this.file = file;
        this.note = note;
        this.nanoTime = nanoTime;
    }

    /**
     * Tokens of a file.
     *
     * @param note takes what only a person can act on, and no secrets
     * @param nanoTime as {@link System#nanoTime}
     * @throws IOException when it cannot be read, or others may write it
     */
    static DoorTokens of(Path file, Consumer<String> note, LongSupplier nanoTime)
            throws IOException {
        var tokens = new DoorTokens(file, note, nanoTime);
        tokens.look();
        return tokens;
    }

    /** The holder by the value of {@code Authorization}; null where there is none. */
    @Nullable Holder holder(@Nullable String authorization) {
        if (authorization == null
                || authorization.length() > MOST_CHARACTERS
                || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        var digest = digest(authorization.substring(SCHEME.length()).strip());
        Holder found = null;
        for (var entry : current()) {
            if (MessageDigest.isEqual(entry.digest(), digest)) {
                found = entry.holder();
            }
        }
        return found;
    }

    private synchronized List<Entry> current() {
        if (nanoTime.getAsLong() - lookedAt >= LOOK_NANOS) {
            try {
                look();
            } catch (IOException e) {
                if (version != null) {
                    note.accept("Nobody is let in: " + e.getMessage());
                }
                version = null;
                entries = List.of();
            }
        }
        return entries;
    }

    private synchronized void look() throws IOException {
        lookedAt = nanoTime.getAsLong();
        var now = version();
        if (now.equals(version)) {
            return;
        }
        requireOwnersOnly();
        if (now.size() > MOST_BYTES) {
            throw new IOException(file + " has more than " + MOST_BYTES + " bytes");
        }
        entries = entries(Files.readString(file, StandardCharsets.UTF_8));
        version = now;
    }

    private Version version() throws IOException {
        try {
            var attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new Version(
                    attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
        } catch (IOException e) {
            throw new IOException(file + " cannot be read", e);
        }
    }

    private void requireOwnersOnly() throws IOException {
        var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null
                && view.readAttributes().permissions().stream().anyMatch(OTHERS::contains)) {
            throw new IOException(file + " can be written by others: chmod go-w " + file);
        }
        if (view != null && Files.isReadable(SELF)) {
            var owner = Files.getAttribute(file, "unix:uid");
            if (!owner.equals(ROOT) && !owner.equals(Files.getAttribute(SELF, "unix:uid"))) {
                throw new IOException(file + " is neither this user's nor root's");
            }
        }
    }

    private List<Entry> entries(String text) {
        var all = new ArrayList<Entry>();
        int number = 0;
        var lines = text.lines().toList();
        for (var line : lines) {
            number++;
            if (number == lines.size() && !text.endsWith("\n")) {
                note.accept(line(number) + " is not written to its end: it is left out");
                continue;
            }
            var entry = line.isBlank() || line.startsWith("#") ? null : entry(line, number);
            if (entry == null) {
                continue;
            }
            boolean isKnown = false;
            for (var each : all) {
                isKnown |= MessageDigest.isEqual(each.digest(), entry.digest());
            }
            if (isKnown) {
                note.accept(line(number) + " has the token of another line: it is left out");
            } else {
                all.add(entry);
            }
        }
        return List.copyOf(all);
    }

    private String line(int number) {
        return "Line " + number + " of " + file;
    }

    private @Nullable Entry entry(String line, int number) {
        var fields = SPACE.split(line.strip());
        if (fields.length == FIELDS && DIGEST.matcher(fields[0]).matches()) {
            try {
                Require.id(fields[1], "team");
                Require.id(fields[2], "user");
                return new Entry(
                        HexFormat.of().parseHex(fields[0]), new Holder(fields[1], fields[2]));
            } catch (InvalidRecordException e) {
                // Said below.
            }
        }
        note.accept(line(number) + " is not SHA-256, team and user: it is left out");
        return null;
    }

    private static byte[] digest(String token) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }
}
