package dev.perigee.worker.process;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import org.jspecify.annotations.Nullable;

/**
 * Disk usage of a server's home. A walk follows no link, opens each directory from the one above,
 * so that a server cannot send it elsewhere, and ends as soon as a limit is passed. Each file
 * counts with its length, in whole blocks of {@value #BLOCK_BYTES} bytes, under each of its names;
 * a directory, too, which on many file systems stays as large as it once was.
 *
 * @param bytes of the files that were counted
 * @param files and directories that were counted
 * @param tooDeep whether something could not be counted because directories are nested too deep, or
 *     because the worker's own user closed them to itself
 * @param complete false where the walk ended at a limit
 */
record HomeSize(long bytes, long files, boolean tooDeep, boolean complete) {
    static final int BLOCK_BYTES = 4096;

    /** As many directories are open at the same time, at most. */
    static final int DEEPEST = 128;

    /**
     * Counts until a limit is passed; null where the home cannot be read or is not there.
     *
     * @param maxBytes 0 for none, as of files
     */
    static @Nullable HomeSize measure(Path home, long maxBytes, long maxFiles) {
        var walk = new Walk(maxBytes, maxFiles);
        try (var stream = Files.newDirectoryStream(home)) {
            if (!(stream instanceof SecureDirectoryStream<Path> top)) {
                return null;
            }
            var owner = owner(top, null);
            walk.into(top, owner, 1);
            return new HomeSize(walk.bytes, walk.files, walk.tooDeep, !walk.passed());
        } catch (IOException | DirectoryIteratorException e) {
            return null;
        }
    }

    /** The same with files that the home does not show any more. */
    HomeSize with(long removedBytes) {
        return new HomeSize(bytes + removedBytes, files, tooDeep, complete);
    }

    private static @Nullable String owner(
            SecureDirectoryStream<Path> directory, @Nullable Path name) throws IOException {
        var view =
                name == null
                        ? directory.getFileAttributeView(PosixFileAttributeView.class)
                        : directory.getFileAttributeView(
                                name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        return view == null ? null : view.getOwner().getName();
    }

    /** One walk; for one thread. */
    private static final class Walk {
        private final long maxBytes;
        private final long maxFiles;
        private long bytes;
        private long files;
        private boolean tooDeep;

        Walk(long maxBytes, long maxFiles) {
            this.maxBytes = maxBytes;
            this.maxFiles = maxFiles;
        }

        boolean passed() {
            return tooDeep
                    || (maxBytes > 0 && bytes > maxBytes)
                    || (maxFiles > 0 && files > maxFiles);
        }

        void into(SecureDirectoryStream<Path> directory, @Nullable String owner, int depth) {
            try {
                for (var path : directory) {
                    if (passed() || Thread.currentThread().isInterrupted()) {
                        return;
                    }
                    var name = path.getFileName();
                    if (name != null) {
                        count(directory, name, owner, depth);
                    }
                }
            } catch (DirectoryIteratorException e) {
                // It was removed meanwhile.
                return;
            }
        }

        private void count(
                SecureDirectoryStream<Path> directory,
                Path name,
                @Nullable String owner,
                int depth) {
            try {
                var attributes = attributes(directory, name);
                files++;
                long own = Math.ceilDiv(attributes.size(), BLOCK_BYTES) * BLOCK_BYTES;
                if (!attributes.isDirectory()) {
                    bytes += own;
                    return;
                }
                bytes += Math.max(BLOCK_BYTES, own);
                if (depth == DEEPEST) {
                    tooDeep = true;
                    return;
                }
                try (var below = open(directory, name, owner)) {
                    if (below instanceof SecureDirectoryStream<Path> secure) {
                        into(secure, owner, depth + 1);
                    }
                }
            } catch (IOException e) {
                // It was removed meanwhile.
                return;
            }
        }

        private static BasicFileAttributes attributes(
                SecureDirectoryStream<Path> directory, Path name) throws IOException {
            return directory
                    .getFileAttributeView(
                            name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
        }

        /** Null where it cannot be opened; that counts when the home's owner closed it. */
        private @Nullable DirectoryStream<Path> open(
                SecureDirectoryStream<Path> directory, Path name, @Nullable String owner)
                throws IOException {
            try {
                return directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
            } catch (AccessDeniedException e) {
                tooDeep |= owner != null && owner.equals(owner(directory, name));
                return null;
            }
        }
    }
}
