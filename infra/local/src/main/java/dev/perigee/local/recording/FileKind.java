package dev.perigee.local.recording;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * Kind of a file of checked lines, with its messages.
 *
 * @param format that the first line names
 * @param name what users call it
 * @param command that writes one
 * @param instead of copying it again
 * @param unusable failure that another file or name mends
 * @param ofStorage failure of a disk
 */
public record FileKind(
        String format,
        String name,
        String command,
        String instead,
        Function<String, RuntimeException> unusable,
        Function<String, RuntimeException> ofStorage) {

    /** Refuses a name that is taken. */
    public void refuseTaken(Path file) {
        if (Files.exists(file)) {
            throw taken(file);
        }
    }

    RuntimeException taken(Path file) {
        return unusable.apply(file + " exists: remove it, or name another file");
    }

    /** A wrong name is the user's, a disk that is full is not. */
    public RuntimeException unwritable(Path file, IOException failure) {
        return (failure instanceof FileSystemException ? unusable : ofStorage)
                .apply(
                        "%s cannot be written: %s. Name a file in a folder that is there and has room"
                                .formatted(file, failure.getMessage()));
    }

    RuntimeException missing(Path file) {
        return unusable.apply("%s is not there: make it with '%s'".formatted(file, command));
    }

    RuntimeException foreign(Path file) {
        return unusable.apply(
                "%s is no %s, or its begin is damaged: name a file that '%s' wrote"
                        .formatted(file, name, command));
    }

    RuntimeException cut(Path file, long records) {
        return unusable.apply(
                "%s is cut off behind record %d: copy it again from where it was made, or %s"
                        .formatted(file, records, instead));
    }

    RuntimeException damaged(Path file, long records) {
        return unusable.apply(
                "%s is damaged (seen at record %d): copy it again from where it was made, or %s"
                        .formatted(file, records, instead));
    }
}
