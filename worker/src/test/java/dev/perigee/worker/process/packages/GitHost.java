package dev.perigee.worker.process.packages;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.perigee.faults.TestAuthority;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Git repositories over HTTPS, served by git itself with a certificate of a test's authority. */
public final class GitHost implements AutoCloseable {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final long PATIENCE_SECONDS = 20;

    private final Path directory;
    private final Path certificate;
    private final HttpsServer server;
    private final AtomicInteger requests = new AtomicInteger();
    private volatile int refusal;

    /** Its files are below an existing directory. */
    public GitHost(Path parent) throws IOException, GeneralSecurityException, InterruptedException {
        directory = Files.createTempDirectory(parent, "git");
        var authority = new TestAuthority(parent, "git-host");
        var identity = authority.identity("git-host", "ip:127.0.0.1", TestAuthority.VALID);
        certificate = authority.certificate();
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(identity)));
        server.createContext("/", this::handle);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    private static SSLContext context(TestAuthority.Identity identity)
            throws IOException, GeneralSecurityException {
        List<Certificate> chain;
        try (var pem = Files.newInputStream(identity.certificate())) {
            chain =
                    new ArrayList<>(
                            CertificateFactory.getInstance("X.509").generateCertificates(pem));
        }
        var key =
                Base64.getMimeDecoder()
                        .decode(
                                Files.readString(identity.key())
                                        .replaceAll("-----[A-Z ]+-----", ""));
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "own",
                KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)),
                PASSWORD,
                chain.toArray(Certificate[]::new));
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    /** The certificate that clients are to believe. */
    public Path certificate() {
        return certificate;
    }

    /** Host and port. */
    public String authority() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** The address of a repository, which need not be there. */
    public String url(String name) {
        return "https://" + authority() + "/" + name + ".git";
    }

    /** How many requests there were. */
    public int requests() {
        return requests.get();
    }

    /** From now on every request is answered so. */
    public void refuse(int status) {
        refusal = status;
    }

    /**
     * Commits files to the branch {@code main}, besides those that are there, and makes the
     * repository with the first commit.
     *
     * @param files by path; what begins with {@code #!} can be run
     * @return the commit
     */
    public String commit(String name, Map<String, String> files)
            throws IOException, InterruptedException {
        var repository = directory.resolve(name + ".git");
        if (!Files.exists(repository)) {
            Files.createDirectory(repository);
            git(name, "init", "-q", "-b", "main", ".");
        }
        for (var file : files.entrySet()) {
            var path = repository.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
            if (file.getValue().startsWith("#!") && !path.toFile().setExecutable(true)) {
                throw new IOException("cannot be made executable: " + path);
            }
        }
        git(name, "add", ".");
        git(name, "commit", "-q", "--allow-empty", "-m", "change");
        return git(name, "rev-parse", "HEAD").strip();
    }

    /** Puts a link into the next commit. */
    public void link(String name, String path, Path target) throws IOException {
        var link = directory.resolve(name + ".git").resolve(path);
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, target);
    }

    /** Runs git in a repository. */
    public String git(String name, String... arguments) throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of("git", "-c", "user.name=t", "-c", "user.email=t@t.invalid"));
        command.addAll(List.of(arguments));
        var process =
                new ProcessBuilder(command)
                        .directory(directory.resolve(name + ".git").toFile())
                        .redirectErrorStream(true)
                        .start();
        try (var output = process.getInputStream()) {
            process.getOutputStream().close();
            var said = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(command + ": " + said);
            }
            return said;
        } finally {
            process.destroyForcibly();
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            requests.incrementAndGet();
            if (refusal != 0) {
                if (refusal == 401) {
                    exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"git\"");
                }
                exchange.sendResponseHeaders(refusal, -1);
                return;
            }
            answer(exchange);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        var backend = new ProcessBuilder("git", "http-backend");
        var variables = backend.environment();
        var uri = exchange.getRequestURI();
        variables.put("GIT_PROJECT_ROOT", directory.toString());
        variables.put("GIT_HTTP_EXPORT_ALL", "1");
        variables.put("PATH_INFO", uri.getPath());
        variables.put("QUERY_STRING", uri.getRawQuery() == null ? "" : uri.getRawQuery());
        variables.put("REQUEST_METHOD", exchange.getRequestMethod());
        for (var header :
                Map.of(
                                "Content-Type", "CONTENT_TYPE",
                                "Git-Protocol", "GIT_PROTOCOL",
                                "Content-Encoding", "HTTP_CONTENT_ENCODING")
                        .entrySet()) {
            var value = exchange.getRequestHeaders().getFirst(header.getKey());
            if (value != null) {
                variables.put(header.getValue(), value);
            }
        }
        var process = backend.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var output = new BufferedInputStream(process.getInputStream())) {
            try (var input = process.getOutputStream()) {
                exchange.getRequestBody().transferTo(input);
            }
            int status = 200;
            for (var line = line(output); !line.isEmpty(); line = line(output)) {
                int colon = line.indexOf(':');
                var value = line.substring(colon + 1).strip();
                if (line.startsWith("Status:")) {
                    status = Integer.parseInt(value.substring(0, 3));
                } else {
                    exchange.getResponseHeaders().set(line.substring(0, colon), value);
                }
            }
            var body = output.readAllBytes();
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String line(InputStream input) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int one = input.read(); one >= 0 && one != '\n'; one = input.read()) {
            line.write(one);
        }
        return line.toString(StandardCharsets.US_ASCII).strip();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
