package dev.perigee.worker.session;

import dev.perigee.protocol.tls.ReloadedTls;
import dev.perigee.protocol.tls.TlsFileException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS of the link's server. Where gateways are to show certificates, who shows none that is
 * believed gets no further than the handshake. Files are looked at again at each interval, on one
 * virtual thread; connections that are open stay as they are.
 */
final class LinkTls implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LinkTls.class);

    private final ReloadedTls tls;
    private final Duration interval;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();
    private final Thread thread;

    /**
     * Reads the files; watches them once it is started.
     *
     * @throws TlsFileException when one cannot be used
     */
    LinkTls(TlsOptions options) throws TlsFileException {
        this.tls = new ReloadedTls(options.files());
        this.interval = options.reloadInterval();
        factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        factory.setNeedClientAuth(options.isMutual());
        factory.setSslContext(tls.context());
        this.thread = Thread.ofVirtual().name("link-tls").unstarted(this::run);
    }

    SslContextFactory.Server factory() {
        return factory;
    }

    /** Calls back for each connection that gets no further than the handshake. */
    SslHandshakeListener refusals(Runnable refused) {
        return new SslHandshakeListener() {
            @Override
            public void handshakeSucceeded(Event event) throws SSLException {
                if (factory.getNeedClientAuth()) {
                    try {
                        var shown = event.getSSLEngine().getSession().getPeerCertificates();
                        requireCurrent((X509Certificate) shown[0], Instant.now());
                    } catch (SSLException e) {
                        refused.run();
                        throw e;
                    }
                }
            }

            @Override
            public void handshakeFailed(Event event, Throwable failure) {
                refused.run();
            }
        };
    }

    /** The JDK looks at certificates once, also where a session is resumed a day later. */
    static void requireCurrent(X509Certificate shown, Instant now) throws SSLException {
        if (shown.getNotAfter().toInstant().isBefore(now)) {
            throw new SSLHandshakeException("a session is resumed whose certificate has expired");
        }
    }

    void start() {
        thread.start();
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(interval); // Closing interrupts.
                reload();
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    private void reload() {
        try {
            if (tls.reload()) {
                factory.reload(changed -> changed.setSslContext(tls.context()));
                log.atInfo().log("TLS files reloaded; new connections use them");
            }
        } catch (TlsFileException e) {
            log.atWarn()
                    .addKeyValue("reason", e.getMessage())
                    .log("Changed TLS files cannot be used; keeping the previous ones");
        } catch (Exception e) {
            log.atError().setCause(e).log("Failed to reload the TLS files");
        }
    }
}
