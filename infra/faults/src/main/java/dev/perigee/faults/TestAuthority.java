package dev.perigee.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A certificate authority of a test, by the {@code keytool} of the running JDK: it signs what is
 * good, and what is to be refused. Two of one name are two to everybody who looks at signatures.
 */
public final class TestAuthority {
    /** Of {@link #identity}: certified for this long, from a little while ago. */
    public static final String VALID = "-1H";

    /** Of {@link #identity}: its day is over. */
    public static final String EXPIRED = "-2d";

    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final long PATIENCE_SECONDS = 60;
    private static final String AUTHORITY = "authority";

    private final Path directory;
    private final Path store;

    /**
     * An identity, in PEM files.
     *
     * @param certificate its own and the authority's
     * @param key PKCS#8
     */
    public record Identity(Path certificate, Path key) {

        /** Takes another one's place, the key first, as if a certificate was renewed. */
        public void becomes(Identity other) throws IOException {
            Files.copy(other.key(), key, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(other.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** An authority whose files are below an existing directory. */
    public TestAuthority(Path parent, String name)
            throws IOException, GeneralSecurityException, InterruptedException {
        this.directory = Files.createTempDirectory(parent, "authority");
        this.store = directory.resolve("store.p12");
        generate(AUTHORITY, "CN=" + name, "bc:c", "-9d", "20");
        write(certificate(), "CERTIFICATE", List.of(load().getCertificate(AUTHORITY).getEncoded()));
    }

    /** Its own certificate, for those who are to believe it. */
    public Path certificate() {
        return directory.resolve(AUTHORITY + ".pem");
    }

    /**
     * Signs a certificate for a new key.
     *
     * @param name in lower case, no two alike
     * @param host as {@code ip:127.0.0.1} or {@code dns:example.org}
     * @param from {@link #VALID} or {@link #EXPIRED}
     */
    public Identity identity(String name, String host, String from)
            throws IOException, GeneralSecurityException, InterruptedException {
        generate(name, "CN=" + name, "san=" + host, from, "1", "-signer", AUTHORITY);
        var made =
                new Identity(
                        directory.resolve(name + ".pem"), directory.resolve(name + ".key.pem"));
        var keys = load();
        var chain = new ArrayList<byte[]>();
        for (var certificate : keys.getCertificateChain(name)) {
            chain.add(certificate.getEncoded());
        }
        write(made.certificate(), "CERTIFICATE", chain);
        write(made.key(), "PRIVATE KEY", List.of(keys.getKey(name, PASSWORD).getEncoded()));
        return made;
    }

    private void generate(
            String alias,
            String subject,
            String extension,
            String from,
            String days,
            String... signer)
            throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-J-XX:TieredStopAtLevel=1",
                                "-genkeypair",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                String.valueOf(PASSWORD),
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-alias",
                                alias,
                                "-dname",
                                subject,
                                "-ext",
                                extension,
                                "-startdate",
                                from,
                                "-validity",
                                days));
        command.addAll(List.of(signer));
        var log = directory.resolve("keytool.log").toFile();
        var keytool =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
        try {
            if (!keytool.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IOException("keytool failed: " + Files.readString(log.toPath()));
            }
        } finally {
            keytool.destroyForcibly();
        }
    }

    private KeyStore load() throws IOException, GeneralSecurityException {
        return KeyStore.getInstance(store.toFile(), PASSWORD);
    }

    private static void write(Path file, String label, List<byte[]> ders) throws IOException {
        var pem = new StringBuilder();
        for (var der : ders) {
            pem.append("-----BEGIN ").append(label).append("-----\n");
            pem.append(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der));
            pem.append("\n-----END ").append(label).append("-----\n");
        }
        Files.writeString(file, pem);
    }
}
