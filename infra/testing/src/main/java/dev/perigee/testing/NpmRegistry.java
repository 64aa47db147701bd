package dev.perigee.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * An npm registry on this machine that has exactly what {@link NpmServers} installed and what the
 * TypeScript client needs, so that tests which have npm install something need no network. Archives
 * are made by {@code tar} when they are asked for.
 */
public final class NpmRegistry implements AutoCloseable {

    private static final String ARCHIVES = "-/";

    private final HttpServer server;
    private final Map<String, ObjectNode> packages = new TreeMap<>();
    private final Map<String, Path> folders = new ConcurrentHashMap<>();
    private final AtomicInteger requests = new AtomicInteger();

    private NpmRegistry(HttpServer server) {
        this.server = server;
    }

    /** A registry of what is installed. */
    public static NpmRegistry start() {
        try {
            var server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            var registry = new NpmRegistry(server);
            registry.index(NpmServers.installed().modules());
            var client = Checkout.root().resolve("infra/clients/typescript");
            registry.index(NpmFolder.installed(client).resolve("node_modules"));
            server.createContext("/", registry::handle);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.start();
            return registry;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it is. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** Adds a package, or another version of one, before anybody asks for it. */
    public void publish(Path folder) {
        try {
            add(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How often anything was asked for. */
    public int requests() {
        return requests.get();
    }

    /** A package lies in {@code node_modules}, in a scope there, or in another's own. */
    private void index(Path modules) throws IOException {
        try (var entries = Files.list(modules)) {
            for (var entry : entries.sorted().toList()) {
                var name = entry.getFileName().toString();
                if (name.startsWith("@")) {
                    index(entry);
                } else if (Files.isRegularFile(entry.resolve("package.json"))) {
                    add(entry);
                    if (Files.isDirectory(entry.resolve("node_modules"))) {
                        index(entry.resolve("node_modules"));
                    }
                }
            }
        }
    }

    private void add(Path folder) throws IOException {
        var manifest = (ObjectNode) Json.tree(Files.readAllBytes(folder.resolve("package.json")));
        var name = manifest.get("name").asString();
        var version = manifest.get("version").asString();
        var archive = name.replace('/', '+') + "-" + version + ".tgz";
        folders.put(archive, folder);
        manifest.putObject("dist").put("tarball", url() + ARCHIVES + archive);
        var document =
                packages.computeIfAbsent(
                        name,
                        key -> {
                            var created = JsonNodeFactory.instance.objectNode().put("name", key);
                            created.putObject("dist-tags").put("latest", version);
                            created.putObject("versions");
                            return created;
                        });
        ((ObjectNode) document.get("versions")).set(version, manifest);
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        try (exchange) {
            var path =
                    URLDecoder.decode(
                            exchange.getRequestURI().getRawPath().substring(1).replace("+", "%2B"),
                            StandardCharsets.UTF_8);
            if (path.startsWith(ARCHIVES)) {
                exchange.getResponseHeaders()
                        .add("Cache-Control", "public, immutable, max-age=86400");
            }
            var body = body(path);
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

    private byte @Nullable [] body(String path) throws IOException, InterruptedException {
        if (path.startsWith(ARCHIVES)) {
            var folder = folders.get(path.substring(ARCHIVES.length()));
            return folder == null ? null : archive(folder);
        }
        var document = packages.get(path);
        return document == null ? null : Json.write(document);
    }

    private static byte[] archive(Path folder) throws IOException, InterruptedException {
        var command =
                List.of(
                        "tar",
                        "-C",
                        folder.toString(),
                        "--exclude=./node_modules",
                        "--transform",
                        "s,^\\.,package,",
                        "-czf",
                        "-",
                        ".");
        var tar =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        tar.getOutputStream().close();
        var archive = tar.getInputStream().readAllBytes();
        if (tar.waitFor() != 0) {
            throw new IOException("tar of " + folder + " failed");
        }
        return archive;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
