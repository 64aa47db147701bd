package dev.perigee.protocol.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Makes the JDK's TLS of the files, through key stores in memory. */
final class TlsContexts {
    /** Links live long: to resume a TLS session would only spare a look at certificates. */
    private static final int RESUMPTION_SECONDS = 1;

    private static final char[] IN_MEMORY = "in-memory".toCharArray();

    private TlsContexts() {}

    static SSLContext of(TlsFiles files, TlsContents contents) throws TlsFileException {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(keys(files, contents), authorities(files, contents), null);
            context.getClientSessionContext().setSessionTimeout(RESUMPTION_SECONDS);
            return context;
        } catch (TlsFileException e) {
            throw e;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("The JDK's TLS cannot be used", e);
        }
    }

    private static KeyManager @Nullable [] keys(TlsFiles files, TlsContents contents)
            throws GeneralSecurityException, IOException {
        var certificate = files.certificate();
        var key = files.key();
        if (certificate == null
                || key == null
                || contents.certificate == null
                || contents.key == null) {
            return null;
        }
        var chain = Pem.certificates(certificate, contents.certificate);
        var privateKey = Pem.privateKey(key, contents.key, chain.getFirst().getPublicKey());
        var store = empty();
        try {
            store.setKeyEntry("own", privateKey, IN_MEMORY, chain.toArray(Certificate[]::new));
        } catch (KeyStoreException e) {
            throw certificate.problem(
                    "holds no chain: each certificate must be followed by its issuer's");
        }
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, IN_MEMORY);
        return factory.getKeyManagers();
    }

    /** Null stands for the JDK's own. */
    private static TrustManager @Nullable [] authorities(TlsFiles files, TlsContents contents)
            throws GeneralSecurityException, IOException {
        var file = files.authorities();
        if (file == null || contents.authorities == null) {
            return null;
        }
        var store = empty();
        int number = 0;
        for (var authority : Pem.certificates(file, contents.authorities)) {
            store.setCertificateEntry("authority-" + ++number, authority);
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
