package dev.perigee.worker.session;

import dev.perigee.protocol.tls.TlsFiles;
import java.time.Duration;

/**
 * TLS options of the link.
 *
 * @param files the worker's certificate and key; with authorities gateways must present a
 *     certificate that one of them signed
 * @param reloadInterval how often the files are looked at again
 */
public record TlsOptions(TlsFiles files, Duration reloadInterval) {

    /** Whether gateways must present certificates. */
    boolean isMutual() {
        return files.authorities() != null;
    }
}
