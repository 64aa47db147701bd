package dev.perigee.protocol.tls;

import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * TLS contexts that are reloaded when their files change, since certificates are short-lived. What
 * cannot be used, such as a certificate whose key is not written yet, is not taken: what was good
 * before stays. Any thread may call.
 */
public final class ReloadedTls {
    private final TlsFiles files;
    private TlsContents contents; // guarded by this
    private SSLContext context; // guarded by this
    private @Nullable String problem; // guarded by this

    /**
     * Reads the files.
     *
     * @throws TlsFileException when one cannot be used
     */
    public ReloadedTls(TlsFiles files) throws TlsFileException {
        this.files = files;
        this.contents = files.read();
        this.context = TlsContexts.of(files, contents);
    }

    /** By what connections are to be made from now on. */
    public synchronized SSLContext context() {
        return context;
    }

    /**
     * Reads the files again; returns whether the context changed.
     *
     * @throws TlsFileException when what they hold now cannot be used; once for each reason
     */
    public synchronized boolean reload() throws TlsFileException {
        try {
            var current = files.read();
            var isNew = !current.isSame(contents);
            if (isNew) {
                context = TlsContexts.of(files, current);
                contents = current;
            }
            problem = null;
            return isNew;
        } catch (TlsFileException e) {
            if (String.valueOf(e.getMessage()).equals(problem)) {
                return false;
            }
            problem = e.getMessage();
            throw e;
        }
    }
}
