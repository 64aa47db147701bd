package dev.perigee.gateway.link;

import dev.perigee.protocol.tls.ReloadedTls;
import dev.perigee.protocol.tls.TlsFileException;
import dev.perigee.protocol.tls.TlsFiles;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The TLS of links to workers: whom the gateway believes, and who it is. Any thread may call. */
final class WorkerTls {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerTls.class);

    private final ReloadedTls tls;
    private final SslContextFactory.Client factory = new SslContextFactory.Client();

    /**
     * Reads the files.
     *
     * @throws TlsFileException when one cannot be used
     */
    WorkerTls(TlsFiles files) throws TlsFileException {
        tls = new ReloadedTls(files);
        factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        factory.setEndpointIdentificationAlgorithm("HTTPS"); // the host name must be certified
        factory.setSslContext(tls.context());
    }

    SslContextFactory.Client factory() {
        return factory;
    }

    /** Takes the files as they are now, or goes on with those before. */
    void reload() {
        try {
            if (tls.reload()) {
                factory.reload(changed -> changed.setSslContext(tls.context()));
                LOG.atInfo().log("TLS files reloaded; new links use them");
            }
        } catch (TlsFileException e) {
            LOG.atWarn()
                    .addKeyValue("reason", e.getMessage())
                    .log("Changed TLS files cannot be used; keeping the previous ones");
        } catch (Exception e) {
            LOG.atError().setCause(e).log("Failed to reload the TLS files");
        }
    }
}
