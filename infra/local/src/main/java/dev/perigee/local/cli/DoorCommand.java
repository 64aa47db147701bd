package dev.perigee.local.cli;

import dev.perigee.local.connect.DoorOptions;
import dev.perigee.local.connect.DoorServer;
import dev.perigee.part.CliException;
import dev.perigee.part.ConnectionOptions;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Foreground;
import dev.perigee.part.Printer;
import dev.perigee.part.RunningPart;
import dev.perigee.part.Version;
import dev.perigee.protocol.json.NumberRange;
import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Serves MCP clients over HTTP. */
@Command(
        name = "door",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Be an MCP server over HTTP whose tools are those of a token's user.",
        description = {
            "MCP clients reach all servers of their user at /mcp, with tools named server__tool,"
                    + " and one of them at /mcp/SLUG, with its tools' own names, its prompts and its"
                    + " resources. Both kinds of streamable HTTP are spoken: 2026-07-28, and"
                    + " sessions of the revisions before.",
            "",
            "Each line of the file of tokens has the SHA-256 of a token in hexadecimal, a team and"
                    + " a user. A token, of 'openssl rand -hex 32' for example, is all that it"
                    + " takes to call that user's tools, so put TLS before a door that others"
                    + " reach. A line for the token in $token:",
            "  echo \"$(printf %%s $token | sha256sum | cut -c-64) t1 u1\" >> door.tokens",
            "",
            "Runs until Ctrl-C, or until the fleet's answers cannot be read any more: have it"
                    + " started anew then."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee door --tokens door.tokens",
            "  perigee door --tokens door.tokens --listen 0.0.0.0:7090 --host mcp.example"
        })
final class DoorCommand implements Callable<Integer> {
    @Mixin private ConnectionOptions connection = new ConnectionOptions();

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            required = true,
            description =
                    "Who may come in: SHA-256, team and user on each line. Read again when it has"
                            + " changed; nobody but its owner may be able to write it.")
    private Path tokens = Path.of("");

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:7090",
            description = "Where to serve (default 127.0.0.1:7090), port 0 for a free one.")
    private String listen = "";

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description =
                    "A name by which clients reach it, and pages that may call it are from, besides"
                            + " localhost and the one of --listen. May be repeated.")
    private List<String> hosts = List.of();

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "5m",
            converter = DurationOption.class,
            description =
                    "How long a call may take, and by each progress so much longer where the client"
                            + " follows it, up to an hour (default 5m).")
    private Duration timeout = Duration.ZERO;

    @Option(
            names = "--idle",
            paramLabel = "DURATION",
            defaultValue = "30m",
            converter = DurationOption.class,
            description = "How long a session may go unused (default 30m).")
    private Duration idle = Duration.ZERO;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        var address = HostPort.parse(listen);
        if (address == null) {
            throw CliException.usage("--listen '" + listen + "' is no HOST:PORT");
        }
        if (timeout.toMillis() < NumberRange.TIMEOUT_MS.least()
                || timeout.toMillis() > NumberRange.TIMEOUT_MS.most()) {
            throw CliException.usage("--timeout must be longer than 0, and a day at most");
        }
        var out = Printer.out(spec);
        try {
            var server =
                    DoorServer.start(
                            connection.connection(),
                            new DoorOptions(
                                    address,
                                    tokens,
                                    hosts,
                                    timeout,
                                    idle,
                                    RecordingFiles.version()),
                            this::warn);
            new Foreground("door", line -> out.line(line.toString())).run(new Part(server));
            return ExitCode.FAILED;
        } catch (IOException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    private void warn(String message) {
        Printer.err(spec).line(spec.qualifiedName() + ": " + message);
    }

    private record Part(DoorServer server) implements RunningPart {
        @Override
        public Map<String, String> addresses() {
            return Map.of("mcp", "http://" + server.address() + "/mcp");
        }

        @Override
        public void awaitEnd() throws InterruptedException {
            server.awaitEnd();
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
