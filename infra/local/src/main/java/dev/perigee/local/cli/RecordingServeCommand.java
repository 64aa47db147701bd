package dev.perigee.local.cli;

import dev.perigee.local.recorded.RecordedAnswers;
import dev.perigee.local.recorded.RecordedServers;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Foreground;
import dev.perigee.part.Printer;
import dev.perigee.part.RunningPart;
import dev.perigee.part.Version;
import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Serves the servers of a recording. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Be the MCP servers of a recording: answer what was answered, and do nothing.",
        description = {
            "Each installation is served over HTTP at /servers/PROCESS_ID; 'perigee replay"
                    + " --recorded-servers' sends configurations that lead there. A call is known"
                    + " by its server, tool and arguments, and is answered in the order in which it"
                    + " was. What was not recorded is answered as an error that says so; /counts"
                    + " shows how often.",
            "",
            "Runs until Ctrl-C. Whoever reaches the address can read the recording's answers."
        })
final class RecordingServeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "A file that 'recording make' wrote.")
    private Path file = Path.of("");

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:7080",
            description =
                    "Where to serve (default 127.0.0.1:7080), port 0 for a free one. The workers'"
                            + " egress.allow must have it.")
    private String listen = "";

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        var address = HostPort.parse(listen);
        if (address == null) {
            throw CliException.usage("--listen '" + listen + "' is no HOST:PORT");
        }
        var out = Printer.out(spec);
        try {
            var servers =
                    RecordedServers.start(
                            RecordedAnswers.of(file),
                            new InetSocketAddress(address.host(), address.port()));
            new Foreground("recorded", line -> out.line(line.toString())).run(new Part(servers));
            return ExitCode.FAILED;
        } catch (RecordingException e) {
            throw RecordingFiles.explained(e);
        } catch (IOException e) {
            throw CliException.usage(
                    "--listen "
                            + listen
                            + " cannot be served ("
                            + e.getMessage()
                            + "): name another");
        }
    }

    private record Part(RecordedServers servers, CountDownLatch ended) implements RunningPart {
        Part(RecordedServers servers) {
            this(servers, new CountDownLatch(1));
        }

        @Override
        public Map<String, String> addresses() {
            var address = servers.address();
            return Map.of("mcp", "http://" + address.getHostString() + ":" + address.getPort());
        }

        @Override
        public void awaitEnd() throws InterruptedException {
            ended.await();
        }

        @Override
        public void close() {
            servers.close();
            ended.countDown();
        }
    }
}
