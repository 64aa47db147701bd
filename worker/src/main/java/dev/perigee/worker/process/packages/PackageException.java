package dev.perigee.worker.process.packages;

import org.jspecify.annotations.Nullable;

/**
 * A package could not be prepared. The message says what to do and quotes the package manager's
 * last lines, in which configured secrets may stand: mask it before it is shown.
 */
public final class PackageException extends Exception {

    private static final long serialVersionUID = 1;

    PackageException(String message) {
        this(message, null);
    }

    /** With what kept the package manager from being started, where that was it. */
    PackageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
