package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import dev.perigee.part.ConnectionOptions;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

/**
 * Commands of many lines in one JVM, whose clients stay connected. Each line has an empty standard
 * input of its own, since the shell's has the lines.
 */
@Command(
        name = "shell",
        header = "Run commands line by line, calls among them within milliseconds.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Reads commands without the word perigee from the terminal or a pipe, with quotes"
                        + " as a shell has them, until 'exit' or the end. Exits as the first line"
                        + " that failed. Its options are those of every line.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee shell",
            "  echo 'tools --team t1 --user u1' | perigee shell",
            "  perigee shell --bootstrap 127.0.0.1:9092 < commands.txt"
        })
final class ShellCommand implements Callable<Integer> {
    /** They run until they are stopped, or talk on standard input and output themselves. */
    private static final Set<String> ELSEWHERE =
            Set.of("shell", "connect", "door", "dev", "demo", "broker", "gateway", "worker");

    /** Options with which others do the same. */
    private static final Set<String> ENDLESS = Set.of("--follow", "--watch");

    @Mixin private ConnectionOptions connection = new ConnectionOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        var _ = connection.connection(); // What is wrong with it is said once, at the beginning.
        var lines = ShellLines.ofStandardInput();
        var in = System.in;
        System.setIn(InputStream.nullInputStream());
        try (var clients = new KeptClients()) {
            return run(lines, clients);
        } finally {
            System.setIn(in);
        }
    }

    private int run(ShellLines lines, CallClients clients) throws IOException {
        int first = ExitCode.OK;
        for (var line = lines.next(); line != null; line = lines.next()) {
            int code;
            try {
                var words = ShellWords.of(line);
                if (words.isEmpty()) {
                    continue;
                }
                if (words.equals(List.of("exit"))) {
                    break;
                }
                code = run(words, clients);
            } catch (CliException e) {
                Printer.err(spec).line(spec.qualifiedName() + ": " + e.getMessage());
                code = e.exitCode();
            }
            first = first == ExitCode.OK ? code : first;
        }
        return first;
    }

    private int run(List<String> words, CallClients clients) {
        if (ELSEWHERE.contains(words.getFirst())) {
            throw CliException.usage(
                    "'%s' is not for this shell: run 'perigee %1$s' beside it."
                            .formatted(words.getFirst()));
        }
        var arguments = words.toArray(String[]::new);
        var given = spec.commandLine().getParseResult();
        return Printer.likewise(Perigee.commandLine(arguments, clients), spec)
                .setDefaultValueProvider(argument -> given(given, argument))
                .setExecutionStrategy(ShellCommand::execute)
                .execute(arguments);
    }

    private static int execute(ParseResult line) {
        var command = line.subcommand();
        var endless =
                command == null
                        ? null
                        : ENDLESS.stream()
                                .filter(command::hasMatchedOption)
                                .findFirst()
                                .orElse(null);
        if (command != null && endless != null) {
            throw new ParameterException(
                    command.commandSpec().commandLine(),
                    endless + " is not for this shell: run it beside it.");
        }
        return new RunLast().execute(line);
    }

    /** What the shell was given of an option of the same name. */
    private static @Nullable String given(ParseResult shell, ArgSpec argument) {
        if (argument instanceof OptionSpec option && shell.hasMatchedOption(option.longestName())) {
            return shell.matchedOption(option.longestName()).originalStringValues().getFirst();
        }
        return null;
    }
}
