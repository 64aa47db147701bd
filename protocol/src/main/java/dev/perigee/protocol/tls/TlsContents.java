package dev.perigee.protocol.tls;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Contents of {@link TlsFiles} at one time. Not a record, so that it is never printed. */
final class TlsContents {
    final byte @Nullable [] certificate;
    final byte @Nullable [] key;
    final byte @Nullable [] authorities;

    TlsContents(
            byte @Nullable [] certificate, byte @Nullable [] key, byte @Nullable [] authorities) {
        this.certificate = certificate;
        this.key = key;
        this.authorities = authorities;
    }

    boolean isSame(TlsContents other) {
        return Arrays.equals(certificate, other.certificate)
                && Arrays.equals(key, other.key)
                && Arrays.equals(authorities, other.authorities);
    }
}
