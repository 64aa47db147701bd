package dev.perigee.testing.docs;

import static org.junit.jupiter.api.Assertions.assertAll;

import dev.perigee.local.port.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The fleets that pages start by {@code scripts/perigee dev}. A page that wants the one of an
 * earlier page finds it running. They are on free ports, and what pages say of usual ones is
 * translated.
 */
final class DevFleets implements AutoCloseable {

    static final String COMMAND = "scripts/perigee dev";

    private static final String GATEWAY = "127.0.0.1:7081";
    private static final String WORKER = "127.0.0.1:7071";

    private static final Pattern ADMIN =
            Pattern.compile("^ready (gateway|worker)-1 .*admin=http://(\\S+)", Pattern.MULTILINE);
    private static final Pattern KAFKA_PORT = Pattern.compile("\\b9[01]92\\b");

    private final List<Shell.Running> started = new ArrayList<>();
    private final Map<String, Shell.Running> running = new HashMap<>();
    private final Map<String, String> addresses = new HashMap<>();
    private final String kafkaPort = port("9092");

    private String port(String written) {
        return addresses.computeIfAbsent(
                written,
                key -> {
                    try {
                        return Integer.toString(FreePort.on("127.0.0.1"));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    /**
     * Where the first fleet's broker is, as the command line is to find it unless told otherwise.
     */
    String bootstrap() {
        return "127.0.0.1:" + kafkaPort;
    }

    /** A line with the addresses that these fleets have. */
    String translated(String line) {
        var ports = KAFKA_PORT.matcher(line).replaceAll(match -> port(match.group()));
        return ports.replace(GATEWAY, addresses.getOrDefault("gateway", GATEWAY))
                .replace(WORKER, addresses.getOrDefault("worker", WORKER));
    }

    /** Starts the fleet that a translated line says, unless it runs. */
    void start(String line, Shell shell) {
        var command = command(line);
        if (running.containsKey(command)) {
            return;
        }
        var whole =
                command.contains("--kafka-port") ? command : command + " --kafka-port " + kafkaPort;
        var fleet = shell.start("exec " + whole);
        started.add(fleet);
        fleet.awaitOutput(output -> output.contains("All parts are ready"));
        running.put(command, fleet);
        ADMIN.matcher(fleet.output())
                .results()
                .forEach(match -> addresses.putIfAbsent(match.group(1), match.group(2)));
    }

    /** Ends the fleet that a translated line started, as Ctrl-C does, if it runs. */
    void end(String line) {
        var fleet = running.remove(command(line));
        if (fleet != null) {
            started.remove(fleet);
            fleet.interrupt();
        }
    }

    private static String command(String line) {
        return line.replaceAll(" +#.*", "");
    }

    /** What the fleet that was started first printed. */
    String output() {
        return started.getFirst().output();
    }

    /** Ends all as Ctrl-C does, side by side. */
    @Override
    public void close() {
        started.forEach(fleet -> fleet.process().destroy());
        assertAll(started.stream().map(fleet -> fleet::interrupt));
    }
}
