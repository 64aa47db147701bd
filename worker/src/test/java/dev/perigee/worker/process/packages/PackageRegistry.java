package dev.perigee.worker.process.packages;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.perigee.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A registry that real npm installs from, with packages that are composed in memory. */
public final class PackageRegistry implements AutoCloseable {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int BLOCK = 512;

    /** Nobody's cache knows this registry yet. */
    private final String base = "/" + UUID.randomUUID() + "/";

    private final HttpServer server;
    private final Map<String, ObjectNode> packages = new ConcurrentHashMap<>();
    private final Map<String, byte[]> archives = new ConcurrentHashMap<>();
    private final AtomicInteger lookups = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean mute;

    public PackageRegistry() {
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::handle);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    /** What a server is configured with so that its package comes from here. */
    public Map<String, String> environment() {
        return Map.of(
                "npm_config_registry",
                uri(),
                "npm_config_cache",
                Path.of("target", "npm-cache").toAbsolutePath().toString(),
                "npm_config_fetch_retries",
                "0");
    }

    /** How often a package was looked up. */
    public int lookups() {
        return lookups.get();
    }

    /** From now on requests are taken and never answered. */
    public void fallSilent() {
        mute = true;
    }

    /** Its address. */
    public String uri() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + base;
    }

    /**
     * Publishes a version, which becomes the latest.
     *
     * @param programs names of programs and their files
     * @param files by path in the package
     */
    public void publish(
            String name, String version, Map<String, String> programs, Map<String, String> files) {
        publish(name, version, programs, files, Map.of());
    }

    /**
     * Publishes a version with scripts.
     *
     * @param scripts by npm's name, such as {@code postinstall}
     */
    public void publish(
            String name,
            String version,
            Map<String, String> programs,
            Map<String, String> files,
            Map<String, String> scripts) {
        var manifest = NODES.objectNode().put("name", name).put("version", version);
        var bin = manifest.putObject("bin");
        programs.forEach(bin::put);
        if (!scripts.isEmpty()) {
            scripts.forEach(manifest.putObject("scripts")::put);
        }
        var archive = name.replace('/', '-') + "-" + version + ".tgz";
        var content = archive(manifest, files);
        archives.put(archive, content);
        var entry = manifest.deepCopy();
        if (!scripts.isEmpty()) {
            entry.put("hasInstallScript", true);
        }
        entry.putObject("dist")
                .put("tarball", uri() + "-/" + archive)
                .put("integrity", integrity(content));
        var known = packages.computeIfAbsent(name, PackageRegistry::document);
        ((ObjectNode) known.get("dist-tags")).put("latest", version);
        ((ObjectNode) known.get("versions")).set(version, entry);
    }

    /** From now on a version needs another package. */
    public void addDependency(String name, String version, String dependency, String spec) {
        var versions = (ObjectNode) Objects.requireNonNull(packages.get(name)).get("versions");
        ((ObjectNode) versions.get(version)).putObject("dependencies").put(dependency, spec);
    }

    private static String integrity(byte[] content) {
        try {
            var digest = MessageDigest.getInstance("SHA-512").digest(content);
            return "sha512-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** From now on the archive of a version is another than was published. */
    public void forge(String name, String version, Map<String, String> files) {
        var manifest = NODES.objectNode().put("name", name).put("version", version);
        archives.put(name.replace('/', '-') + "-" + version + ".tgz", archive(manifest, files));
    }

    private static ObjectNode document(String name) {
        var document = NODES.objectNode().put("name", name);
        document.putObject("dist-tags");
        document.putObject("versions");
        return document;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (mute) {
                closed.await();
                return;
            }
            var path = exchange.getRequestURI().getRawPath();
            var name =
                    URLDecoder.decode(
                            path.startsWith(base) ? path.substring(base.length()) : path,
                            StandardCharsets.UTF_8);
            byte[] body;
            if (name.startsWith("-/")) {
                body = archives.get(name.substring(2));
            } else {
                lookups.incrementAndGet();
                var known = packages.get(name);
                body = known == null ? null : Json.write(known);
            }
            if (body == null) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] archive(ObjectNode manifest, Map<String, String> files) {
        var bytes = new ByteArrayOutputStream();
        try (var packed = new GZIPOutputStream(bytes)) {
            entry(packed, "package.json", manifest.toString());
            for (var file : files.entrySet()) {
                entry(packed, file.getKey(), file.getValue());
            }
            packed.write(new byte[2 * BLOCK]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void entry(GZIPOutputStream packed, String path, String text)
            throws IOException {
        var content = text.getBytes(StandardCharsets.UTF_8);
        var header = new byte[BLOCK];
        put(header, 0, "package/" + path);
        put(header, 100, "0000644\0");
        put(header, 108, "0000000\0");
        put(header, 116, "0000000\0");
        put(header, 124, "%011o\0".formatted(content.length));
        put(header, 136, "00000000000\0");
        put(header, 148, "        ");
        put(header, 156, "0");
        put(header, 257, "ustar\00000");
        int sum = 0;
        for (byte one : header) {
            sum += one & 0xff;
        }
        put(header, 148, "%06o\0 ".formatted(sum));
        packed.write(header);
        packed.write(content);
        packed.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
    }

    private static void put(byte[] header, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }
}
