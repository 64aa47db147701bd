package dev.perigee.local.cli;

import dev.perigee.local.asyncapi.TopicsPage;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Printer;
import dev.perigee.protocol.settings.SettingsReference;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the reference pages that are kept in docs/reference. */
@Command(
        name = "reference",
        hidden = true,
        mixinStandardHelpOptions = true,
        header = "Print the reference page of all configuration keys, or that of all topics.")
final class ReferenceCommand implements Callable<Integer> {
    @Option(
            names = "--topics",
            paramLabel = "FILE",
            description = "The page of topics and records, from this AsyncAPI document.")
    private @Nullable Path topics;

    @Spec private CommandSpec spec = CommandSpec.create();

    static String page() {
        return SettingsReference.render(List.copyOf(PartSchemas.BY_KIND.values()));
    }

    private static String topicsPage(Path document) {
        try {
            return TopicsPage.render(document);
        } catch (UncheckedIOException e) {
            throw CliException.usage(
                    "The document " + document + ", or what it refers to, cannot be read");
        }
    }

    @Override
    public Integer call() {
        Printer.out(spec).block((topics == null ? page() : topicsPage(topics)).stripTrailing());
        return ExitCode.OK;
    }
}
