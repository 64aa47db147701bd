package dev.perigee.local.cli;

import dev.perigee.part.OutputFormat;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Output options of a comparison of recordings. */
final class ComparisonOptions {
    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write the comparison as an HTML page, too.")
    private @Nullable Path report;

    @Option(
            names = "--output",
            paramLabel = "table|json",
            defaultValue = "table",
            description = "How to print: table (default), or one JSON document.")
    private OutputFormat format = OutputFormat.TABLE;

    /** Null where no page is wanted. */
    @Nullable Path report() {
        return report;
    }

    OutputFormat format() {
        return format;
    }
}
