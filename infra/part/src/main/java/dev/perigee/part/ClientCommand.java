package dev.perigee.part;

import dev.perigee.client.KafkaConnection;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that acts as a backend: it talks to Kafka, prints an answer and ends. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class)
public abstract class ClientCommand implements Callable<Integer> {
    @Mixin private ConnectionOptions connection = new ConnectionOptions();

    @Option(
            names = "--output",
            paramLabel = "table|json",
            defaultValue = "table",
            description = "How to print: table (default), or one JSON document per line.")
    private OutputFormat format = OutputFormat.TABLE;

    @Spec private CommandSpec spec = CommandSpec.create();

    public final KafkaConnection connection() {
        return connection.connection();
    }

    public final Output output() {
        return new Output(spec, format);
    }

    /** Says after a moment what the command waits for, until it is closed. */
    public final Progress waiting(String what) {
        return Progress.of(what, this::warn);
    }

    public final void warn(String message) {
        Printer.err(spec).line(spec.qualifiedName() + ": " + message);
    }
}
