package dev.perigee.local.cli;

import dev.perigee.local.sample.SampleServer;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** An MCP server that the demonstration installs; it has a tool called echo. */
record DemoServer(String description, ServerConfig config) {
    static final String PACKAGE = "@modelcontextprotocol/server-everything@2026.8.31";

    /** The reference server from npm, pinned. */
    static DemoServer fromNpm() {
        return new DemoServer(PACKAGE, config("npm", "everything", "npx", List.of("-y", PACKAGE)));
    }

    /** The server that is part of Perigee. */
    static DemoServer bundled() {
        var command = SampleServer.command();
        return new DemoServer(
                "the bundled sample server",
                config(
                        "bundled",
                        "sample",
                        command.getFirst(),
                        command.subList(1, command.size())));
    }

    static boolean hasNpx(String path) {
        for (var directory : path.split(File.pathSeparator, -1)) {
            if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, "npx"))) {
                return true;
            }
        }
        return false;
    }

    String echo() {
        return config.serverSlug() + ":echo";
    }

    private static ServerConfig config(
            String installation, String slug, String command, List<String> arguments) {
        return new ServerConfigBuilder(
                        installation,
                        slug,
                        new Owner("t1", "acme", "u1", "alice"),
                        TransportType.STDIO,
                        command,
                        arguments)
                .build();
    }
}
