package dev.perigee.local.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** A tree of commands as fish completes it: a line for each command and option. */
final class FishCompletion {
    private final String program;
    private final List<String> lines = new ArrayList<>();

    private FishCompletion(String program) {
        this.program = program;
    }

    static String of(String program, CommandLine tree) {
        var completion = new FishCompletion(program);
        completion.add(tree, List.of());
        return String.join("\n", completion.lines) + "\n";
    }

    private void add(CommandLine command, List<String> path) {
        var here = condition(command, path);
        for (var option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                lines.add(option(option, here));
            }
        }
        command.getSubcommands()
                .forEach(
                        (name, subcommand) -> {
                            if (isHidden(subcommand)) {
                                return;
                            }
                            var usage = subcommand.getCommandSpec().usageMessage();
                            lines.add(
                                    "complete -c %s -f -n %s -a %s -d %s"
                                            .formatted(
                                                    program,
                                                    quoted(here),
                                                    name,
                                                    quoted(first(usage.header()))));
                            var deeper = new ArrayList<>(path);
                            deeper.add(name);
                            add(subcommand, deeper);
                        });
    }

    private static boolean isHidden(CommandLine command) {
        return command.getCommandSpec().usageMessage().hidden();
    }

    /** Whether the words so far name this command and none below it. */
    private static String condition(CommandLine command, List<String> path) {
        var seen =
                path.stream()
                        .map(name -> "__fish_seen_subcommand_from " + name)
                        .collect(Collectors.joining("; and "));
        if (command.getSubcommands().isEmpty()) {
            return seen;
        }
        var deeper =
                "not __fish_seen_subcommand_from "
                        + command.getSubcommands().entrySet().stream()
                                .filter(it -> !isHidden(it.getValue()))
                                .map(Map.Entry::getKey)
                                .collect(Collectors.joining(" "));
        return seen.isEmpty() ? deeper : seen + "; and " + deeper;
    }

    private String option(OptionSpec option, String condition) {
        var line = new StringBuilder("complete -c ").append(program);
        line.append(" -n ").append(quoted(condition));
        for (var name : option.names()) {
            line.append(name.startsWith("--") ? " -l " : " -s ")
                    .append(name.replaceFirst("^--?", ""));
        }
        if (option.arity().min() > 0) {
            line.append(" -r");
        }
        var candidates = option.completionCandidates();
        if (candidates != null) {
            line.append(" -a ")
                    .append(quoted(String.join(" ", candidates).toLowerCase(Locale.ROOT)));
        }
        return line.append(" -d ").append(quoted(first(option.description()))).toString();
    }

    private static String first(String[] texts) {
        return texts.length == 0 ? "" : texts[0];
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
