package dev.perigee.protocol.tls;

import java.io.IOException;

/**
 * A file cannot be used for TLS. The message names the configuration key and the file, and says
 * what is needed; it never shows what is in the file.
 */
public final class TlsFileException extends IOException {
    private static final long serialVersionUID = 1L;

    TlsFileException(String message) {
        super(message);
    }
}
